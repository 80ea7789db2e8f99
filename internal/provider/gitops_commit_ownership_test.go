// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"
)

// A resource that was removed from the state and is created again takes over its folders.
// The apply writes only the record, and the folders may have changed since.
func TestAccCLI_forgotten(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newWorkspace(t, "")
	w.applies(t, fleetHCL(r, fleetOptions{}))
	was, content := w.instance(t, "prod"), r.repo.TreeWithout(t, "prod", ".kalypso")
	w.forget(t, theCommit)
	said := w.applies(t, fleetHCL(r, fleetOptions{}))
	expectSaid(t, said, "warning", "Folders are taken over", "folders large, small belong to", ".kalypso/"+was, "add a moved block")
	expectOwned(t, w, r, "prod", "blue")
	log := r.repo.Log(t, "prod")
	if now := r.repo.TreeWithout(t, "prod", ".kalypso"); now != content || len(log) != 2 || log[0] != "prod: take over unchanged packages" {
		t.Errorf("the packages were written: %q", log)
	}
	if w.instance(t, "prod") == was {
		t.Error("it is the same instance again")
	}
}

// Two resources of one configuration whose folders lie in each other are refused by the plan.
func TestAccCLI_twoOwners(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, parallelism string) {
		r := transports["file"](t)
		w := newWorkspace(t, fleetHCL(r, fleetOptions{})+second("prod", `path = "large/x"`))
		said, ok := w.diagnostics(t, "apply", "-auto-approve", parallelism)
		if ok || !says(said, "error", "Two resources name one folder", "contain each other") {
			t.Errorf("both were applied, or it is not said why not: %+v", said)
		}
		if len(r.repo.Branches(t)) > 0 {
			t.Error("something was written")
		}
	})
}

// A resource that leaves the configuration is destroyed, even if its packages have changed
// since the apply.
func TestAccCLI_leavesTheConfiguration(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newWorkspace(t, "")
	w.applies(t, fleetHCL(r, fleetOptions{}))
	r.edit(t, "prod", "docs/index.md", "# Docs\n")
	r.edit(t, "prod", "large/web-live/reconciler.yaml", "edited: true\n")
	r.edit(t, "prod", "small/README.md", "")
	said := w.applies(t, r.provider)
	expectSaid(t, said, "warning", "Removes 3 packages in 2 cluster types: prod in ")
	expectFiles(t, r, "prod", "docs/index.md")
}
