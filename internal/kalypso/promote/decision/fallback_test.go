// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision_test

import (
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
)

// on_failure = "previous" takes the newest earlier release that is verified.
func TestOnFailure(t *testing.T) {
	t.Parallel()
	falling := func(in decision.Input, now int) decision.Input {
		in.Fallback, in.Grace, in.Now = true, 2*time.Hour, hour(now)
		in.Own.Checks = []decision.Check{{Context: "k/*", Expected: []string{"k/a", "k/b"}}}
		return in
	}
	closed := falling(stage(t, "A B", "A B C", "stage1 k/a success", "stage2 k/a failure 3", "dev3 ci success"), 9)
	closed.Windows = []calendar.Opening{window(t, "tue", "00:00", "24:00", "UTC")}
	frozen := falling(stage(t, "A B", "A B", "stage1 k/a success", "stage2 k/a failure 3"), 9)
	frozen.Freezes = audit(t, "2026-11-01", "2026-11-05")
	hold := falling(stage(t, "A B", "A B", "stage1 k/a success", "stage2 k/a failure 3"), 9)
	hold.Hold = "wait"
	off := falling(stage(t, "A B", "A B", "stage1 k/a success", "stage2 k/a failure 3"), 9)
	off.Fallback = false
	const failed = "B failed in stage: k/a red since 2026-11-02 11:00 UTC"
	const back = "stage goes back to A, which is verified in stage: " + failed + "."
	check(t, []scenario{
		{"red for the grace", falling(stage(t, "A B", "A B", "stage1 k/a success", "stage2 k/a failure 3"), 5), "rollback A", back},
		{"not for so long", falling(stage(t, "A B", "A B", "stage1 k/a success", "stage2 k/a failure 3"), 4), "up_to_date B",
			"stage is at B, and dev has nothing newer. " + failed + ". stage goes back to A at" +
				" 2026-11-02 13:00 UTC (failure_grace), unless its checks turn green or it gets a newer release."},
		{"red again and again", falling(stage(t, "A B", "A B", "stage1 k/a success", "stage2 k/a failure 3", "stage2 k/a failure 4"), 5),
			"rollback A", back},
		{"another context red later", falling(stage(t, "A B", "A B", "stage1 k/a success", "stage2 k/a failure 3", "stage2 k/b failure 4"), 5),
			"rollback A", ""},
		{"red since before the newest commit", falling(stage(t, "A B+2", "A B", "stage1 k/a success", "stage2 k/a failure 2"), 5),
			"up_to_date B", ""},
		{"green again", falling(stage(t, "A B", "A B", "stage1 k/a success", "stage2 k/a failure 3", "stage2 k/a success 4"), 9),
			"up_to_date B", ""},
		{"silent", falling(stage(t, "A B", "A B", "stage1 k/a success"), 9), "up_to_date B", ""},
		{"something newer is verified", falling(stage(t, "A B", "A B C", "stage1 k/a success", "stage2 k/a failure 3", "dev3 ci success"), 9),
			"promote C", ""},
		{"something newer waits", falling(stage(t, "A B", "A B C", "stage1 k/a success", "stage2 k/a failure 3"), 9), "rollback A", back},
		{"no earlier release is verified", falling(stage(t, "A B C", "A B C", "stage1 k/a pending", "stage[23] k/a failure"), 9),
			"up_to_date C", "stage is at C, and dev has nothing newer. C failed in stage: k/a red since " +
				"2026-11-02 11:00 UTC, and on_failure finds no earlier release that is verified in stage."},
		{"the one before is reverted", falling(stage(t, "A B A C", "A B C", "stage* k/a success", "stage4 k/a failure 5"), 9), "rollback A", ""},
		{"it went back already", falling(stage(t, "A B C B", "A B C", "stage1 k/a success", "stage[34] k/a failure 5"), 9), "held B", ""},
		{"outside of the windows", closed, "rollback A", back},
		{"in a freeze", frozen, "up_to_date B", ""},
		{"on hold", hold, "held B", ""},
		{"off", off, "up_to_date B", ""},
		{"the whole release", falling(first(t, "A/1 B/2", "B A", "dev1 k/a success", "dev2 k/a failure"), 9), "rollback A/1", ""},
		{"unknown to the environments before", falling(stage(t, "X Y", "A", "stage1 k/a success", "stage2 k/a failure"), 9), "rollback X", ""},
		{"no release", falling(stage(t, "A -", "A"), 9), "nothing -", ""},
	})
}

// What an environment before has reverted, on_failure does not bring back.
func TestOnFailureTakesNothingThatWasRevertedBefore(t *testing.T) {
	t.Parallel()
	in := stage(t, "A B C", "A B A C", "stage[12] k/a success", "stage3 k/a failure", "dev* ci success")
	in.Fallback, in.Grace = true, time.Hour
	in.Own.Checks = []decision.Check{{Context: "k/*"}}
	check(t, []scenario{{"reverted in dev", in, "rollback A", ""}})
}
