// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"slices"
	"time"
)

// skew is by how much the clocks of those who commit may differ.
const skew = 5 * time.Minute

// setClocks bounds the times of steps, the newest first. A clock is wrong if it is behind
// that of an older commit, or ahead of that of a newer commit or of now.
//
// The candidates that came with such a commit count as late. If the clock is behind, they
// came with the next newer commit, and as long as there is none, nobody knows when. The
// candidates that it took away count as taken early. So nothing has soaked because of a
// wrong clock alone. If clocks are almost right, the earlier time counts.
func setClocks(steps []step, now time.Time) {
	bound := now
	for i, s := range steps {
		if s.Time.Sub(bound) > skew {
			continue
		}
		if s.Time.Before(bound) {
			bound = s.Time
		}
		steps[i].took = bound
	}
	var came, took time.Time
	for i, s := range slices.Backward(steps) {
		took = later(took, s.took) // that of an older one, where it is not known
		steps[i].took = took
		if came.Sub(s.Time) > skew {
			continue
		}
		steps[i].came = later(came, s.Time)
		if !s.Time.After(now) {
			came = steps[i].came
		}
	}
	var newer time.Time
	for i := range steps {
		if steps[i].came.IsZero() {
			steps[i].came = newer
		}
		newer = steps[i].came
	}
}
