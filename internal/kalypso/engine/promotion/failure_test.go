// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

// previous goes back after a quarter of an hour.
var previous = rules{OnFailure: &promotion.Fallback{Checks: oneGreen, Grace: 15 * time.Minute}}

func TestOnFailure(t *testing.T) {
	t.Parallel()
	two := []stage{at("0h", "c1", green), at("1h", "c2", red)}
	closed := previous
	closed.Windows = []calendar.Window{on("sat", "00:00", "01:00", "UTC")}
	frozen := previous
	frozen.Freezes = []calendar.Freeze{{From: "2026-03-01", To: "2026-03-09", Timezone: "UTC", Reason: "audit"}}
	anyFlux := rules{OnFailure: &promotion.Fallback{Checks: []check{{Context: "flux*"}}, Grace: 15 * time.Minute}}
	held, pinned := previous, previous
	held.Hold, pinned.Pin = true, "c2"
	decided{
		"failed for long":        {scenario{source: "c1 c2", prod: two, rules: previous, now: "1h20m"}, "rollback c1 from c2"},
		"failed for less":        {scenario{source: "c1 c2", prod: two, rules: previous, now: "1h19m"}, "up_to_date c2"},
		"not asked to":           {scenario{source: "c1 c2", prod: two, now: "9h"}, "up_to_date c2"},
		"held":                   {scenario{source: "c1 c2", prod: two, rules: held, now: "9h"}, "held c2"},
		"pinned":                 {scenario{source: "c1 c2", prod: two, rules: pinned, now: "9h"}, "pinned c2"},
		"outside of all windows": {scenario{source: "c1 c2", prod: two, rules: closed, now: "9h"}, "rollback c1 from c2"},
		"in a freeze":            {scenario{source: "c1 c2", prod: two, rules: frozen, now: "9h"}, "rollback c1 from c2"},
		"something newer is verified": {scenario{source: "c1 c2 c3", dev: []stage{at("0h", "c3", green)}, prod: two, rules: previous, now: "9h"},
			"promote c3 from c2; c3 verified"},
		"something newer is verified, but no window is open": {scenario{source: "c1 c2 c3", dev: []stage{at("0h", "c3", green)}, prod: two,
			rules: closed, now: "9h"}, "rollback c1 from c2; c3 verified"},
		"something newer is not verified": {scenario{source: "c1 c2 c3", dev: []stage{at("0h", "c3", red)}, prod: two, rules: previous,
			now: "9h"}, "rollback c1 from c2; c3 failed"},
		"green again": {scenario{source: "c1 c2", prod: []stage{at("0h", "c1", green), at("1h", "c2", red, green.later(time.Minute))},
			rules: previous, now: "9h"}, "up_to_date c2"},
		"red again, not for long": {scenario{source: "c1 c2", prod: []stage{at("0h", "c1", green),
			at("1h", "c2", red, green.later(time.Minute), red.later(2*time.Hour))}, rules: previous, now: "3h19m"}, "up_to_date c2"},
		"red several times": {scenario{source: "c1 c2", prod: []stage{at("0h", "c1", green),
			at("1h", "c2", red, red.later(10*time.Minute), pending.later(12*time.Minute))}, rules: previous, now: "1h20m"},
			"rollback c1 from c2"},
		"silent": {scenario{source: "c1 c2", prod: []stage{at("0h", "c1", green), at("1h", "c2")}, rules: previous, now: "9h"},
			"up_to_date c2"},
		"written again, and not reported yet": {scenario{source: "c1 c2", prod: append(two[:2:2], at("1h10m", "c2")), rules: previous,
			now: "9h"}, "up_to_date c2"},
		"written again, and red again": {scenario{source: "c1 c2", prod: append(two[:2:2], at("1h10m", "c2", red)), rules: previous,
			now: "1h29m"}, "up_to_date c2"},
		"written again, and red for long": {scenario{source: "c1 c2", prod: append(two[:2:2], at("1h10m", "c2", red)), rules: previous,
			now: "1h30m"}, "rollback c1 from c2"},
		"written again, and green": {scenario{source: "c1 c2", prod: append(two[:2:2], at("1h10m", "c2", green)), rules: previous, now: "9h"},
			"up_to_date c2"},
		"red, green and red again": {scenario{source: "c1 c2", prod: append(two[:2:2], at("2h", "c2", green), at("3h", "c2", red)),
			rules: previous, now: "3h19m"}, "up_to_date c2"},
		"red, left, and red again": {scenario{source: "c1 c2", prod: append(two[:2:2], at("2h", "x", green), at("3h", "c2", red)),
			rules: previous, now: "3h19m"}, "up_to_date c2"},
		"two checks, the first for long": {scenario{source: "c1 c2", prod: []stage{at("0h", "c1", green),
			at("1h", "c2", red, says("flux2", promotion.Failure).later(time.Hour))}, rules: anyFlux, now: "1h20m"}, "rollback c1 from c2"},
		"two checks, the last for long": {scenario{source: "c1 c2", prod: []stage{at("0h", "c1", green),
			at("1h", "c2", red.later(time.Hour), says("flux2", promotion.Failure))}, rules: anyFlux, now: "1h20m"}, "rollback c1 from c2"},
		"the last one failed as well": {scenario{source: "c1 c2 c3", prod: append(two[:2:2], at("2h", "c3", red)), rules: previous, now: "9h"},
			"rollback c1 from c3"},
		"the last one was not reported": {scenario{source: "c1 c2 c3", prod: []stage{at("0h", "c1", green), at("1h", "c2"),
			at("2h", "c3", red)}, rules: previous, now: "9h"}, "rollback c1 from c3"},
		"the last one was reverted": {scenario{source: "c1 c2 c3", prod: []stage{at("0h", "c1", green), at("1h", "c2", green),
			at("2h", "c1", green), at("3h", "c3", red)}, rules: previous, now: "9h"}, "rollback c1 from c3"},
		"nothing was verified": {scenario{source: "c1 c2", prod: []stage{at("0h", "c1"), at("1h", "c2", red)}, rules: previous, now: "9h"},
			"up_to_date c2"},
		"the first one": {scenario{source: "c1", prod: []stage{at("0h", "c1", red)}, rules: previous, now: "9h"}, "up_to_date c1"},
		"it went back already": {scenario{source: "c1 c2 c3", prod: []stage{at("0h", "c1", green), at("1h", "c2", green), at("2h", "c3", red),
			at("3h", "c2", red)}, rules: previous, now: "9h"}, "up_to_date c2; c3 reverted"},
		"it went back, and was written again": {scenario{source: "c1 c2 c3", prod: []stage{at("0h", "c1", green), at("1h", "c2", green),
			at("2h", "c3", red), at("3h", "c2", red), at("4h", "c2", red)}, rules: previous, now: "9h"}, "up_to_date c2; c3 reverted"},
		"it went back, and on": {scenario{source: "c1 c2 c3 c4", prod: []stage{at("0h", "c1", green), at("1h", "c2", green),
			at("2h", "c3", red), at("3h", "c2", green), at("4h", "c4", red)}, rules: previous, now: "9h"}, "rollback c2 from c4"},
		"after the rollback": {scenario{source: "c1 c2", dev: []stage{at("0h", "c2", green)}, prod: append(two[:2:2], at("2h", "c1", green)),
			rules: previous, now: "9h"}, "up_to_date c1; c2 reverted"},
		"the last one was green only with a later one": {scenario{source: "c0 c1 c2", prod: []stage{at("0h", "c0", green), at("30m", "c1"),
			at("1h", "c2", green), at("2h", "c2", red)}, rules: previous, now: "9h"}, "rollback c0 from c2"},
		"a failure from before the commit": {scenario{source: "c1 c2", prod: []stage{at("0h", "c1", green),
			at("8h50m", "c2", red.later(-100*time.Hour))}, rules: previous, now: "9h"}, "up_to_date c2"},
		"an instance got another name after it went back": {scenario{source: "c1 c2 c3", prod: []stage{at("0h", "x=c1", green),
			at("1h", "x=c2", green), at("2h", "x=c3", red), at("3h", "x=c2", red), at("4h", "x=c2 z=c2", red), at("5h", "z=c2", red)},
			rules: previous, now: "9h"}, "up_to_date c2; c3 reverted"},
		"without sources": {scenario{source: "c1 c2", prod: from("c1; green", "c2:a2,b5; red"), rules: previous, now: "48h"},
			"rollback c1:a2,b5 from c2"},
		"with a source less": {scenario{source: "c1 c2", prod: from("c1:a1; green", "c2:a2,b5; red"), rules: previous, now: "48h"},
			"rollback c1:a1,b5 from c2"},
		"with its sources": {scenario{source: "c1 c2", prod: []stage{at("0h", "c1:a1,b1", green), at("1h", "c2:a2,b1", red)}, rules: previous,
			now: "9h"}, "rollback c1:a1,b1 from c2"},
		"an earlier release of the same commit": {scenario{source: "c1", prod: []stage{at("0h", "c1:a1", green), at("1h", "c1:a2", red)},
			rules: previous, now: "9h"}, "rollback c1:a1"},
		"the first wave failed": {scenario{source: "c1 c2", prod: []stage{at("0h", "x=c1 y=c1", green), at("1h", "x=c2 y=c1", red)},
			rules: previous, now: "9h"}, "rollback c1 from c2"},
		"lost": {scenario{source: "c1 c2", prod: []stage{at("0h", "c1", green), at("1h", "x", red)}, rules: previous, now: "9h"}, "held x"},
	}.run(t)
}

