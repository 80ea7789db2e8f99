// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/controlplane"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// given asks to follow manifests.
func given(texts ...string) controlplane.Scope {
	request := controlplane.Scope{Environment: "dev", Manifests: []manifest.Text{}, FollowBaseRepos: true, FollowRegistrations: true}
	for i, text := range texts {
		request.Manifests = append(request.Manifests, manifest.Text{Name: fmt.Sprintf("fleet_manifests[%d]", i), Text: text})
	}
	return request
}

// Manifests are followed as a control plane is, and passed on as they are.
func TestLoadGiven(t *testing.T) {
	t.Parallel()
	app, base := gitmem.New(t), gitmem.New(t)
	commitAll(t, app, "main", map[string]string{"w.yaml": workload("app")})
	pinned := commitAll(t, base, "main",
		map[string]string{"fleet/large.yaml": clusterType("large"), "fleet/more.yaml": registration("app", app.URL(), "main", ".", "team")})
	commitAll(t, base, "main", map[string]string{"fleet/large.yaml": clusterType("later")})
	texts := []string{
		clusterType("small") + "---\n" + secret, // verbatim, with any other document beside it
		baseRepo("main", base.URL(), "main", "fleet", pinned),
	}
	result := load(t, given(texts...))
	want := slices.Concat(texts, []string{
		source(base.URL()+"#main:fleet/large.yaml", clusterType("large")),
		source(base.URL()+"#main:fleet/more.yaml", registration("app", app.URL(), "main", ".", "team")),
		source(app.URL()+"#main:w.yaml", labelled("app", "app")),
	})
	if base.URL() > app.URL() {
		want = append(want[:2], want[4], want[2], want[3])
	}
	if diff := cmp.Diff(want, result.Manifests); diff != "" {
		t.Errorf("manifests (-want +got):\n%s", diff)
	}
	if len(result.Sources) != 1 || result.Commit != "" || result.PromotedCommit != pinned {
		t.Errorf("sources %v, commit %q, promoted %q", result.Sources, result.Commit, result.PromotedCommit)
	}

	// What comes out can be followed again, and nothing is there twice.
	again := load(t, given(result.Manifests...))
	if diff := cmp.Diff(result, again); diff != "" {
		t.Errorf("followed again (-first +second):\n%s", diff)
	}
}

// The configuration can read base repositories at other commits than those that they name.
// It does not matter where they are, and whether they are followed.
func TestLoadBaseCommits(t *testing.T) {
	t.Parallel()
	platform, base := gitmem.New(t), gitmem.New(t)
	first := commitAll(t, base, "main", map[string]string{"fleet/one.yaml": clusterType("one")})
	second := commitAll(t, base, "main", map[string]string{"fleet/two.yaml": clusterType("two")})
	commitAll(t, base, "main", map[string]string{"fleet/three.yaml": clusterType("three")})
	at := func(commit string) string {
		return "# Ours\n" + baseRepo("main", base.URL(), "main", "fleet", commit)
	}
	commitAll(t, platform, "dev",
		map[string]string{"main.yaml": at(first), "global.yaml": baseRepo("global", base.URL(), "main", "fleet", "")})
	environment := controlplane.Scope{
		Environment: "dev", Revision: git.Revision{Repo: platform.URL(), Branch: "dev"}, Path: ".", FollowBaseRepos: true,
		BaseCommits: map[string]string{"main": second, "global": first, "none": first},
	}
	inHCL := given(at(first), baseRepo("global", base.URL(), "main", "fleet", ""))
	inHCL.BaseCommits = environment.BaseCommits
	unfollowed := environment
	unfollowed.FollowBaseRepos = false
	for name, test := range map[string]struct {
		request controlplane.Scope
		types   []string
	}{"control plane": {environment, []string{"one", "one", "two"}}, "in HCL": {inHCL, []string{"one", "one", "two"}},
		"not followed": {unfollowed, nil}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := load(t, test.request)
			if result.PromotedCommit != second || !slices.Equal(result.BaseRepos, []string{"global", "main"}) {
				t.Errorf("promoted %q, want %s; base repositories %v", result.PromotedCommit, second, result.BaseRepos)
			}
			var inputs []manifest.Text
			for _, text := range result.Manifests {
				inputs = append(inputs, manifest.Text{Name: "result", Text: text})
			}
			objects, err := manifest.Decode(inputs)
			if err != nil {
				t.Fatal(err)
			}
			commits := map[string]string{}
			for _, b := range manifest.Of[*manifest.BaseRepo](objects) {
				commits[b.Name] = b.Commit
			}
			if diff := cmp.Diff(map[string]string{"main": second, "global": first}, commits); diff != "" {
				t.Errorf("commits in the manifests (-want +got):\n%s", diff)
			}
			var types []string
			for _, c := range manifest.Of[*manifest.ClusterType](objects) {
				types = append(types, c.Name)
			}
			slices.Sort(types)
			if diff := cmp.Diff(test.types, types); diff != "" {
				t.Errorf("cluster types (-want +got):\n%s", diff)
			}
		})
	}
}

// A workload in HCL stays the platform team's, and breaks one of its name that a registration
// delivers, also if that says the same. What was read from the registration before gives way.
func TestLoadGivenTwice(t *testing.T) {
	t.Parallel()
	app := gitmem.New(t)
	commitAll(t, app, "main", map[string]string{"w.yaml": workload("app")})
	registered := registration("app", app.URL(), "main", ".", "team")
	inHCL := "kind: Workload\napiVersion: scheduler.kalypso.io/v1alpha1\nmetadata: {name: app}\nspec:\n  deploymentTargets: " +
		"[{environment: dev, name: live}]\n"
	delivered := source(app.URL()+"#main:w.yaml", labelled("app", "app"))
	result := load(t, given(delivered, registered))
	if diff := cmp.Diff([]string{registered, delivered}, result.Manifests); diff != "" {
		t.Errorf("manifests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"app-live": "team"}, workspaces(t, result)); diff != "" {
		t.Errorf("workspaces (-want +got):\n%s", diff)
	}
	for title, text := range map[string]string{"the same": inHCL, "another": strings.Replace(inHCL, "live", "test", 1),
		"of another registration": strings.Replace(delivered, "dev-app", "dev-core", 1)} {
		if other := load(t, given(text, registered)); len(other.Manifests) != 3 || other.Manifests[0] != text ||
			!strings.Contains(notes(other)[app.URL()+"#main:w.yaml"], "The Workload/app is in ") {
			t.Errorf("%s: %q", title, other.Manifests)
		}
	}
	if none := load(t, given()); len(none.Manifests) != 0 {
		t.Errorf("%q", none.Manifests)
	}
}

// Problems name the element, and the file if the element says it.
func TestLoadGivenProblems(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	loadWant(t, given("kind: [", source("fleet.yaml", strings.Replace(clusterType("a"), "reconciler", "reconcilr", 1)),
		registration("app", repo.URL(), "gone", ".", "team"), baseRepo("b", repo.URL(), "", ".", "")),
		"fleet_manifests[0], line 2", "(fleet.yaml:5, fleet_manifests[1])", "reconcilr",
		"WorkloadRegistration/app (fleet_manifests[2], line 1)", "BaseRepo/b (fleet_manifests[3], line 1)", "Set branch")
}
