// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/controlplane"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// inWorkspace is a workload whose label names its workspace.
func inWorkspace(workspace, name string) string {
	return strings.Replace(workload(name), "  name", "  labels: {workspace: "+workspace+"}\n  name", 1)
}

// The links say what the fences let in under some workspace, whatever is in the broken file.
func TestLinks(t *testing.T) {
	t.Parallel()
	type allow = controlplane.Allow
	ids := []string{"ConfigMap/x", "SchedulingPolicy/a-p", "Workload/a-1", "Workload/z"}
	for name, test := range map[string]struct {
		fences []allow // of the base repository
		want   []string
	}{
		"no fence for the names": {[]allow{{}}, ids},
		"kinds":                  {[]allow{{Kinds: []string{"Workload"}, Workspaces: []string{"team-a"}}}, ids[2:]},
		"no kinds":               {[]allow{{Kinds: []string{}}}, nil},
		"workspaces":             {[]allow{{Workspaces: []string{"team-a"}}}, ids[1:]},
		"names":                  {[]allow{{Names: []string{"a-*"}}}, ids[1:3]},
		"none of these":          {[]allow{{Kinds: []string{"ConfigMap"}, Workspaces: []string{"team-b"}}}, nil},
		"fences add up":          {[]allow{{Names: []string{"a-*"}, Workspaces: []string{"team-a"}}, {Kinds: []string{"ConfigMap"}}}, ids[:3]},
		"of different fences": {[]allow{{Kinds: []string{"Workload"}, Names: []string{"a-*"}}, {Kinds: []string{"Template"}}},
			[]string{"Workload/a-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo, team := gitmem.New(t), gitmem.New(t)
			commitAll(t, team, "main", map[string]string{"sub/x.yaml": "kind: [\n"})
			commitAll(t, repo, "dev", map[string]string{"own.yaml": baseRepo("team-a", team.URL(), "main", "", "") + "---\n" +
				baseRepo("team-b", team.URL(), "main", "sub", "") + "---\n" + baseRepo("own", repo.URL(), "base", "", "")})
			commitAll(t, repo, "base", map[string]string{"c.yaml": clusterType("c")})
			scope := at(repo.URL())
			scope.Allow = []allow{{Source: "team-b", Kinds: []string{"ConfigMap"}}}
			for _, fence := range test.fences {
				fence.Source = "BaseRepo/team-a"
				scope.Allow = append(scope.Allow, fence)
			}
			for source, want := range map[string][]string{"BaseRepo/team-a": test.want, "BaseRepo/team-b": ids[:1], "BaseRepo/own": ids} {
				got, links := couldBring(t, scope, source, slices.Clone(ids)...)
				if !slices.Equal(want, got) || links.IsTrusted(source) != (source == "BaseRepo/own") {
					t.Errorf("%s could bring %v, want %v: %v", source, got, want, links)
				}
			}
		})
	}
}

// What a source leads to has its fences too. A registration lets in workloads only, and a broken file
// adds no links.
func TestLinks_ofAChain(t *testing.T) {
	t.Parallel()
	repo, team, apps := gitmem.New(t), gitmem.New(t), gitmem.New(t)
	commitAll(t, apps, "main", map[string]string{"w.yaml": "kind: [\n"})
	commitAll(t, team, "main", map[string]string{"r.yaml": registration("a-apps", apps.URL(), "main", "", "team-a"),
		"x.yaml": registration("victim", apps.URL(), "main", "", "team-a"), "a.yaml": baseRepo("a-self", team.URL(), "main", ".", "")})
	commitAll(t, repo, "dev", map[string]string{"own.yaml": baseRepo("team-a", team.URL(), "main", "", "") + "---\n" +
		registration("free", apps.URL(), "main", "", "free")})
	scope := at(repo.URL())
	scope.Allow = []controlplane.Allow{{Source: "team-a", Names: []string{"a-*"}},
		{Source: "WorkloadRegistration/a-apps", Names: []string{"*-1", "*-2"}}}
	for source, want := range map[string][]string{
		"BaseRepo/team-a": {"ClusterType/a-2", "Workload/a-1", "Workload/a-b"}, "WorkloadRegistration/a-apps": {"Workload/a-1"},
		"WorkloadRegistration/free": {"Workload/a-1", "Workload/a-b", "Workload/b-1"}, "WorkloadRegistration/victim": nil,
	} {
		got, links := couldBring(t, scope, source, "ClusterType/a-2", "Workload/a-1", "Workload/a-b", "Workload/b-1")
		if !slices.Equal(want, got) || links.IsTrusted(source) {
			t.Errorf("%s could bring %v, want %v: %v", source, got, want, links)
		}
	}
}

// A source that only a broken file names is not read, if this is known before the source is
// read: others could have the provider ask any server.
func TestBrokenFileIsNotFollowed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file  string // %s is the further repository
		fence controlplane.Allow
		read  bool
	}{
		"sound":       {baseRepo("a-next", "%s", "main", "", ""), controlplane.Allow{}, true},
		"broken YAML": {baseRepo("a-next", "%s", "main", "", "") + "---\nkind: [\n", controlplane.Allow{}, false},
		"a mistake beside it": {baseRepo("a-next", "%s", "main", "", "") + "---\n" + strings.Replace(workload("w"), "spec", "spek", 1),
			controlplane.Allow{}, false},
		"its kind": {baseRepo("a-next", "%s", "main", "", ""), controlplane.Allow{Kinds: []string{"Workload"}}, false},
		"its name": {baseRepo("next", "%s", "main", "", ""), controlplane.Allow{Names: []string{"a-*"}}, false},
		"its workspace": {registration("a-next", "%s", "main", "", "team-b"), controlplane.Allow{Workspaces: []string{"team-a"}},
			false},
		"in its workspace": {registration("a-next", "%s", "main", "", "team-a"), controlplane.Allow{Workspaces: []string{"team-a"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			further := gitmem.New(t)
			commitAll(t, further, "main", map[string]string{"w.yaml": inWorkspace("team-a", "a-w")})
			test.fence.Source = "BaseRepo/team-a"
			scope, team := fenced(t, map[string]string{"x.yaml": strings.Replace(test.file, "%s", further.URL(), 1)}, test.fence)
			result := load(t, scope)
			_, read := result.Sources[further.URL()+"#main"]
			brings := strings.Contains(strings.Join(result.Manifests, ""), "name: a-w\n")
			if read != test.read || brings != test.read || (notes(result)[team+"#main:x.yaml"] == "") != test.read {
				t.Errorf("read %t, brings its workload %t: %q", read, brings, notes(result))
			}
		})
	}
}

