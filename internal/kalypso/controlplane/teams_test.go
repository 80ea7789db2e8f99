// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/controlplane"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// No name of a file can end the first line of a note, and so forge one.
func TestHiddenCharactersInFileNames(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"x\nfoo: [\n", "x\u2028kind: SourceNote\u2028metadata: {name: x}\u2028---\u2028",
		"x\u2029a: [", "x\u202e", "x\r"} {
		repo, app := gitmem.New(t), gitmem.New(t)
		commitAll(t, app, "main", map[string]string{folder + "/kustomization.yaml": "", folder + "/w.yaml": workload("w"),
			"ok.yaml": workload("ok")})
		commitAll(t, repo, "dev", map[string]string{"r.yaml": registration("a", app.URL(), "main", "", "team-a")})
		result := load(t, at(repo.URL()))
		if found := notes(result); len(found) != 2 || len(result.Manifests) != 4 {
			t.Errorf("%q: notes %q among %q", folder, found, result.Manifests)
		}
		objects, err := manifest.Decode(inputs(result.Manifests))
		for _, n := range manifest.Of[*manifest.Note](objects) {
			if !slices.Equal(n.Sources, []string{"WorkloadRegistration/a"}) {
				t.Errorf("%q: %v", folder, n.Sources)
			}
		}
		if err != nil {
			t.Errorf("%q: %v", folder, err)
		}
	}
}

// A team that pushes the commit of others to its own repository takes nothing over, and breaks
// no plan.
func TestForkOfOthers(t *testing.T) {
	t.Parallel()
	repo, a, b := gitmem.New(t), gitmem.New(t), gitmem.New(t)
	files := map[string]string{"w.yaml": workload("b-w")}
	commitAll(t, a, "main", files)
	commitAll(t, b, "main", files)
	commitAll(t, repo, "dev", map[string]string{"r.yaml": registration("a", a.URL(), "main", "", "team-a") + "---\n" +
		registration("b", b.URL(), "main", "", "team-b")})
	scope := at(repo.URL())
	scope.Allow = []controlplane.Allow{{Source: "a", Names: []string{"a-*"}}, {Source: "b", Names: []string{"b-*"}}}
	result := load(t, scope)
	if result.Sources[a.URL()+"#main"] != result.Sources[b.URL()+"#main"] {
		t.Fatalf("%v", result.Sources)
	}
	if diff := cmp.Diff(map[string]string{"b-w-live": "team-b"}, workspaces(t, result)); diff != "" {
		t.Errorf("workspaces (-want +got):\n%s", diff)
	}
	if found := notes(result); len(found) != 1 || !strings.Contains(found[a.URL()+"#main:w.yaml"], "Outside of a fence") {
		t.Errorf("%q", found)
	}
}

// A team whose base repository registers the repository of another team takes nothing over,
// whatever the names of the registrations.
func TestRegistrationOfAnotherTeamsRepository(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fences [2]controlplane.Allow
		inBase bool // b registers the workloads of its base repository
		want   map[string]string
		broken []string
	}{
		"names": {fences: [2]controlplane.Allow{{Names: []string{"a-*"}}, {Names: []string{"b-*"}}},
			want: map[string]string{"b-w-live": "team-b"}},
		"own workloads": {inBase: true, want: map[string]string{"b-w-live": "team-b"}},
		"no difference": {want: map[string]string{}, broken: []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo, app := gitmem.New(t), gitmem.New(t)
			bases := []*gitmem.Repo{gitmem.New(t), gitmem.New(t)}
			if test.inBase {
				app = bases[1]
			}
			commitAll(t, app, "apps", map[string]string{"w.yaml": workload("b-w")})
			commitAll(t, bases[0], "main", map[string]string{"r.yaml": registration("a-0", app.URL(), "apps", "", "team-a")})
			commitAll(t, bases[1], "main", map[string]string{"r.yaml": registration("b-0", app.URL(), "apps", "", "team-b")})
			commitAll(t, repo, "dev", map[string]string{"own.yaml": baseRepo("a", bases[0].URL(), "main", "", "") + "---\n" +
				baseRepo("b", bases[1].URL(), "main", "", "")})
			scope := at(repo.URL())
			test.fences[0].Source, test.fences[1].Source = "a", "b"
			test.fences[0].Workspaces, test.fences[1].Workspaces = []string{"team-a"}, []string{"team-b"}
			scope.Allow = test.fences[:]
			result := load(t, scope)
			if diff := cmp.Diff(test.want, workspaces(t, result)); diff != "" {
				t.Errorf("workspaces (-want +got):\n%s", diff)
			}
			found := notes(result)
			for i, base := range []string{"a", "b"} {
				text := found[bases[i].URL()+"#main:r.yaml"]
				if slices.Contains(test.broken, base) != strings.Contains(text, "Two workspaces for one workload") {
					t.Errorf("%s: %q", base, text)
				}
			}
		})
	}
}
