// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/controlplane"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

const platform = "labels: {platform-config: 'true'}"

// fenced is a control plane with one base repository that brings these files, and a fence.
func fenced(t *testing.T, files map[string]string, fence controlplane.Allow) (scope controlplane.Scope, team string) {
	t.Helper()
	repo, app := gitmem.New(t), gitmem.New(t)
	commitAll(t, app, "main", files)
	commitAll(t, repo, "dev", map[string]string{"own.yaml": clusterType("large") + "---\n" + baseRepo("team-a", app.URL(), "main", "", "") +
		"---\n" + workload("b")})
	scope = at(repo.URL())
	if fence.Source != "" {
		scope.Allow = []controlplane.Allow{fence}
	}
	return scope, app.URL()
}

var ofTeamA = controlplane.Allow{Source: "BaseRepo/team-a", Kinds: []string{"Workload"}, Workspaces: []string{"team-a"}, Names: []string{"a-*"}}

// A team tries every kind that there is.
func TestFenceRefusesEveryKind(t *testing.T) {
	t.Parallel()
	for _, kind := range manifest.AllKinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			text, known := fleetgen.EveryKind("x")[kind]
			if !known {
				t.Fatalf("the test has no %s", kind)
			}
			own := strings.Replace(workload("a-1"), "  name", "  labels: {workspace: team-a}\n  name", 1)
			files := map[string]string{"x.yaml": own + "---\n" + text, "y.yaml": strings.Replace(own, "a-1", "a-2", 1)}
			scope, team := fenced(t, files, ofTeamA)
			result := load(t, scope)
			if len(result.Manifests) != 5 || !strings.Contains(strings.Join(result.Manifests, ""), "name: a-2") {
				t.Errorf("%q", result.Manifests)
			}
			broken := notes(result)[team+"#main:x.yaml"]
			for _, want := range []string{"Outside of a fence in " + kind, team + "#main:x.yaml, line ", `for "BaseRepo/team-a"`,
				"kinds = [Workload], workspaces = [team-a], names = [a-*]"} {
				if !strings.Contains(broken, want) {
					t.Errorf("%q is not in %s", want, broken)
				}
			}
			// Without the fence, or with one for it, the kind comes in.
			for _, fence := range []controlplane.Allow{{}, {Source: "team-a", Kinds: []string{kind, "Workload"}}} {
				scope.Allow, scope.FollowRegistrations = nil, false
				if fence.Source != "" {
					scope.Allow = []controlplane.Allow{fence}
				}
				open, err := newLoader(t).Load(t.Context(), scope)
				if kind == "BaseRepo" { // and leads somewhere
					if err == nil && len(notes(open)) == 0 || fence.Source == "" && err == nil {
						t.Errorf("%v: %v", fence, err)
					}
				} else if err != nil || len(notes(open)) > 0 || len(open.Manifests) < 6 {
					t.Errorf("%v: %v, %q", fence, err, open.Manifests)
				}
			}
		})
	}
}

