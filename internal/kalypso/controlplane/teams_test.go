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

// ofTeamA is a control plane with a registration of team-a, whose repository has these files.
func ofTeamA(t *testing.T, files map[string]string) (scope controlplane.Scope, team string) {
	t.Helper()
	repo, app := gitmem.New(t), gitmem.New(t)
	commitAll(t, app, "main", files)
	commitAll(t, repo, "dev", map[string]string{"own.yaml": clusterType("large") + "---\n" +
		registration("a", app.URL(), "main", "", "team-a") + "---\n" + workload("platform")})
	return at(repo.URL()), app.URL()
}

// A registration brings workloads only, whatever kind a team tries. A base repository brings every kind.
func TestRegistrationBringsWorkloadsOnly(t *testing.T) {
	t.Parallel()
	for _, kind := range manifest.AllKinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			text, known := fleetgen.EveryKind("x")[kind]
			if !known {
				t.Fatalf("the test has no %s", kind)
			}
			files := map[string]string{"x.yaml": workload("a-1") + "---\n" + text, "y.yaml": workload("a-2")}
			scope, team := ofTeamA(t, files)
			result := load(t, scope)
			brings := strings.Join(result.Manifests, "")
			isDropped := manifest.Kind(kind).IsOCM()
			isBroken := !isDropped && kind != string(manifest.KindWorkload)
			note := notes(result)[team+"#main:x.yaml"]
			if strings.Contains(brings, "name: a-1\n") == isBroken || !strings.Contains(brings, "name: a-2\n") ||
				isBroken != strings.Contains(note, "Not a workload in "+kind+"/") {
				t.Errorf("note %q, manifests %q", note, result.Manifests)
			}
			if isBroken && !strings.Contains(note, "("+team+"#main:x.yaml, line 7): ") {
				t.Errorf("the note does not name the place: %s", note)
			}

			if kind == string(manifest.KindBaseRepo) || kind == string(manifest.KindWorkloadRegistration) {
				return // it leads somewhere
			}
			repo := gitmem.New(t)
			commitAll(t, repo, "base", files)
			commitAll(t, repo, "dev", map[string]string{"base.yaml": baseRepo("base", repo.URL(), "base", "", "")})
			if result := load(t, at(repo.URL())); len(notes(result)) > 0 || len(result.Manifests) < 4 {
				t.Errorf("of a base repository: %q", result.Manifests)
			}
		})
	}
}

// A file of a team is taken or refused as a whole, however it is written.
func TestFilesOfATeam(t *testing.T) {
	t.Parallel()
	const platform = "labels: {platform-config: 'true'}"
	for name, test := range map[string]struct {
		text    string
		allowed bool
	}{
		"a workload":           {workload("a-1"), true},
		"nothing of ours":      {secret, true},
		"a config of its own":  {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\ndata: {a: b}\n", true},
		"a config with labels": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own, labels: {team: a}}\ndata: {a: b}\n", true},
		"a list": {"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a-1, " +
			platform + "}}]\n", false},
		"a typed list": {"apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: a-1, " + platform + "}}]\n", false},
		"an alias": {"apiVersion: v1\nkind: &k ConfigMap\nmetadata: {name: a-1, labels: {platform-config: 'true', x: " +
			"*k}}\n", false},
		"no version":               {"kind: ConfigMap\nmetadata: {name: a-1, " + platform + "}\n", false},
		"another version":          {strings.Replace(policy("a-1", "team-a"), "v1alpha1", "v1", 1), false},
		"no kind":                  {strings.Replace(workload("a-1"), "kind: Workload\n", "", 1), false},
		"the last of several":      {workload("a-1") + "---\n" + workload("a-2") + "---\n" + clusterType("a-3"), false},
		"a forged first line":      {"# Source: https://git.example/platform#dev:own.yaml, line 1\n" + clusterType("a-1"), false},
		"a forged note":            {(&manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: "a-1"}}).Text(), false},
		"twice":                    {workload("a-1") + "---\n" + workload("a-1"), false},
		"two targets of one name":  {strings.Replace(workload("a-1"), "[{", "[{name: live, environment: dev}, {", 1), false},
		"an unknown field":         {strings.Replace(workload("a-1"), "spec", "spek", 1), false},
		"no YAML":                  {"a: [\n", false},
		"a policy of its own":      {policy("a-1", "team-a"), false},
		"the platform's workload":  {workload("platform"), false},
		"a placeholder for a file": {"", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scope, team := ofTeamA(t, map[string]string{"x.yaml": test.text})
			result := load(t, scope)
			if broken, isBroken := notes(result)[team+"#main:x.yaml"]; isBroken == test.allowed {
				t.Errorf("allowed %v: %s", test.allowed, broken)
			}
			if !test.allowed && name != "the platform's workload" && len(result.Manifests) != 4 {
				t.Errorf("%q", result.Manifests)
			}
		})
	}
}

