// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// A destroy leaves what its plan has left to others, also where the apply is a run of its
// own, which has heard of none of them.
func TestWavesDestroyedAfterPlan(t *testing.T) {
	t.Parallel()
	s, w := twoWaves(t)
	s.sameRun(t, w...)
	settings := s.wave("green", "large medium")
	plan, m := w[1].plan(t, settings)
	succeeded(t, m)
	job := w[0].job(t, w[0].was.Settings)
	job.Followed, job.Left = w[0].run.IsFollowed(t.Context(), job), w[0].run.Inherited(job)
	succeeded(t, s.publisher(t).Destroy(t.Context(), job, true))
	s.holds(t, "prod", append(filesOf("large", "medium"), "small/README.md")...)
	s.sameRun(t, w[1])
	succeeded(t, w[1].carryOut(t, settings, plan))
	s.neverLacks(t, "large", "medium")
}

// Terraform plans a replacement as an update and as a creation: both are one owner.
func TestWavesReplaced(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(1)[0]
	w.apply(t, s.wave("blue", "medium small"))
	s.sameRun(t, w)
	_, m := w.plan(t, s.wave("green", "medium small"))
	succeeded(t, m)
	_, m = w.replacement(t).plan(t, s.wave("green", "medium small"))
	succeeded(t, m)
}

// What somebody has removed from the old place does not keep a wave there that no longer
// names it.
func TestWavesMoveWithoutWhatIsGone(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(1)[0]
	w.apply(t, s.wave("blue", "medium small"))
	removed := map[string]string{}
	for _, file := range filesOf("medium") {
		removed[file] = ""
	}
	s.edit(t, "prod", removed)
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
	state := *w
	w.apply(t, s.wave("blue", "medium small"))
	*w = state
	settings := s.wave("blue", "medium small")
	settings.Fleet.Manifests = both("blue").Manifests
	_, m := w.plan(t, settings)
	succeeded(t, m)
	says(t, m.Warnings, "A cluster type has left the fleet", "not in the fleet any more: cluster type medium")
}

// Who takes back what it has released is not told that nobody looks after it.
func TestWavesTakenBack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(1)[0]
	w.apply(t, s.wave("blue", "medium small"))
	w.apply(t, s.wave("blue", "small"))
	_, m := w.plan(t, s.wave("green", "medium small"))
	succeeded(t, m)
	if slices.ContainsFunc(m.Warnings, func(m publish.Message) bool { return strings.HasPrefix(m.Summary, "Released") }) {
		t.Errorf("told of what is taken back: %+v", m.Warnings)
	}
}