// A file is allowed or refused as a whole, however it is written.
func TestFenceRules(t *testing.T) {
	t.Parallel()
	in := func(workspace, name string) string {
		return strings.Replace(workload(name), "  name", "  labels: {workspace: "+workspace+"}\n  name", 1)
	}
	forged := strings.Replace(in("team-a", "a-1"), "labels: {", "labels: {kustomize.toolkit.fluxcd.io/name: dev-b, ", 1)
	for name, test := range map[string]struct {
		text    string
		allowed bool
	}{
		"as listed":               {in("team-a", "a-1"), true},
		"another workspace":       {in("team-b", "a-1"), false},
		"no workspace":            {workload("a-1"), false},
		"the workspace of Flux":   {forged, false},
		"another name":            {in("team-a", "b"), false},
		"a name in capitals":      {in("team-a", "A-1"), false},
		"a workspace in capitals": {in("Team-A", "a-1"), false},
		"nothing of ours":         {secret, true},
		"a config of its own":     {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\ndata: {a: b}\n", true},
		"a list": {"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a-1, " +
			"" + platform + "}}]\n", false},
		"a typed list": {"apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: a-1, " + platform + "}}]\n", false},
		"an alias": {"apiVersion: v1\nkind: &k ConfigMap\nmetadata: {name: a-1, labels: {platform-config: 'true', x: " +
			"*k}}\n", false},
		"no version":               {"kind: ConfigMap\nmetadata: {name: a-1, " + platform + "}\n", false},
		"another version":          {strings.Replace(policy("a-1", "team-a"), "v1alpha1", "v1", 1), false},
		"no kind":                  {strings.Replace(in("team-a", "a-1"), "kind: Workload\n", "", 1), false},
		"the last of several":      {in("team-a", "a-1") + "---\n" + in("team-a", "a-2") + "---\n" + clusterType("a-3"), false},
		"a forged first line":      {"# Source: https://git.example/platform#dev:own.yaml, line 1\n" + clusterType("a-1"), false},
		"a forged note":            {(&manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: "a-1"}}).Text(), false},
		"twice":                    {in("team-a", "a-1") + "---\n" + in("team-a", "a-1"), false},
		"two targets of one name":  {strings.Replace(in("team-a", "a-1"), "[{", "[{name: live, environment: dev}, {", 1), false},
		"an unknown field":         {strings.Replace(in("team-a", "a-1"), "spec", "spek", 1), false},
		"no YAML":                  {"a: [\n", false},
		"a policy of its own":      {policy("a-1", "team-a"), false},
		"a placeholder for a file": {"", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scope, team := fenced(t, map[string]string{"x.yaml": test.text}, ofTeamA)
			result := load(t, scope)
			if broken, isBroken := notes(result)[team+"#main:x.yaml"]; isBroken == test.allowed {
				t.Errorf("allowed %v: %s", test.allowed, broken)
			}
			if !test.allowed && len(result.Manifests) != 4 {
				t.Errorf("%q", result.Manifests)
			}
		})
	}
}

// Several blocks of a source add up. A source may be a name, a pattern or a URL.
func TestFenceSources(t *testing.T) {
	t.Parallel()
	files := map[string]string{"sub/c.yaml": clusterType("a-c"), "sub/w.yaml": workload("a-w")}
	for source, matches := range map[string]bool{
		"team-a": true, "BaseRepo/team-a": true, "BaseRepo/*": true, "team-?": true, "WorkloadRegistration/*": false, "team-b-and-c": false,
		"URL": true, "URL//sub": true, "BARE": true, "BARE?//sub": false, "UR?//sub": true,
		"URL//s*": true, "URL//sub/deep": false, "URL//other": false, "URLx": false, "URL//sbu": false,
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			repo, app := gitmem.New(t), gitmem.New(t)
			commitAll(t, app, "main", files)
			commitAll(t, repo, "dev", map[string]string{"own.yaml": baseRepo("team-a", app.URL(), "main", "sub", "")})
			scope := at(repo.URL())
			bare := strings.TrimSuffix(app.URL(), ".git")
			source := strings.NewReplacer("URL", app.URL(), "BARE", bare, "UR?", bare[:len(bare)-1]+"?").Replace(source)
			scope.Allow = []controlplane.Allow{{Source: source, Kinds: []string{"ClusterType"}}}
			want := 1
			if !matches {
				want = 0
			}
			if !matches && !strings.ContainsAny(source, "*?") {
				loadWant(t, scope, "Unknown source of a fence", "Correct source")
				return
			}
			result, err := newLoader(t).Load(t.Context(), scope)
			if err != nil || len(notes(result)) != want {
				t.Errorf("%v, %q", err, notes(result))
			}
			if len(result.Warnings) > want { // that of the broken file
				t.Errorf("%v", result.Warnings)
			}
			scope.Allow = append(scope.Allow, controlplane.Allow{Source: source, Names: []string{"*-w"}})
			if result, err := newLoader(t).Load(t.Context(), scope); err != nil || len(notes(result)) != 0 {
				t.Errorf("with another block: %v, %q", err, notes(result))
			}
		})
	}
}

