// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision

import (
	"slices"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// Each gate is open, or says why it is closed. Each visit closes one gate alone.
func TestGates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC) // a Monday
	step := func(release string, commits ...string) record.Step {
		s := record.Step{Release: record.Release{Commit: release}, By: record.Commit{ID: release + "-by", Author: "Ann", Time: now}}
		for _, id := range commits {
			s.Commits = append(s.Commits, record.Commit{ID: id, Time: now.Add(-time.Hour)})
		}
		return s
	}
	visited := func(steps ...record.Step) visit {
		v := visit{past: pastOf(Environment{Name: "dev", Track: record.Track{Steps: steps}}, 0), rank: 1, in: Input{Now: now}}
		v.verdict, _ = v.past.verdict(1) // there are no checks
		return v
	}
	open := visited(step("A", "dev1"), step("B", "dev2"))
	with := func(change func(v *visit)) visit {
		v := visited(step("A", "dev1"), step("B", "dev2"))
		change(&v)
		return v
	}
	closed := map[string]struct {
		visit visit
		want  string
	}{
		"reverted": {visited(step("A", "dev1"), step("B", "dev2"), step("A", "dev3")),
			"was reverted in dev on 2026-11-02 with GitOps commit A-by of Ann"},
		"red": {with(func(v *visit) { v.red, v.redSince = "ci red", now }),
			"failed in dev: ci red since 2026-11-02 08:00 UTC"},
		"green":  {with(func(v *visit) { v.missing = []string{"no report of ci", "e2e pending"} }), "has no report of ci and e2e pending in dev"},
		"soaked": {with(func(v *visit) { v.soak, v.since = time.Hour, now }), "soaks in dev until 2026-11-02 09:00 UTC"},
		"hold":   {with(func(v *visit) { v.in.Hold = "its hold" }), "its hold is set"},
		"freeze": {with(func(v *visit) {
			v.in.Freezes = []calendar.Period{{Reason: "audit", Begins: now, Ends: now.Add(time.Hour)}}
		}), `the freeze "audit" is in force until Mon 2026-11-02 09:00 +00:00 (UTC)`},
		"window": {with(func(v *visit) {
			v.in.Windows = calendar.Openings([]calendar.Window{{Days: []string{"tue"}, From: "09:00", To: "16:00", Timezone: "UTC"}}, nil)
		}), "its next window opens Tue 2026-11-03 09:00 +00:00 (UTC)"},
	}
	var names []string
	for _, g := range gates {
		names = append(names, g.name)
	}
	if want := []string{"reverted", "red", "green", "soaked", "hold", "freeze", "window"}; !slices.Equal(names, want) {
		t.Fatalf("the gates are %v, and this test closes %v", names, want)
	}
	for _, g := range gates {
		if why := g.closed(open); why != "" {
			t.Errorf("%s is closed: %s", g.name, why)
		}
		for _, other := range gates {
			want := ""
			if g.name == other.name {
				want = closed[g.name].want
			}
			if why := other.closed(closed[g.name].visit); why != want {
				t.Errorf("a release that %s stops: %s says %q, want %q", g.name, other.name, why, want)
			}
		}
	}
	unseen := visited(step("A", "dev1"), step("B"))
	if want := "is in dev only on a side line that a merge brought, which clusters have not seen"; isNotGreen(unseen) != want {
		t.Errorf("got %q", isNotGreen(unseen))
	}
}