// What only broken files lead to brings nothing, has no note and takes no names. This holds for
// chains: a file may break because a file that led to it did.
func TestBrokenFileLeadsNowhere(t *testing.T) {
	t.Parallel()
	repo, a, b, further, deep := gitmem.New(t), gitmem.New(t), gitmem.New(t), gitmem.New(t), gitmem.New(t)
	leads := func(name string, to *gitmem.Repo) string { return baseRepo(name, to.URL(), "main", "", "") }
	commitAll(t, deep, "main", map[string]string{"d.yaml": clusterType("a-deep")})
	commitAll(t, further, "main", map[string]string{"f.yaml": leads("a-deep", deep), "bad.yaml": "kind: [\n",
		"b.yaml": clusterType("b-further")})
	commitAll(t, a, "main", map[string]string{"x.yaml": leads("a-further", further) + "---\n" + clusterType("a-own")})
	commitAll(t, b, "main", map[string]string{"y.yaml": leads("b-further", further) + "---\n" + leads("b-deep", deep) + "---\n" +
		clusterType("b-own")})
	names := func(s *controlplane.Seen) []string {
		objects, err := manifest.Decode(inputs(s.Manifests))
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, o := range manifest.Of[*manifest.ClusterType](objects) {
			all = append(all, o.Name)
		}
		slices.Sort(all)
		return all
	}
	scope := at(repo.URL())
	for name, test := range map[string]struct {
		platform     string // objects of the platform team: duplicates are found last
		fenceOfB     controlplane.Allow
		types, noted []string
	}{
		"not broken": {"", controlplane.Allow{Names: []string{"b-*"}}, []string{"a-deep", "a-own", "b-further", "b-own"}, []string{
			further.URL() + "#main:bad.yaml"}},
		// b leads to the same files, and may not bring all of them.
		"one": {clusterType("a-own"), controlplane.Allow{Names: []string{"b-*"}}, []string{"a-own", "b-further", "b-own"}, []string{
			a.URL() + "#main:x.yaml", further.URL() + "#main:bad.yaml", further.URL() + "#main:f.yaml", deep.URL() + "#main:d.yaml"}},
		"both": {clusterType("a-own") + "---\n" + clusterType("b-own"), controlplane.Allow{Names: []string{"b-*"}}, []string{"a-own", "b-own"},
			[]string{a.URL() + "#main:x.yaml", b.URL() + "#main:y.yaml"}},
		"one and one outside of its fence": {clusterType("a-own"), controlplane.Allow{Kinds: []string{"BaseRepo"}}, []string{"a-own"}, []string{
			a.URL() + "#main:x.yaml", b.URL() + "#main:y.yaml"}},
	} {
		commitAll(t, repo, "dev", map[string]string{"own.yaml": leads("a", a) + "---\n" + leads("b", b), "more.yaml": test.platform})
		test.fenceOfB.Source = "b"
		scope.Allow = []controlplane.Allow{{Source: "a"}, test.fenceOfB}
		result := load(t, scope)
		slices.Sort(test.noted)
		if diff := cmp.Diff(test.noted, slices.Sorted(maps.Keys(notes(result)))); diff != "" {
			t.Errorf("%s: notes (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(test.types, names(result)); diff != "" {
			t.Errorf("%s: cluster types (-want +got):\n%s", name, diff)
		}
	}
}

// What a broken file led to takes no names from others.
func TestBrokenFileTakesNoNames(t *testing.T) {
	t.Parallel()
	repo, a, b, further := gitmem.New(t), gitmem.New(t), gitmem.New(t), gitmem.New(t)
	commitAll(t, further, "main", map[string]string{"w.yaml": workload("shared")})
	commitAll(t, b, "main", map[string]string{"w.yaml": workload("shared")})
	commitAll(t, a, "main", map[string]string{"x.yaml": registration("further", further.URL(), "main", "", "team-a") + "---\n" +
		clusterType("c")})
	commitAll(t, repo, "dev", map[string]string{"own.yaml": baseRepo("a", a.URL(), "main", "", "") + "---\n" +
		registration("b", b.URL(), "main", "", "team-b")})
	scope := at(repo.URL())
	for _, test := range []struct {
		kinds []string
		noted []string
	}{
		{[]string{"Workload", "WorkloadRegistration"}, []string{a.URL() + "#main:x.yaml"}},
		{nil, []string{b.URL() + "#main:w.yaml", further.URL() + "#main:w.yaml"}},
	} {
		scope.Allow = []controlplane.Allow{{Source: "BaseRepo/a", Kinds: test.kinds}}
		slices.Sort(test.noted)
		if diff := cmp.Diff(test.noted, slices.Sorted(maps.Keys(notes(load(t, scope))))); diff != "" {
			t.Errorf("kinds %v: notes (-want +got):\n%s", test.kinds, diff)
		}
	}
}