// The environment stays if it is not known how long its release has failed.
func TestOnFailureWithoutTime(t *testing.T) {
	t.Parallel()
	w := scenario{source: "c1 c2", prod: []stage{at("0h", "c1", green), at("1h", "c2", red)}, rules: previous, now: "9h"}.world()
	reports := w.facts.Target.Reports
	w.facts.Target.Reports = func(commit string) ([]promotion.Report, error) {
		all, err := reports(commit)
		for i := range all {
			all[i].Time = time.Time{}
		}
		return all, err
	}
	if got := told(w.decide(t)); got != "up_to_date c2" {
		t.Errorf("got %s", got)
	}
}

// Everyone who writes reports can make them unreadable. Then the environment stays.
func TestOnFailureUnreadable(t *testing.T) {
	t.Parallel()
	w := scenario{source: "c1 c2", prod: []stage{at("0h", "c1", green), at("1h", "c2", red)}, rules: previous, now: "9h"}.world()
	w.facts.Target.Reports = func(string) ([]promotion.Report, error) { return nil, errors.New("there are too many reports") }
	r := w.decide(t)
	if got := told(r); got != "up_to_date c2" || !strings.Contains(r.Reason, "It is not known whether prod has to go back: the reports on "+
		"GitOps commit prod/c2 of prod cannot be read: there are too many reports. ") {
		t.Errorf("got %s: %s", got, r.Reason)
	}
}