// A typing error in a fence would leave a source without one. It is a warning only if others may
// name sources: they must not fail the plan by removing one.
func TestFenceForUnknownSource(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source   string
		ofTeam   *controlplane.Allow
		err, say string
	}{
		"a typing error":     {source: "BaseRepo/taem-a", err: `"BaseRepo/team-a" has no fence: did you mean that?`},
		"in a URL":           {source: "https://git.example/x", err: "Correct source"},
		"all have fences":    {source: "BaseRepo/taem-a", ofTeam: &controlplane.Allow{Kinds: []string{"Workload"}}, err: "remove the block."},
		"a workspace":        {source: "x", ofTeam: &controlplane.Allow{Kinds: []string{"Workload"}, Workspaces: []string{"w"}}, err: "remove"},
		"others may lead on": {source: "x", ofTeam: &controlplane.Allow{}, say: "remove the block."},
		"to workloads": {source: "x", say: "remove", ofTeam: &controlplane.Allow{Kinds: []string{"WorkloadRegistration"}, Names: []string{"a-*"},
			Workspaces: []string{"w"}}},
		"to base repositories": {source: "x", ofTeam: &controlplane.Allow{Kinds: []string{"BaseRepo"}, Names: []string{"a-*"}}, say: "remove"},
		"but not of workspaces": {source: "x", err: "remove", ofTeam: &controlplane.Allow{Kinds: []string{"BaseRepo"},
			Workspaces: []string{"w"}}},
		"a pattern":          {source: "BaseRepo/other-*"},
		"a pattern of names": {source: "other-[ab]"},
		"a pattern of URLs":  {source: "https://git.example/?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scope, _ := fenced(t, map[string]string{"w.yaml": ""}, controlplane.Allow{Source: test.source})
			if test.ofTeam != nil {
				test.ofTeam.Source = "BaseRepo/team-a"
				scope.Allow = append(scope.Allow, *test.ofTeam)
			}
			if test.err != "" {
				loadWant(t, scope, fmt.Sprintf("allow %q", test.source), test.err)
				return
			}
			warnings := load(t, scope).Warnings
			if (len(warnings) > 0) != (test.say != "") || len(warnings) > 0 && !strings.Contains(warnings[0].Error(), test.say) {
				t.Errorf("%v", warnings)
			}
		})
	}
}

// A name without a kind is for one object.
func TestFenceForTwoSources(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	commitAll(t, repo, "dev", map[string]string{"own.yaml": baseRepo("x", repo.URL(), "b", "", "") + "---\n" +
		registration("x", repo.URL(), "w", "", "team")})
	commitAll(t, repo, "b", map[string]string{"c.yaml": clusterType("c")})
	commitAll(t, repo, "w", map[string]string{"w.yaml": workload("w")})
	scope := at(repo.URL())
	scope.Allow = []controlplane.Allow{{Source: "x"}}
	loadWant(t, scope, `Write "BaseRepo/x" or "WorkloadRegistration/x" as source.`)
}

// What a fenced source leads to has the same fence, and can break nothing of others.
func TestFenceHoldsForWhatASourceLeadsTo(t *testing.T) {
	t.Parallel()
	repo, team, further, victim := gitmem.New(t), gitmem.New(t), gitmem.New(t), gitmem.New(t)
	commitAll(t, victim, "main", map[string]string{"w.yaml": workload("victim")})
	commitAll(t, further, "main", map[string]string{"base/c.yaml": clusterType("a-c"), "apps/w.yaml": workload("a-w"),
		"apps/v.yaml": workload("b-w")})
	commitAll(t, team, "main", map[string]string{
		"base.yaml":   baseRepo("a-base", further.URL(), "main", "base", ""),
		"apps.yaml":   registration("a-apps", further.URL(), "main", "apps", "team-a"),
		"stolen.yaml": registration("a-0", victim.URL(), "main", "", "team-a"),
		"gone.yaml":   registration("a-gone", victim.URL(), "gone", "", "team-a"),
		"circle.yaml": baseRepo("a-circle", team.URL(), "main", ".", ""), "half.yaml": registration("a-half", victim.URL(), "", "", "team-a"),
		"other.yaml": registration("a-other", victim.URL(), "main", "", "team-b"),
	})
	commitAll(t, repo, "dev", map[string]string{"own.yaml": baseRepo("team-a", team.URL(), "main", "", "") + "---\n" +
		registration("victim", victim.URL(), "main", "", "team-b")})
	scope := at(repo.URL())
	scope.Allow = []controlplane.Allow{
		{Source: "BaseRepo/team-a", Kinds: []string{"BaseRepo"}, Names: []string{"a-*"}},
		{Source: "BaseRepo/team-a", Kinds: []string{"Workload", "WorkloadRegistration"}, Workspaces: []string{"team-a"}, Names: []string{"a-*"}},
	}
	result := load(t, scope)
	found := notes(result)
	want := []string{
		team.URL() + "#main:circle.yaml", team.URL() + "#main:gone.yaml", team.URL() + "#main:half.yaml", team.URL() + "#main:other.yaml",
		further.URL() + "#main:base/c.yaml", further.URL() + "#main:apps/v.yaml",
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("broken files (-want +got):\n%s\n%v", diff, found)
	}
	if diff := cmp.Diff(map[string]string{"a-w-live": "team-a", "victim-live": "team-b"}, workspaces(t, result)); diff != "" {
		t.Errorf("workspaces (-want +got):\n%s", diff)
	}
}

