// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

// The apply shows the changes that no plan could show.
func TestAccGitOpsCommit_diffOfUnknown(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newWorkspace(t, strings.Replace(fleetHCL(r, fleetOptions{}), `{REGION: Europe}`, `{REGION: "${terraform_data.region.output}"}`,
		1)+`
resource "terraform_data" "region" {
  input = "Europe"
}
`)
	said, _ := w.diagnostics(t, "plan")
	expectSaid(t, said, "warning", "The change cannot be previewed: prod", "manifests[")
	if says(said, "warning", "Planned change") {
		t.Errorf("the plan shows a change: %+v", said)
	}
	if diff := w.diff(t, "apply", "-auto-approve"); !strings.Contains(diff, "\n+  REGION: Europe\n") {
		t.Errorf("the apply shows\n%s", diff)
	}
}

// If nobody changed anything, a refresh finds no drift. So drift detection does not report
// a workspace as drifted after each apply.
func TestAccGitOpsCommit_refreshIsQuiet(t *testing.T) {
	t.Parallel()
	plain, merged, proposed := transports["file"](t), newGitHub(t), newGitHub(t)
	for name, config := range map[string]func(family string) string{
		"direct": func(family string) string { return fleetHCL(plain, fleetOptions{family: family}) },
		"merged": func(family string) string {
			return merged.proposing(family, `auto_merge = "squash"; wait_for_merge = true`)
		},
		"proposed": func(family string) string { return proposed.proposing(family, "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, "")
			for _, family := range []string{"blue", "green"} {
				w.applies(t, config(family))
			}
			w.mustRun(t, "plan", "-refresh-only", "-detailed-exitcode")
			w.mustRun(t, w.written(t, config("red"), "plan", "-out=saved")...)
			if out, _, err := w.run("show", "-json", "saved"); err != nil || strings.Contains(out, "resource_drift") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
