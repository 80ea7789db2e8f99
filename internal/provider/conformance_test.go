// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/conformance"
)

// TestAccConformance applies every fleet and compares a clone of the branch
// with what Kalypso writes.
func TestAccConformance(t *testing.T) {
	t.Parallel()
	for _, fleet := range conformance.Fleets(t) {
		t.Run(fleet.Name, func(t *testing.T) {
			t.Parallel()
			r := transports["file"](t)
			assignments := map[string]knownvalue.Check{}
			for key, a := range fleet.Assignments {
				assignments[key] = knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"workload": knownvalue.StringExact(a.Workload),
					"policies": knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(a.Policy)}), "decision_group": knownvalue.Null(),
				})
			}
			inSteps(t, []resource.TestStep{{
				Config: conformanceHCL(r, fleet),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.kalypso_assignments.this", tfjsonpath.New("assignments"), knownvalue.MapExact(assignments)),
				},
				Check: func(*terraform.State) error {
					return conformance.Compare(fleet.Out, packageFiles(t, r, "result"))
				},
			}}...)
		})
	}
}

// conformanceHCL passes every YAML file of the fleet as a manifest.
func conformanceHCL(r gitServer, fleet conformance.Fleet) string {
	return fmt.Sprintf(`
%[1]s
locals {
  fleet = [for f in fileset(%[2]q, "**/*.yaml") : file("%[2]s/${f}")]
}

data "kalypso_assignments" "this" {
  environment = %[3]q
  manifests   = local.fleet
}

resource "kalypso_gitops_commit" "this" {
  environment = %[3]q
  manifests   = local.fleet
  repo        = %[4]q
  branch      = "result"
  path        = "."

  ignore_findings = ["CREDENTIAL"] # the fleet factory has one
}
`, r.provider, fleet.Dir, fleet.Environment, r.url)
}
