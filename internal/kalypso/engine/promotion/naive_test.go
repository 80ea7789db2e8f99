// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

// naive answers questions about the track of an environment by loops over all of its steps.
type naive struct {
	promotion.After
	life  []promotion.Step    // the steps since the environment was ended last
	order []promotion.Release // by their first steps, also before that
}

// read finds the life and the order in a track.
func read(a promotion.After) naive {
	n := naive{After: a}
	for _, s := range a.Track.Steps {
		if s.Release.Commit == "" {
			n.life = nil
			continue
		}
		n.life = append(n.life, s)
		if !slices.ContainsFunc(n.order, s.Release.Same) {
			n.order = append(n.order, s.Release)
		}
	}
	return n
}

// place is the place of a release in the order, else of the newest with its commit; -1 for none.
func (n naive) place(r promotion.Release) (at int) {
	at = -1
	for i, other := range n.order {
		if other.Same(r) || other.Commit == r.Commit && !slices.ContainsFunc(n.order, r.Same) {
			at = i
		}
	}
	return at
}

// had returns the last release with a source commit, or of a GitOps commit.
func (n naive) had(id string) (r promotion.Release) {
	for _, s := range n.life {
		if s.Release.Commit == id || slices.ContainsFunc(s.Commits, func(c promotion.Commit) bool { return c.ID == id }) {
			r = s.Release
		}
	}
	return r
}

// newest returns the newest release that fits, and its place.
func (n naive) newest(fits func(promotion.Release) bool) (r promotion.Release, at int) {
	at = -1
	for _, s := range n.life {
		if fits(s.Release) && n.place(s.Release) > at {
			r, at = s.Release, n.place(s.Release)
		}
	}
	return r, at
}

// carries returns whether a release has a commit, of the source or of an application.
func carries(id string) func(promotion.Release) bool {
	return func(r promotion.Release) bool {
		return id != "" && (r.Commit == id || slices.Contains(slices.Collect(maps.Values(r.Sources)), id))
	}
}

// anything is for the newest of all.
func anything(promotion.Release) bool { return true }
