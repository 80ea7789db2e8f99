// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// Ways in which an application may be: sound, or broken in its template or by a schema.
const (
	sound = iota
	failing
	violating
	violatingOnLarge
)

// apps is a fleet of applications on large and small, each of which is in some way.
func apps(family string, ways ...int) engine.Input {
	in := fleet(family, "large", "small")
	for i, way := range ways {
		labels, schemas := "family: "+family, ""
		switch way {
		case failing:
			labels = "without: family" // the template needs it
		case violating:
			schemas = `, configSchemas: ['{"required": ["NOTHING"]}']`
		}
		in = with(in, fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: app%d, labels: "+
			"{workspace: web-team, %s}}\nspec: {deploymentTargets: [{name: live, environment: prod%s}]}\n", i, labels, schemas))
		if way == violatingOnLarge {
			in = with(in, strings.NewReplacer("needs-large", fmt.Sprint("needs-", i), "cluster-type: large", fmt.Sprintf(
				"cluster-type: large, deployment-target: app%d-live", i)).Replace(configSchema("large", "NOTHING")))
		}
	}
	return in
}

// placed returns a fleet of applications with the cluster types that each of them is placed on:
// "large small".
func placed(in engine.Input, on ...string) engine.Input {
	for _, ct := range []string{"large", "medium", "small"} {
		in = with(in, fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: SchedulingPolicy\nmetadata: {name: on-%[1]s}\nspec: "+
			"{deploymentTargetSelector: {labelSelector: {matchLabels: {on-%[1]s: here}}}, clusterTypeSelector: {labelSelector: {matchLabels: "+
			"{size: %[1]s}}}}\n", ct))
	}
	for i, text := range in.Manifests {
		for app, clusterTypes := range on {
			labels := "workspace: app-team"
			for _, ct := range strings.Fields(clusterTypes) {
				labels += ", on-" + ct + ": here"
			}
			if strings.Contains(text.Text, fmt.Sprintf("metadata: {name: app%d,", app)) {
				in.Manifests[i].Text = strings.Replace(text.Text, "workspace: web-team", labels, 1)
			}
		}
	}
	return in
}

// keeping returns settings that keep what is broken.
func (s server) keeping(in engine.Input) publish.Settings {
	settings := s.settings(in)
	settings.KeepBroken = true
	return settings
}

// breaks reports whether an application that is in some way breaks on a cluster type.
func breaks(way int, clusterType string) bool {
	return way == failing || way == violating || way == violatingOnLarge && clusterType == "large"
}

// Applications that break, that somebody fixes, and that move among cluster types, in any order,
// leave no trace. While one is broken, its packages are what they were, edits included, and all
// others are as they would be without it. No application loses its packages before it has others.
func TestKeepProperty(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		s := newGitHub(t)
		i := &instance{server: s}
		ways, on, family, path := make([]int, 3), []string{"large", "large small", "small"}, "blue", "."
		fleetOf := func(ways ...int) engine.Input {
			return with(placed(apps(family, ways...), on...), fmt.Sprintf(clusterType, "medium"))
		}
		var last publish.Settings
		for step := range 8 {
			for app := range ways {
				ways[app] = []int{sound, sound, failing, violating, violatingOnLarge}[r.IntN(5)]
				if r.IntN(3) == 0 {
					on[app] = []string{"large", "medium", "small", "large small", "large medium small", ""}[r.IntN(6)]
				}
			}
			if r.IntN(3) == 0 {
				family = []string{"blue", "green", "red"}[r.IntN(3)]
			}
			before, moves := s.files(t, path), r.IntN(4) == 0
			if moves { // a package that cannot be rendered would not move
				ways = make([]int, len(ways))
			}
			// A folder that somebody has edited stays where a move comes from.
			if package0 := "small/app0-live"; !moves && r.IntN(3) == 0 && before[package0+"/namespace.yaml"] != "" {
				s.edit(t, "prod", map[string]string{strings.TrimPrefix(path+"/", "./") + package0 + "/namespace.yaml": fmt.Sprint("edited ", step)})
				before = s.files(t, path)
			}
			settings := s.keeping(fleetOf(ways...))
			settings.Detail = []engine.Detail{engine.DetailPackage, engine.DetailClusterType}[r.IntN(2)]
			if moves {
				path = []string{".", "fleet", "other/fleet"}[r.IntN(3)]
			}
			settings.Path.Value = path
			if r.IntN(3) == 0 {
				settings.Request = &request.Settings{}
			}
			i.apply(t, settings)
			s.mergeAll(t, false, i)
			last = settings
			want, got := s.never(t, fleetOf(make([]int, len(ways))...)), s.files(t, path)
			for app, way := range ways {
				keeps(want, before, fmt.Sprintf("/app%d-live/", app), way, strings.Fields(on[app]))
			}
			isReadme := func(at, _ string) bool { return strings.HasSuffix(at, "README.md") } // it lists what is there
			maps.DeleteFunc(want, isReadme)
			maps.DeleteFunc(got, isReadme)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, step %d, %v on %q: the packages (-want +got):\n%s", seed, step, ways, on, diff)
			}
			i.standsStill(t, settings)
		}
		last.Fleet = fleetOf(make([]int, len(ways))...)
		i.apply(t, last)
		s.mergeAll(t, false, i)
		if diff := cmp.Diff(s.never(t, last.Fleet), s.files(t, path)); diff != "" || len(i.was.Broken) > 0 {
			t.Fatalf("seed %d: %v is broken, and the packages differ from those that never were (-want +got):\n%s", seed, i.was.Broken, diff)
		}
	}
}

// keeps puts the files from before in place of the wanted files of an application where it breaks.
// If it was not there before, it also keeps the files that it had elsewhere.
func keeps(want, before map[string]string, folder string, way int, on []string) {
	isNew := slices.ContainsFunc(on, func(ct string) bool {
		return breaks(way, ct) && !slices.ContainsFunc(slices.Collect(maps.Keys(before)), func(at string) bool {
			return strings.HasPrefix(at, ct+folder)
		})
	})
	for _, ct := range []string{"large", "medium", "small"} {
		if assigned := slices.Contains(on, ct); assigned && breaks(way, ct) || !assigned && isNew {
			stays(want, before, ct+folder)
		}
	}
}

// files are the files of cluster types below a path of the branch prod.
func (s server) files(t testing.TB, path string) map[string]string {
	t.Helper()
	all := map[string]string{}
	if s.repo.Head(t, "prod") == "" {
		return all
	}
	for at, text := range s.repo.Files(t, "prod") {
		below, ok := strings.CutPrefix("./"+at, "./"+strings.TrimPrefix(path+"/", "./"))
		if ok && slices.Contains([]string{"large", "medium", "small"}, strings.Split(below, "/")[0]) {
			all[below] = text
		}
	}
	return all
}

// never are the files of a fleet that was never broken.
func (s server) never(t testing.TB, in engine.Input) map[string]string {
	t.Helper()
	result, err := engine.Compute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for at, content := range result.Files() {
		all[at] = string(content)
	}
	return all
}

// stays puts the files from before in place of those whose paths contain a part.
func stays(all, before map[string]string, part string) {
	maps.DeleteFunc(all, func(at, _ string) bool { return strings.Contains(at, part) })
	for at, text := range before {
		if strings.Contains(at, part) {
			all[at] = text
		}
	}
}
