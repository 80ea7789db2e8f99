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

// revert undoes the last commit of a branch, by a commit.
func (r gitServer) revert(t testing.TB, branch string) {
	t.Helper()
	commits := r.repo.Commits(t, branch)
	r.repo.CommitTree(t, branch, commits[len(commits)-2], "revert")
}

// A commit that is reverted, its record included, is drift: the next apply puts it right.
func TestAccCLI_reverted(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	r.edit(t, "prod", "docs/index.md", "# Docs\n")
	files := append([]string{"docs/index.md"}, fixtureFiles...)
	large := fleetHCL(r, fleetOptions{withoutSmall: true})
	w := newWorkspace(t, "", nil)
	for _, step := range []struct {
		config string
		want   []string
	}{{large, withoutPrefix(files, "small/")}, {fleetHCL(r, fleetOptions{}), files}} {
		w.applies(t, step.config)
		owner := w.instance(t, "prod")
		whole := records(t, r.repo, "prod")
		r.revert(t, "prod")
		if out, _, err := w.run("plan", "-detailed-exitcode"); err == nil || !strings.Contains(out, "drifted") {
			t.Errorf("the revert is not seen as drift: %v\n%s", err, out)
		}
		w.applies(t, step.config)
		expectFiles(t, r, "prod", step.want...)
		if now := records(t, r.repo, "prod"); !slices.Equal(now[owner].ClusterTypes, whole[owner].ClusterTypes) || len(now) != 1 {
			t.Errorf("the records are %v, and were %v", now, whole)
		}
		w.settled(t)
	}
}

// Where a takeover is reverted, the folders are the former owner's again, and the one that
// had taken them over says so. Made anew, it takes them over once more.
func TestAccCLI_takeoverReverted(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newWorkspace(t, "", nil)
	w.applies(t, fleetHCL(r, fleetOptions{}))
	former := w.instance(t, "prod")
	w.forget(t, theCommit)
	w.applies(t, fleetHCL(r, fleetOptions{}))
	r.revert(t, "prod")
	said, _ := w.diagnostics(t, "plan")
	expectSaid(t, said, "warning", "Folders have another owner now", ".kalypso/"+former)
	w.write(t, "main.tf", fleetHCL(r, fleetOptions{family: "green"}))
	w.isRefused(t, r.repo, "apply -auto-approve", "Folders have another owner now", ".kalypso/"+former)
	w.forget(t, theCommit)
	w.applies(t, fleetHCL(r, fleetOptions{family: "green"}))
	expectOwned(t, w, r, "prod", "green")
}

// Without a record that can be read, the packages are ours as long as they stand as we
// wrote them. The next commit brings the record again, and a destroy needs none.
func TestAccCLI_recordLost(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(text string) string{
		"deleted":                func(string) string { return "" },
		"no JSON":                func(string) string { return "{" },
		"of a path that is none": func(text string) string { return strings.Replace(text, `"path": "."`, `"path": "../.."`, 1) },
		"of another branch":      func(text string) string { return strings.Replace(text, `"branch": "prod"`, `"branch": "next"`, 1) },
		"of nothing":             func(text string) string { return strings.Replace(text, `"large",`, "", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := transports["file"](t)
			w := newWorkspace(t, "", nil)
			w.applies(t, fleetHCL(r, fleetOptions{}))
			record := ".kalypso/" + w.instance(t, "prod")
			text := r.repo.Files(t, "prod")[record]
			if damage(text) == text {
				t.Fatalf("the record is not damaged:\n%s", text)
			}
			r.edit(t, "prod", record, damage(text))
			w.settled(t)
			w.applies(t, fleetHCL(r, fleetOptions{family: "green"}))
			expectOwned(t, w, r, "prod", "green")
			r.edit(t, "prod", record, damage(text))
			w.mustRun(t, "apply", "-destroy", "-auto-approve")
			expectFiles(t, r, "prod")
		})
	}
}

