// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"slices"
	"testing"
)

// What a state imports while another one holds it is its own from its next apply on. That
// the block leaves the configuration of the other one removes nothing then.
func TestAccCLI_importOfWhatIsHeld(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	old, fresh := newPlainWorkspace(t, r), newPlainWorkspace(t, r)
	fleet := plainFleet("blue", "large small", "prod")
	commit := plainCommit("one", "prod", "main", "")
	old.applies(t, fleet+commit)
	held := slices.Sorted(maps.Keys(packageFiles(t, r, "main")))
	before := r.repo.Head(t, "main")

	fresh.write(t, "main.tf", fleet+commit)
	fresh.mustRun(t, "import", "kalypso_gitops_commit.one", r.url+"#main:.")
	said, ok := fresh.diagnostics(t, "plan")
	if expectSaid(t, said, "warning", "Folders are taken over", ".kalypso/"+old.instance(t, "one")); !ok {
		t.Errorf("the plan fails: %+v", said)
	}
	old.settled(t) // an import alone changes nothing
	fresh.mustRun(t, "apply", "-auto-approve")
	fresh.settled(t)
	if fresh.instance(t, "one") == old.instance(t, "one") {
		t.Error("the import goes on as the same instance")
	}
	if log := r.repo.Log(t, "main"); r.repo.Head(t, "main") == before || len(log) != 2 {
		t.Errorf("the takeover is no commit of its own: %q", log)
	}

	old.write(t, "main.tf", fleet)
	said, ok = old.diagnostics(t, "plan")
	if expectSaid(t, said, "warning", "Removes nothing", ".kalypso/"+fresh.instance(t, "one")); !ok {
		t.Errorf("the plan fails: %+v", said)
	}
	old.mustRun(t, "apply", "-auto-approve")
	expectFiles(t, r, "main", held...)
	fresh.settled(t)
}

// The plan of a destroy shows what it removes and what it leaves.
func TestAccCLI_destroyShowsWhatStays(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newPlainWorkspace(t, r)
	w.applies(t, plainFleet("blue", "large small", "prod")+plainCommit("one", "prod", "main", ""))
	r.edit(t, "main", ".kalypso/"+w.instance(t, "one"), "")
	r.edit(t, "main", "small/theirs.yaml", "a: b\n")
	said, ok := w.diagnostics(t, "plan", "-destroy", "-refresh=false")
	if expectSaid(t, said, "warning", "Removes 1 package in 1 cluster type", "It leaves folder small as it stands"); !ok {
		t.Errorf("the plan fails: %+v", said)
	}
	said, ok = w.diagnostics(t, "plan")
	if expectSaid(t, said, "error", "Folders that are not known to be this resource's", "No record names folder small"); ok {
		t.Error("a plan that wants the folder does not fail")
	}
	w.mustRun(t, "destroy", "-auto-approve", "-refresh=false")
	files := packageFiles(t, r, "main")
	if files["small/theirs.yaml"] != "a: b\n" || files["small/live-prod/reconciler.yaml"] == "" && files["small/web-live-prod/reconciler.yaml"] == "" || len(files["large/README.md"]) == 0 || files["large/web-live-prod/reconciler.yaml"] != "" {
		t.Errorf("the branch holds %v", files)
	}
}
