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
