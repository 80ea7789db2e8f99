// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
)

const allGreen = "dev* ci success"

func resume(in decision.Input, commit string) decision.Input {
	in.ResumeAfter = commit
	return in
}

// An environment that went back stays there until resume_after.
func TestWentBack(t *testing.T) {
	t.Parallel()
	check(t, []scenario{
		{"a newer release does not bring the bad one again", stage(t, "A B A", "A B C", allGreen), "held A",
			"stage went back from B to A on 2026-11-02 with GitOps commit stage3 of Ann. It stays there until " +
				`you set resume_after = "B".`},
		{"resumed after the bad commit", resume(stage(t, "A B A", "A B C", allGreen), "B"), "promote C",
			"stage gets C, which is verified in dev."},
		{"resumed after a newer commit", resume(stage(t, "A B A", "A B C", allGreen), "C"), "up_to_date A",
			"stage is at A, and dev has nothing newer than all that carry C (resume_after)."},
		{"resumed after a commit that nothing carries", resume(stage(t, "A B A", "A B C", allGreen), "X"), "held A",
			"stage went back from B to A on 2026-11-02 with GitOps commit stage3 of Ann. It stays there until " +
				`you set resume_after = "B". resume_after = "X" does not count: it has to be a commit of the release that stage left, or of a ` +
				"newer one, and not of the present one."},
		{"resumed after a commit that is still here", resume(stage(t, "A/1 A/2 A/1", "A/1 A/2 A/3", allGreen), "A"), "held A/1", ""},
		{"nothing to resume after, and the environment before had an end", stage(t, "A B A", "A B - C", allGreen), "held A", ""},
		{"resumed, and waiting", resume(stage(t, "A B A", "A B C"), "B"), "up_to_date A",
			"stage waits for dev: C has no report of ci in dev."},
		{"a second way back", resume(stage(t, "A B A C A", "A B C D", allGreen), "B"), "held A", ""},
		{"resumed after the second bad commit", resume(stage(t, "A B A C A", "A B C D", allGreen), "C"), "promote D", ""},
		{"in two steps", stage(t, "A B C B A", "A B C D", allGreen), "held A",
			"stage went back from C to A on 2026-11-02 with GitOps commit stage4 of Ann. It stays there until " +
				`you set resume_after = "C".`},
		{"an application", stage(t, "A/1 A/2 A/1", "A/1 A/2 A/3", allGreen), "held A/1",
			"stage went back from A with apps#main at 2 to A with apps#main at 1 on 2026-11-02 with GitOps " +
				`commit stage3 of Ann. It stays there until you set resume_after = "2" (apps#main).`},
		{"a commit and an application", stage(t, "A/1 B/2 A/1", "A/1 B/2 B/3", allGreen), "held A/1",
			"stage went back from B to A on 2026-11-02 with GitOps commit stage3 of Ann. It stays there until " +
				`you set resume_after = "B" or, if only that source was bad, "2" (apps#main).`},
		{"resumed after a commit of an application", resume(stage(t, "A/1 A/2 A/1", "A/1 A/2 B/2 B/3", allGreen), "2"), "promote B/3", ""},
		{"resumed, and everything carries the commit", resume(stage(t, "A/1 A/2 A/1", "A/1 A/2 B/2", allGreen), "2"), "up_to_date A/1", ""},
		{"resumed, and the environment before never had the bad commit", resume(stage(t, "A B A", "A C", allGreen), "B"), "promote C", ""},
		{"where dev had the releases the other way round", stage(t, "B A", "A B", allGreen), "up_to_date A",
			"stage is at A. Nothing newer is left: B was reverted in stage on 2026-11-02 with GitOps commit stage2 of Ann."},
		{"resumed after a commit that dev had with the same commit", resume(stage(t, "A/1 B/1 A/1", "A/1 B/2 C/3", allGreen), "2"),
			"promote C/3", ""},
		{"created again, and promoted to what it had in its first life", stage(t, "B - A B", "A B C", allGreen), "promote C", ""},
		{"where dev was created again", stage(t, "B", "B - A B", allGreen), "up_to_date B", ""},
		{"gone on", stage(t, "A B A C", "A B C D", allGreen), "promote D", ""},
	})
}

// An environment without environments before it stays until the source has a new commit.
func TestFirstWentBack(t *testing.T) {
	t.Parallel()
	check(t, []scenario{
		{"the source has nothing new", first(t, "A/1 B/1 A/1", "B A"), "held A/1",
			"dev went back from B (Change B) to A (Change A) on 2026-11-02 with GitOps commit dev3 of Ann. It stays there until the source " +
				"has a commit that it never had."},
		{"the source has something new", first(t, "A/1 B/1 A/1", "C B A"), "promote C", "dev gets C (Change C), which came to the source."},
		{"an application", first(t, "A/1 A/2 A/1", "A"), "held A/1",
			"dev went back from A (Change A) with apps#main at 2 to A (Change A) with apps#main at 1 on 2026-11-02 with GitOps commit dev3 " +
				`of Ann. It stays there until the source has a commit that it never had, or you set resume_after = "2" (apps#main).`},
		{"resumed after a commit of an application", resume(first(t, "A/1 A/2 A/1", "A"), "2"), "up_to_date A", ""},
		{"resumed after a commit of an application, with the newer commit", resume(first(t, "A/1 B/2 A/1", "B A"), "2"), "promote B",
			"dev gets B of the source again, because resume_after names another commit."},
		{"resumed after the head", resume(first(t, "A/1 B/2 A/1", "B A"), "B"), "held A/1", ""},
		{"resumed after something else", resume(first(t, "A/1 B/2 A/1", "B A"), "X"), "held A/1", ""},
		{"the source went back", first(t, "A/1 B/1", "A"), "up_to_date B/1", "dev is at B, and the source has nothing newer."},
	})
}

// A release that was reverted travels no further.
func TestReverted(t *testing.T) {
	t.Parallel()
	check(t, []scenario{
		{"in the environment before", stage(t, "A", "A B A", allGreen), "up_to_date A",
			"stage is at A. Nothing newer is left: B was reverted in dev on 2026-11-02 with GitOps commit dev3 of Ann."},
		{"in the environment before, which goes on", stage(t, "A", "A B A C", allGreen), "promote C", ""},
		{"the own release, in the environment before", stage(t, "A B", "A B A", allGreen), "up_to_date B",
			"stage is at B, which dev reverted on 2026-11-02 with GitOps commit dev3 of Ann. It stays there until a newer release " +
				"is verified, or until pin names another one."},
		{"the own release, and something newer is verified", stage(t, "A B", "A B A C", allGreen), "promote C", ""},
		{"brought again", stage(t, "A", "A B A B", allGreen), "promote B", ""},
		{"here, and gone on", stage(t, "A B A C", "A C B", allGreen), "up_to_date C",
			"stage is at C. Nothing newer is left: B was reverted in stage on 2026-11-02 with GitOps commit stage3 of Ann."},
	})
}
