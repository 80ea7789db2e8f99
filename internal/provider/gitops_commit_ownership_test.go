// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A resource that was forgotten and is created again takes over what is there, with
// nothing but its record to write, and whatever it holds by then.
func TestAccCLI_forgotten(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, parallelism string) {
		r := transports["http"](t)
		w := newWorkspace(t, "", nil)
		w.applies(t, fleetHCL(r, fleetOptions{}), parallelism)
		was, content := w.instance(t, "prod"), r.repo.TreeWithout(t, "prod", ".kalypso")
		w.forget(t, theCommit)
		said, _ := w.diagnostics(t, "plan", parallelism)
		expectSaid(t, said, "warning", "Folders are taken over", "folders large, small belong to", ".kalypso/"+was, "add a moved block")
		said = w.applies(t, fleetHCL(r, fleetOptions{}), parallelism)
		expectSaid(t, said, "warning", "Folders were taken over", ".kalypso/"+was)
		expectOwned(t, w, r, "prod", "blue")
		log := r.repo.Log(t, "prod")
		if now := r.repo.TreeWithout(t, "prod", ".kalypso"); now != content || len(log) != 2 || log[0] != "prod: take over packages as they are" {
			t.Errorf("the packages were written: %q", log)
		}
		if w.instance(t, "prod") == was {
			t.Error("it is the same instance again")
		}

		r.edit(t, "prod", "large/web-live/reconciler.yaml", "edited: true\n")
		w.forget(t, theCommit)
		w.applies(t, fleetHCL(r, fleetOptions{family: "green"}), parallelism)
		expectOwned(t, w, r, "prod", "green")
	})
}

// Once another state has taken over, the former owner changes nothing any more, says so
// with and without a change of its own, and can be destroyed, or made anew to own again.
func TestAccCLI_otherState(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := fleetHCL(r, fleetOptions{})
	former, now := newWorkspace(t, "", nil), newWorkspace(t, "", nil)
	former.applies(t, config)
	expectSaid(t, now.applies(t, config), "warning", "Folders are taken over", former.instance(t, "prod"))
	owner := ".kalypso/" + now.instance(t, "prod")

	said, ok := former.diagnostics(t, "plan", "-detailed-exitcode")
	if expectSaid(t, said, "warning", "Folders have another owner now", owner); !ok {
		t.Errorf("something is to be done: %+v", said)
	}
	former.write(t, "main.tf", fleetHCL(r, fleetOptions{family: "green"}))
	former.isRefused(t, r.repo, "apply -auto-approve", "Folders have another owner now", owner, "use terraform state rm, too, and apply")

	former.forget(t, theCommit)
	former.applies(t, fleetHCL(r, fleetOptions{family: "green"}))
	expectOwned(t, former, r, "prod", "green")
	head := r.repo.Head(t, "prod")
	now.isRefused(t, r.repo, "apply -destroy -auto-approve", "Folders have another owner now", "add -refresh=false to terraform destroy")
	said = now.applies(t, config, "-destroy", "-refresh=false")
	expectSaid(t, said, "warning", "Removes nothing: prod in ", ".kalypso/"+former.instance(t, "prod"))
	if expectOwned(t, former, r, "prod", "green"); r.repo.Head(t, "prod") != head {
		t.Errorf("the branch was written: %q", r.repo.Log(t, "prod"))
	}
}

// The folders of another environment are refused: at plan where they are there already,
// else at apply, and in one run as well.
func TestAccCLI_otherEnvironment(t *testing.T) {
	t.Parallel()
	dev := func(r gitServer) string {
		return second("dev", fmt.Sprintf("repo = %q\n  branch = \"prod\"\n  path = \".\"", r.url))
	}
	wants := func(r gitServer) []string {
		return []string{r.url + "#prod:.", "folders large, small belong to environment ", "Write below another path", "have the other resource give the folders up first"}
	}
	atOnce(t, func(t *testing.T, parallelism string) {
		r := transports["file"](t)
		prod := fleetHCL(r, fleetOptions{})
		w, late := newWorkspace(t, "", nil), newWorkspace(t, "", nil)
		late.write(t, "main.tf", prod+dev(r))
		late.mustRun(t, "plan", "-out=saved", parallelism, "-target=kalypso_gitops_commit.second")
		w.applies(t, prod, parallelism)
		owner := ".kalypso/" + w.instance(t, "prod")
		late.isRefused(t, r.repo, "apply saved", "The GitOps repository was not changed", append(wants(r), owner)...)
		w.write(t, "main.tf", prod+dev(r))
		w.isCreatedInVain(t, r.repo, parallelism, append(wants(r), owner)...)
		w.applies(t, prod)
		expectOwned(t, w, r, "prod", "blue")
	})
	t.Run("in one run", func(t *testing.T) {
		t.Parallel()
		atOnce(t, func(t *testing.T, parallelism string) {
			r := transports["file"](t)
			w := newWorkspace(t, fleetHCL(r, fleetOptions{})+dev(r), nil)
			expectOneRefused(t, w, r, parallelism, wants(r)...)
		})
	})
}

