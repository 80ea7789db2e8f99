// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// part returns a fleet of which some cluster types are written: "large small".
func part(in engine.Input, clusterTypes string) engine.Input {
	in.ClusterTypes = append([]string{}, strings.Fields(clusterTypes)...)
	return in
}

// three is the fleet of three cluster types.
func three(family string) engine.Input { return fleet(family, "large", "medium", "small") }

// wave are the settings of a wave of that fleet: what leaves the fleet is emptied, as by
// default.
func (s server) wave(family, clusterTypes string) publish.Settings {
	settings := s.settings(part(three(family), clusterTypes))
	settings.Removal = publish.Empty
	return settings
}

// waves makes so many instances.
func (s server) waves(n int) []*instance {
	all := make([]*instance, n)
	for i := range all {
		all[i] = &instance{server: s}
	}
	return all
}

// twoWaves is a server with a fleet in two waves: medium and small, then large.
func twoWaves(t *testing.T) (server, []*instance) {
	t.Helper()
	s := newServer(t)
	w := s.waves(2)
	w[0].apply(t, s.wave("blue", "medium small"))
	w[1].apply(t, s.wave("blue", "large"))
	return s, w
}

// filesOf are the files of cluster types that web is placed on.
func filesOf(clusterTypes ...string) (all []string) {
	for _, name := range clusterTypes {
		for _, file := range fleetFiles[:4] {
			all = append(all, strings.Replace(file, "large", name, 1))
		}
	}
	return all
}

// neverLacks checks that each commit of the branch prod holds the files of cluster types,
// from the first one on that does.
func (s server) neverLacks(t testing.TB, clusterTypes ...string) {
	t.Helper()
	for _, name := range clusterTypes {
		came := false
		for _, commit := range s.repo.Commits(t, "prod") {
			there := s.repo.Paths(t, commit)
			lacks := slices.ContainsFunc(filesOf(name), func(file string) bool { return !slices.Contains(there, file) })
			if came = came || !lacks; came && lacks {
				t.Errorf("%s is gone in %s", name, s.repo.Message(t, commit))
			}
		}
	}
}

// offered checks what the record of an instance has released.
func offered(t testing.TB, i *instance, want ...string) {
	t.Helper()
	var r publish.Record
	if text := i.repo.Files(t, "prod")[record(i)]; text != "" {
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, r.Released); diff != "" {
		t.Errorf("released (-want +got):\n%s", diff)
	}
}

// Waves share a branch: each writes its own, tells of nothing else, and finds its drift alone.
func TestWaves(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(2)
	first := s.wave("blue", "small")
	changes(t, w[0].apply(t, first), "+1 ~0 -0 packages in 1 cluster type")
	s.holds(t, "prod", filesOf("small")...)
	rest := s.wave("blue", "large medium")
	plan := w[1].apply(t, rest)
	changes(t, plan, "+2 ~0 -0 packages in 2 cluster types")
	packages(t, plan.Packages, "large/README.md", "large/web-live", "medium/README.md", "medium/web-live")
	if strings.Contains(plan.Diff, "small") {
		t.Errorf("the diff tells of another wave:\n%s", plan.Diff)
	}
	s.holds(t, "prod", filesOf("large", "medium", "small")...)
	s.owned(t, map[string]string{w[0].was.Instance: "small", w[1].was.Instance: "large medium"})
	w[0].standsStill(t, first)
	w[1].standsStill(t, rest)
	s.edit(t, "prod", map[string]string{"large/web-live/reconciler.yaml": "edited"})
	w[0].refreshed(t, publish.InSync)
	w[1].refreshed(t, publish.Drifted)
	changes(t, w[1].apply(t, rest), "+0 ~1 -0 packages in 1 cluster type")
	other := s.wave("blue", "medium large large") // the order is no matter
	w[1].apply(t, other)
	s.commits(t, "prod", 4)
	succeeded(t, w[0].destroy(t))
	s.holds(t, "prod", append(filesOf("large", "medium"), "small/README.md")...)
	w[1].standsStill(t, other)
}

