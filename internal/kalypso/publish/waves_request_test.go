// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"slices"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// proposed are the settings of a wave whose changes are proposed.
func (s server) proposed(family, clusterTypes string) publish.Settings {
	settings := s.wave(family, clusterTypes)
	settings.Request = &request.Settings{}
	return settings
}

// mergeAll merges what is open and does not conflict with what was merged before, the
// newest first or last, and has the instances look.
func (s server) mergeAll(t testing.TB, newestFirst bool, instances ...*instance) {
	t.Helper()
	open := s.open()
	if newestFirst {
		slices.Reverse(open)
	}
	for _, q := range open {
		s.github.EnableAutoMerge(t, q.Number, "squash")
		s.github.Pulls()
	}
	for _, i := range instances {
		i.refresh(t)
	}
}

// Where waves propose their changes, one that does not name a cluster type any more opens no
// request for that, and the other one's request takes it over, in whatever order all is merged.
func TestWavesByRequests(t *testing.T) {
	t.Parallel()
	for name, newestFirst := range map[string]bool{"merged in order": false, "the newest first": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			w := s.waves(2)
			for i, list := range []string{"medium small", "large"} {
				w[i].apply(t, s.proposed("blue", list))
				s.mergeAll(t, false, w...)
			}
			release, take := s.proposed("blue", "small"), s.proposed("green", "large medium")
			w[0].apply(t, release)
			if open := s.open(); len(open) > 0 {
				t.Errorf("a request for what only a record says: %+v", open)
			}
			w[0].standsStill(t, release)
			w[1].apply(t, take)
			s.mergeAll(t, newestFirst, w...)
			s.owned(t, map[string]string{w[0].was.Instance: "small", w[1].was.Instance: "large medium"})
			w[1].standsStill(t, take)
			w[0].standsStill(t, release)

			// And back, while both change: both write the record of one of them, so the second request
			// conflicts with the first one, until the next apply merges the base branch into it.
			back := []publish.Settings{s.proposed("red", "medium small"), s.proposed("red", "large")}
			s.sameRun(t, w...)
			applyTogether(t, w, back)
			s.mergeAll(t, newestFirst, w...)
			s.sameRun(t, w...)
			for i := range w {
				w[i].apply(t, back[i])
			}
			s.mergeAll(t, newestFirst, w...)
			s.owned(t, map[string]string{w[0].was.Instance: "medium small", w[1].was.Instance: "large"})
			s.neverLacks(t, "large", "medium", "small")
			for i := range w {
				w[i].refreshed(t, ownership.InSync)
				w[i].standsStill(t, back[i])
			}
		})
	}
}
