// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/controlplane"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
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

// A followed branch is read at its commit, and its manifests do not name the commit.
func TestSourceCommits(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	for name, test := range map[string]struct {
		commits, bases map[string]string
		app, base      string
		sources        map[string]string
		warns          []string
	}{
		"no commits": {nil, nil, "new", "new", map[string]string{f.appName: f.newApp, f.baseName: f.newBase}, nil},
		"empty":      {map[string]string{}, nil, "new", "new", map[string]string{f.appName: f.newApp, f.baseName: f.newBase}, nil},
		"all": {map[string]string{f.appName: f.oldApp, f.baseName: f.oldBase, "https://example.com/unused#main": f.oldApp}, nil, "old", "old",
			map[string]string{f.appName: f.oldApp, f.baseName: f.oldBase}, nil},
		"another spelling": {map[string]string{f.app.URL() + "///#main": f.oldApp, f.baseName: f.newBase}, nil, "old", "new",
			map[string]string{f.appName: f.oldApp, f.baseName: f.newBase}, nil},
		"another branch": {map[string]string{f.app.URL() + "#mai": f.oldApp}, nil, "new", "new",
			map[string]string{f.appName: f.newApp, f.baseName: f.newBase},
			[]string{"WorkloadRegistration/app (" + f.appName + ")", "BaseRepo/base (" + f.baseName + ")"}},
		"base_commits come first": {map[string]string{f.appName: f.newApp, f.baseName: f.newBase}, map[string]string{"base": f.oldBase},
			"new", "old", map[string]string{f.appName: f.newApp}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := at(f.platform.URL())
			request.SourceCommits, request.BaseCommits = test.commits, test.bases
			result := load(t, request)
			if diff := cmp.Diff(test.sources, result.Sources); diff != "" {
				t.Errorf("sources (-want +got):\n%s", diff)
			}
			for _, want := range []string{source(f.appName+":w/w.yaml", labelled(test.app, "app")), source(f.baseName+":c.yaml",
				clusterType(test.base))} {
				if !slices.Contains(result.Manifests, want) {
					t.Errorf("the manifests lack\n%s\nin %q", want, result.Manifests)
				}
			}
			i := slices.IndexFunc(result.Warnings, func(p problem.Problem) bool { return p.Summary == "Sources without a promoted commit" })
			if (i >= 0) != (len(test.warns) > 0) {
				t.Fatalf("warnings %v", result.Warnings)
			}
			for _, want := range test.warns {
				if !strings.Contains(result.Warnings[i].Detail, want) {
					t.Errorf("the warning lacks %s: %s", want, result.Warnings[i].Detail)
				}
			}
		})
	}
}

// The control plane at a commit does not hold back a registration of its branch: the commit of
// the branch is a source.
func TestSourceCommits_ownBranch(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	request := at(f.platform.URL())
	head := load(t, request).Commit
	request.Revision.Commit = head
	if got := load(t, request).Sources; got[f.platform.URL()+"#dev"] != head || len(got) != 3 {
		t.Errorf("%v", got)
	}
}

// A commit has to be in the history of its branch, or a record could name the commit of a fork. A team
// that rewrites its branch breaks only its own source.
func TestSourceCommits_lost(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	side := commitAll(t, f.app, "side", map[string]string{"w/w.yaml": workload("side")})
	for name, test := range map[string]struct {
		commit string
		words  []string
	}{
		"unknown": {strings.Repeat("1", 40), []string{"WorkloadRegistration/app", f.app.URL(), "no commit " + strings.Repeat("1", 40),
			"source_commits", "Push this commit", "pin of kalypso_promotion"}},
		"of another branch": {side, []string{"no commit " + side, "force push"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := at(f.platform.URL())
			request.SourceCommits = map[string]string{f.appName: test.commit, f.baseName: f.oldBase}
			got := load(t, request)
			if diff := cmp.Diff(request.SourceCommits, got.Sources); diff != "" {
				t.Errorf("sources (-want +got):\n%s", diff)
			}
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
	request := at(f.platform.URL())
	request.SourceCommits = map[string]string{f.baseName: side}
	loadWant(t, request, "BaseRepo/base", "no commit "+side) // the platform team trusts it
	request.SourceCommits = map[string]string{f.appName: f.oldApp, f.app.URL() + "/#main": f.newApp}
	loadWant(t, request, f.oldApp, f.newApp, "Remove one")
}

// Both a path and a branch may have "#".
func TestSourceCommits_hash(t *testing.T) {
	t.Parallel()
	platform, app := gitmem.New(t), gitmem.New(t)
	old := commitAll(t, app, "fix/#1", map[string]string{"w.yaml": workload("old")})
	commitAll(t, app, "fix/#1", map[string]string{"w.yaml": workload("new")})
	commitAll(t, platform, "dev", map[string]string{"a.yaml": registration("app", app.URL(), "fix/#1", "", "team")})
	request := controlplane.Scope{Environment: "dev", Revision: git.Revision{Repo: platform.URL(), Branch: "dev"}, FollowRegistrations: true,
		SourceCommits: map[string]string{app.URL() + "#fix/#1": old}}
	if got := load(t, request); got.Sources[app.URL()+"#fix/#1"] != old || len(got.Warnings) > 0 {
		t.Errorf("%v, %v", got.Sources, got.Warnings)
	}
}

// A source that was reached has a commit, also if its content is at fault: a later environment must not
// read the head of its branch.
func TestSources_ofFaultyContent(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	request := at(f.platform.URL())
	commitAll(t, f.app, "main", map[string]string{"w/.sourceignore": "*\n"})
	faulty := commitAll(t, f.app, "main", map[string]string{"v/.sourceignore": "*\n"})
	seen := load(t, request)
	if len(notes(seen)) != 2 || seen.Sources[f.appName] != faulty {
		t.Fatalf("%v, %v", seen.Sources, notes(seen))
	}
	commitAll(t, f.app, "main", map[string]string{"w/.sourceignore": "", "w/w.yaml": workload("untested")})
	later := request
	later.SourceCommits = seen.Sources
	got := load(t, later)
	if diff := cmp.Diff(seen.Sources, got.Sources); diff != "" || strings.Contains(strings.Join(got.Manifests, ""), "untested") {
		t.Errorf("sources (-earlier +later):\n%s\n%q", diff, got.Manifests)
	}
}
