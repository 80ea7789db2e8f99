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

// inWorkspace is a workload whose label names its workspace.
func inWorkspace(workspace, name string) string {
	return strings.Replace(workload(name), "  name", "  labels: {workspace: "+workspace+"}\n  name", 1)
}

// A note names the objects that the fences let in under no workspace.
func TestNoteNamesWhatFencesNeverLetIn(t *testing.T) {
	t.Parallel()
	file := strings.Join([]string{inWorkspace("team-b", "a-1"), workload("z"), policy("a-p", "team-b"), valid["ConfigMap"]}, "---\n")
	type allow = controlplane.Allow
	for name, test := range map[string]struct {
		fences []allow // of the base repository
		also   *allow  // of another base repository that brings the same file
		want   []string
	}{
		"kinds":      {fences: []allow{{Kinds: []string{"Workload"}, Workspaces: []string{"team-a"}}}, want: []string{"ConfigMap/x", "SchedulingPolicy/a-p"}},
		"workspaces": {fences: []allow{{Workspaces: []string{"team-a"}}}, want: []string{"ConfigMap/x"}},
		"names":      {fences: []allow{{Names: []string{"a-*"}}}, want: []string{"ConfigMap/x", "Workload/z"}},
		"none of these": {fences: []allow{{Kinds: []string{"ConfigMap"}, Workspaces: []string{"team-b"}}},
			want: []string{"ConfigMap/x", "SchedulingPolicy/a-p", "Workload/a-1", "Workload/z"}},
		"fences add up": {fences: []allow{{Names: []string{"a-*"}, Workspaces: []string{"team-a"}}, {Kinds: []string{"ConfigMap"}}},
			want: []string{"Workload/z"}},
		"a kind and a name of different fences": {fences: []allow{{Kinds: []string{"Workload"}, Names: []string{"a-*"}}, {Kinds: []string{"Template"}}},
			want: []string{"ConfigMap/x", "SchedulingPolicy/a-p", "Workload/z"}},
		"another source": {fences: []allow{{Kinds: []string{"Workload"}}}, also: &allow{Workspaces: []string{"team-a"}},
			want: []string{"ConfigMap/x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo, team := gitmem.New(t), gitmem.New(t)
			commitAll(t, team, "main", map[string]string{"x.yaml": file})
			own, sources := baseRepo("team-a", team.URL(), "main", "", ""), []string{"BaseRepo/team-a"}
			scope := at(repo.URL())
			for _, fence := range test.fences {
				fence.Source = "BaseRepo/team-a"
				scope.Allow = append(scope.Allow, fence)
			}
			if test.also != nil {
				own += "---\n" + baseRepo("team-b", team.URL(), "main", "", "")
				test.also.Source, sources = "BaseRepo/team-b", append(sources, "BaseRepo/team-b")
				scope.Allow = append(scope.Allow, *test.also)
			}
			commitAll(t, repo, "dev", map[string]string{"own.yaml": own})
			all, _ := manifest.Notes(inputs(load(t, scope).Manifests))
			if len(all) != 1 || !slices.Equal(all[0].Sources, sources) {
				t.Fatalf("%v", all)
			}
			if diff := cmp.Diff(test.want, all[0].Refused); diff != "" {
				t.Errorf("refused (-want +got):\n%s", diff)
			}
		})
	}
}

// What a source leads to has its fences too. A registration lets in workloads only.
func TestNoteNamesWhatAChainNeverLetsIn(t *testing.T) {
	t.Parallel()
	repo, team, apps := gitmem.New(t), gitmem.New(t), gitmem.New(t)
	commitAll(t, apps, "main", map[string]string{"w.yaml": workload("a-1") + "---\n" + workload("b") + "---\n" + clusterType("a-2")})
	commitAll(t, team, "main", map[string]string{"r.yaml": registration("a-apps", apps.URL(), "main", "", "team-a")})
	commitAll(t, repo, "dev", map[string]string{"own.yaml": baseRepo("team-a", team.URL(), "main", "", "")})
	scope := at(repo.URL())
	scope.Allow = []controlplane.Allow{{Source: "team-a", Names: []string{"a-*"}, Workspaces: []string{"team-a"}}}
	all, _ := manifest.Notes(inputs(load(t, scope).Manifests))
	if len(all) != 1 {
		t.Fatalf("%v", all)
	}
	if diff := cmp.Diff([]string{"ClusterType/a-2", "Workload/b"}, all[0].Refused); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}