func TestReasonsOnFailure(t *testing.T) {
	t.Parallel()
	closed := previous
	closed.Windows = []calendar.Window{on("sat", "00:00", "01:00", "UTC")}
	two := []stage{at("0h", "c1", green), at("1h", "c2", red)}
	failed := `c2 (Change c2) has failed in prod since 2026-03-02 09:05 UTC: flux reports "health check failed" (GitOps commit prod/c2). `
	for name, test := range map[string]struct {
		scenario
		want string
	}{
		"back": {scenario{source: "c1 c2", prod: two, now: "9h"}, failed + "prod goes back to c1 (Change c1), the last release that was " +
			"verified there. prod is at c2, the newest commit of the source."},
		"back to other sources": {scenario{source: "c1", prod: []stage{at("0h", "c1:a1", green), at("1h", "c1:a2", red)}, now: "9h"},
			`c1 (Change c1) has failed in prod since 2026-03-02 09:05 UTC: flux reports "health check failed" (GitOps commit prod/c1:a2). ` +
				"prod goes back to c1 (Change c1) with a at a1, the last release that was verified there. prod is at c1, the newest commit of the " +
				"source."},
		"soon": {scenario{source: "c1 c2", prod: two, now: "1h10m"}, failed + "If that lasts until 2026-03-02 09:20 UTC, prod goes back to " +
			"c1 (Change c1). prod is at c2, the newest commit of the source."},
		"nowhere": {scenario{source: "c2", prod: two[1:], now: "9h"}, failed + "No earlier release was verified in prod, so it does not go " +
			"back. prod is at c2, the newest commit of the source."},
		"once": {scenario{source: "c2 c3", prod: []stage{at("0h", "c2", green), at("1h", "c3", red), at("2h", "c2", red)}, now: "9h"},
			`c2 (Change c2) has failed in prod since 2026-03-02 10:05 UTC: flux reports "health check failed" (GitOps commit prod/c2'). prod ` +
				"went back to this release before, so the release may not be the cause, and prod does not go back further. To go back further, set " +
				"pin. prod is at c2, and nothing newer is verified. c3 (Change c3): reverted in prod, which went back to c2 with GitOps commit " +
				"prod/c2' on 2026-03-02. A new commit of the source ends this."},
		"before a window": {scenario{source: "c1 c2 c3", dev: []stage{at("0h", "c3", green)}, prod: two, rules: closed, now: "9h"},
			failed + "prod goes back to c1 (Change c1), the last release that was verified there. c3 (Change c3) is verified in dev, but no " +
				"window is open. The next one opens on Sat 2026-03-07 00:00 +00:00 (UTC)."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.rules.OnFailure = previous.OnFailure
			if diff := cmp.Diff(test.want, test.world().decide(t).Reason); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// An environment that follows its decisions goes back only from a release that is red to one that
// was green, never twice without something newer between, and never comes to a release again that
// it left.
func TestOnFailureFollowed(t *testing.T) {
	t.Parallel()
	rollbacks := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := scenario{rules: previous, prod: []stage{}}
		bad := map[string]bool{}
		left := map[string]bool{}
		before := promotion.Nothing
		for step := range 12 {
			if c := fmt.Sprintf("c%d", step); r.IntN(2) == 0 || step == 0 {
				s.source += c + " "
				bad[c] = r.IntN(2) == 0
			}
			s.now = fmt.Sprintf("%dh", step+1)
			was := s.world().decide(t)
			switch was.Decision {
			case promotion.Rollback:
				rollbacks++
				if !bad[was.Current] || bad[was.Commit] || before == promotion.Rollback {
					t.Fatalf("seed %d: %s after %s", seed, told(was), before)
				}
				left[was.Current] = true
			case promotion.Promote:
			default:
				if was.Commit != was.Current {
					t.Fatalf("seed %d: %s", seed, told(was))
				}
				continue
			}
			if left[was.Commit] {
				t.Fatalf("seed %d: %s was left before", seed, was.Commit)
			}
			before = was.Decision
			report := green
			if bad[was.Commit] {
				report = red
			}
			s.prod = append(s.prod, at(s.now, was.Commit, report))
		}
	}
	if rollbacks < 100 {
		t.Errorf("only %d rollbacks", rollbacks)
	}
}

func TestFailureRules(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rules
		want string
	}{
		"without checks":          {rules{OnFailure: &promotion.Fallback{}}, "There are no checks in target"},
		"with a candidate":        {rules{Candidate: "v1", OnFailure: &promotion.Fallback{Checks: oneGreen}}, "needs a source"},
		"negative":                {rules{OnFailure: &promotion.Fallback{Checks: oneGreen, Grace: -time.Minute}}, "-1m0s is negative"},
		"a check without context": {rules{OnFailure: &promotion.Fallback{Checks: []check{{}}}}, "It is empty. Write the context"},
		"a freeze without an end": {rules{Freezes: []calendar.Freeze{{From: "2026-12-18", Timezone: "UTC", Reason: "x"}}}, "is not a date"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := test.Check(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
