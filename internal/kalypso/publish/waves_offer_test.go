// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// without is a wave's settings, of a fleet that has no medium.
func (s server) without(family, clusterTypes string) publish.Settings {
	settings := s.wave(family, clusterTypes)
	settings.Fleet.Manifests = both(family).Manifests
	return settings
}

// What was released stays offered while the fleets of two waves differ, until another one
// has it, or it is gone.
func TestWavesOfferLasts(t *testing.T) {
	t.Parallel()
	for name, taken := range map[string]bool{"taken over": true, "removed by hand": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, w := twoWaves(t)
			w[0].apply(t, s.wave("blue", "small"))
			w[0].apply(t, s.without("green", "small")) // a newer commit, which has no medium
			offered(t, w[0], "medium")
			if taken {
				w[1].apply(t, s.wave("blue", "large medium"))
				s.owned(t, map[string]string{w[0].was.Instance: "small", w[1].was.Instance: "large medium"})
				s.neverLacks(t, "large", "medium", "small")
			} else {
				gone := map[string]string{}
				for path := range s.repo.Files(t, "prod") {
					if strings.HasPrefix(path, "medium/") {
						gone[path] = ""
					}
				}
				s.edit(t, "prod", gone)
				w[0].apply(t, s.without("red", "small"))
			}
			offered(t, w[0])
		})
	}
}

// A wave whose state is older than the branch gives nothing up without offering it, and
// removes nothing that it has released.
func TestWavesLostState(t *testing.T) {
	t.Parallel()
	s, w := twoWaves(t)
	w[0].apply(t, s.wave("blue", "small"))
	before := *w[1]
	w[1].apply(t, s.wave("blue", "large medium"))
	*w[1] = before
	w[1].apply(t, s.without("green", "large"))
	s.owned(t, map[string]string{w[0].was.Instance: "small", w[1].was.Instance: "large"})
	offered(t, w[1], "medium")

	w[1].apply(t, s.wave("green", "large medium"))
	before = *w[1]
	w[1].apply(t, s.wave("green", "large"))
	*w[1] = before
	w[1].apply(t, s.without("red", "large"))
	offered(t, w[1], "medium")
	s.neverLacks(t, "large", "medium", "small")
}

// A cluster type does not go from a wave whose fleet has lost it to one whose fleet has it:
// the one would empty what the other one gets. While the first is on hold, it does.
func TestWavesRegroupBetweenFleets(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]int{"who loses it is planned first": 0, "who gets it is planned first": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, w := twoWaves(t)
			settings := []publish.Settings{s.without("green", "small"), s.wave("blue", "large medium")}
			s.sameRun(t, w...)
			_, m := w[first].plan(t, settings[first])
			succeeded(t, m)
			_, m = w[1-first].plan(t, settings[1-first])
			says(t, m.Errors, "Waves disagree about a cluster type", ".kalypso/"+w[0].was.Instance+" (small), whose fleet has no cluster type medium any more", "another one, .kalypso/"+w[1].was.Instance)

			settings[0].Hold = true
			s.sameRun(t, w...)
			for i := range w {
				w[i].apply(t, settings[i])
			}
			settings[0].Hold = false
			s.sameRun(t, w...)
			for i := range w {
				w[i].apply(t, settings[i])
				w[i].standsStill(t, settings[i])
			}
			s.owned(t, map[string]string{w[0].was.Instance: "small", w[1].was.Instance: "large medium"})
			s.neverLacks(t, "large", "medium", "small")
		})
	}
}

// What one wave has taken out of the branch, another one may write again in the same run,
// where its plan comes that late.
func TestWavesRegroupAfterwards(t *testing.T) {
	t.Parallel()
	s, w := twoWaves(t)
	s.sameRun(t, w...)
	w[0].apply(t, s.without("green", "small"))
	w[1].apply(t, s.wave("blue", "large medium"))
	s.holds(t, "prod", filesOf("large", "medium", "small")...)
}

// A record that anybody has written cannot have folders taken over without a word: such
// that it names, too, or that nobody has written whom we know.
func TestWavesForgedOffer(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(2)
	w[0].apply(t, s.wave("blue", "small"))
	forged := `{"environment": "` + three("blue").Environment + `", "branch": "prod", "path": ".", "cluster_types": ["large"], "released": ["large", "medium"]}`
	s.edit(t, "prod", map[string]string{".kalypso/00000000deadbeef": forged, "medium/hand.yaml": "x: 1", "large/hand.yaml": "x: 1"})
	for i, list := range []string{"large medium small", "large medium"} {
		s.sameRun(t, w...)
		_, m := w[i].plan(t, s.wave("blue", list))
		succeeded(t, m)
		says(t, m.Warnings, "Folders are taken over", "folder large belongs to environment")
		says(t, m.Warnings, "Folders are taken over", "folder medium of", "released by environment", "deadbeef", "not written by this provider")
	}
}

// The record of a wave without cluster types comes back between plan and apply, as by a
// revert: it goes again, and the commit stays as planned.
func TestWavesRecordComesBack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(2)
	w[0].apply(t, s.wave("blue", "small"))
	recorded := s.repo.Files(t, "prod")[record(w[0])]
	w[0].apply(t, s.wave("blue", ""))
	w[1].apply(t, s.wave("blue", "small"))
	none := s.wave("green", "")
	w[0].apply(t, none)
	none = s.wave("red", "")
	plan, m := w[0].plan(t, none)
	succeeded(t, m)
	s.edit(t, "prod", map[string]string{record(w[0]): recorded})
	succeeded(t, w[0].carryOut(t, none, plan))
	if plan.CommitOpen || w[0].was.Commit != plan.Commit {
		t.Errorf("the plan says commit %q, the apply %q", plan.Commit, w[0].was.Commit)
	}
	s.owned(t, map[string]string{w[1].was.Instance: "small"})
}

// Destroying a wave does not remove what it has released and nobody has taken over. Plan and
// destroy say so, whatever else becomes of the wave, unless somebody gets it.
func TestWavesDestroyAfterRelease(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		left    string // of the wave that had medium and small
		removal publish.Removal
		taken   bool
	}{{"small", publish.Empty, false}, {"small", publish.Retain, false}, {"", publish.Empty, false}, {"small", publish.Empty, true}} {
		t.Run(strings.Join([]string{test.left, string(test.removal)}, " "), func(t *testing.T) {
			t.Parallel()
			s, w := twoWaves(t)
			settings := s.wave("blue", test.left)
			settings.Removal = test.removal
			w[0].apply(t, settings)
			if test.taken {
				s.sameRun(t, w...)
				_, m := w[1].plan(t, s.wave("blue", "large medium"))
				succeeded(t, m)
			}
			w[0].refresh(t)
			planned := w[0].planDestroy(t)
			succeeded(t, planned)
			destroyed := w[0].destroy(t)
			succeeded(t, destroyed)
			for _, m := range []publish.Messages{planned, destroyed} {
				if test.taken {
					for _, w := range m.Warnings {
						if strings.Contains(w.Summary, "not taken over") {
							t.Errorf("it is told of what somebody gets: %+v", w)
						}
					}
					continue
				}
				says(t, m.Warnings, "Released and not taken over", "medium", "keep running what they hold")
			}
			s.neverLacks(t, "medium")
		})
	}
}
