// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/controlplane"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// followed is a control plane with an application and a base repository, each with two commits.
type followed struct {
	platform, app, base              *gitmem.Repo
	oldApp, newApp, oldBase, newBase string
	appName, baseName                string
}

func newFollowed(t testing.TB) followed {
	t.Helper()
	f := followed{platform: gitmem.New(t), app: gitmem.New(t), base: gitmem.New(t)}
	f.oldApp = commitAll(t, f.app, "main", map[string]string{"w/w.yaml": workload("old"), "v/v.yaml": workload("v")})
	f.newApp = commitAll(t, f.app, "main", map[string]string{"w/w.yaml": workload("new")})
	f.oldBase = commitAll(t, f.base, "main", map[string]string{"c.yaml": clusterType("old")})
	f.newBase = commitAll(t, f.base, "main", map[string]string{"c.yaml": clusterType("new")})
	commitAll(t, f.platform, "dev", map[string]string{
		"a.yaml": registration("app", f.app.URL(), "main", "w", "team"), "b.yaml": baseRepo("base", f.base.URL(), "main", "", ""),
		// Another spelling of the application's repository, and a registration of the control plane's own branch.
		"v.yaml": registration("v", f.app.URL()+"/", "main", "v", "team"), "own.yaml": registration("own", f.platform.URL(), "dev", "own", ""),
		"own/w.yaml": workload("own"),
	})
	f.appName, f.baseName = f.app.URL()+"#main", f.base.URL()+"#main"
	return f
}

// release returns a release of the head of dev with these sources.
func (f followed) release(t testing.TB, sources map[string]string) record.Release {
	t.Helper()
	return record.Release{Commit: f.platform.Head(t, "dev"), Sources: sources}
}

// A followed branch is read at the commit of the release, and its manifests do not name the commit. A
// release without sources gets the heads.
func TestReleaseSources(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	heads := map[string]string{f.appName: f.newApp, f.baseName: f.newBase}
	for name, test := range map[string]struct {
		given     record.Release
		app, base string
		want      map[string]string
		warns     []string
	}{
		"no release": {record.Release{}, "new", "new", heads, nil},
		"no sources": {f.release(t, map[string]string{}), "new", "new", heads, nil},
		"all": {f.release(t, map[string]string{f.appName: f.oldApp, f.baseName: f.oldBase, "https://example.com/unused#main": f.oldApp}), "old",
			"old", map[string]string{f.appName: f.oldApp, f.baseName: f.oldBase, "https://example.com/unused#main": f.oldApp}, nil},
		"another spelling": {f.release(t, map[string]string{f.app.URL() + "///#main": f.oldApp, f.baseName: f.newBase}), "old", "new",
			map[string]string{f.app.URL() + "///#main": f.oldApp, f.baseName: f.newBase}, nil},
		"another branch": {f.release(t, map[string]string{f.app.URL() + "#mai": f.oldApp}), "new", "new",
			map[string]string{f.app.URL() + "#mai": f.oldApp},
			[]string{"WorkloadRegistration/app (" + f.appName + ")", "BaseRepo/base (" + f.baseName + ")"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scope := at(f.platform.URL())
			scope.Release = test.given
			result := load(t, scope)
			if diff := cmp.Diff(f.release(t, test.want), result.Release); diff != "" {
				t.Errorf("release (-want +got):\n%s", diff)
			}
			for _, want := range []string{source(f.appName+":w/w.yaml", labelled(test.app, "app")), source(f.baseName+":c.yaml",
				clusterType(test.base))} {
				if !slices.Contains(result.Manifests, want) {
					t.Errorf("the manifests lack\n%s\nin %q", want, result.Manifests)
				}
			}
			if (len(result.Warnings) > 0) != (len(test.warns) > 0) {
				t.Fatalf("warnings %v", result.Warnings)
			}
			for _, want := range test.warns {
				if !strings.Contains(result.Warnings[0].Detail, want) {
					t.Errorf("the warning lacks %s: %s", want, result.Warnings[0].Detail)
				}
			}
		})
	}
}

