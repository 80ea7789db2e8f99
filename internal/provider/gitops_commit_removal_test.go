// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// emptiedMark begins the README.md of a folder that was emptied.
const emptiedMark = "<!-- emptied by terraform-provider-kalypso -->"

// docs is a foreign file, which no test may lose.
var docs = map[string][]byte{"docs/index.md": []byte("# Docs\n")}

var (
	applying   = []string{"apply", "-auto-approve"}
	planning   = []string{"plan"}
	destroying = []string{"destroy", "-auto-approve"}
)

// Folders that are no longer wanted are emptied, deleted, retained, or protected from
// removal, as on_removal and on_destroy say. The tests of publish combine all occasions with
// each value.
func TestAccCLI_onRemoval(t *testing.T) {
	t.Parallel()
	withoutReadme := withoutPrefix(fixtureFiles, "small/")
	emptied := []string{"large/README.md", "small/README.md"}
	for name, test := range map[string]struct {
		setting string
		after   fleetOptions
		args    []string
		// want are the files of the branch then, and packages has the files whose packages
		// the state has; fails is what an error says.
		want, packages []string
		fails          string
	}{
		"empty": {setting: `on_removal = "empty"`, after: fleetOptions{withoutSmall: true}, args: applying,
			want: append(withoutReadme, "small/README.md"), packages: withoutReadme},
		"retain": {setting: `on_removal = "retain"`, after: fleetOptions{withoutSmall: true}, args: applying, want: fixtureFiles,
			packages: withoutReadme},
		"forbid": {setting: `on_removal = "forbid"`, after: fleetOptions{withoutSmall: true}, args: applying, want: fixtureFiles,
			packages: fixtureFiles, fails: "Removal is forbidden"},
		"destroy":         {args: destroying, want: fixtureFiles},
		"destroy, empty":  {setting: `on_destroy = "empty"`, args: destroying, want: emptied},
		"destroy, forbid": {setting: `on_destroy = "forbid"`, args: destroying, want: fixtureFiles, packages: fixtureFiles, fails: "on_destroy"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := transports["file"](t)
			config := func(o fleetOptions) string {
				o.commit += "\n  " + test.setting
				return fleetHCL(r, o)
			}
			w := newWorkspace(t, config(fleetOptions{}))
			w.mustRun(t, applying...)
			before := r.repo.Files(t, "prod")
			if w.write(t, "main.tf", config(test.after)); test.fails != "" {
				w.fails(t, test.args, test.fails)
				if diff := cmp.Diff(before, r.repo.Files(t, "prod")); diff != "" {
					t.Errorf("files (-want +got):\n%s", diff)
				}
				return
			}
			w.mustRun(t, test.args...)
			expectFiles(t, r, "prod", test.want...)
			isEmptied := strings.HasPrefix(r.repo.Files(t, "prod")["small/README.md"], emptiedMark+"\n")
			if isEmptied != strings.HasSuffix(name, "empty") {
				t.Errorf("the folder small is emptied: %t", isEmptied)
			}
			kept, exists := w.kept(t, theCommit)
			if diff := cmp.Diff(packagesOf(test.packages), slices.Sorted(maps.Keys(kept.Packages))); diff != "" {
				t.Errorf("packages (-want +got):\n%s", diff)
			}
			if exists {
				w.settled(t)
			}
			// Released, emptied or deleted folders block no other resource.
			w.mustRun(t, w.written(t, config(fleetOptions{}), applying...)...)
			if diff := cmp.Diff(packageContents(before), packageContents(r.repo.Files(t, "prod"))); diff != "" {
				t.Errorf("files once everything is wanted again (-want +got):\n%s", diff)
			}
		})
	}
}

// packageContents are files without records.
func packageContents(files map[string]string) map[string]string {
	maps.DeleteFunc(files, func(path, _ string) bool { return strings.HasPrefix(path, ".kalypso/") })
	return files
}