// A circle is the fault of the fenced source in it, wherever it is found.
func TestFencedSourceInACircle(t *testing.T) {
	t.Parallel()
	repo, team := gitmem.New(t), gitmem.New(t)
	commitAll(t, repo, "base", map[string]string{"b.yaml": baseRepo("team-again", team.URL(), "main", "", ""), "c.yaml": clusterType("c")})
	commitAll(t, team, "main", map[string]string{"back.yaml": baseRepo("back", repo.URL(), "base", "", ""), "c.yaml": clusterType("d")})
	for _, first := range []string{"a", "z"} {
		commitAll(t, repo, "dev", map[string]string{"a.yaml": baseRepo("base", repo.URL(), "base", "", ""),
			first + "-team.yaml": baseRepo("team", team.URL(), "main", "", "")})
		scope := at(repo.URL())
		scope.Allow = []controlplane.Allow{{Source: "team*"}}
		result := load(t, scope)
		if found := notes(result); len(found) != 1 || !strings.Contains(found[team.URL()+"#main:back.yaml"], "lead in a circle") {
			t.Errorf("%q", found)
		}
		if !strings.Contains(strings.Join(result.Manifests, ""), "name: d\n") {
			t.Errorf("the team's other file is gone: %q", result.Manifests)
		}
	}
}

// Two teams cannot break each other by names, and the platform team's objects win.
func TestDuplicatesOfOthers(t *testing.T) {
	t.Parallel()
	repo, a, b := gitmem.New(t), gitmem.New(t), gitmem.New(t)
	commitAll(t, a, "main", map[string]string{"w.yaml": workload("shared"), "p.yaml": workload("platform"), "own.yaml": workload("a"),
		"full.yaml": object("Workload", "x-y", "{deploymentTargets: [{name: z, environment: dev}]}")})
	commitAll(t, b, "main", map[string]string{"w.yaml": workload("shared"), "own.yaml": workload("b"),
		"full.yaml": object("Workload", "x", "{deploymentTargets: [{name: y-z, environment: dev}]}")})
	commitAll(t, repo, "dev", map[string]string{"own.yaml": workload("platform"),
		"r.yaml": registration("a", a.URL(), "main", "", "team-a") + "---\n" + registration("b", b.URL(), "main", "", "team-b")})
	scope := at(repo.URL())
	result := load(t, scope)
	want := []string{a.URL() + "#main:full.yaml", a.URL() + "#main:p.yaml", a.URL() + "#main:w.yaml", b.URL() + "#main:full.yaml",
		b.URL() + "#main:w.yaml"}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(notes(result)))); diff != "" {
		t.Errorf("broken files (-want +got):\n%s", diff)
	}
	found := notes(result)
	if text := found[a.URL()+"#main:full.yaml"]; !strings.Contains(text, "begins with the name of another team's workload and a dash") ||
		strings.Contains(text, "A fence with names") || !strings.Contains(found[a.URL()+"#main:w.yaml"], "A fence with names keeps teams apart") {
		t.Errorf("%q", found)
	}
	if diff := cmp.Diff(map[string]string{"a-live": "team-a", "b-live": "team-b", "platform-live": ""}, workspaces(t, result)); diff != "" {
		t.Errorf("workspaces (-want +got):\n%s", diff)
	}
	// With names, the one who takes a name of others breaks their own file only.
	scope.Allow = []controlplane.Allow{{Source: "WorkloadRegistration/b", Names: []string{"b", "x"}}}
	if found := notes(load(t, scope)); found[a.URL()+"#main:w.yaml"] != "" || found[b.URL()+"#main:w.yaml"] == "" {
		t.Errorf("%q", found)
	}
}