// The commit of a release is that of the BaseRepo main, if the branch has one, or else of the branch.
func TestReleaseCommit(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	reg := registration("own", repo.URL(), "dev", "own", "team")
	one := commitAll(t, repo, "main", map[string]string{"c.yaml": clusterType("one")})
	two := commitAll(t, repo, "main", map[string]string{"c.yaml": clusterType("two")})
	head := commitAll(t, repo, "main", map[string]string{"c.yaml": clusterType("three")})
	first := commitAll(t, repo, "dev", map[string]string{"c.yaml": clusterType("first"), "r.yaml": reg, "own/w.yaml": workload("before")})
	last := commitAll(t, repo, "dev", map[string]string{"c.yaml": clusterType("last"), "own/w.yaml": workload("after")})
	layout := func(branch, commit string) {
		commitAll(t, repo, branch, map[string]string{"main.yaml": "# Ours\n" + baseRepo("main", repo.URL(), "main", ".", commit),
			"p.yaml": policy("p", "")})
	}
	layout("pinned", one)
	layout("open", "")
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "c.yaml"), []byte(clusterType("folder")), 0o600); err != nil {
		t.Fatal(err)
	}
	in := func(branch string) controlplane.Scope {
		return controlplane.Scope{Environment: "dev", Branch: git.Branch{Repo: repo.URL(), Name: branch}}
	}
	for name, test := range map[string]struct {
		scope       controlplane.Scope
		commit      string // of the release that is asked for
		want        string
		clusterType string
	}{
		"a branch":                       {in("dev"), "", last, "last"},
		"a branch at a commit":           {in("dev"), first, first, "first"},
		"a branch at its head":           {in("dev"), last, last, "last"},
		"main at its own commit":         {in("pinned"), "", one, "one"},
		"main at another commit":         {in("pinned"), two, two, "two"},
		"main at its head":               {in("open"), "", head, "three"},
		"main at a commit":               {in("open"), two, two, "two"},
		"a folder":                       {controlplane.Scope{Environment: "dev", Directory: folder}, "", "", "folder"},
		"a folder that names it":         {controlplane.Scope{Environment: "dev", Directory: folder}, "v1.4.0", "v1.4.0", "folder"},
		"manifests":                      {given(clusterType("given")), "", "", "given"},
		"manifests that name it":         {given(clusterType("given")), "v1.4.0", "v1.4.0", "given"},
		"manifests with main":            {given(baseRepo("main", repo.URL(), "main", ".", one)), "", one, "one"},
		"manifests with main at another": {given(baseRepo("main", repo.URL(), "main", ".", one)), two, two, "two"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.commit != "" {
				test.scope.Release = record.Release{Commit: test.commit}
			}
			result := load(t, test.scope)
			if result.Release.Commit != test.want || len(result.Release.Sources) > 0 {
				t.Errorf("release %v; want %q", result.Release, test.want)
			}
			all := strings.Join(result.Manifests, "")
			if !strings.Contains(all, "name: "+test.clusterType+"\n") || strings.Count(all, "kind: ClusterType\n") != 1 {
				t.Errorf("want the cluster type %s in %q", test.clusterType, result.Manifests)
			}
			if strings.Contains(all, "kind: BaseRepo\n") && test.commit != "" && !strings.Contains(all, test.commit) {
				t.Errorf("the BaseRepo in the manifests is not at the release: %q", result.Manifests)
			}
			if test.clusterType == "first" && !strings.Contains(all, "name: before\n") {
				t.Errorf("a registration of the own branch is not read at its commit: %q", result.Manifests)
			}
		})
	}

	// The folder of an environment leads to the common folder of the same branch: a release has both.
	reads := in("folders")
	reads.Path = "fleet/environments/dev"
	old := commitAll(t, repo, "folders", map[string]string{"fleet/common/c.yaml": clusterType("old"),
		"fleet/environments/dev/base.yaml": baseRepo("common", repo.URL()+"/", "folders", "fleet/common", ""),
		"fleet/environments/prod/p.yaml":   policy("p", "")})
	commitAll(t, repo, "folders", map[string]string{"fleet/common/c.yaml": clusterType("new")})
	for want, release := range map[string]record.Release{"new": {}, "old": {Commit: old}} {
		reads.Release = release
		result := load(t, reads)
		if all := strings.Join(result.Manifests, ""); len(result.Manifests) != 2 || !strings.Contains(all, "name: "+want+"\n") ||
			len(result.Release.Sources) > 0 {
			t.Errorf("want the cluster type %s: %v, %q", want, result.Release, result.Manifests)
		}
	}
	unknown := strings.Repeat("1", 40)
	for branch, words := range map[string][]string{
		"dev": {"The control plane cannot", "no commit " + unknown, "promote a newer release"}, "open": {"BaseRepo/main", unknown},
	} {
		scope := in(branch)
		scope.Release = record.Release{Commit: unknown}
		loadWant(t, scope, words...)
	}
	scope := in("dev")
	scope.Release = record.Release{Commit: one} // of another branch
	loadWant(t, scope, "no commit "+one)
}

