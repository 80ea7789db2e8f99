// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"
)

// A resource that was removed from the state and is created again is refused until it is
// imported. The import writes only the record.
func TestAccCLI_forgotten(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newWorkspace(t, "")
	w.applies(t, fleetHCL(r, fleetOptions{}))
	was, content := w.instance(t, "prod"), r.repo.TreeWithout(t, "prod", ".kalypso")
	w.forget(t, theCommit)
	said, _ := w.diagnostics(t, "plan")
	expectSaid(t, said, "warning", "Folders exist already", "has folders large, small as owned", ".kalypso/"+was)
	w.isRefused(t, r.repo, "apply -auto-approve", "The GitOps repository was not changed", "has folders large, small as owned",
		".kalypso/"+was, "terraform import ADDRESS \""+r.url+"#prod:.\"", "add a moved block")
	w.mustRun(t, "import", theCommit, r.url+"#prod:.")
	w.mustRun(t, applying...)
	expectOwned(t, w, r, "prod", "blue")
	log, now := r.repo.Log(t, "prod"), r.repo.TreeWithout(t, "prod", ".kalypso")
	if now != content || len(log) != 2 || log[0] != "prod: no package changes, only records" {
		t.Errorf("the packages were written: %q", log)
	}
	if w.instance(t, "prod") == was {
		t.Error("it is the same instance again")
	}
}

// Of two resources of one configuration whose folders lie in each other, one is refused.
func TestAccCLI_twoOwners(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, parallelism string) {
		r := transports["file"](t)
		w := newWorkspace(t, fleetHCL(r, fleetOptions{})+second("prod", `path = "large/x"`))
		said, ok := w.diagnostics(t, "apply", "-auto-approve", parallelism)
		if ok || !says(said, "error", "The GitOps repository was not changed", "contain each other") {
			t.Errorf("both were applied, or it is not said why not: %+v", said)
		}
		if log := r.repo.Log(t, "prod"); len(log) != 1 {
			t.Errorf("commits %q", log)
		}
	})
}

// A resource that leaves the configuration is destroyed as on_destroy says, even if its packages
// have changed since the apply.
func TestAccCLI_leavesTheConfiguration(t *testing.T) {
	t.Parallel()
	for removal, want := range map[string]struct {
		says  string
		files []string
	}{
		"retain": {"Destroying releases 3 packages: prod in ", withoutPrefix(fixtureFiles, "small/README.md")},
		"delete": {"Destroying removes 3 packages: prod in ", nil},
	} {
		t.Run(removal, func(t *testing.T) {
			t.Parallel()
			r := transports["file"](t)
			w := newWorkspace(t, "")
			w.applies(t, fleetHCL(r, fleetOptions{commit: fmt.Sprintf("on_destroy = %q", removal)}))
			r.edit(t, "prod", "docs/index.md", "# Docs\n")
			r.edit(t, "prod", "large/web-live/reconciler.yaml", "edited: true\n")
			r.edit(t, "prod", "small/README.md", "")
			said := w.applies(t, r.provider)
			expectSaid(t, said, "warning", want.says)
			expectFiles(t, r, "prod", append(want.files, "docs/index.md")...)
		})
	}
}
