// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
)

// problems fails a test that has a mistake in its settings.
func problems(t *testing.T) calendar.Complain {
	return func(_ int, attribute, format string, args ...any) { t.Errorf(attribute+": "+format, args...) }
}

func window(t *testing.T, day, from, to, zone string) calendar.Opening {
	return calendar.Openings([]calendar.Window{{Days: []string{day}, From: from, To: to, Timezone: zone}}, problems(t))[0]
}

// audit is a freeze.
func audit(t *testing.T, from, to string) []calendar.Period {
	return calendar.Periods([]calendar.Freeze{{From: from, To: to, Timezone: "UTC", Reason: "audit"}}, problems(t))
}

// Outside of all windows, in a freeze and on hold, the environment keeps its release.
func TestClosed(t *testing.T) {
	t.Parallel()
	// Hour 100 is Friday 2026-11-06 12:00 UTC.
	windows := func(in decision.Input, days ...string) decision.Input {
		for _, day := range days {
			in.Windows = append(in.Windows, window(t, day, "09:00", "16:00", "Europe/Berlin"))
		}
		return in
	}
	freeze := func(in decision.Input, from, to string) decision.Input {
		in.Freezes = audit(t, from, to)
		return in
	}
	hold := func(in decision.Input) decision.Input {
		in.Hold = "load test"
		return in
	}
	const gets = " After that, stage gets B, which is verified in dev."
	check(t, []scenario{
		{"in a window", windows(stage(t, "A", "A B", allGreen), "mon", "fri"), "promote B", ""},
		{"outside", windows(stage(t, "A", "A B", allGreen), "tue", "mon"), "held A",
			"stage stays at A: its next window opens Mon 2026-11-09 09:00 +01:00 (Europe/Berlin)." + gets},
		{"outside, and nothing is verified", windows(stage(t, "A", "A B"), "mon"), "up_to_date A",
			"stage waits for dev: B has no report of ci in dev."},
		{"outside, and nothing is newer", windows(stage(t, "A", "A", allGreen), "mon"), "up_to_date A",
			"stage is at A, and dev has nothing newer."},
		{"outside, and went back", windows(stage(t, "A B A", "A B C", allGreen), "mon"), "held A", "stage went back from B to " +
			`A on 2026-11-02 with GitOps commit stage3 of Ann. It stays there until you set resume_after = "B".`},
		{"outside, and only applications move", windows(first(t, "A/1", "A"), "mon"), "held A/1",
			"dev stays at A (Change A): its next window opens Mon 2026-11-09 09:00 +01:00 (Europe/Berlin)."},
		{"outside, before the first release", windows(stage(t, "", "A", allGreen), "mon"), "held -", "stage stays without a release: its next " +
			"window opens Mon 2026-11-09 09:00 +01:00 (Europe/Berlin). After that, stage gets A, which is verified in dev."},
		{"in a freeze", freeze(windows(stage(t, "A", "A B", allGreen), "fri"), "2026-11-06", "2026-11-07"), "held A",
			`stage stays at A: the freeze "audit" is in force until Sun 2026-11-08 00:00 +00:00 (UTC).` + gets},
		{"after a freeze", freeze(stage(t, "A", "A B", allGreen), "2026-11-04", "2026-11-05"), "promote B", ""},
		{"on hold", hold(stage(t, "A", "A B", allGreen)), "held A", "stage stays at A: load test is set." + gets},
		{"on hold, and went back", hold(stage(t, "A B A", "A B", allGreen)), "held A", "stage stays at A: load test is set. " +
			"stage went back from B to A on 2026-11-02 with GitOps commit stage3 of Ann. It stays there until " +
			`you set resume_after = "B".`},
		{"the whole release", hold(first(t, "A/1", "B A")), "held A/1", ""},
		{"the whole release, and only applications move", hold(first(t, "A/1", "A")), "held A/1", ""},
	})
}
