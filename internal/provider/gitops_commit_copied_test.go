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

// A workspace that starts with a copy of another workspace's state, and names another
// environment, releases the folders of the first one, and writes its own. The first one owns its
// folders again with its next apply. No package leaves the branch.
func TestAccCLI_copiedState(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newPlainWorkspace(t, r)
	w.applies(t, plainFleet("blue", "large small", "prod", "stage")+byWorkspace)
	instance := w.instance(t, "this")
	held := slices.Sorted(maps.Keys(packageFiles(t, r, "prod")))
	state, _, err := w.run("state", "pull")
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, "copy.json", state)
	w.mustRun(t, "workspace", "new", "stage")
	w.mustRun(t, "state", "push", "copy.json")
	w.succeeds(t, planning, "Plan: 1 to add, 0 to change, 1 to destroy", "forces replacement")
	w.mustRun(t, applying...)
	w.settled(t)
	if now := records(t, r.repo, "prod")[instance]; !slices.Equal(now.Released, []string{"large", "small"}) {
		t.Errorf("the record of prod is %+v", now)
	}
	w.mustRun(t, destroying...)
	w.mustRun(t, "workspace", "select", "default")
	w.mustRun(t, applying...)
	w.settled(t)
	expectOwner(t, r.repo, "prod", instance, ".", "large", "small")
	expectNeverGone(t, r.repo, "prod", held...)
	expectNeverGone(t, r.repo, "stage", "large/web-live-stage/reconciler.yaml")
}

// If a state imports folders of another state, the folders belong to the importing state
// after its next apply. If the block then leaves the other configuration, nothing is
// removed.
func TestAccCLI_importOfWhatIsHeld(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	old, fresh := newPlainWorkspace(t, r), newPlainWorkspace(t, r)
	fleet := plainFleet("blue", "large small", "prod")
	commit := plainCommit("one", "prod", "main", `on_destroy = "empty"`)
	old.applies(t, fleet+commit)
	held := slices.Sorted(maps.Keys(packageFiles(t, r, "main")))
	before := r.repo.Head(t, "main")

	fresh.write(t, "main.tf", fleet+commit)
	fresh.mustRun(t, "import", "kalypso_gitops_commit.one", r.url+"#main:.")
	said, ok := fresh.diagnostics(t, "plan")
	if expectSaid(t, said, "warning", "Folders of another resource", ".kalypso/"+old.instance(t, "one")); !ok {
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
	old.isRefused(t, r.repo, "plan", "Folders exist already", ".kalypso/"+fresh.instance(t, "one"))
	old.applies(t, fleet)
	expectFiles(t, r, "main", held...)
	fresh.settled(t)
}

// A state whose record somebody deleted owns nothing: a destroy removes nothing, and a plan
// takes back what is as it was.
func TestAccCLI_deletedRecord(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newPlainWorkspace(t, r)
	w.applies(t, plainFleet("blue", "large small", "prod")+plainCommit("one", "prod", "main", `on_destroy = "empty"`))
	instance := w.instance(t, "one")
	held := slices.Sorted(maps.Keys(packageFiles(t, r, "main")))
	r.edit(t, "main", ".kalypso/"+instance, "")
	w.mustRun(t, applying...)
	w.settled(t)
	expectOwner(t, r.repo, "main", instance, ".", "large", "small")

	r.edit(t, "main", ".kalypso/"+instance, "")
	r.edit(t, "main", "small/theirs.yaml", "a: b\n")
	w.isRefused(t, r.repo, "plan", "Folders exist already", "folder small, with other content")
	w.mustRun(t, append(destroying, "-refresh=false")...)
	expectFiles(t, r, "main", append(held, "small/theirs.yaml")...)
}
