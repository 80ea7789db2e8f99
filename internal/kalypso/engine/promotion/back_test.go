// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

const allGreen = "dev* ci success"

func resume(commit string) func(*promotion.Input) {
	return func(in *promotion.Input) { in.ResumeAfter = commit }
}

// An environment that went back stays there until resume_after.
func TestWentBack(t *testing.T) {
	t.Parallel()
	check(t, []scenario{
		{"a newer release does not bring the bad one again", stage(t, "A B A", "A B C", allGreen), "held A", ""},
		{"resumed after the bad commit", with(stage(t, "A B A", "A B C", allGreen), resume("B")), "promote C", ""},
		{"resumed, and the newer one is bad too", with(stage(t, "A B A", "A B C", allGreen), resume("C")), "up_to_date A", ""},
		{"resumed after a commit that nothing carries", with(stage(t, "A B A", "A B C", allGreen), resume("X")), "held A", ""},
		{"resumed after the release before", with(stage(t, "A B A", "A B C", allGreen), resume("A")), "held A", ""},
		{"a second way back", with(stage(t, "A B A C A", "A B C D", allGreen), resume("B")), "held A", ""},
		{"an application", stage(t, "A/1 A/2 A/1", "A/1 A/2 A/3", allGreen), "held A/1", ""},
		{"resumed after a commit of an application", with(stage(t, "A/1 A/2 A/1", "A/1 A/2 B/2 B/3", allGreen), resume("2")), "promote B/3", ""},
		{"after the way back it goes on", stage(t, "A B A C", "A B C D", allGreen), "promote D", ""},
	})
}

// An environment without environments before it stays until the source has a new commit.
func TestFirstWentBack(t *testing.T) {
	t.Parallel()
	check(t, []scenario{
		{"the source has nothing new", first(t, "A/1 B/1 A/1", "B A"), "held A/1", ""},
		{"the source has something new", first(t, "A/1 B/1 A/1", "C B A"), "promote C", ""},
		{"an application", first(t, "A/1 A/2 A/1", "A"), "held A/1", ""},
		{"resumed after a commit of an application", with(first(t, "A/1 A/2 A/1", "A"), resume("2")), "up_to_date A", ""},
		{"resumed after a commit of an application, with the newer commit", with(first(t, "A/1 B/2 A/1", "B A"), resume("2")), "promote B", ""},
		{"resumed after the head", with(first(t, "A/1 B/2 A/1", "B A"), resume("B")), "held A/1", ""},
		{"the source went back", first(t, "A/1 B/1", "A"), "up_to_date B", ""},
	})
}

// A release that was reverted travels no further.
func TestReverted(t *testing.T) {
	t.Parallel()
	check(t, []scenario{
		{"in the environment before", stage(t, "A", "A B A", allGreen), "up_to_date A", ""},
		{"in the environment before, which goes on", stage(t, "A", "A B A C", allGreen), "promote C", ""},
		{"the own release, in the environment before", stage(t, "A B", "A B A", allGreen), "up_to_date B", ""},
		{"brought again", stage(t, "A", "A B A B", allGreen), "promote B", ""},
		{"here, and gone on", stage(t, "A B A C", "A C B", allGreen), "up_to_date C", ""},
	})
}