// A commit has to be in the history of its branch, or a record could name the commit of a fork. A team
// that rewrites its branch breaks only its own source.
func TestReleaseSources_lost(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	side := commitAll(t, f.app, "side", map[string]string{"w/w.yaml": workload("side")})
	for name, test := range map[string]struct {
		commit string
		words  []string
	}{
		"unknown": {strings.Repeat("1", 40), []string{"WorkloadRegistration/app", f.app.URL(), "no commit " + strings.Repeat("1", 40),
			"The release asks for", "Push this commit", "pin of kalypso_promotion"}},
		"of another branch": {side, []string{"no commit " + side, "force push"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scope := at(f.platform.URL())
			scope.Release = f.release(t, map[string]string{f.appName: test.commit, f.baseName: f.oldBase})
			got := load(t, scope)
			found := notes(got)
			for _, word := range test.words {
				if note := found[f.appName+":w"]; !strings.Contains(note, word) {
					t.Errorf("the note lacks %q: %q", word, found)
				}
			}
			if len(found) != 2 || !strings.Contains(strings.Join(got.Manifests, ""), "name: old\n") {
				t.Errorf("%q", got.Manifests)
			}
		})
	}
	scope := at(f.platform.URL())
	scope.Release = f.release(t, map[string]string{f.baseName: side})
	loadWant(t, scope, "BaseRepo/base", "no commit "+side) // it is the platform team's
}

// Both a path and a branch may have "#".
func TestReleaseSources_hash(t *testing.T) {
	t.Parallel()
	platform, app := gitmem.New(t), gitmem.New(t)
	old := commitAll(t, app, "fix/#1", map[string]string{"w.yaml": workload("old")})
	commitAll(t, app, "fix/#1", map[string]string{"w.yaml": workload("new")})
	head := commitAll(t, platform, "dev", map[string]string{"a.yaml": registration("app", app.URL(), "fix/#1", "", "team")})
	scope := at(platform.URL())
	scope.Release = record.Release{Commit: head, Sources: map[string]string{app.URL() + "#fix/#1": old}}
	if got := load(t, scope); !strings.Contains(strings.Join(got.Manifests, ""), "name: old\n") || len(got.Warnings) > 0 {
		t.Errorf("%v, %v", got.Manifests, got.Warnings)
	}
	scope.Release.Sources = nil
	if got := load(t, scope).Release.Sources; len(got) != 1 || got[app.URL()+"#fix/#1"] == "" {
		t.Errorf("%v", got)
	}
}

// A source that was reached has a commit, also if its content is at fault: a later environment must not
// read the head of its branch.
func TestRelease_ofFaultyContent(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	scope := at(f.platform.URL())
	commitAll(t, f.app, "main", map[string]string{"w/.sourceignore": "*\n"})
	faulty := commitAll(t, f.app, "main", map[string]string{"v/.sourceignore": "*\n"})
	loaded := load(t, scope)
	if len(notes(loaded)) != 2 || loaded.Release.Sources[f.appName] != faulty {
		t.Fatalf("%v, %v", loaded.Release, notes(loaded))
	}
	commitAll(t, f.app, "main", map[string]string{"w/.sourceignore": "", "w/w.yaml": workload("untested")})
	later := scope
	later.Release = loaded.Release
	got := load(t, later)
	if diff := cmp.Diff(loaded.Release, got.Release); diff != "" || strings.Contains(strings.Join(got.Manifests, ""), "untested") {
		t.Errorf("release (-earlier +later):\n%s\n%q", diff, got.Manifests)
	}
}
