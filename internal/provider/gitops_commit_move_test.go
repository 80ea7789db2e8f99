// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"
)

// A GitOpsRepo that is known only after apply plans no replacement. If it names another place
// then, Terraform stops the apply, because the plan becomes another one. The next plan replaces the
// resource.
func TestAccGitOpsCommit_unknownGitOpsRepo(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(branch string) string {
		fleet := strings.Replace(fleetHCL(r, fleetOptions{}), `branch = "prod"`, `branch = terraform_data.branch.output`, 1)
		return fleet + fmt.Sprintf("resource \"terraform_data\" \"branch\" {\n  input = %q\n}\n", branch)
	}
	w := newWorkspace(t, config("first"))
	w.mustRun(t, applying...)
	w.write(t, "main.tf", config("prod"))
	w.succeeds(t, planning, "Plan: 0 to add, 3 to change, 0 to destroy")
	w.fails(t, applying, "inconsistent final plan")
	if len(r.repo.Branches(t)) != 1 {
		t.Error("it was written all the same")
	}
	w.mustRun(t, applying...)
	w.settled(t)
	expectFiles(t, r, "prod", fixtureFiles...)
}
