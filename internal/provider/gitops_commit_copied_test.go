// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"slices"
	"testing"
)

// byWorkspace is a commit to the environment and branch of the Terraform workspace.
const byWorkspace = `
resource "kalypso_gitops_commit" "this" {
  environment = terraform.workspace == "default" ? "prod" : terraform.workspace
  manifests   = local.fleet
  repo        = local.repo
  branch      = terraform.workspace == "default" ? "prod" : terraform.workspace
}
`

// A workspace that starts with a copy of another workspace's state would move that
// environment away. Without the copied resource, the workspace writes another environment.
func TestAccCLI_copiedState(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newPlainWorkspace(t, r)
	w.applies(t, plainFleet("blue", "large small", "prod", "stage")+byWorkspace)
	before := r.repo.Files(t, "prod")
	state, _, err := w.run("state", "pull")
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, "copy.json", state)
	w.mustRun(t, "workspace", "new", "stage")
	w.mustRun(t, "state", "push", "copy.json")
	w.isRefused(t, r.repo, "plan", "Another environment at another place", `environment "prod"`, `becomes "stage"`, "terraform state rm")
	w.isRefused(t, r.repo, "apply -auto-approve", "Another environment at another place")

	w.mustRun(t, "state", "rm", "kalypso_gitops_commit.this")
	w.mustRun(t, "apply", "-auto-approve")
	if len(r.repo.Files(t, "stage")) != len(before) {
		t.Errorf("stage holds %v", r.repo.Files(t, "stage"))
	}
	w.mustRun(t, "destroy", "-auto-approve")
	w.mustRun(t, "workspace", "select", "default")
	w.settled(t)
	if after := r.repo.Files(t, "prod"); !maps.Equal(before, after) {
		t.Errorf("prod holds %v", after)
	}
}

// If a state imports folders of another state, the folders belong to the importing state
// after its next apply. If the block then leaves the other configuration, nothing is
// removed.
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
		t.Errorf("the takeover is not a commit of its own: %q", log)
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

// The plan of a destroy lists the removed and the remaining folders.
func TestAccCLI_destroyShowsWhatStays(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newPlainWorkspace(t, r)
	w.applies(t, plainFleet("blue", "large small", "prod")+plainCommit("one", "prod", "main", ""))
	r.edit(t, "main", ".kalypso/"+w.instance(t, "one"), "")
	r.edit(t, "main", "small/theirs.yaml", "a: b\n")
	said, ok := w.diagnostics(t, "plan", "-destroy", "-refresh=false")
	if expectSaid(t, said, "warning", "Removes 1 package in 1 cluster type", "These paths stay unchanged: folder small"); !ok {
		t.Errorf("the plan fails: %+v", said)
	}
	w.isRefused(t, r.repo, "plan", "Folders without a known owner", "No record lists folder small")
	w.mustRun(t, "destroy", "-auto-approve", "-refresh=false")
	files := packageFiles(t, r, "main")
	if files["small/theirs.yaml"] != "a: b\n" || files["small/live-prod/reconciler.yaml"] == "" &&
		files["small/web-live-prod/reconciler.yaml"] == "" || len(files["large/README.md"]) == 0 ||
		files["large/web-live-prod/reconciler.yaml"] != "" {
		t.Errorf("the branch holds %v", files)
	}
}