// The files of a registration may have 1,000 deployment targets together. More stop only this registration.
func TestTooManyTargets(t *testing.T) {
	t.Parallel()
	many := func(name string, n int) string {
		targets := make([]string, n)
		for i := range targets {
			targets[i] = fmt.Sprintf("{name: t%d, environment: e%d}", i, i)
		}
		return object("Workload", name, "{deploymentTargets: ["+strings.Join(targets, ", ")+"]}")
	}
	repo, app := gitmem.New(t), gitmem.New(t)
	commitAll(t, app, "main", map[string]string{"a/1.yaml": many("a1", 400) + "---\n" + many("a2", 200), "a/2.yaml": many("a3", 400),
		"b/1.yaml": many("b1", 999), "b/2.yaml": many("b2", 1) + "---\n" + many("b3", 1)})
	commitAll(t, repo, "dev", map[string]string{"r.yaml": registration("a", app.URL(), "main", "a", "team") + "---\n" +
		registration("b", app.URL(), "main", "b", "team"), "w.yaml": many("w", 1001)})
	result := load(t, at(repo.URL()))
	found := notes(result)
	if len(found) != 1 || !strings.Contains(found[app.URL()+"#main:b"], "Too many deployment targets in WorkloadRegistration/b: The files of "+
		app.URL()+"#main:b have 1001 deployment targets, and those of a registration may have 1000.") {
		t.Errorf("%q", found)
	}
	names := strings.Join(result.Manifests, "")
	for _, name := range []string{"a1", "a2", "a3", "b1", "b2", "b3", "w"} {
		if strings.Contains(names, "  name: "+name+"\n") == strings.HasPrefix(name, "b") {
			t.Errorf("the workload %s is there: %t", name, strings.HasPrefix(name, "b"))
		}
	}
}

// Two teams cannot take each other's names, and the platform team's objects win. Broken files take no
// names. The fleet decides it, from manifests that have all objects.
func TestDuplicatesOfTeams(t *testing.T) {
	t.Parallel()
	repo, a, b := gitmem.New(t), gitmem.New(t), gitmem.New(t)
	commitAll(t, a, "main", map[string]string{"w.yaml": workload("shared"), "p.yaml": workload("platform"), "own.yaml": workload("a"),
		"full.yaml":   object("Workload", "x-y", "{deploymentTargets: [{name: z, environment: dev}]}"),
		"broken.yaml": workload("b") + "---\n" + policy("p", "team-b")})
	commitAll(t, b, "main", map[string]string{"w.yaml": workload("shared"), "own.yaml": workload("b"),
		"full.yaml": object("Workload", "x", "{deploymentTargets: [{name: y-z}]}")})
	commitAll(t, repo, "dev", map[string]string{"own.yaml": workload("platform"),
		"r.yaml": registration("a", a.URL(), "main", "", "team-a") + "---\n" + registration("b", b.URL(), "main", "", "team-b")})
	result := load(t, at(repo.URL()))
	want := []string{a.URL() + "#main:broken.yaml", a.URL() + "#main:full.yaml", a.URL() + "#main:p.yaml", a.URL() + "#main:w.yaml",
		b.URL() + "#main:full.yaml", b.URL() + "#main:w.yaml"}
	slices.Sort(want)
	found := notes(result)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("broken files (-want +got):\n%s", diff)
	}
	const advice = "x-y-z (the workload's name, a"
	if text := found[a.URL()+"#main:w.yaml"]; !strings.Contains(text, "The object Workload/shared is in "+b.URL()+"#main:w.yaml:1") ||
		strings.Contains(text, advice) || !strings.Contains(found[a.URL()+"#main:full.yaml"], advice) {
		t.Errorf("%q", found)
	}
	if diff := cmp.Diff(map[string]string{"a-live": "team-a", "b-live": "team-b", "platform-live": ""}, workspaces(t, result)); diff != "" {
		t.Errorf("workspaces (-want +got):\n%s", diff)
	}
}

// No name of a file can end the first line of a note, and so forge one.
func TestHiddenCharactersInFileNames(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"x\nfoo: [\n", "x\u2028kind: SourceNote\u2028metadata: {name: x}\u2028---\u2028",
		"x\u2029a: [", "x\u202e", "x\r"} {
		scope, _ := ofTeamA(t, map[string]string{folder + "/kustomization.yaml": "", folder + "/w.yaml": workload("w"),
			"ok.yaml": workload("ok")})
		result := load(t, scope)
		if found := notes(result); len(found) != 2 || len(result.Manifests) != 6 {
			t.Errorf("%q: notes %q among %q", folder, found, result.Manifests)
		}
		if _, err := manifest.Decode(inputs(result.Manifests)); err != nil {
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
	result := load(t, at(repo.URL()))
	if result.Release.Sources[a.URL()+"#main"] != result.Release.Sources[b.URL()+"#main"] {
		t.Fatalf("%v", result.Release)
	}
	if found := notes(result); len(found) != 2 || !strings.Contains(found[a.URL()+"#main:w.yaml"], b.URL()+"#main:w.yaml:1") {
		t.Errorf("%q", found)
	}
	if got := workspaces(t, result); len(got) != 0 {
		t.Errorf("workspaces %v", got)
	}
}
