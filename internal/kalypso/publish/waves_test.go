// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
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
	settings.Removal = ownership.Empty
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

// If two lists in one run name the same folder, the plan refuses it with both owners. In
// different runs, the last one gets it.
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
	says(t, m.Errors, "Two resources name one folder", "cluster type medium in ", "a new resource", ".kalypso/"+w[0].was.Instance)
	s.sameRun(t, w...)
	if _, m = w[1].plan(t, both); m.Failed() {
		t.Fatalf("%+v", m)
	}
	_, m = w[0].plan(t, s.wave("blue", "medium small")) // which does not change
	says(t, m.Errors, "Two resources name one folder", "cluster type medium in ")
	_, m = w[2].plan(t, s.settings(three("blue")))
	says(t, m.Errors, "Two resources name one folder")

	s.sameRun(t, w[1])
	w[1].apply(t, both)
	s.sameRun(t, w[0])
	w[0].fails(t, s.wave("green", "medium small"), "Folders have another owner now", "in two ways", w[1].was.Instance)
	w[0].apply(t, s.wave("green", "small"))
	s.owned(t, map[string]string{w[0].was.Instance: "small", w[1].was.Instance: "large medium"})
	s.neverLacks(t, "large", "medium", "small")
}

// A list that gets shorter leaves the folder as it is, in the record. Each plan names it, until
// another wave takes it over, or the same one names it again.
func TestWavesKeepWhatLeavesAList(t *testing.T) {
	t.Parallel()
	for name, taker := range map[string]int{"another one takes it": 1, "the same one takes it back": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, w := twoWaves(t)
			shorter := s.wave("blue", "small")
			w[0].apply(t, shorter)
			s.commits(t, "prod", 2) // nothing changes in the branch
			s.owned(t, map[string]string{w[0].was.Instance: "medium small", w[1].was.Instance: "large"})
			w[0].hears(t, shorter, "The configuration no longer names cluster type medium", "takes them over, also in the same apply")
			s.edit(t, "prod", map[string]string{"medium/web-live/reconciler.yaml": "edited"})
			w[0].standsStill(t, shorter)
			moved := shorter
			moved.Path.Value = "elsewhere"
			w[0].fails(t, moved, "A move would leave folders without an owner", "cluster type medium")

			settings := []publish.Settings{s.wave("green", "small"), s.wave("green", "large")}
			settings[taker] = s.wave("green", []string{"medium small", "large medium"}[taker])
			s.sameRun(t, w...)
			applyTogether(t, w, settings)
			s.sameRun(t, w...)
			w[0].standsStill(t, settings[0])
			w[1].standsStill(t, settings[1])
			s.neverLacks(t, "large", "small")
			s.holds(t, "prod", filesOf("large", "medium", "small")...)
		})
	}
}

// Lists that are put back after one side was applied: the other one took the folder, so the
// plan of the first fails. Each of the two cures of the message works.
func TestWavesListsPutBack(t *testing.T) {
	t.Parallel()
	for name, cure := range map[string]func(t *testing.T, s server, w []*instance){
		"the new resource": func(_ *testing.T, s server, w []*instance) { w[0] = &instance{server: s} },
		"the line is moved": func(t *testing.T, s server, w []*instance) {
			t.Helper()
			s.edit(t, "prod", map[string]string{
				record(w[0]): recordOf("prod", ".", "medium", "small"), record(w[1]): recordOf("prod", ".", "large"),
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, w := twoWaves(t)
			w[1].apply(t, s.wave("blue", "large medium"))
			back := []publish.Settings{s.wave("blue", "medium small"), s.wave("blue", "large")}
			w[1].apply(t, back[1])
			w[0].fails(t, back[0], "Folders have another owner now", `the line "cluster_type: medium"`, record(w[1]), record(w[0]))
			cure(t, s, w)
			w[0].apply(t, back[0])
			w[0].standsStill(t, back[0])
			w[1].standsStill(t, back[1])
			s.owned(t, map[string]string{w[0].was.Instance: "medium small", w[1].was.Instance: "large"})
			s.neverLacks(t, "large", "medium", "small")
		})
	}
}

// A plan does not warn of a folder that has left a list if another wave of the same run was
// planned before and takes the folder over.
func TestWavesSplitInOnePlan(t *testing.T) {
	t.Parallel()
	for newlyNamed, warned := range map[string]bool{"medium": false, "": true} {
		s, w := twoWaves(t)
		taker := &instance{server: s}
		s.sameRun(t, append(w, taker)...)
		_, m := taker.plan(t, s.wave("blue", newlyNamed))
		succeeded(t, m)
		_, m = w[0].plan(t, s.wave("blue", "small"))
		succeeded(t, m)
		if got := slices.ContainsFunc(m.Warnings, func(w message.Message) bool {
			return strings.HasPrefix(w.Summary, "The configuration no longer names cluster type medium: prod in ")
		}); got != warned {
			t.Errorf("named %q: warned %t in %+v", newlyNamed, got, m.Warnings)
		}
	}
}

// A wave on hold does not name the folders that have left its list: another wave takes
// them over meanwhile.
func TestWavesOnHold(t *testing.T) {
	t.Parallel()
	s, w := twoWaves(t)
	held, takes := onHold(s.wave("green", "small")), s.wave("green", "large medium")
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		s.sameRun(t, w...)
		for _, i := range order {
			_, m := w[i].plan(t, []publish.Settings{held, takes}[i])
			succeeded(t, m)
		}
	}
	w[0].run, w[1].run = nil, nil
	w[1].apply(t, takes)
	w[0].apply(t, held)
	w[0].apply(t, s.wave("green", "small"))
	s.owned(t, map[string]string{w[0].was.Instance: "small", w[1].was.Instance: "large medium"})
	s.neverLacks(t, "large", "medium", "small")
}

