// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

func TestReasons(t *testing.T) {
	t.Parallel()
	both := []stage{at("0h", "c1", green), at("1h", "c2", green)}
	c1 := []stage{at("0h", "c1")}
	id := strings.Repeat("0123456789", 4)
	for name, test := range map[string]struct {
		scenario
		want string
	}{
		"promote": {scenario{source: "c1 c2 c3", dev: both, prod: c1},
			"c2 (Change c2) is verified in dev; prod is at c1. c3 (Change c3): not deployed in dev, which is at c2."},
		"promote the first": {scenario{source: "c1 c2", dev: both}, "c2 (Change c2) is verified in dev; prod carries nothing yet."},
		"promote without environments": {scenario{source: "c1 c2", prod: c1},
			"c2 (Change c2) is verified, since nothing is required of it; prod is at c1."},
		"promote after the source's checks": {scenario{source: "c1", rules: rules{SourceChecks: []check{{Context: "*"}}},
			checks: map[string][]said{"c1": {green}}},
			"c1 (Change c1) is verified by the checks of the source commit; prod carries nothing yet."},
		"up to date": {scenario{source: "c1 c2", dev: both, prod: both}, "prod is at c2, the newest commit of the source."},
		"failed": {scenario{source: "c1 c2", dev: []stage{at("0h", "c2", red)}, prod: c1},
			`prod is at c1, and nothing newer is verified. c2 (Change c2): failed in dev: flux reports "health check failed" (GitOps commit dev/c2).`},
		"failed in one of two suites": {scenario{source: "c1 c2", dev: []stage{at("0h", "c2", red.checks("actions/1"),
			green.checks("actions/2"))}, prod: c1},
			`prod is at c1, and nothing newer is verified. c2 (Change c2): failed in dev: flux (check suite actions/1) reports "health check failed" (GitOps commit dev/c2).`},
		"failed without words": {scenario{source: "c1 c2", dev: []stage{at("0h", "c2", says("flux", promotion.Failure))}, prod: c1},
			`prod is at c1, and nothing newer is verified. c2 (Change c2): failed in dev: flux reports a failure (GitOps commit dev/c2).`},
		"failed often": {scenario{source: "c2", rules: rules{After: gates{"dev": {Checks: []check{{Context: "k/*"}}}}},
			dev: []stage{at("0h", "c2",
				says("k/d", promotion.Failure), says("k/a", promotion.Failure).because("x"), says("k/c", promotion.Failure),
				says("k/b", promotion.Failure))}},
			`prod carries nothing yet, and nothing is verified. c2 (Change c2): failed in dev: k/a reports "x", k/b reports a failure, k/c reports a failure and 1 more (GitOps commit dev/c2).`},
		"failed with the next one": {scenario{source: "c1 c2 c3", dev: []stage{at("0h", "c2"), at("1h", "c3", red)}, prod: c1},
			`prod is at c1, and nothing newer is verified. c3 (Change c3): failed in dev: flux reports "health check failed" (GitOps commit dev/c3). c2 (Change c2): failed in dev: flux reports "health check failed" (GitOps commit dev/c3, which took its place before it had enough reports).`},
		"failed at the source": {scenario{source: "c1 c2", prod: c1, rules: rules{SourceChecks: []check{{Context: "ci"}}},
			checks: map[string][]said{"c2": {says("ci", promotion.Failure).because("2 tests\x1b[31m\nfailed")}}},
			`prod is at c1, and nothing newer is verified. c2 (Change c2): failed on the source commit itself: ci reports "2 tests [31m failed".`},
		"waiting at the source": {scenario{source: "c1 c2", prod: c1, rules: rules{SourceChecks: []check{{Context: "ci"}}}},
			`prod is at c1, and nothing newer is verified. c2 (Change c2): waiting for the source commit itself: no report of "ci" yet.`},
		"waiting": {scenario{source: "c1 c2", rules: rules{After: gates{"dev": {Checks: []check{{Context: "k/*", AtLeast: 3}, {Context: "e2e"},
			{Context: "load", Creators: []string{"bot"}}, {Context: "k/c"}}}}}, prod: c1,
			dev: []stage{at("0h", "c2", says("k/a", promotion.Success), says("k/b", promotion.Success), says("load", promotion.Success).by("eve"))}},
			`prod is at c1, and nothing newer is verified. c2 (Change c2): waiting for dev: 2 of 3 contexts of "k/*" green; no report of "e2e" yet, only of k/a, k/b, load; of "load" only reports of eve, which creators does not name; no report of "k/c" yet, only of k/a, k/b, load (GitOps commit dev/c2).`},
		"waiting for more than strangers": {scenario{source: "c1", rules: rules{After: gates{"dev": {Checks: []check{{Context: "k/*", AtLeast: 2,
			Creators: []string{"flux"}}}}}},
			dev: []stage{at("0h", "c1", says("k/a", promotion.Success).by("flux"), says("k/b", promotion.Success).by("eve"))}},
			`prod carries nothing yet, and nothing is verified. c1 (Change c1): waiting for dev: 1 of 2 contexts of "k/*" green, without those of eve, which creators does not name (GitOps commit dev/c1).`},
		"waiting for what runs": {scenario{source: "c1", dev: []stage{at("0h", "c1", pending)}},
			`prod carries nothing yet, and nothing is verified. c1 (Change c1): waiting for dev: flux not yet green (GitOps commit dev/c1).`},
		"waiting in part": {scenario{source: "c1 c2", dev: []stage{at("0h", "a=c1 b=c1"), at("1h", "a=c2 b=c1", green)}, prod: c1},
			`prod is at c1, and nothing newer is verified. c2 (Change c2): waiting for dev, which carries it only in part: c1, c2.`},
		"waiting for what left": {scenario{source: "c1 c2", dev: []stage{at("0h", "c2", green), at("1h", "x")}, prod: c1},
			`prod is at c1, and nothing newer is verified. c2 (Change c2): waiting for dev: it is at x, not all of which is in the history of the source that was read, so nobody knows whether it went back.`},
		"dated before the one before it": {scenario{rules: rules{Candidate: "v2", After: gates{"dev": {Checks: []check{}, Soak: time.Hour}}},
			dev: []stage{at("5h", "v1"), at("1h", "v2")}, now: "9h"},
			"prod carries nothing yet, and nothing is verified. v2: waiting for dev: GitOps commit dev/v2 says that it is older than the commit " +
				"before it, so nobody knows since when it is there. It counts from the next commit of the branch on."},
		"back without a report": {scenario{rules: rules{Candidate: "v1", After: gates{"dev": soaking}},
			dev: []stage{at("0h", "v1", green), at("1h", "v2"), at("2h", "v1")}, now: "9h"},
			"prod carries nothing yet, and nothing is verified. v1: waiting for dev: it was left before it had soaked for 2h, and nothing is " +
				"reported of it since it came back."},
		"left too early": {scenario{rules: rules{Candidate: "v2", After: gates{"dev": {Soak: 90 * time.Minute}}},
			dev: []stage{at("0h", "v2", green), at("1h", "v3")}, now: "9h"},
			`prod carries nothing yet, and nothing is verified. v2: waiting for dev: it was left for v3 before it had soaked for 1h30m.`},
		"soaking": {scenario{source: "c1", dev: []stage{at("0h", "c1", green.later(time.Second))}, rules: rules{After: gates{"dev": soaking}}},
			`prod carries nothing yet, and nothing is verified. c1 (Change c1): soaking in dev until 2026-03-02 10:06 UTC.`},
		"reverted": {scenario{source: "c1 c2", dev: []stage{at("0h", "c1", green), at("1h", "c2", green), at("25h", "c1")}, prod: c1},
			`prod is at c1, and nothing newer is verified. c2 (Change c2): reverted in dev, which went back to c1 with GitOps commit dev/c1' on 2026-03-03. A new commit of the source ends this.`},
		"skipped": {scenario{source: "c1 c2 c3", dev: []stage{at("0h", "c1"), at("1h", "c3")}, prod: c1},
			`prod is at c1, and nothing newer is verified. c3 (Change c3): waiting for dev: no report of "flux" yet (GitOps commit dev/c3). c2 (Change c2): not deployed in dev, which went past it and is at c3.`},
		"dev carries nothing": {scenario{source: "c1", dev: []stage{}},
			"prod carries nothing yet, and nothing is verified. c1 (Change c1): not deployed in dev, which carries nothing yet."},
		"of many neither": {scenario{source: "c1 c2 c3", dev: []stage{}},
			"prod carries nothing yet, and nothing is verified. c3 (Change c3): not deployed in dev, which carries nothing yet."},
		"many": {scenario{source: "c1 c2 c3 c4 c5 c6", dev: c1, prod: c1},
			"prod is at c1, and nothing newer is verified. c6 (Change c6); c5 (Change c5) and 3 more: not deployed in dev, which " +
				"is at c1."},
		"many in many states": {scenario{source: "c1 c2 c3 c4 c5 c6 c7", dev: []stage{at("0h", "c1"), at("1h", "c2", red),
			at("2h", "c4", pending), at("3h", "c6", red)}, prod: c1},
			`prod is at c1, and nothing newer is verified. c7 (Change c7): not deployed in dev, which is at c6. c6 (Change c6): failed in dev: flux reports "health check failed" (GitOps commit dev/c6). c5 (Change c5): not deployed in dev, which went past it and is at c6. And 3 more.`},
		"older than dev": {scenario{source: "c1 c2 c3 c4 c5 c6", dev: []stage{at("0h", "c4"), at("1h", "c5", red)}},
			`prod carries nothing yet, and nothing is verified. c6 (Change c6): not deployed in dev, which is at c5. c5 (Change c5): failed in dev: flux reports "health check failed" (GitOps commit dev/c5). c4 (Change c4): failed in dev: flux reports "health check failed" (GitOps commit dev/c5, which took its place before it had enough reports). And 1 more.`},
		"no source":    {scenario{dev: both}, "The source has no commits yet."},
		"hold":         {scenario{source: "c1 c2", dev: both, prod: c1, rules: rules{Hold: true}}, "hold = true: prod stays at c1."},
		"hold nothing": {scenario{source: "c1 c2", dev: both, rules: rules{Hold: true}}, "hold = true: prod stays without a commit."},
		"pin":          {scenario{source: "c1 c2", prod: c1, rules: rules{Pin: "c2"}}, "pin names c2."},
		"pin where it is": {scenario{source: "c1 c2", prod: c1, rules: rules{Pin: "c1"}}, "pin names c1, which prod is at. Nothing newer is " +
			"chosen until it is removed."},
		"pin back": {scenario{source: "c1 c2", prod: both, rules: rules{Pin: "c1"}}, "pin names c1. That is an older commit: prod is at c2."},
		"pin elsewhere": {scenario{source: "c1 c2", prod: both, rules: rules{Pin: id}}, "pin names 0123456. It is not among the 2 commits of " +
			"the source's history that were read."},
		"pin an id": {scenario{rules: rules{Pin: "v1", Candidate: "v2"}, prod: c1}, "pin names v1."},
		"a force push": {scenario{source: "c1 c2", prod: []stage{at("0h", id)}},
			"prod is at 0123456, which is not among the 2 commits of the source's history that were read: a force push took it out, it came from " +
				"another branch, or it is further back. Nothing is chosen. Set pin to the commit that prod should be at."},
		"the candidate": {scenario{rules: rules{Candidate: "v2"}, prod: []stage{at("0h", "v2")}}, "prod is at v2, the candidate."},
		"what it had once": {scenario{rules: rules{Candidate: "v2"}, prod: []stage{at("0h", "v2"), at("1h", "v3")}},
			"prod is at v3, and nothing newer is verified. v2: reverted in prod, which had it before it came to v3; to go back to it, pin it, or " +
				"give the old content a new id."},
		"a window": {scenario{source: "c1 c2 c3", dev: both, prod: c1, now: "2h",
			rules: rules{Windows: []calendar.Window{{Days: []string{"sun"}, From: "09:00", To: "10:00", Timezone: "Europe/Berlin"}}}},
			"c2 (Change c2) is verified in dev, but no window is open. The next one opens on Sun 2026-03-08 09:00 +01:00 (Europe/Berlin); until " +
				"then prod stays at c1. c3 (Change c3): not deployed in dev, which is at c2."},
		"a freeze, also within a window": {scenario{source: "c1 c2 c3", dev: both, prod: c1, now: "2h", rules: rules{
			Windows: []calendar.Window{on("mon", "00:00", "24:00", "UTC")},
			Freezes: []calendar.Freeze{{From: "2026-03-01", To: "2026-03-03", Timezone: "Europe/Berlin", Reason: "audit"}}}},
			`c2 (Change c2) is verified in dev, but the freeze "audit" is in force until Wed 2026-03-04 00:00 +01:00 (Europe/Berlin); until ` +
				"then prod stays at c1. c3 (Change c3): not deployed in dev, which is at c2."},
		"a freeze of the first environment": {scenario{source: "c1", prod: from("c1:a1"), rules: rules{
			Freezes: []calendar.Freeze{{From: "2026-03-01", To: "2026-03-03", Timezone: "Europe/Berlin", Reason: "audit"}}}},
			`prod is at c1. Its applications stay at their commits, because the freeze "audit" is in force until Wed 2026-03-04 00:00 +01:00 ` +
				"(Europe/Berlin)."},
		"before a freeze": {scenario{source: "c1 c2", dev: both, prod: c1, now: "2h", rules: rules{
			Freezes: []calendar.Freeze{{From: "2026-03-03", To: "2026-03-04", Timezone: "UTC", Reason: "audit"}}}},
			"c2 (Change c2) is verified in dev; prod is at c1."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := test.world().decide(t)
			if diff := cmp.Diff(test.want, r.Reason); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Reasons name the sources that have moved, where a commit alone does not show the release.
func TestReasonsNameSources(t *testing.T) {
	t.Parallel()
	both := from("c1:a1; green", "c1:a2; green")
	for name, test := range map[string]struct {
		scenario
		want string
	}{
		"promote": {scenario{source: "c1", dev: both, prod: from("c1:a1")},
			"c1 (Change c1) with a at a2 is verified in dev; prod is at c1 with a at a1."},
		"the first": {scenario{source: "c1", dev: from("c1:a1; green")}, "c1 (Change c1) is verified in dev; prod carries nothing yet."},
		"several, for the first": {scenario{source: "c1", dev: from("c1:a1,b1; green", "c1:a1,b2; red", "c1:a2,b2; red")},
			`c1 (Change c1) with b at b1 is verified in dev; prod carries nothing yet. c1 (Change c1) with a at a2: failed in dev: flux reports "health check failed" (GitOps commit dev/c1:a2,b2). c1 (Change c1) with b at b2: failed in dev: flux reports "health check failed" (GitOps commit dev/c1:a1,b2).`},
		"up to date": {scenario{source: "c1", dev: both, prod: from("c1:a2")}, "prod is at c1, the newest commit of the source."},
		"reverted": {scenario{source: "c1", dev: from("c1:a1; green", "c1:a2; green", "c1:a1; green"), prod: from("c1:a1")},
			`prod is at c1, and nothing newer is verified. c1 (Change c1) with a at a2: reverted in dev, which went back to an earlier release of c1 with GitOps commit dev/c1:a1' on 2026-03-02. A new commit of the source or of an application ends this.`},
		"not deployed": {scenario{source: "c1", dev: both, qa: from("c1:a1; green"), prod: from("c1:a1")},
			"prod is at c1, and nothing newer is verified. c1 (Change c1) with a at a2: not deployed in qa, which is at c1 with a at a1."},
		"reverted in prod": {scenario{source: "c1", dev: both, prod: from("c1:a1", "c1:a2", "c1:a1")},
			`prod is at c1, and nothing newer is verified. c1 (Change c1) with a at a2: reverted in prod, which went back to an earlier release of c1 with GitOps commit prod/c1:a1' on 2026-03-02. A new commit of the source or of an application ends this.`},
		"reverted in prod, from a newer commit": {scenario{source: "c1 c2", dev: from("c1:a1; green", "c1:a2; green", "c2:a3; green"),
			prod: from("c1:a1", "c2:a3", "c1:a1")},
			`prod is at c1, and nothing newer is verified. c2 (Change c2): reverted in prod, which went back to c1 with GitOps commit prod/c1:a1' on 2026-03-02. A new commit of the source ends this. c1 (Change c1) with a at a2: reverted in prod, which went back to c1 from a newer commit with GitOps commit prod/c1:a1' on 2026-03-02. A new commit of the source ends this.`},
		"several in one state": {scenario{source: "c1", dev: from("c1:a1,b1; green", "c1:a2,b2", "c1:a3,b3"), qa: from("c1:a1,b1; green"),
			prod: from("c1:a1,b1")},
			"prod is at c1, and nothing newer is verified. c1 (Change c1) with a at a3, b at b3; c1 (Change c1) with a at a2, b at b2: not " +
				"deployed in qa, which is at c1 with a at a1, b at b1."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.now = "48h"
			if diff := cmp.Diff(test.want, test.world().decide(t).Reason); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Reasons name a source by the last part of its repository, if no other source has the same name.
func TestReasonsShortenSources(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]string{
		"https://git.example/fleet/pay.git#main":                        "pay#main at 2222222",
		"git@git.example:pay#main":                                      "pay#main at 2222222",
		"https://git.example/pay/":                                      "pay at 2222222",
		"https://git.example/a/pay#main https://git.example/b/pay#next": "pay#main at 2222222, pay#next at 2222222",
		"https://git.example/a/pay#main https://git.example/b/pay.git#main": "https://git.example/a/pay#main at 2222222, " +
			"https://git.example/b/pay.git#main at 2222222",
	} {
		var stages []promotion.GitOpsCommit
		for _, digit := range "21" {
			sources := promotion.Sources{}
			for _, name := range strings.Fields(names) {
				sources[name] = strings.Repeat(string(digit), 40)
			}
			stages = append(stages, promotion.GitOpsCommit{ID: string(digit), Carried: map[string]promotion.Release{
				"x": {Commit: "c1", Sources: sources}}})
		}
		history := func(from int) promotion.History {
			return func(i int) (promotion.GitOpsCommit, bool, error) {
				if i += from; i < len(stages) {
					return stages[i], true, nil
				}
				return promotion.GitOpsCommit{}, false, nil
			}
		}
		w := scenario{source: "c1", rules: rules{After: gates{"dev": {Checks: []check{}}}}}.world()
		w.facts.Target.History, w.facts.After = history(1), map[string]promotion.Branch{"dev": {History: history(0)}}
		got := w.decide(t).Reason
		if !strings.HasPrefix(got, "c1 (Change c1) with "+want+" is verified in dev; ") {
			t.Errorf("%s: got %s", names, got)
		}
	}
}

// A candidate comes with the facts by which a person knows it.
func TestCandidatesAreTold(t *testing.T) {
	t.Parallel()
	r := scenario{source: "c1 c2", dev: []stage{at("0h", "c1", green), at("1h", "c2", green)}, rules: rules{After: gates{"dev": soaking}},
		now: "2h10m"}.world().decide(t)
	want := []promotion.Candidate{
		{Commit: "c2", Subject: "Change c2", Author: "ann", Time: start.Add(-99 * time.Minute), State: promotion.Soaking,
			Reason: "Soaking in dev until 2026-03-02 11:05 UTC.", Until: start.Add(3*time.Hour + 5*time.Minute)},
		{Commit: "c1", Subject: "Change c1", Author: "ann", Time: start.Add(-100 * time.Minute), State: promotion.Verified,
			Reason: "Verified in dev."},
	}
	if diff := cmp.Diff(want, r.Candidates); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Foreign texts are one line, and not a long one.
func TestWordsOfOthers(t *testing.T) {
	t.Parallel()
	w := scenario{source: "c1", dev: []stage{at("0h", "c1", says("flux", promotion.Failure).because(strings.Repeat("ü", 1000)))}}.world()
	c1 := commits("c1")
	c1[0].Subject = "one\ntwo\u202e\xff"
	w.facts.Source = w.source(c1)
	reason := w.decide(t).Reason
	if !strings.Contains(reason, "c1 (one two ?)") || !strings.Contains(reason, strings.Repeat("ü", 99)+"…") {
		t.Errorf("got %q", reason)
	}
}