// A cluster type goes from one wave to another, in whatever order they are applied, also
// where the other one has another fleet.
func TestWavesRegroup(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		order  []int
		family string
	}{
		"released first":                  {[]int{0, 1}, "blue"},
		"taken first":                     {[]int{1, 0}, "blue"},
		"released first, another content": {[]int{0, 1}, "green"},
		"taken first, another content":    {[]int{1, 0}, "green"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, w := twoWaves(t)
			s.sameRun(t, w...)
			settings := []publish.Settings{s.wave("blue", "small"), s.wave(test.family, "large medium")}
			plans := make([]*publish.Plan, 2)
			for i := range w {
				var m publish.Messages
				plans[i], m = w[i].plan(t, settings[i])
				if succeeded(t, m); i == 0 {
					says(t, m.Warnings, "Released", "Released, and left as they stand: cluster type medium.")
				} else {
					says(t, m.Warnings, "Folders are taken over", "folder medium belongs to environment", w[0].was.Instance+"), beside small.", "Planned change: prod in "+s.url+"#prod:. (large, medium)")
				}
			}
			if plans[0].Summary != "+0 ~0 -0 packages in 0 cluster types" || strings.Contains(plans[0].Diff, "medium") {
				t.Errorf("the plan that releases says %q\n%s", plans[0].Summary, plans[0].Diff)
			}
			changesFamily := strings.Contains(plans[1].Diff, "medium/web-live/reconciler.yaml") && strings.Contains(plans[1].Diff, "-{kind: ConfigMap")
			if changesFamily != (test.family == "green") || strings.Contains(plans[1].Diff, "medium/web-live/namespace.yaml") {
				t.Errorf("the plan that takes over does not show what changes:\n%s", plans[1].Diff)
			}
			for _, i := range test.order {
				succeeded(t, w[i].carryOut(t, settings[i], plans[i]))
			}
			s.owned(t, map[string]string{w[0].was.Instance: "small", w[1].was.Instance: "large medium"})
			for i := range w {
				offered(t, w[i])
				w[i].standsStill(t, settings[i])
			}
			s.neverLacks(t, "large", "medium", "small")
			if text := s.repo.Files(t, "prod")["medium/web-live/reconciler.yaml"]; !strings.Contains(text, "family: "+test.family) {
				t.Errorf("medium has not what its wave has:\n%s", text)
			}
		})
	}
}

// A cluster type that no list names stands as it was, and its former wave says so, until
// somebody takes it over: another wave, or the same one again.
func TestWavesNobodys(t *testing.T) {
	t.Parallel()
	for name, taker := range map[string]int{"another one takes it": 1, "the same one takes it back": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, w := twoWaves(t)
			w[0].apply(t, s.wave("blue", "small"))
			offered(t, w[0], "medium")
			w[0].hears(t, s.wave("blue", "small"), "Released and not taken over", "Nobody looks after cluster type medium")
			w[0].apply(t, s.wave("green", "small"))
			offered(t, w[0], "medium")
			s.edit(t, "prod", map[string]string{"medium/web-live/reconciler.yaml": "edited"})
			w[0].standsStill(t, s.wave("green", "small"))

			settings := []publish.Settings{s.wave("green", "small"), s.wave("green", "large")}
			settings[taker] = s.wave("green", []string{"medium small", "large medium"}[taker])
			s.sameRun(t, w...)
			plan, m := w[taker].plan(t, settings[taker])
			succeeded(t, m)
			if slices.ContainsFunc(m.Warnings, func(m publish.Message) bool { return strings.HasPrefix(m.Summary, "Folders are taken over") }) {
				t.Errorf("what was released is nobody's: %+v", m.Warnings)
			}
			succeeded(t, w[taker].carryOut(t, settings[taker], plan))
			offered(t, w[0])
			w[taker].standsStill(t, settings[taker])
			s.neverLacks(t, "large", "small")
			s.holds(t, "prod", filesOf("large", "medium", "small")...)
		})
	}
}

