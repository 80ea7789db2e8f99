// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A resource that gets another name without a moved block is refused, and nothing is written.
// With the block that the error shows, nothing changes in the branch.
func TestAccCLI_rename(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newWorkspace(t, "")
	w.applies(t, fleetHCL(r, fleetOptions{}))
	head := r.repo.Head(t, "prod")
	for _, family := range []string{"blue", "green"} {
		other := called("other", fleetHCL(r, fleetOptions{family: family}))
		w.write(t, "main.tf", other)
		for _, parallelism := range []string{together, inTurn} {
			w.isRefused(t, r.repo, "apply -auto-approve "+parallelism, "Removed and wanted in one plan", "cluster types large, small", "moved {",
				"-target")
		}
	}
	w.applies(t, called("other", fleetHCL(r, fleetOptions{}))+"moved {\n  from = "+theCommit+"\n  to   = kalypso_gitops_commit.other\n}\n")
	expectOwned(t, w, r, "other", "blue")
	if now := r.repo.Head(t, "prod"); now != head {
		t.Errorf("the branch was written: %s", r.repo.Log(t, "prod"))
	}
}

// With -target, half of a rename is an apply of its own.
func TestAccCLI_renameInTwoApplies(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := promotedHCL(r, promoted, "")
	files := append([]string{trackingPath}, fixtureFiles...)
	w := newWorkspace(t, "")
	w.applies(t, config)

	// The new one first: the old one has nothing to remove then, and says so.
	w.applies(t, called("other", config), "-target=kalypso_gitops_commit.other")
	said := w.applies(t, called("other", config))
	expectSaid(t, said, "warning", "Removes nothing: prod in ", `belong to environment "prod"`)
	expectNeverGone(t, r.repo, "prod", files...)

	// The old resource goes first: the new one writes the removed folders again.
	w.applies(t, called("third", config), "-target=kalypso_gitops_commit.other")
	expectFiles(t, r, "prod")
	w.applies(t, called("third", config))
	expectFiles(t, r, "prod", files...)
	expectOwner(t, r.repo, "prod", w.instance(t, "third"), ".", "large", "small")
	w.settled(t)
}

// A rename to another alias of the provider is one between two processes, which see of
// each other what is in the branch. If the old resource is destroyed first, nothing is left to
// take over, Terraform refuses the plan of the new one, and the next apply creates it.
func TestAccCLI_renameToAnotherAlias(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	r.provider += strings.Replace(r.provider, `provider "kalypso" {`, "provider \"kalypso\" {\nalias = \"other\"\n", 1)
	w := newBuiltWorkspace(t, "")
	w.applies(t, fleetHCL(r, fleetOptions{}))
	w.write(t, "main.tf", called("other", fleetHCL(r, fleetOptions{commit: "provider = kalypso.other"})))
	if said, ok := w.diagnostics(t, "apply", "-auto-approve"); !ok {
		expectSaid(t, said, "error", "Provider produced inconsistent final plan", "taken_over")
		w.mustRun(t, "apply", "-auto-approve")
	}
	expectOwned(t, w, r, "other", "blue")
}

// Another name together with another URL of the same repository is refused if the URL does
// not show that it is the same place. With a moved block, nothing is written.
func TestAccCLI_renameToAnotherURL(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(r.onDisk().Path(), link); err != nil {
		t.Fatal(err)
	}
	w := newWorkspace(t, "")
	w.applies(t, fleetHCL(r, fleetOptions{commit: fmt.Sprintf("repo = %q", r.url)}))
	other := called("other", fleetHCL(r, fleetOptions{commit: fmt.Sprintf("repo = %q", "file://"+link)}))
	w.write(t, "main.tf", other)
	w.isRefused(t, r.repo, "apply -auto-approve", "Removed and wanted in one plan", "cluster types large, small", "moved {", "-target")
	head := r.repo.Head(t, "prod")
	w.applies(t, other+"moved {\n  from = "+theCommit+"\n  to   = kalypso_gitops_commit.other\n}\n")
	expectOwned(t, w, r, "other", "blue")
	if now := r.repo.Head(t, "prod"); now != head {
		t.Errorf("the branch was written: %s", r.repo.Log(t, "prod"))
	}
}

// Another name together with another environment is refused; a moved block makes it a
// renaming of the environment.
func TestAccCLI_renameWithTheEnvironment(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newPlainWorkspace(t, r)
	fleet := plainFleet("blue", "large small", "prod", "stage")
	w.applies(t, fleet+plainCommit("one", "prod", "main", ""))
	stage := fleet + plainCommit("two", "stage", "main", "")
	w.write(t, "main.tf", stage)
	for _, parallelism := range []string{together, inTurn} {
		w.isRefused(t, r.repo, "plan "+parallelism, "Removed and wanted in one plan", "cluster types large, small", `environment "prod"`,
			`environment "stage"`, "moved {")
	}
	w.applies(t, stage+"moved {\n  from = kalypso_gitops_commit.one\n  to   = kalypso_gitops_commit.two\n}\n")
	w.settled(t)
	if files := r.repo.Files(t, "main"); files["large/live-stage/reconciler.yaml"] == "" &&
		files["large/web-live-stage/reconciler.yaml"] == "" {
		t.Errorf("the branch does not hold stage: %v", files)
	}
}