// The note names base repositories and registrations in other repositories without a fence.
func TestUnfencedSources(t *testing.T) {
	t.Parallel()
	repo, app := gitmem.New(t), gitmem.New(t)
	commitAll(t, app, "main", map[string]string{"base/c.yaml": clusterType("c"), "apps/w.yaml": workload("w"),
		"more/r.yaml": registration("inner",
			app.URL(), "main", "apps", "t")})
	commitAll(t, repo, "main", map[string]string{"c.yaml": clusterType("own")})
	commitAll(t, repo, "dev", map[string]string{"own.yaml": strings.Join([]string{baseRepo("own", repo.URL(), "main", "", ""),
		baseRepo("base", app.URL(), "main", "base", ""), baseRepo("more", app.URL(), "main", "more", ""),
		registration("apps", app.URL(), "main", "apps", "t")}, "---\n")})
	unfenced := func(sources ...string) []string {
		scope := at(repo.URL())
		for _, source := range sources {
			scope.Allow = append(scope.Allow, controlplane.Allow{Source: source})
		}
		result, err := newLoader(t).Load(t.Context(), scope)
		if err != nil {
			t.Fatal(err)
		}
		all, _ := manifest.Notes(inputs(result.Manifests))
		if len(all) == 0 {
			return nil
		}
		return all[0].Sources
	}
	for _, test := range []struct{ fences, want []string }{
		{nil, []string{"BaseRepo/base", "BaseRepo/more", "WorkloadRegistration/apps", "WorkloadRegistration/inner"}},
		{[]string{"BaseRepo/base", "WorkloadRegistration/apps"}, []string{"BaseRepo/more", "WorkloadRegistration/inner"}},
		{[]string{"BaseRepo/more", "base"}, []string{"WorkloadRegistration/apps"}},
		{[]string{app.URL()}, nil},
	} {
		if diff := cmp.Diff(test.want, unfenced(test.fences...)); diff != "" {
			t.Errorf("fences %v (-want +got):\n%s", test.fences, diff)
		}
	}
}

// A note does not change with the commit, or every commit of a team would change the fleet.
func TestNotesAreTheSameForEveryCommit(t *testing.T) {
	t.Parallel()
	files := map[string]string{"w.yaml": "kind: [\n", "kustomization.yaml": "resources: []\n", "\x01.yaml": workload("w")}
	repo, app := gitmem.New(t), gitmem.New(t)
	commitAll(t, repo, "dev", map[string]string{"own.yaml": registration("a", app.URL(), "main", "", "team-a")})
	var before []string
	for i := range 2 {
		files["README.md"] = fmt.Sprint(i)
		commitAll(t, app, "main", files)
		result := load(t, at(repo.URL()))
		if len(notes(result)) != 3 || before != nil && !slices.Equal(before, result.Manifests) {
			t.Errorf("%q", result.Manifests)
		}
		before = result.Manifests
	}
}

// While a folder or file that may name sources cannot be read, no message advises to remove fences.
func TestFenceWhileSourcesAreUnread(t *testing.T) {
	t.Parallel()
	repo, base := gitmem.New(t), gitmem.New(t)
	commitAll(t, base, "main", map[string]string{"bad.yaml": "a: [\n"})
	scope := at(repo.URL())
	for branch, unknown := range map[string]bool{"missing": false, "main": false, "good": true} {
		commitAll(t, base, "good", map[string]string{"c.yaml": clusterType("c")})
		commitAll(t, repo, "dev", map[string]string{"own.yaml": baseRepo("base", base.URL(), branch, "", "")})
		scope.Allow = []controlplane.Allow{{Source: "WorkloadRegistration/pay"}}
		_, err := newLoader(t).Load(t.Context(), scope)
		if err == nil || strings.Contains(err.Error(), "Unknown source of a fence") != unknown {
			t.Errorf("%s: %v", branch, err)
		}
	}
}
