// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The provider's hold is for incidents: while an input is broken, a plan succeeds on hold. An apply writes nothing,
// whether its plan was made before or on hold, and a plan of either kind is applied when the hold ends.
func TestAccCLI_hold(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newWorkspace(t, r.provider+fmt.Sprintf(`
data "kalypso_control_plane" "dev" {
  environment = "dev"
  directory   = "${abspath(path.module)}/fleet"
}

resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = data.kalypso_control_plane.dev.manifests
  fail_on     = ["CLUSTER_TYPE_IDLE"]
  repo        = %[1]q
  branch      = "dev"
}
`, r.url))
	fleet := kalypsoObject("Workload", "web", "workspace: team", "{deploymentTargets: [{name: live, environment: dev}]}") + "---\n" +
		policyYAML("all", "team", "edge") + "---\n" + clusterTypeYAML("edge") + "---\n" + templatesYAML
	w.write(t, "fleet/fleet.yaml", fleet)
	w.mustRun(t, applying...)
	written := r.repo.Head(t, "dev")
	held := w
	held.providers = inEnvironment(map[string]string{envHold: "1", envURLPrefix: localRepositories})
	for broken, says := range map[string]string{
		"kind: [": "fleet.yaml", fleet + "---\n" + clusterTypeYAML("spare"): "CLUSTER_TYPE_IDLE",
		strings.Replace(fleet, "name: reconciler", "name: another", 1): "reconciler",
	} {
		w.write(t, "fleet/fleet.yaml", broken)
		w.fails(t, planning, says)
		held.succeeds(t, planning, "The environment is on")
		held.fails(t, applying, "an apply writes nothing")
	}
	w.write(t, "fleet/fleet.yaml", fleet)
	w.settled(t)

	w.write(t, "fleet/fleet.yaml", strings.Replace(fleet, "name: live", "name: beta", 1))
	w.mustRun(t, "plan", "-destroy", "-out=destroys")
	held.fails(t, []string{"apply", "destroys"}, "of the provider (KALYPSO_HOLD) is set")
	w.mustRun(t, "plan", "-out=writes")
	held.fails(t, []string{"apply", "writes"}, "an apply writes nothing. Plan again when")
	held.succeeds(t, []string{"plan", "-out=held"}, "+1 ~0 -1 packages")
	if r.repo.Head(t, "dev") != written {
		t.Error("it was written on hold")
	}
	w.mustRun(t, "apply", "held")
	w.settled(t)
}

// On hold, errors of data sources are warnings.
func TestHold_dataSources(t *testing.T) {
	t.Parallel()
	held := inEnvironment(map[string]string{envHold: "1", envURLPrefix: localRepositories})
	config := deploymentsHCL(branchOf("file:///does/not/exist", "dev", `branch = "dev"`)) +
		"data \"kalypso_control_plane\" \"gone\" {\n environment = \"dev\"\n directory = \"/does/not/exist\"\n}\n"
	for _, says := range []string{"does not exist", "the folder cannot be"} {
		planDirectly(t, config).Fails(t, says)
		planDirectlyWith(t, held, config).Expect(t).Warns(t, says)
	}
}

// The brake is on where the block or the environment says so.
func TestHolds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		configured types.Bool
		variable   string
		want, fail bool
	}{
		"nothing":                {types.BoolNull(), "", false, false},
		"1":                      {types.BoolNull(), "1", true, false},
		"true":                   {types.BoolNull(), "true", true, false},
		"0":                      {types.BoolNull(), "0", false, false},
		"neither":                {types.BoolNull(), "yes", false, true},
		"the block":              {types.BoolValue(true), "", true, false},
		"the block says no":      {types.BoolValue(false), "1", true, false},
		"the block, not known":   {types.BoolUnknown(), "", true, false},
		"the block with another": {types.BoolValue(true), "0", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			got := holds(test.configured, func(string) string { return test.variable }, &diags)
			if got != test.want || diags.HasError() != test.fail {
				t.Errorf("got %v, %v", got, diags)
			}
		})
	}
}