// What two lists name is refused in one run, with both owners, and lost to the last one
// otherwise.
func TestWavesTwice(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(3)
	w[0].apply(t, s.wave("blue", "medium small"))
	both := s.wave("blue", "large medium")
	s.sameRun(t, w...)
	_, m := w[0].plan(t, s.wave("blue", "medium small"))
	succeeded(t, m)
	_, m = w[1].plan(t, both)
	says(t, m.Errors, "A cluster type has two owners", "want cluster type medium: this one, one that this plan creates (large, medium), and .kalypso/"+w[0].was.Instance+" (medium, small).")
	s.sameRun(t, w...)
	if _, m = w[1].plan(t, both); m.Failed() {
		t.Fatalf("%+v", m)
	}
	_, m = w[0].plan(t, s.wave("blue", "medium small")) // which stands still
	says(t, m.Errors, "A cluster type has two owners", "and one that this plan creates (large, medium).")
	_, m = w[2].plan(t, s.settings(three("blue")))
	says(t, m.Errors, "A cluster type has two owners")

	s.sameRun(t, w[1])
	w[1].apply(t, both)
	s.sameRun(t, w[0])
	w[0].fails(t, s.wave("green", "medium small"), "Folders have another owner now", "take them out of the cluster_types of one of the two", w[1].was.Instance)
	w[0].apply(t, s.wave("green", "small"))
	s.owned(t, map[string]string{w[0].was.Instance: "small", w[1].was.Instance: "large medium"})
	s.neverLacks(t, "large", "medium", "small")
}

// What leaves the fleet goes, also while a list still names it, and what was never there is
// misspelled.
func TestWavesAndTheFleet(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(1)[0]
	w.fails(t, s.wave("blue", "smal"), "Unknown cluster type", `names "smal", and the fleet has no such cluster type. Did you mean "small"?`)
	w.apply(t, s.wave("blue", "medium small"))
	settings := s.wave("blue", "medium small")
	settings.Fleet.Manifests = both("blue").Manifests
	plan, m := w.plan(t, settings)
	succeeded(t, m)
	changes(t, plan, "+0 ~0 -1 packages in 1 cluster type")
	says(t, m.Warnings, "A cluster type has left the fleet", "not in the fleet any more: cluster type medium")
	succeeded(t, w.carryOut(t, settings, plan))
	s.holds(t, "prod", append(filesOf("small"), "medium/README.md")...)
	w.standsStill(t, settings)
	settings.Fleet.ClusterTypes = []string{"small"}
	w.apply(t, settings)
	s.commits(t, "prod", 2)
	settings.Fleet.ClusterTypes = []string{"medium", "small"}
	w.fails(t, settings, "Unknown cluster type")
	settings.Fleet.ClusterTypes, settings.Exclusive = []string{"small"}, true
	w.fails(t, settings, "exclusive and cluster_types contradict each other")
}

// Limits count the wave's own packages, whatever runs in other waves.
func TestWavesLimits(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(2)
	w[0].apply(t, s.wave("blue", "large"))
	w[1].apply(t, s.wave("blue", "medium small"))
	for i, clusterTypes := range []string{"large", "medium small"} {
		settings := s.wave("blue", clusterTypes)
		settings.Fleet.Manifests = fleet("blue", "small").Manifests
		settings.Limits = limits.Limits{MinPackagesPerTarget: 1, AllowEmpty: true}
		if i == 0 {
			w[i].fails(t, settings, "The change exceeds the limits", "1 deployment target would be below min_packages_per_target = 1.", "web-live")
		} else {
			changes(t, w[i].apply(t, settings), "+0 ~0 -1 packages in 1 cluster type")
		}
	}
}