// A wave whose folders another resource of the run gets is not destroyed: its list is emptied
// first.
func TestWavesDestroyed(t *testing.T) {
	t.Parallel()
	s, w := twoWaves(t)
	all := s.wave("blue", "large medium small")
	s.sameRun(t, w...)
	_, m := w[1].plan(t, all)
	succeeded(t, m)
	says(t, w[0].planDestroy(t).Errors, "Removed and wanted in one plan", "empty the cluster_types of the first")
	s.sameRun(t, w...)
	w[0].apply(t, s.wave("blue", ""))
	w[1].apply(t, all)
	w[0].run = s.publisher(t)
	w[0].refresh(t)
	warnsOf(t, w[0].planDestroy(t))
	succeeded(t, w[0].destroy(t))
	s.owned(t, map[string]string{w[1].was.Instance: "large medium small"})
	s.neverLacks(t, "large", "medium", "small")
}

// While a record lists what its list does not name, a wave does not move within the branch,
// nor in one go with that.
func TestWavesMove(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(1)[0]
	w.apply(t, s.wave("blue", "medium small"))
	settings := s.wave("blue", "small")
	settings.Path.Value = "elsewhere"
	w.fails(t, settings, "the old place keeps cluster type medium:")
	w.apply(t, s.wave("blue", "small"))
	w.fails(t, settings, "the old place keeps cluster type medium:")
	settings.Fleet.ClusterTypes = []string{"medium", "small"}
	w.apply(t, s.wave("blue", "medium small"))
	w.apply(t, settings)
	s.holds(t, "prod", append(below("elsewhere", filesOf("medium", "small")...), "medium/README.md", "small/README.md")...)
}

// A folder that somebody has deleted at the old place does not keep a wave there.
func TestWavesMoveWithoutWhatIsGone(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(1)[0]
	w.apply(t, s.wave("blue", "medium small"))
	s.edit(t, "prod", map[string]string{"medium": ""})
	settings := s.wave("blue", "small")
	settings.Path.Value = "elsewhere"
	w.apply(t, settings)
	s.holds(t, "prod", append(below("elsewhere", filesOf("small")...), "small/README.md")...)
}

// What an apply has written before it was killed, and the state does not know, may have
// left the fleet.
func TestWavesKilledAndTheFleet(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(1)[0]
	w.apply(t, s.wave("blue", "small"))
	state := stateOf(w)
	w.apply(t, s.wave("blue", "medium small"))
	settings := s.wave("blue", "medium small")
	settings.Fleet.Manifests = both("blue").Manifests
	_, m := state.plan(t, settings)
	succeeded(t, m)
	says(t, m.Warnings, "A cluster type has left the fleet", "not in the fleet any more: cluster type medium")
}

// A record that has changed since the state was saved may list folders that are gone. Such
// folders keep no wave from moving. Folders that another resource has taken over do not
// keep it either.
func TestWavesMoveAfterAKill(t *testing.T) {
	t.Parallel()
	s, w := twoWaves(t)
	before := []*instance{stateOf(w[0]), stateOf(w[1])}
	w[1].apply(t, s.wave("blue", "large medium"))
	w = before // which the killed apply has not saved
	settings := []publish.Settings{s.wave("blue", "small"), s.wave("blue", "large")}
	for i := range w {
		if i == 1 {
			s.edit(t, "prod", map[string]string{"medium": ""})
		}
		settings[i].Path.Value = "elsewhere"
		w[i].apply(t, settings[i])
		w[i].standsStill(t, settings[i])
	}
	s.holds(t, "prod", append(below("elsewhere", filesOf("large", "small")...), "large/README.md", "small/README.md")...)
}

// Folders of two new resources that contain each other are refused by the plan.
func TestNewResourcesInEachOther(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	outer, inner := &instance{server: s}, &instance{server: s}
	s.sameRun(t, outer, inner)
	_, m := outer.plan(t, inFolder(s.settings(both("blue")), "teams"))
	succeeded(t, m)
	inner.fails(t, inFolder(s.settings(both("blue")), "teams/large"), "Two resources name one folder", "contain each other")
}
