// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
)

// What is odd about a track is in the reason.
func TestNotes(t *testing.T) {
	t.Parallel()
	moved := stage(t, "", "A B", allGreen)
	moved.Own.Track.Note = "The branch stage has no records."
	missing := stage(t, "A", "")
	missing.After[0].Track.Note = `The branch dve does not exist; the nearest is dev.`
	pinned := pin(stage(t, "", "A"), "A")
	pinned.Own.Track.Note = "The branch stage has no records."
	id := strings.Repeat("a1", 20)
	check(t, []scenario{
		{"a git commit is short", pin(stage(t, "", id), id), "pinned " + id, "stage is pinned to a1a1a1a."},
		{"of the environment", moved, "promote B", "stage gets B, which is verified in dev. The branch stage has no records."},
		{"of an environment before", missing, "nothing A", "stage stays at A: this release was never in dev, so it is not known which " +
			`release is newer. Bring it there, or choose another one with pin = "<commit>". The branch dve does not exist; the nearest is dev.`},
		{"with a pin", pinned, "pinned A", "stage is pinned to A."},
		{"an environment before that was destroyed", stage(t, "A", "A B -", allGreen), "up_to_date A",
			"stage is at A, and dev has nothing newer."},
		{"an environment before that came again", stage(t, "A", "A B - A", allGreen), "up_to_date A", ""},
		{"an environment before that came again, with a newer release", stage(t, "A", "A B - B", allGreen), "promote B", ""},
		{"an environment that came again", stage(t, "A B - A", "A B", allGreen), "promote B", ""},
		{"an environment that was destroyed", stage(t, "A B -", "A B A", allGreen), "promote A", ""},
	})
}

// An environment that stays back says whether there is something newer to stay back from.
func TestNewerThanHeld(t *testing.T) {
	t.Parallel()
	for dev, want := range map[string]bool{"A B": false, "A B C": true} {
		if r, err := decision.Decide(stage(t, "A B A", dev, allGreen)); err != nil || r.Decision != decision.Held || r.Newer != want {
			t.Errorf("%s: %s, newer: %t, %v", dev, r.Decision, r.Newer, err)
		}
	}
}
