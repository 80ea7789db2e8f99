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
			s := newServer(t)
			w := s.waves(2)
			w[0].apply(t, s.wave("blue", "medium small"))
			w[1].apply(t, s.wave("blue", "large"))
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
	s := newServer(t)
	w := s.waves(2)
	w[0].apply(t, s.wave("blue", "medium small"))
	w[1].apply(t, s.wave("blue", "large"))
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
			s := newServer(t)
			w := s.waves(2)
			w[0].apply(t, s.wave("blue", "medium small"))
			w[1].apply(t, s.wave("blue", "large"))
			settings := []publish.Settings{s.without("green", "small"), s.wave("blue", "large medium")}
			s.sameRun(t, w...)
			_, m := w[first].plan(t, settings[first])
			succeeded(t, m)
			_, m = w[1-first].plan(t, settings[1-first])
			says(t, m.Errors, "Waves disagree about a cluster type", "(.kalypso/"+w[0].was.Instance+"), whose fleet has no cluster type medium any more", "another one (.kalypso/"+w[1].was.Instance)

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
	s := newServer(t)
	w := s.waves(2)
	w[0].apply(t, s.wave("blue", "medium small"))
	w[1].apply(t, s.wave("blue", "large"))
	s.sameRun(t, w...)
	w[0].apply(t, s.without("green", "small"))
	w[1].apply(t, s.wave("blue", "large medium"))
	s.holds(t, "prod", filesOf("large", "medium", "small")...)
}
