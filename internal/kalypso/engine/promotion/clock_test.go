// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

// Committers choose the times of their commits: nothing soaks by a wrong one.
func TestWrongClocks(t *testing.T) {
	t.Parallel()
	const ahead = 10 * 365 * 24 * time.Hour
	candidate := func(now string, stages ...stage) scenario {
		return scenario{rules: rules{Candidate: "v1", After: gates{"dev": soaking}}, dev: stages, now: now}
	}
	unchecked := func(now string, stages ...stage) scenario {
		return scenario{source: "c1 c2 c3", prod: []stage{at("0h", "c1")}, rules: rules{After: gates{"dev": {Checks: []check{},
			Soak: 2 * time.Hour}}}, dev: stages, now: now}
	}
	checked := unchecked("2h50m", at("0h", "c1"), at((ahead).String(), "c2", green.later(-ahead+time.Hour)))
	checked.rules.After = gates{"dev": soaking}
	behind := unchecked("102h5m", at("99h", "c1"), at("28h", "c2", green.later(72*time.Hour)))
	behind.rules.After = gates{"dev": soaking}
	soaked := checked
	soaked.now = "3h5m"
	decided{
		"left, by a clock that is ahead": {candidate("2h30m", at("0h", "v1", green), at("5h10m", "v2")), "nothing -; v1 waiting"},
		"left, by a clock ahead of the next one": {candidate("9h", at("0h", "v1", green), at("5h", "v2"), at("30m", "v3")),
			"nothing -; v1 waiting"},
		"there again, by a clock slightly behind": {candidate("4h", at("0h", "v1", green), at("3h", "v2"), at("2h59m55s", "v1")),
			"promote v1 from -; v1 verified"},
		"there again, by a clock that is behind": {candidate("4h", at("0h", "v1", green), at("3h", "v2"), at("2h", "v1")),
			"nothing -; v1 waiting"},
		"there again, and green": {candidate("4h", at("0h", "v1", green), at("3h", "v2"),
			at("2h", "v1", green.later(90*time.Minute))), "nothing -; v1 soaking 5h35m"},
		"left, by a clock slightly ahead": {candidate("9h", at("0h", "v1", green), at("9h4m", "v2")), "promote v1 from -; v1 verified"},
		"left in time": {candidate("9h", at("0h", "v1", green), at("5h", "v2"), at("6h", "v3")),
			"promote v1 from -; v1 verified"},
		"there, by a clock that is behind": {unchecked("900h", at("99h", "c1"), at("28h", "c2")), "up_to_date c1; c3 not_deployed; c2 " +
			"waiting"},
		"until the next commit": {unchecked("101h", at("99h", "c1"), at("28h", "c2"), at("100h", "c3")),
			"up_to_date c1; c3 soaking 102h0m; c2 soaking 102h0m"},
		"and after it": {unchecked("102h", at("99h", "c1"), at("28h", "c2"), at("100h", "c2")),
			"promote c2 from c1; c3 not_deployed; c2 verified"},
		"reported, by a clock that is behind": {behind, "promote c2 from c1; c3 not_deployed; c2 verified"},
		"there, after a clock that was ahead": {unchecked("9h", at(ahead.String(), "c1"), at("5h", "c2")), "promote c2 from c1; c3 " +
			"not_deployed; c2 verified"},
		"reported, by a clock that is ahead": {checked, "up_to_date c1; c3 not_deployed; c2 soaking 3h5m"},
		"and soaked since then":              {soaked, "promote c2 from c1; c3 not_deployed; c2 verified"},
		"unreported, by a clock that is ahead": {unchecked("9h", at("0h", "c1"), at("10h", "c2")), "up_to_date c1; c3 not_deployed; c2 " +
			"soaking 12h0m"},
	}.run(t)
}

// With checks, nothing soaks by the time of a commit, even if a forge does not say when it
// got a report.
func TestReportsWithoutTime(t *testing.T) {
	t.Parallel()
	s := scenario{source: "c1", rules: rules{After: gates{"dev": soaking}}, dev: []stage{at("0h", "c1", green)}, now: "90h"}
	w := s.world()
	dev := w.facts.After["dev"]
	asked := dev.Reports
	dev.Reports = func(commit string) ([]promotion.Report, error) {
		reports, err := asked(commit)
		for i := range reports {
			reports[i].Time = time.Time{}
		}
		return reports, err
	}
	w.facts.After["dev"] = dev
	r := w.decide(t)
	if told(r) != "nothing -; c1 waiting" || !strings.Contains(r.Reason,
		"the reports on GitOps commit dev/c1 do not say when they were made") {
		t.Errorf("%s: %s", told(r), r.Reason)
	}
}
