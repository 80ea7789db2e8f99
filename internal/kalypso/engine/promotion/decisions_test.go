// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

type (
	gate  = promotion.Gate
	gates = map[string]promotion.Gate
	check = promotion.Check
	rules = promotion.Rules
)

// three is a check that takes three clusters.
var three = gate{Checks: []check{{Context: "kustomization/*", AtLeast: 3}}}

func cluster(name string) said { return says("kustomization/"+name, promotion.Success) }

// soaking is a gate of two hours.
var soaking = gate{Soak: 2 * time.Hour}

// decided are scenarios with their decisions.
type decided map[string]struct {
	scenario
	want string
}

func (tests decided) run(t *testing.T) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := test.world().decide(t)
			if got := told(r); got != test.want {
				t.Errorf("got  %s\nwant %s\nreason: %s", got, test.want, r.Reason)
			}
		})
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	both := []stage{at("0h", "c1", green), at("1h", "c2", green)}
	decided{
		"promote": {scenario{source: "c1 c2", dev: both, prod: []stage{at("0h", "c1")}, now: "2h"},
			"promote c2 from c1; c2 verified"},
		"the first one": {scenario{source: "c1 c2", dev: both, now: "2h"}, "promote c2 from -; c2 verified"},
		"the newest verified one": {scenario{source: "c1 c2 c3", dev: both, prod: []stage{at("0h", "c1")}, now: "2h"},
			"promote c2 from c1; c3 not_deployed; c2 verified"},
		"one that is not the newest": {scenario{source: "c1 c2 c3", dev: append(both, at("2h", "c3", red)), now: "3h"},
			"promote c2 from -; c3 failed; c2 verified"},
		"at the newest": {scenario{source: "c1 c2", dev: both, prod: []stage{at("0h", "c2")}, now: "2h"}, "up_to_date c2"},
		"nothing newer verified": {scenario{source: "c1 c2 c3", dev: both, prod: []stage{at("0h", "c2")}, now: "2h"},
			"up_to_date c2; c3 not_deployed"},
		"what is older does not matter": {scenario{source: "c1 c2 c3", dev: []stage{at("0h", "c1", green)}, prod: []stage{at("0h", "c3")},
			now: "2h"}, "up_to_date c3"},
		"nothing verified": {scenario{source: "c1 c2", dev: []stage{at("0h", "c1", red), at("1h", "c2")}, now: "2h"},
			"nothing -; c2 waiting; c1 failed"},
		"nothing anywhere": {scenario{source: "c1", dev: []stage{}, now: "2h"}, "nothing -; c1 not_deployed"},
		"no source":        {scenario{dev: []stage{}, now: "2h"}, "nothing -"},
		"hold": {scenario{source: "c1 c2", dev: both, prod: []stage{at("0h", "c1")}, rules: rules{Hold: true}},
			"held c1"},
		"hold nothing": {scenario{source: "c1 c2", dev: both, rules: rules{Hold: true}}, "held -"},
		"pin forward": {scenario{source: "c1 c2 c3", dev: both, prod: []stage{at("0h", "c1")}, rules: rules{Pin: "c3"}},
			"pinned c3 from c1"},
		"pin back": {scenario{source: "c1 c2 c3", dev: both, prod: []stage{at("0h", "c3")}, rules: rules{Pin: "c1"}},
			"pinned c1 from c3"},
		"pin elsewhere": {scenario{source: "c1 c2 c3", dev: both, prod: []stage{at("0h", "c3")}, rules: rules{Pin: "x"}},
			"pinned x from c3"},
		"pin before hold": {scenario{source: "c1 c2", dev: both, prod: []stage{at("0h", "c2")},
			rules: rules{Pin: "c1", Hold: true}}, "pinned c1 from c2"},
		"pin the first":         {scenario{source: "c1 c2", rules: rules{Pin: "c1"}}, "pinned c1 from -"},
		"no environment before": {scenario{source: "c1 c2", prod: []stage{at("0h", "c1")}}, "promote c2 from c1; c2 verified"},
		"a force push": {scenario{source: "c1 c3", dev: []stage{at("0h", "c3", green)}, prod: []stage{at("0h", "c2")},
			now: "2h"}, "held c2"},
		"a force push of everything": {scenario{source: "", dev: []stage{at("0h", "c3", green)}, prod: []stage{at("0h", "c2")}, now: "2h"},
			"held c2"},
	}.run(t)
}

