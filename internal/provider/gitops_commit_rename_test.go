// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
	expectOwned(t, w, r, "other", "blue")
	if now := r.repo.Head(t, "prod"); now != head {
		t.Errorf("the branch was written: %s", r.repo.Log(t, "prod"))
	}
	for family, parallelism := range map[string]string{"green": together, "red": inTurn} {
		config := called(family, fleetHCL(r, fleetOptions{family: family}))
		w.write(t, "main.tf", config)
		said, _ := w.diagnostics(t, "plan")
		expectSaid(t, said, "warning", "Folders exist already", "add a moved block")
		if said, ok := w.diagnostics(t, "apply", "-auto-approve", parallelism); !ok {
			expectSaid(t, said, "error", "The GitOps repository was not changed", "add a moved block")
			w.applies(t, config)
		}
		expectOwned(t, w, r, family, family)
	}
	expectNeverGone(t, r.repo, "prod", fixtureFiles...)
}

// With -target, half of a rename is an apply of its own.
func TestAccCLI_renameInTwoApplies(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := promotedHCL(r, promoted, "")
	files := append([]string{trackingPath}, fixtureFiles...)
	w := newWorkspace(t, "")
	w.applies(t, config)

	// The new one first: it is refused.
	w.write(t, "main.tf", called("other", config))
	w.isRefused(t, r.repo, "apply -auto-approve -target=kalypso_gitops_commit.other", "The GitOps repository was not changed", "as owned")

	// The old one first: the new one takes the released folders over.
	w.applies(t, called("other", config), "-target="+theCommit)
	w.applies(t, called("other", config))
	expectFiles(t, r, "prod", files...)
	expectOwner(t, r.repo, "prod", w.instance(t, "other"), ".", trackingPath, "large", "small")
	expectNeverGone(t, r.repo, "prod", files...)
	w.settled(t)
}

// Another spelling of the repository's URL is the same place: it replaces nothing, and writes
// nothing.
func TestAccCLI_anotherSpelling(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newPlainWorkspace(t, r)
	config := func(url string) string {
		commit := strings.Replace(plainCommit("prod", "prod", "prod", ""), "local.repo", fmt.Sprintf("%q", url), 1)
		return plainFleet("blue", "large small", "prod") + commit
	}
	w.applies(t, config(r.url))
	head := r.repo.Head(t, "prod")
	for _, url := range []string{r.url + "/", strings.TrimSuffix(r.url, ".git")} { // this server does not have the second one
		w.write(t, "main.tf", config(url))
		w.succeeds(t, planning, "Plan: 0 to add, 1 to change, 0 to destroy")
	}
	w.applies(t, config(r.url+"/"))
	w.settled(t)
	if now := r.repo.Head(t, "prod"); now != head {
		t.Errorf("the branch was written: %s", r.repo.Log(t, "prod"))
	}
}

// Two workspaces name one place by mistake: the second one is warned by its plan and refused by
// its apply. Destroying it changes nothing in the branch.
func TestAccCLI_twoWorkspaces(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	first, second := newPlainWorkspace(t, r), newPlainWorkspace(t, r)
	config := func(family string) string {
		return plainFleet(family, "large small", "prod") + plainCommit("one", "prod", "prod", `on_destroy = "empty"`)
	}
	first.applies(t, config("blue"))
	second.write(t, "main.tf", config("green"))
	said, ok := second.diagnostics(t, "plan")
	if expectSaid(t, said, "warning", "Folders exist already", "has folders large, small as owned", `environment "prod"`); !ok {
		t.Errorf("the plan fails: %+v", said)
	}
	head := r.repo.Head(t, "prod")
	second.isRefused(t, r.repo, "apply -auto-approve", "The GitOps repository was not changed", "take them out of it", "terraform import")
	second.mustRun(t, destroying...)
	if now := r.repo.Head(t, "prod"); now != head {
		t.Errorf("the branch was written: %s", r.repo.Log(t, "prod"))
	}
	first.settled(t)
}

// The wrong workspace is destroyed, and applied again: no package leaves the branch.
func TestAccCLI_destroyTheWrongOne(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newPlainWorkspace(t, r)
	config := plainFleet("blue", "large small", "prod") + plainCommit("one", "prod", "prod", "")
	w.applies(t, config)
	held := slices.Sorted(maps.Keys(packageFiles(t, r, "prod")))
	w.mustRun(t, destroying...)
	said := w.applies(t, config)
	expectSaid(t, said, "warning", "Folders of another resource", "as released")
	w.settled(t)
	expectOwner(t, r.repo, "prod", w.instance(t, "one"), ".", "large", "small")
	expectNeverGone(t, r.repo, "prod", held...)
}

// Another name together with another environment is refused until it is imported.
func TestAccCLI_renameWithTheEnvironment(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newPlainWorkspace(t, r)
	fleet := plainFleet("blue", "large small", "prod", "stage")
	w.applies(t, fleet+plainCommit("one", "prod", "main", ""))
	held := slices.Sorted(maps.Keys(packageFiles(t, r, "main")))
	w.write(t, "main.tf", fleet+plainCommit("one", "stage", "main", ""))
	w.fails(t, applying, "The GitOps repository was not changed", `environment "prod"`, "terraform import")
	w.mustRun(t, "import", "kalypso_gitops_commit.one", r.url+"#main:.")
	w.mustRun(t, applying...)
	w.settled(t)
	expectFiles(t, r, "main", replaced(held, "live-prod", "live-stage")...)
}

// replaced returns texts with another part.
func replaced(texts []string, old, now string) (all []string) {
	for _, text := range texts {
		all = append(all, strings.ReplaceAll(text, old, now))
	}
	return all
}