// expectOneRefused applies two commits of which each claims folders of the other: one of
// them is refused, and what the other one wrote is whole and stays.
func expectOneRefused(t *testing.T, w workspace, r gitServer, parallelism string, words ...string) {
	t.Helper()
	said, ok := w.diagnostics(t, "apply", "-auto-approve", parallelism)
	if !says(said, "error", "The GitOps repository was not changed", words...) || ok {
		t.Errorf("nothing says %q:\n%+v", words, said)
	}
	if log := r.repo.Log(t, "prod"); len(log) != 1 || len(records(t, r.repo, "prod")) != 1 {
		t.Errorf("commits %q, records %v", log, records(t, r.repo, "prod"))
	}
	w.isCreatedInVain(t, r.repo, parallelism, words...)
}

// Folders that lie in folders of another resource are refused, whichever is there first,
// when a resource is created, and when it moves.
func TestAccCLI_overlap(t *testing.T) {
	t.Parallel()
	at := func(path string) string { return fmt.Sprintf("path = %q", path) }
	for name, test := range map[string]struct{ first, second string }{
		"outer first": {".", "large/x"},
		"inner first": {"large/x", "."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atOnce(t, func(t *testing.T, parallelism string) {
				r := transports["file"](t)
				first := fleetHCL(r, fleetOptions{commit: at(test.first)})
				w := newWorkspace(t, "", nil)
				w.applies(t, first, parallelism)
				words := []string{fmt.Sprintf(`environment "prod", path %q (.kalypso/%s)`, test.first, w.instance(t, "prod")), "must not lie in each other"}
				w.write(t, "main.tf", first+second("prod", at(test.second)))
				w.isCreatedInVain(t, r.repo, parallelism, words...)
				w.applies(t, first+second("prod", at("teams/x")), parallelism)
				w.write(t, "main.tf", first+second("prod", at(test.second)))
				for _, command := range []string{"plan", "apply -auto-approve"} {
					w.isRefused(t, r.repo, command+" "+parallelism, "Folders of another owner", words...)
				}
				w.applies(t, first+second("prod", at("teams/x")), parallelism)
				expectFiles(t, r, "prod", append(below(test.first, fixtureFiles), below("teams/x", fixtureFiles)...)...)
				w.settled(t)
			})
		})
	}
	t.Run("in one run", func(t *testing.T) {
		t.Parallel()
		atOnce(t, func(t *testing.T, parallelism string) {
			r := transports["file"](t)
			w := newWorkspace(t, fleetHCL(r, fleetOptions{})+second("prod", at("large/x")), nil)
			expectOneRefused(t, w, r, parallelism, "must not lie in each other")
		})
	})
}

// Folders may lie beside each other wherever their paths are.
func TestAccCLI_beside(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, parallelism string) {
		r := transports["file"](t)
		w := newWorkspace(t, "", nil)
		w.applies(t, fleetHCL(r, fleetOptions{})+second("prod", `path = "teams/x"`), parallelism)
		expectFiles(t, r, "prod", append(below("teams/x", fixtureFiles), fixtureFiles...)...)
		w.settled(t)
		w.applies(t, fleetHCL(r, fleetOptions{family: "green"})+second("prod", `path = "teams/y"`), parallelism)
		expectFiles(t, r, "prod", append(below("teams/y", fixtureFiles), fixtureFiles...)...)
		w.settled(t)
		w.applies(t, fleetHCL(r, fleetOptions{family: "green"}), parallelism)
		expectOwned(t, w, r, "prod", "green")
	})
}

// A resource that leaves the configuration is destroyed whatever has happened to its
// packages since it was applied.
func TestAccCLI_leavesTheConfiguration(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newWorkspace(t, "", nil)
	w.applies(t, fleetHCL(r, fleetOptions{}))
	r.edit(t, "prod", "docs/index.md", "# Docs\n")
	r.edit(t, "prod", "large/web-live/reconciler.yaml", "edited: true\n")
	r.edit(t, "prod", "small/README.md", "")
	said := w.applies(t, r.provider)
	expectSaid(t, said, "warning", "Removes 3 packages in 2 cluster types: prod in ")
	expectFiles(t, r, "prod", "docs/index.md")
}

// A destroy that failed leaves nothing behind that would have a later replacement take
// the packages away.
func TestAccCLI_failedDestroy(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newWorkspace(t, "", nil)
	w.applies(t, fleetHCL(r, fleetOptions{}))
	r.repo.InstallHook(t, "pre-receive", "exit 1")
	w.isRefused(t, r.repo, "apply -destroy -auto-approve -target="+theCommit, "The GitOps repository was not changed")
	if err := os.Remove(filepath.Join(r.repo.Path(), "hooks", "pre-receive")); err != nil {
		t.Fatal(err)
	}
	w.applies(t, fleetHCL(r, fleetOptions{family: "green"}), "-replace="+theCommit)
	expectNeverGone(t, r.repo, "prod", fixtureFiles...)
	expectOwned(t, w, r, "prod", "green")
}
