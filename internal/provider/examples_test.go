// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

// The examples in the documentation of the modelling resources are applied as they stand.
func TestAccExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../examples/resources/*/resource.tf")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		if name == "kalypso_gitops_commit" {
			continue // needs a repository
		}
		t.Run(strings.TrimPrefix(name, "kalypso_"), func(t *testing.T) {
			t.Parallel()
			config, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: protoV6ProviderFactories,
				Steps: []resource.TestStep{{
					Config: string(config),
					ConfigPlanChecks: resource.ConfigPlanChecks{
						PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
					},
				}},
			})
		})
	}
}