// An environment is divided into waves, by whatever is left of it, and put together again.
func TestWavesOfOneResource(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(2)
	whole := s.settings(promoting(three("blue"), promoted))
	w[0].apply(t, whole)
	s.contains(t, ".github/tracking/Promoted_Commit_Id", promoted)
	settings := []publish.Settings{s.wave("blue", "small"), s.wave("blue", "large medium")}
	for i := range settings {
		settings[i].Fleet = promoting(settings[i].Fleet, promoted)
	}
	s.sameRun(t, w...)
	plan, m := w[1].plan(t, settings[1])
	succeeded(t, m)
	w[0].apply(t, settings[0])
	succeeded(t, w[1].carryOut(t, settings[1], plan))
	s.contains(t, ".github/tracking/Promoted_Commit_Id", "")
	s.sameRun(t, w...)
	for i := range w {
		w[i].standsStill(t, settings[i])
		if r := s.repo.Files(t, "prod")[record(w[i])]; !strings.Contains(r, `"source_commit": "`+promoted+`"`) {
			t.Errorf("the record does not say what the wave is at:\n%s", r)
		}
	}
	s.sameRun(t, w...)
	none := s.wave("blue", "")
	none.Fleet = promoting(none.Fleet, promoted)
	w[1].apply(t, none)
	offered(t, w[1], "large", "medium")
	w[0].apply(t, whole)
	s.owned(t, map[string]string{w[0].was.Instance: "large medium small"})
	w[1].standsStill(t, none)
	succeeded(t, w[1].destroy(t))
	w[0].standsStill(t, whole)
	s.neverLacks(t, "large", "medium", "small")
}

// A wave is destroyed in the run in which others take its cluster types over: they stay,
// also where somebody fails, and what nobody takes goes.
func TestWavesDestroyed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ destroyFirst, fails bool }{
		"the others first":             {},
		"the destroy first":            {destroyFirst: true},
		"the destroy first, and alone": {destroyFirst: true, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, w := twoWaves(t)
			s.sameRun(t, w...)
			settings := s.wave("green", "large medium")
			plan, m := w[1].plan(t, settings)
			succeeded(t, m)
			said := w[0].planDestroy(t)
			says(t, said.Warnings, "Removes 1 package in 1 cluster type")
			if !test.destroyFirst {
				succeeded(t, w[1].carryOut(t, settings, plan))
			}
			succeeded(t, w[0].destroy(t))
			if !test.fails && test.destroyFirst {
				succeeded(t, w[1].carryOut(t, settings, plan))
			}
			if test.fails { // and the next run
				s.sameRun(t, w[1])
				w[1].apply(t, settings)
			}
			s.owned(t, map[string]string{w[1].was.Instance: "large medium"})
			s.holds(t, "prod", append(filesOf("large", "medium"), "small/README.md")...)
			s.neverLacks(t, "large", "medium")
			w[1].standsStill(t, settings)
		})
	}
}

// A wave is destroyed while the one that is to have its cluster type is on hold: it stays
// as it is until then.
func TestWavesDestroyedForOneOnHold(t *testing.T) {
	t.Parallel()
	s, w := twoWaves(t)
	s.sameRun(t, w...)
	settings := s.wave("green", "large medium small")
	settings.Hold = true
	plan, m := w[1].plan(t, settings)
	succeeded(t, m)
	succeeded(t, w[0].destroy(t))
	succeeded(t, w[1].carryOut(t, settings, plan))
	s.holds(t, "prod", filesOf("large", "medium", "small")...)
	s.sameRun(t, w[1])
	settings.Hold = false
	w[1].apply(t, settings)
	s.owned(t, map[string]string{w[1].was.Instance: "large medium small"})
	s.neverLacks(t, "large", "medium", "small")
	w[1].standsStill(t, settings)
}

// What is released at a place cannot be moved away from there, in one go or while nobody has
// it.
func TestWavesMove(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(1)[0]
	w.apply(t, s.wave("blue", "medium small"))
	settings := s.wave("blue", "small")
	settings.Path.Value = "elsewhere"
	w.fails(t, settings, "A move cannot release", "no longer names cluster type medium")
	w.apply(t, s.wave("blue", "small"))
	w.fails(t, settings, "A move cannot release", "has released there: cluster type medium")
	w.apply(t, s.wave("blue", "medium small"))
	settings.Fleet.ClusterTypes = []string{"medium", "small"}
	w.apply(t, settings)
	s.holds(t, "prod", append(below("elsewhere", filesOf("medium", "small")...), "medium/README.md", "small/README.md")...)
}
