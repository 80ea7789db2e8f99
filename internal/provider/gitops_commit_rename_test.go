// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"
)

// A resource that gets another name without a moved block releases its folders to the new one,
// or the new one is refused, as Terraform's order has it. Nothing leaves the branch. With the
// block, nothing changes in it.
func TestAccCLI_rename(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newWorkspace(t, "")
	w.applies(t, fleetHCL(r, fleetOptions{}))
	head := r.repo.Head(t, "prod")
	w.applies(t, called("other", fleetHCL(r, fleetOptions{}))+"moved {\n  from = "+theCommit+"\n  to   = kalypso_gitops_commit.other\n}\n")
	expectOwned(t, w, r, "blue")
	if now := r.repo.Head(t, "prod"); now != head {
		t.Errorf("the branch was written: %s", r.repo.Log(t, "prod"))
	}
	config := called("green", fleetHCL(r, fleetOptions{family: "green"}))
	w.write(t, "main.tf", config)
	said, _ := w.diagnostics(t, "plan")
	expectSaid(t, said, "warning", "Folders exist already", "add a moved block")
	if said, ok := w.diagnostics(t, "apply", "-auto-approve"); !ok {
		expectSaid(t, said, "error", "The GitOps repository was not changed", "add a moved block")
		w.applies(t, config)
	}
	expectOwned(t, w, r, "green")
	expectNeverGone(t, r.repo, "prod", fixtureFiles...)
}