func TestChecks(t *testing.T) {
	t.Parallel()
	with := func(g gate, said ...said) scenario {
		return scenario{source: "c1", dev: []stage{at("0h", "c1", said...)}, rules: rules{After: gates{"dev": g}}, now: "12h"}
	}
	e2e := gate{Checks: []check{{Context: "flux"}, {Context: "e2e/*"}}}
	trusted := gate{Checks: []check{{Context: "flux", Creators: []string{"Bot", "flux[bot]"}}}}
	const verified, waiting, failed = "promote c1 from -; c1 verified", "nothing -; c1 waiting", "nothing -; c1 failed"
	late := 10 * time.Minute
	decided{
		"no reports is not success":       {with(gate{}), waiting},
		"only others":                     {with(gate{}, says("ci", promotion.Success)), waiting},
		"pending":                         {with(gate{}, pending), waiting},
		"unknown":                         {with(gate{}, says("flux", "skipped")), waiting},
		"failed":                          {with(gate{}, red), failed},
		"green at last":                   {with(gate{}, red, green.later(late)), verified},
		"failed at last":                  {with(gate{}, red.later(late), green), failed},
		"pending again":                   {with(gate{}, green, pending.later(late)), waiting},
		"a failure stays while it is run": {with(gate{}, red, pending.later(late)), failed},
		"run again":                       {with(gate{}, red, pending.later(late), green.later(2*late)), verified},
		"at once, a failure wins":         {with(gate{}, red, green), failed},
		"two of three":                    {with(three, cluster("a"), cluster("b"), cluster("b").later(late)), waiting},
		"three of three":                  {with(three, cluster("a"), cluster("b"), cluster("c/1234abcd")), verified},
		"one more fails": {with(three, cluster("a"), cluster("b"), cluster("c"), says("kustomization/d", promotion.Failure)),
			failed},
		"one more is pending": {with(three, cluster("a"), cluster("b"), cluster("c"), says("kustomization/d", promotion.Pending)),
			waiting},
		"one of two checks":               {with(e2e, green), waiting},
		"both checks":                     {with(e2e, green, says("e2e/smoke", promotion.Success)), verified},
		"one of two checks failed":        {with(e2e, green, says("e2e/smoke", promotion.Failure)), failed},
		"what fails need not be required": {with(gate{}, green, says("e2e/smoke", promotion.Failure)), verified},
		"posted by somebody":              {with(trusted, green.by("eve")), waiting},
		"posted by who may":               {with(trusted, green.by("bot")), verified},
		"somebody cannot wash":            {with(trusted, red.by("bot"), green.by("eve").later(late)), failed},
		"a check run of the same name":    {with(gate{}, green, red.checks("1")), failed},
		"both of one name":                {with(gate{}, green, green.checks("1").later(late)), verified},
		"of two suites one":               {with(gate{}, red.checks("1"), green.checks("2").later(late)), failed},
		"of two suites both":              {with(gate{}, red.checks("1"), green.checks("2"), green.checks("1").later(late)), verified},
		"both of one name are one":        {with(gate{Checks: []check{{Context: "flux", AtLeast: 2}}}, green, green.checks("1")), waiting},
		"somebody cannot stop":            {with(trusted, green.by("bot"), red.by("eve").later(late)), verified},
	}.run(t)
}