// A record counts on the branch alone that it names: neither a branch that starts from
// ours nor a merge makes anything of it.
func TestAccCLI_recordCopied(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	prod := fleetHCL(r, fleetOptions{})
	next := func(path string) string {
		return second("prod", fmt.Sprintf("branch = \"next\"\n  create_branch_from = \"prod\"\n  path = %q", path))
	}
	w := newWorkspace(t, "", nil)
	w.applies(t, prod)
	owner := w.instance(t, "prod")

	// In prod, large/x would lie in a folder of ours.
	said := w.applies(t, prod+next("large/x"))
	if says(said, "warning", "Folders are taken over") || says(said, "warning", "Folders were taken over") {
		t.Errorf("the copy counts: %+v", said)
	}
	other := w.instance(t, "second")
	expectFiles(t, r, "next", append(below("large/x", fixtureFiles), fixtureFiles...)...)
	w.settled(t)

	// What the merge brings into our folder is drift, and its record nobody's.
	r.repo.Merge(t, "prod", "next")
	w.applies(t, prod+next("large/x"))
	expectFiles(t, r, "prod", fixtureFiles...)
	expectFiles(t, r, "next", append(below("large/x", fixtureFiles), fixtureFiles...)...)
	if all := records(t, r.repo, "prod"); len(all) != 2 || all[owner].Branch != "prod" || all[other].Branch != "next" {
		t.Errorf("records %v", all)
	}
	w.settled(t)

	// At the same place of both branches, what is the same is taken over in silence.
	w.applies(t, prod)
	expectFiles(t, r, "next", fixtureFiles...)
	said = w.applies(t, prod+next("."))
	if says(said, "warning", "Folders are taken over") {
		t.Errorf("the copy counts: %+v", said)
	}
	if log := r.repo.Log(t, "next"); log[0] != "prod: take over packages as they are" {
		t.Errorf("commits %q", log)
	}
	w.settled(t)
	w.applies(t, prod)
	expectFiles(t, r, "next")
	expectFiles(t, r, "prod", fixtureFiles...)
	w.settled(t)
}

// What Kalypso wrote has no records. It is imported, and the first change brings one; an
// import that is in sync writes nothing at all.
func TestAccCLI_recordOfAnImport(t *testing.T) {
	t.Parallel()
	source := transports["file"](t)
	newWorkspace(t, "", nil).applies(t, fleetHCL(source, fleetOptions{}))
	const kalypsoReadme = "This folder contains deployment targets scheduled on the cluster type\n"
	for name, readme := range map[string]string{"in sync": "", "by Kalypso": kalypsoReadme} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := transports["file"](t)
			all := map[string][]byte{}
			for path, text := range packageFiles(t, source, "prod") {
				if all[path] = []byte(text); readme != "" && strings.HasSuffix(path, "README.md") {
					all[path] = []byte(readme)
				}
			}
			before := r.repo.CommitFiles(t, "prod", all, "Kalypso")
			config := func(family string) string {
				return fleetHCL(r, fleetOptions{family: family, commit: `on_removal = "empty"`})
			}
			w := newWorkspace(t, "", nil)
			w.applies(t, config("blue")+fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", theCommit, r.url+"#prod:."))
			w.settled(t)
			if readme == "" {
				w.applies(t, config("blue"))
				if now := r.repo.Head(t, "prod"); now != before {
					t.Errorf("it was written: %q", r.repo.Log(t, "prod"))
				}
				w.applies(t, config("green"))
				expectOwned(t, w, r, "prod", "green")
			}
			expectOwner(t, r.repo, "prod", w.instance(t, "prod"), ".", "large", "small")
			if got := slices.Sorted(maps.Keys(packageFiles(t, r, "prod"))); !slices.Equal(got, slices.Sorted(maps.Keys(all))) {
				t.Errorf("the branch holds %q", got)
			}
			if log := r.repo.Log(t, "prod"); len(log) != 2 {
				t.Errorf("commits %q", log)
			}
		})
	}
}