// packagesOf returns the folders of these files, and README.md: the keys of packages.
func packagesOf(files []string) []string {
	keys := map[string]bool{}
	for _, file := range files {
		if dir, name := file[:strings.LastIndex(file, "/")], file[strings.LastIndex(file, "/"):]; name == "/README.md" {
			keys[file] = true
		} else {
			keys[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// limits.protect binds a destroy that removes packages, and one that leaves the configuration.
func TestAccCLI_protectedFromDestroy(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(removal string) string {
		return fleetHCL(r, fleetOptions{commit: fmt.Sprintf("on_destroy = %q\n  limits {\n protect = [\"*/web-*\"]\n}", removal)})
	}
	w := newWorkspace(t, config("empty"))
	w.mustRun(t, applying...)
	head := r.repo.Head(t, "prod")
	w.fails(t, destroying, "- web-live on large, small", "must not be destroyed")
	w.fails(t, w.written(t, called("renamed", config("empty")), applying...), "must not be destroyed")
	if now := r.repo.Head(t, "prod"); now != head {
		t.Errorf("the branch moved from %s to %s", head, now)
	}
	w.mustRun(t, w.written(t, config("retain"), applying...)...)
	w.mustRun(t, destroying...)
	expectFiles(t, r, "prod", fixtureFiles...)
}

// A replacement, asked for or triggered, takes nothing out of the branch in between. Before it is
// destroyed, it cannot be created in the same place.
func TestAccCLI_replaceWithoutGap(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(family string, createFirst bool) string {
		return fleetHCL(r, fleetOptions{family: family, commit: fmt.Sprintf("on_destroy = \"delete\"\n  lifecycle {\n    "+
			"replace_triggered_by = [kalypso_workload.web]\n    create_before_destroy = %t\n  }", createFirst)})
	}
	w := newWorkspace(t, "")
	w.applies(t, config("blue", false))
	w.applies(t, config("blue", false), "-replace="+theCommit)
	w.applies(t, config("green", false))
	w.mustRun(t, "taint", theCommit)
	w.applies(t, config("green", false))
	expectOwned(t, w, r, "prod", "green")
	w.write(t, "main.tf", config("green", true))
	w.isRefused(t, r.repo, "apply -auto-approve -replace="+theCommit, "The GitOps repository was not changed",
		"has folders large, small as owned")
	expectOwned(t, w, r, "prod", "green")
	expectNeverGone(t, r.repo, "prod", fixtureFiles...)
}

// With create_before_destroy, a change of path writes the new place before the old one is
// emptied. A value of on_destroy that no apply has written yet does not count.
func TestAccCLI_moveEmpties(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(path string, createFirst bool) string {
		return fleetHCL(r, fleetOptions{commit: fmt.Sprintf("path = %q\n  on_destroy = \"empty\"\n  lifecycle {\n    "+
			"create_before_destroy = %t\n  }", path, createFirst)})
	}
	w := newWorkspace(t, "")
	w.applies(t, config("a", true))
	w.applies(t, config("b", true))
	w.settled(t)
	expectFiles(t, r, "prod", append(below("b", fixtureFiles), "a/large/README.md", "a/small/README.md")...)
	expectNeverGone(t, r.repo, "prod", below("b", fixtureFiles)...)
	both := false
	for _, commit := range r.repo.Commits(t, "prod") {
		paths := r.repo.Paths(t, commit)
		both = both || slices.Contains(paths, "a/large/web-live/reconciler.yaml") && slices.Contains(paths, "b/large/web-live/reconciler.yaml")
	}
	if !both {
		t.Error("no commit has the packages in both places")
	}
	w.applies(t, config("c", false)) // destroys first: it only releases
	expectNeverGone(t, r.repo, "prod", below("b", fixtureFiles)...)
	w.mustRun(t, destroying...)
	expectFiles(t, r, "prod", append(below("b", fixtureFiles), "a/large/README.md", "a/small/README.md", "c/large/README.md",
		"c/small/README.md")...)
}

// A destroy that failed leaves nothing behind: a later change of path does not empty the old
// place, even with on_destroy = "empty".
func TestAccCLI_failedDestroyThenMove(t *testing.T) {
	t.Parallel()
	r := newHTTP(t)
	w := newPlainWorkspace(t, r.gitServer)
	config := func(path string) string {
		return plainFleet("blue", "large small", "prod") +
			plainCommit("prod", "prod", "prod", fmt.Sprintf("path = %q\n  on_destroy = \"empty\"", path))
	}
	w.applies(t, config("a"))
	held := slices.Sorted(maps.Keys(packageFiles(t, r.gitServer, "prod")))
	w.write(t, "server.tf", fmt.Sprintf("%s\nlocals {\n  repo = %q\n}\n", r.reading(), r.url))
	w.fails(t, destroying, "The GitOps repository was not changed")
	w.plainly(t, r.gitServer)
	w.applies(t, config("b"))
	w.settled(t)
	expectNeverGone(t, r.repo, "prod", held...)
}