// If several reports came at one time, the forge's number shows which is the last.
func TestReportsOfOneTime(t *testing.T) {
	t.Parallel()
	w := scenario{source: "c1", dev: []stage{at("0h", "c1")}, now: "1h"}.world()
	branch := w.facts.After["dev"]
	branch.Reports = func(string) ([]promotion.Report, error) {
		return []promotion.Report{{Context: "flux", Outcome: promotion.Success, Number: 2},
			{Context: "flux", Outcome: promotion.Failure, Number: 1}}, nil
	}
	w.facts.After["dev"] = branch
	if got, want := told(w.decide(t)), "promote c1 from -; c1 verified"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOvertaken(t *testing.T) {
	t.Parallel()
	three := rules{After: gates{"dev": three}}
	all := []said{cluster("a"), cluster("b"), cluster("c")}
	// c4 fails the checks of the source, so that it shows what becomes of those before it.
	after := func(stages ...stage) scenario {
		return scenario{source: "c1 c2 c3 c4", dev: stages, prod: []stage{at("0h", "c1")}, now: "9h",
			rules: rules{SourceChecks: []check{{Context: "ci"}}},
			checks: map[string][]said{
				"c2": {says("ci", promotion.Success)}, "c3": {says("ci", promotion.Success)}, "c4": {says("ci", promotion.Failure)}}}
	}
	decided{
		"covered": {after(at("1h", "c3"), at("2h", "c4", green)), "promote c3 from c1; c4 failed; c3 verified"},
		"covered by the next with reports": {after(at("1h", "c2"), at("2h", "c3"), at("3h", "c4", green)), "promote c3 from c1; c4 failed; c3 " +
			"verified"},
		"covered by the failure of the next": {after(at("1h", "c2"), at("2h", "c3", red), at("3h", "c4", green)),
			"up_to_date c1; c4 failed; c3 failed; c2 failed"},
		"failed, and not washed": {after(at("1h", "c3", red), at("2h", "c4", green)), "up_to_date c1; c4 failed; c3 failed; c2 " +
			"not_deployed"},
		"failed, then itself again": {after(at("1h", "c3", red), at("2h", "c3", green)), "promote c3 from c1; c4 not_deployed; c3 " +
			"verified"},
		"failed, then itself again, silent": {after(at("1h", "c3", red), at("2h", "c3")), "up_to_date c1; c4 not_deployed; c3 failed; c2 " +
			"not_deployed"},
		"green, then itself again, failed": {after(at("1h", "c3", green), at("2h", "c3", red)), "up_to_date c1; c4 not_deployed; c3 failed; " +
			"c2 not_deployed"},
		"green, then itself again, silent": {after(at("1h", "c3", green), at("2h", "c3")), "promote c3 from c1; c4 not_deployed; c3 verified"},
		"green, then the next one failed":  {after(at("1h", "c3", green), at("2h", "c4", red)), "promote c3 from c1; c4 failed; c3 verified"},
		"skipped": {after(at("1h", "c2"), at("2h", "c4", green)), "promote c2 from c1; c4 failed; c3 not_deployed; " +
			"c2 verified"},
		"not covered by what came before": {after(at("1h", "c2", green), at("2h", "c3")), "promote c2 from c1; c4 not_deployed; c3 waiting; " +
			"c2 verified"},
		"not covered by what is unknown": {after(at("1h", "c3"), at("2h", "x", green), at("3h", "c4")), "up_to_date c1; c4 failed; c3 " +
			"waiting; c2 not_deployed"},
		"too few reports, covered": {scenario{source: "c1 c2 c3", rules: three, now: "9h", prod: []stage{at("0h", "c1")}, dev: []stage{
			at("1h", "c2", cluster("a"), cluster("b")), at("2h", "c3", all...)}}, "promote c3 from c1; c3 verified"},
	}.run(t)
}

func TestReverted(t *testing.T) {
	t.Parallel()
	dev := func(stages ...stage) scenario {
		return scenario{source: "c1 c2 c3 c4", dev: stages, now: "9h"}
	}
	prod := func(stages ...stage) scenario {
		return scenario{source: "c1 c2 c3 c4", prod: stages, now: "9h",
			dev: []stage{at("0h", "c1", green), at("10m", "c2", green), at("20m", "c3", green), at("30m", "c4", green)}}
	}
	decided{
		"in dev": {dev(at("0h", "c2", green), at("1h", "c3", green), at("2h", "c2", green)), "promote c2 from -; c4 " +
			"not_deployed; c3 reverted; c2 verified"},
		"in dev, and back": {dev(at("0h", "c2", green), at("1h", "c3", green), at("2h", "c2", green), at("3h", "c3", green)),
			"promote c2 from -; c4 not_deployed; c3 reverted; c2 verified"},
		"in dev, then forward": {dev(at("0h", "c2", green), at("1h", "c3", green), at("2h", "c2"), at("3h", "c4", green)),
			"promote c4 from -; c4 verified"},
		"in dev, behind what was left": {dev(at("0h", "c2", green), at("1h", "c3", green), at("2h", "c4", green), at("3h", "c1", green)),
			"promote c1 from -; c4 reverted; c3 reverted; c2 reverted; c1 verified"},
		"in prod":                  {prod(at("1h", "c3"), at("2h", "c4"), at("3h", "c2")), "up_to_date c2; c4 reverted; c3 reverted"},
		"in prod, skipped there":   {prod(at("1h", "c2"), at("2h", "c4"), at("3h", "c2")), "up_to_date c2; c4 reverted; c3 reverted"},
		"in prod, then pinned":     {prod(at("1h", "c2"), at("2h", "c4"), at("3h", "c2"), at("4h", "c3")), "up_to_date c3; c4 reverted"},
		"in prod, something newer": {prod(at("1h", "c2"), at("2h", "c3"), at("3h", "c2")), "promote c4 from c2; c4 verified"},
		"to what is not read any more": {dev(at("0h", "old", green), at("1h", "c3", green), at("2h", "old", green), at("3h", "c4")),
			"nothing -; c4 waiting; c3 reverted; c2 not_deployed"},
		"to what is unknown": {dev(at("0h", "c2", green), at("1h", "c3", green), at("2h", "x", green)), "nothing -; c4 not_deployed; " +
			"c3 waiting; c2 waiting; c1 not_deployed"},
		"unknown, and back": {dev(at("0h", "c2", green), at("1h", "c3", green), at("2h", "x", red), at("3h", "c3")),
			"promote c3 from -; c4 not_deployed; c3 verified"},
		"unknown, then back behind": {dev(at("0h", "c2", green), at("1h", "c3", green), at("2h", "x", red), at("3h", "c2")),
			"promote c2 from -; c4 not_deployed; c3 reverted; c2 verified"},
	}.run(t)
}

// A merge is on the line; what it merged is not, but is known to be before it.
func TestMerges(t *testing.T) {
	t.Parallel()
	merged := func(dev, prod []stage) scenario {
		return scenario{source: "c1 c2 c3<x c4 c5<y,z", dev: dev, prod: prod, now: "9h"}
	}
	some := []stage{at("0h", "c2", green), at("1h", "c3", green)}
	decided{
		"a merge is a candidate": {merged(some, nil), "promote c3 from -; c5 not_deployed; c4 not_deployed; c3 verified"},
		"a merge descends from its head": {merged(some, []stage{at("1h", "x")}), "promote c3 from x; c5 not_deployed; c4 " +
			"not_deployed; c3 verified"},
		"its first parent does not": {merged([]stage{at("0h", "c2", green)}, []stage{at("1h", "x")}),
			"up_to_date x; c5 not_deployed; c4 not_deployed; c3 not_deployed"},
		"a head carries no candidate": {merged([]stage{at("0h", "x", green)}, nil), "nothing -; c5 not_deployed; c4 " +
			"not_deployed; c3 not_deployed; c2 not_deployed"},
		"a head does not cover": {merged([]stage{at("0h", "c2"), at("1h", "x", green)}, nil), "nothing -; c5 not_deployed; " +
			"c4 not_deployed; c3 not_deployed; c2 waiting; c1 not_deployed"},
		"a head does not revert what it was made of": {merged([]stage{at("0h", "c2", green), at("1h", "x", red)}, nil),
			"promote c2 from -; c5 not_deployed; c4 not_deployed; c3 not_deployed; c2 verified"},
		"back to a head": {merged(append(some, at("2h", "x", green)), nil), "promote c2 from -; c5 not_deployed; c4 " +
			"not_deployed; c3 reverted; c2 verified"},
		"any head of an octopus": {merged(nil, []stage{at("1h", "z")}), "promote c5 from z; c5 verified"},
		"a head that was merged twice": {scenario{source: "c1 c2<x c3 c4<x", dev: some, prod: []stage{at("1h", "x")}, now: "9h"},
			"promote c3 from x; c4 not_deployed; c3 verified"},
		"a squash is a commit like any other": {scenario{source: "c1 c2 c3", dev: []stage{at("0h", "head-of-c2", green), at("1h", "c2", green)},
			now: "9h"},
			"promote c2 from -; c3 not_deployed; c2 verified"},
	}.run(t)
}

// A commit that changes nothing of the promoted content is not a candidate, and counts as
// the candidate before it.
func TestSameAsBefore(t *testing.T) {
	t.Parallel()
	in := func(dev, prod []stage) scenario {
		return scenario{source: "c0= c1 c2= c3=<x c4 c5=", dev: dev, prod: prod, now: "9h"}
	}
	decided{
		"deployed as the one before": {in([]stage{at("0h", "c3", green)}, nil), "promote c1 from -; c4 not_deployed; c1 verified"},
		"at the one before":          {in([]stage{at("0h", "c1", green)}, []stage{at("0h", "c3")}), "up_to_date c3; c4 not_deployed"},
		"on from what is the same":   {in([]stage{at("0h", "c5", green)}, []stage{at("0h", "c2")}), "promote c4 from c2; c4 verified"},
		"no way back": {in([]stage{at("0h", "c3", green), at("1h", "c1", green)}, nil), "promote c1 from -; c4 not_deployed; c1 " +
			"verified"},
		"back": {in([]stage{at("0h", "c5", green), at("1h", "c2", green)}, nil), "promote c1 from -; c4 reverted; c1 " +
			"verified"},
		"a head that it merged": {in(nil, []stage{at("0h", "x")}), "promote c4 from x; c4 verified"},
		"before there was anything": {in([]stage{at("0h", "c0", green)}, []stage{at("0h", "c0")}), "up_to_date c0; c4 not_deployed; c1 " +
			"not_deployed"},
		"pinned": {scenario{source: "c1 c2= c3", prod: []stage{at("0h", "c3")}, rules: rules{Pin: "c2"}},
			"pinned c2 from c3"},
	}.run(t)
}

// If no checks are required, a candidate that is there is verified once it has soaked.
func TestWithoutChecks(t *testing.T) {
	t.Parallel()
	free, soak := gates{"dev": {Checks: []check{}}}, gates{"dev": {Checks: []check{}, Soak: 2 * time.Hour}}
	dev := []stage{at("0h", "c1"), at("1h", "c2", red)}
	decided{
		"there": {scenario{source: "c1 c2 c3", dev: dev, rules: rules{After: free}},
			"promote c2 from -; c3 not_deployed; c2 verified"},
		"soaking": {scenario{source: "c1 c2 c3", dev: dev, rules: rules{After: soak}, now: "1h30m"}, "nothing -; c3 not_deployed; c2 " +
			"soaking 3h0m; c1 soaking 2h0m"},
		"soaked": {scenario{source: "c1 c2 c3", dev: dev, rules: rules{After: soak}, now: "3h"}, "promote c2 from -; c3 not_deployed; " +
			"c2 verified"},
		"one for itself": {scenario{source: "c1 c2 c3", dev: dev, rules: rules{After: soak}, now: "2h30m"}, "promote c1 from -; c3 " +
			"not_deployed; c2 soaking 3h0m; c1 verified"},
		"went past it": {scenario{source: "c1 c2 c3", dev: []stage{at("0h", "c1"), at("1h", "c3")}, rules: rules{After: soak}, now: "2h30m"},
			"promote c1 from -; c3 soaking 3h0m; c2 not_deployed; c1 verified"},
		"reverted": {scenario{source: "c1 c2", dev: append(dev, at("2h", "c1")), rules: rules{After: free}, now: "9h"},
			"promote c1 from -; c2 reverted; c1 verified"},
		"part of it": {scenario{source: "c1 c2", dev: []stage{at("0h", "a=c1 b=c1"), at("1h", "a=c2 b=c1")}, rules: rules{After: free}},
			"promote c1 from -; c2 waiting; c1 verified"},
		"a candidate": {scenario{dev: []stage{at("0h", "v1")}, rules: rules{After: free, Candidate: "v1"}},
			"promote v1 from -; v1 verified"},
		"other candidates": {scenario{dev: []stage{at("0h", "v1"), at("1h", "v2")}, rules: rules{After: soak, Candidate: "v1"}, now: "9h"},
			"nothing -; v1 waiting"},
	}.run(t)
}

func TestSoak(t *testing.T) {
	t.Parallel()
	soak := func(now string, stages ...stage) scenario {
		return scenario{source: "c1 c2 c3 c4", dev: stages, rules: rules{After: gates{"dev": soaking}}, now: now}
	}
	const hour = time.Hour
	decided{
		"not yet": {soak("2h4m", at("0h", "c1", green)), "nothing -; c4 not_deployed; c3 not_deployed; c2 not_deployed; " +
			"c1 soaking 2h5m"},
		"just now": {soak("2h5m", at("0h", "c1", green)), "promote c1 from -; c4 not_deployed; c3 not_deployed; c2 " +
			"not_deployed; c1 verified"},
		"each for itself": {soak("3h", at("0h", "c1", green), at("1h", "c2", green), at("2h", "c3", green)),
			"promote c1 from -; c4 not_deployed; c3 soaking 4h5m; c2 soaking 3h5m; c1 verified"},
		"since it turned green again": {soak("4h", at("0h", "c4", green, red.later(hour), green.later(2*hour))),
			"nothing -; c4 soaking 4h5m; c3 not_deployed"},
		"green again and again": {soak("4h", at("0h", "c4", green, green.later(hour), green.later(2*hour))),
			"promote c4 from -; c4 verified"},
		"covered, since the cover": {soak("3h", at("0h", "c3"), at("1h", "c4", green)), "nothing -; c4 soaking 3h5m; c3 soaking 3h5m; c2 " +
			"not_deployed"},
		"itself again does not start it": {soak("3h", at("0h", "c4", green), at("1h", "c4", green)), "promote c4 from -; c4 verified"},
		"itself again, failed before": {soak("3h", at("0h", "c4", red), at("1h", "c4", green)),
			"nothing -; c4 soaking 3h5m; c3 not_deployed"},
		"failed in between": {soak("3h", at("0h", "c4", green), at("1h", "c4", red), at("2h30m", "c4", green)),
			"nothing -; c4 soaking 4h35m; c3 not_deployed"},
		"green only after it went on": {soak("4h", at("0h", "c3", green.later(3*hour)), at("1h", "c4")), "nothing -; c4 waiting; c3 soaking " +
			"5h5m; c2 not_deployed"},
		"left before": {soak("9h", at("0h", "c3", green), at("1h", "x"), at("2h", "y", green)),
			"nothing -; c4 not_deployed; c3 waiting; c2 not_deployed"},
		"left and come back": {soak("4h", at("0h", "c3", green), at("1h", "x"), at("3h", "c4")), "nothing -; c4 waiting; c3 " +
			"waiting; c2 not_deployed"},
		"left and come back, green": {soak("6h", at("0h", "c3", green), at("1h", "x"), at("3h", "c3", green)),
			"promote c3 from -; c4 not_deployed; c3 verified"},
		"soaked before it was left": {soak("6h", at("0h", "c3", green), at("3h", "x"), at("5h", "c4")), "promote c3 from -; c4 waiting; " +
			"c3 verified"},
		"the next one fails in the while": {soak("3h", at("0h", "c3", green), at("1h", "c4", red)), "promote c3 from -; c4 failed; c3 verified"},
		"the last of the checks": {scenario{source: "c1", now: "3h", dev: []stage{at("0h", "c1", cluster("a"), cluster("b").later(hour),
			cluster("c").later(2*hour), cluster("d").later(150*time.Minute))},
			rules: rules{After: gates{"dev": {Checks: three.Checks, Soak: hour}}}}, "nothing -; c1 soaking 3h5m"},
	}.run(t)
}

func TestSeveralEnvironments(t *testing.T) {
	t.Parallel()
	in := func(dev, qa []stage) scenario {
		return scenario{source: "c1 c2", prod: []stage{at("0h", "c1")}, dev: dev, qa: qa, now: "4h",
			rules: rules{After: gates{"dev": soaking, "qa": {Soak: 5 * time.Hour}}}}
	}
	decided{
		"verified in both":      {in([]stage{at("-9h", "c2", green)}, []stage{at("-9h", "c2", green)}), "promote c2 from c1; c2 verified"},
		"not yet in one":        {in([]stage{at("-9h", "c2", green)}, []stage{at("-9h", "c1", green)}), "up_to_date c1; c2 not_deployed"},
		"failed in one":         {in([]stage{at("3h", "c2", green)}, []stage{at("-9h", "c2", red)}), "up_to_date c1; c2 failed"},
		"the longest soak":      {in([]stage{at("3h", "c2", green)}, []stage{at("3h", "c2", green)}), "up_to_date c1; c2 soaking 8h5m"},
		"soaking in the second": {in([]stage{at("-9h", "c2", green)}, []stage{at("3h", "c2", green)}), "up_to_date c1; c2 soaking 8h5m"},
		"soaking in the first":  {in([]stage{at("3h", "c2", green)}, []stage{at("-9h", "c2", green)}), "up_to_date c1; c2 soaking 5h5m"},
	}.run(t)
}

// Instances that share a branch: the environment is where all of them are.
func TestInstances(t *testing.T) {
	t.Parallel()
	dev := func(stages ...stage) scenario {
		return scenario{source: "c1 c2 c3", dev: stages, now: "9h"}
	}
	prod := func(carries ...string) scenario {
		s := scenario{source: "c1 c2 c3", dev: []stage{at("0h", "c1", green), at("1h", "c2", green), at("2h", "c3", green)}, now: "9h"}
		for _, c := range carries {
			s.prod = append(s.prod, at("3h", c))
		}
		return s
	}
	decided{
		"all of them": {dev(at("0h", "a=c2 b=c2"), at("1h", "a=c3 b=c3", green)), "promote c3 from -; c3 verified"},
		"in part": {dev(at("0h", "a=c2 b=c2", green), at("1h", "a=c3 b=c2", green)), "promote c2 from -; c3 waiting; c2 " +
			"verified"},
		"in part, failed": {dev(at("0h", "a=c2 b=c2", green), at("1h", "a=c3 b=c2", red)), "promote c2 from -; c3 failed; c2 " +
			"verified"},
		"in part, failed, then all green": {dev(at("0h", "a=c3 b=c2", red), at("1h", "a=c3 b=c3", green)), "promote c3 from -; c3 verified"},
		"the rest is green with it": {dev(at("0h", "a=c2 b=c1"), at("1h", "a=c3 b=c2", green)),
			"promote c2 from -; c3 waiting; c2 verified"},
		"in part, then covered": {dev(at("0h", "a=c2 b=c1"), at("1h", "a=c3 b=c3", green)), "promote c3 from -; c3 verified"},
		"one goes back": {dev(at("0h", "a=c2 b=c2", green), at("1h", "a=c3 b=c3", green), at("2h", "a=c3 b=c2", green)),
			"promote c2 from -; c3 reverted; c2 verified"},
		"a new one further back": {dev(at("0h", "a=c3", green), at("1h", "a=c3 b=c1", green)), "promote c3 from -; c3 verified"},
		"all go back under other names": {dev(at("0h", "a=c3", green), at("1h", "b=c1", green)), "promote c1 from -; c3 reverted; c2 " +
			"not_deployed; c1 verified"},
		"one is unknown": {dev(at("0h", "a=c3 b=c3", green), at("1h", "a=c3 b=x", green)), "nothing -; c3 waiting; c2 " +
			"not_deployed"},
		"prod is at the newest":      {prod("a=c2 b=c1"), "promote c3 from c2; c3 verified"},
		"prod does not go back":      {prod("a=c3 b=c1"), "up_to_date c3"},
		"prod has something unknown": {prod("a=c3 b=x"), "held x"},
		"prod went back in part":     {prod("a=c3 b=c3", "a=c3 b=c2", "a=c2 b=c2"), "up_to_date c2; c3 reverted"},
	}.run(t)
}

// GitOps commits that say nothing, such as those before the first record, are passed over.
func TestSilence(t *testing.T) {
	t.Parallel()
	decided{
		"at the head": {scenario{source: "c1 c2", dev: []stage{at("0h", "c2", green), at("1h", "", red)},
			prod: []stage{at("0h", "c1"), at("1h", "")}, now: "2h"}, "promote c2 from c1; c2 verified"},
		"everywhere": {scenario{source: "c1", dev: []stage{at("0h", "", green)}, prod: []stage{at("0h", "")}, now: "2h"},
			"nothing -; c1 not_deployed"},
		"of an id":    {scenario{source: "c1", dev: []stage{at("0h", "a=", green)}, now: "2h"}, "nothing -; c1 not_deployed"},
		"of a branch": {scenario{source: "c1", rules: rules{After: gates{"qa": {Checks: oneGreen}}}}, "nothing -; c1 not_deployed"},
		"no one has it": {scenario{source: "c1", dev: []stage{at("0h", "c1")}, rules: rules{After: gates{"dev": {Checks: oneGreen}}}},
			"nothing -; c1 waiting"},
	}.run(t)
}

// A candidate without a source has no history: only the same id is the same.
func TestCandidate(t *testing.T) {
	t.Parallel()
	v2 := func(dev, prod []stage, more ...func(*scenario)) scenario {
		s := scenario{rules: rules{Candidate: "v2"}, dev: dev, prod: prod, now: "9h"}
		for _, change := range more {
			change(&s)
		}
		return s
	}
	soak := func(s *scenario) { s.rules.After = gates{"dev": soaking} }
	green := []stage{at("0h", "v1", green), at("1h", "v2", green)}
	v1 := []stage{at("0h", "v1")}
	tests := decided{
		"verified":                    {v2(green, v1), "promote v2 from v1; v2 verified"},
		"the first":                   {v2(green, nil), "promote v2 from -; v2 verified"},
		"not deployed":                {v2(v1, v1), "up_to_date v1; v2 not_deployed"},
		"nothing yet":                 {v2(v1, nil), "nothing -; v2 not_deployed"},
		"waiting":                     {v2([]stage{at("0h", "v2")}, v1), "up_to_date v1; v2 waiting"},
		"failed":                      {v2([]stage{at("0h", "v2", red)}, v1), "up_to_date v1; v2 failed"},
		"not covered":                 {v2([]stage{at("0h", "v2"), at("1h", "v3", red)}, v1), "up_to_date v1; v2 waiting"},
		"dev has gone on":             {v2(append(green, at("3h", "v3", red)), v1), "promote v2 from v1; v2 verified"},
		"dev has gone on, and soaked": {v2(append(green, at("4h", "v3", red)), v1, soak), "promote v2 from v1; v2 verified"},
		"dev went on before it could": {v2(append(green, at("2h", "v3", red)), v1, soak), "up_to_date v1; v2 waiting"},
		"dev went back":               {v2(append(green, at("2h", "v1")), v1), "up_to_date v1; v2 reverted"},
		"already there":               {v2(v1, []stage{at("0h", "v2")}), "up_to_date v2"},
		"there in part":               {v2(v1, []stage{at("0h", "a=v1 b=v2")}), "up_to_date v2"},
		"prod has gone on":            {v2(green, []stage{at("0h", "v2"), at("1h", "v3")}), "up_to_date v3; v2 reverted"},
		"held":                        {v2(green, v1, func(s *scenario) { s.rules.Hold = true }), "held v1"},
		"pinned":                      {v2(v1, v1, func(s *scenario) { s.rules.Pin = "v2" }), "pinned v2 from v1"},
		"another one pinned":          {v2(green, green, func(s *scenario) { s.rules.Pin = "v1" }), "pinned v1 from v2"},
	}
	tests.run(t)
	for name, want := range map[string]bool{
		"verified": true, "the first": true, "not deployed": false, "failed": false, "already there": true, "there in part": true,
		"prod has gone on": false, "held": false, "pinned": true, "another one pinned": true,
	} {
		if got := tests[name].world().decide(t).Verified; got != want {
			t.Errorf("%s: verified is %t", name, got)
		}
	}
	if (scenario{source: "c1 c2", dev: []stage{at("0h", "c2", says("flux", promotion.Success))}, now: "9h"}).world().decide(t).Verified {
		t.Error("Verified is about a candidate")
	}
}

func TestSourceChecks(t *testing.T) {
	t.Parallel()
	ci := func(said map[string][]said) scenario {
		return scenario{source: "c1 c2", checks: said, prod: []stage{at("0h", "c1")}, rules: rules{SourceChecks: []check{{Context: "ci/*"}}}}
	}
	decided{
		"green":   {ci(map[string][]said{"c2": {says("ci/build", promotion.Success)}}), "promote c2 from c1; c2 verified"},
		"red":     {ci(map[string][]said{"c2": {says("ci/build", promotion.Failure)}}), "up_to_date c1; c2 failed"},
		"missing": {ci(nil), "up_to_date c1; c2 waiting"},
	}.run(t)
}
