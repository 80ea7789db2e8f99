// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
)

func pin(in decision.Input, commit string) decision.Input {
	in.Pin = commit
	return in
}

func TestPin(t *testing.T) {
	t.Parallel()
	held := pin(stage(t, "A B", "A B C"), "C")
	held.Hold, held.ResumeAfter = "a reason", "A"
	present := pin(stage(t, "A B", "A B C"), "B")
	if r, err := decision.Decide(present); err != nil || !r.Newer {
		t.Errorf("a pin that has had its effect is silent: %v, %v", r, err)
	}
	check(t, []scenario{
		{"the present release", present, "pinned B", "stage is pinned to B. It has this release, and gets nothing newer until you remove pin."},
		{"back", pin(stage(t, "A B", "A B C"), "A"), "pinned A", "stage is pinned to A."},
		{"a reverted release", pin(stage(t, "A B A", "A B C"), "B"), "pinned B", ""},
		{"a release that is not verified", pin(stage(t, "A B", "A B C"), "C"), "pinned C", ""},
		{"on hold", held, "pinned C", ""},
		{"the newest step here", pin(stage(t, "A/1 A/2 B/2", "A/3"), "A"), "pinned A/2", ""},
		{"the newest step before", pin(stage(t, "A/1", "A/1 B/1 B/2"), "B"), "pinned B/2", ""},
		{"a GitOps commit here", pin(stage(t, "A/1+1 A/2 B/2", "A/3"), "stage2"), "pinned A/1", "stage is pinned to stage2."},
		{"the first commit of the source", pin(first(t, "", "B A"), "A"), "pinned A", ""},
		{"a newer commit of the source", pin(first(t, "A/1", "C B A"), "B"), "pinned B", ""},
		{"a commit of the source that nobody knows, for a new environment", pin(first(t, "", "B"), "A"), "pinned A", ""},
		{"after the end of the environment", pin(stage(t, "A B -", "A B C"), "A"), "pinned A", ""},
		{"a hotfix that no environment had", pin(stage(t, "A", "A B"), "X"), "pinned X", "stage is pinned to X. No environment before had this " +
			"commit. Bring it there, too: until then, stage gets nothing newer, even without pin."},
		{"after a hotfix", stage(t, "A X", "A B", allGreen), "nothing X", ""},
		{"after a hotfix that came to dev later", stage(t, "A X", "A B X C", allGreen), "promote C", ""},
		{"into a new repository", pin(stage(t, "X", "A B C"), "B"), "pinned B", ""},
	})
}

// A release that the environment never had cannot be older than one that it had.
func TestPinMistakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in   decision.Input
		want string
	}{
		"a skipped release": {pin(stage(t, "A C A", "A B C D"), "B"), `pin = "B": stage never had this commit, so it cannot be older than one ` +
			"that it had. In dev it is older than C, which stage had. Write a newer commit, or one that it had: " +
			"C, A"},
		"an older commit of the source": {pin(first(t, "A C", "D C B A"), "B"), `pin = "B": dev never had this commit, so it cannot be older ` +
			"than one that it had. In the source it is older than C (Change C), which dev had. Write a newer commit, or one that it had: " +
			"C, A"},
		"a GitOps commit of another environment": {pin(stage(t, "A", "A B"), "dev2"), ""},
		"a release from before the end":          {pin(stage(t, "A B - B", "A B"), "A"), ""},
		"a GitOps commit from before the end":    {pin(stage(t, "A B - B", "A B"), "stage1"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := decision.Decide(test.in)
			if err == nil || test.want != "" && err.Error() != test.want {
				t.Errorf("got %s: %v", text(r.Release), err)
			}
		})
	}
}

// Without the pin, the environment stays where the pin brought it.
func TestAfterPin(t *testing.T) {
	t.Parallel()
	check(t, []scenario{
		{"back", stage(t, "A B A", "A B", allGreen), "held A", ""},
		{"forward", stage(t, "A C", "A B C D", allGreen), "promote D", ""},
		{"forward, and dev failed there", stage(t, "A C", "A B C", "dev2 ci success", "dev3 ci failure"), "up_to_date C", ""},
	})
}
