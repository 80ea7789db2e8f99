// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"
)

// One issue reports the errors of a fleet that cannot be rendered. Runs with the variable
// for reports update the issue, and close it when the errors are fixed.
func TestAccGitOpsCommit_reportIssue(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := fleetHCL(h.gitServer, fleetOptions{family: "blue", commit: "report_issue = true"})
	broken := func(expression string) string {
		return strings.Replace(config, `index .Labels "family" | default "none"`, expression, 1)
	}
	issue := func(open bool, said string) {
		t.Helper()
		all := h.server.Issues()
		if len(all) != 1 || (all[0].State == "open") != open || !strings.Contains(all[0].Body, said) || !strings.Contains(all[0].Title, "prod") {
			t.Errorf("issues %+v, expected one with %q", all, said)
		}
	}
	// The variable says that this run speaks for the environment; a laptop does not.
	w := newWorkspace(t, config)
	w.mustRun(t, applying...)
	w.fails(t, w.written(t, broken(`fail "on a laptop"`), "plan"), "on a laptop")
	if all := h.server.Issues(); len(all) > 0 {
		t.Errorf("issues %+v", all)
	}
	w.providers = inEnvironment(map[string]string{"KALYPSO_REPORT_ISSUE": "1"})
	for _, mistake := range []string{"first mistake", "second mistake"} {
		w.fails(t, w.written(t, broken(fmt.Sprintf("fail %q", mistake)), applying...), mistake)
		issue(true, mistake)
	}
	w.mustRun(t, w.written(t, config, applying...)...)
	issue(false, "second mistake")
}
