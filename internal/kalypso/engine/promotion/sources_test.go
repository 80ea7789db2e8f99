// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

// from is a history of one GitOps commit an hour, each "c1:a1 green".
func from(all ...string) []stage {
	stages := []stage{}
	for i, text := range all {
		carries, report, _ := strings.Cut(text, "; ")
		s := at(minutes(60*i), carries)
		switch report {
		case "green":
			s.reports = []said{green}
		case "red":
			s.reports = []said{red}
		}
		stages = append(stages, s)
	}
	return stages
}

// A release is a commit and its sources: each is verified, fails and soaks for itself.
func TestSources(t *testing.T) {
	t.Parallel()
	in := func(dev, prod []stage) scenario { return scenario{source: "c1 c2", dev: dev, prod: prod, now: "48h"} }
	soak := in(from("c1:a1; green", "c1:a2; green"), from("c1:a0"))
	soak.rules.After, soak.now = gates{"dev": soaking}, "2h30m"
	two := from("c1:a1,b1; green", "c1:a1,b2; green", "c1:a2,b2; red", "c1:a2,b3; red")
	decided{
		"an application moves": {in(from("c1:a1; green", "c1:a2; green"), from("c1:a1")),
			"promote c1:a2; c2 not_deployed; c1:a2 verified"},
		"the first release": {in(from("c1:a1; green", "c1:a2"), nil),
			"promote c1:a1 from -; c2 not_deployed; c1:a2 waiting; c1:a1 verified"},
		"a newer commit has older sources": {in(from("c1:a1; green", "c2:a1; green"), from("c1:a2")), "promote c2:a1 from c1; c2:a1 verified"},
		"at the newest":                    {in(from("c1:a1; green", "c2:a2; green"), from("c2:a2")), "up_to_date c2:a2"},
		"it fails": {in(from("c1:a1; green", "c1:a2; red"), from("c1:a1")),
			"up_to_date c1:a1; c2 not_deployed; c1:a2 failed"},
		"of two applications one turns red": {in(two, from("c1:a1,b1")),
			"promote c1:a1,b2; c2 not_deployed; c1:a2,b3 failed; c1:a2,b2 failed; c1:a1,b2 verified"},
		"and nothing older is left": {in(two, from("c1:a1,b2")),
			"up_to_date c1:a1,b2; c2 not_deployed; c1:a2,b3 failed; c1:a2,b2 failed"},
		"and a fix comes": {in(append(two, from("", "", "", "", "c1:a3,b3; green")...), from("c1:a1,b2")),
			"promote c1:a3,b3; c2 not_deployed; c1:a3,b3 verified"},
		"overtaken, and that failed": {in(from("c1:a1", "c1:a2; red"), nil), "nothing -; c2 not_deployed; c1:a2 failed; c1:a1 failed"},
		"each soaks for itself": {soak,
			"promote c1:a1; c2 not_deployed; c1:a2 soaking 3h5m; c1:a1 verified"},
		"the same once more": {in(from("c1:a1; green", "c1:a1"), from("c1:a0")), "promote c1:a1; c2 not_deployed; c1:a1 verified"},
		"in part": {in(from("x=c1:a1 y=c1:a1; green", "x=c1:a2 y=c1:a1; green"), nil),
			"promote c1:a1 from -; c2 not_deployed; c1:a2 waiting; c1:a1 verified"},
		"prod is at the newest of its instances": {in(from("c1:a1; green", "c1:a2; green"), from("x=c1:a1 y=c1:a1", "x=c1:a2 y=c1:a1")),
			"up_to_date c1:a2; c2 not_deployed"},
		"a head of a merged branch": {scenario{source: "c1 c2<x", dev: from("x:a1; green", "x:a2; green"), prod: from("x:a1")},
			"up_to_date x:a1; c2 not_deployed"},
		"a commit that changes nothing": {scenario{source: "c1 c2=", dev: from("c1:a1; green", "c2:a2; green"), prod: from("c2:a1"), now: "9h"},
			"promote c2:a2; c1:a2 verified"},
		"unknown in dev":                    {in(from("x:a1; green"), from("c1:a1")), "up_to_date c1:a1; c2 not_deployed"},
		"unknown in prod":                   {in(from("c1:a1; green"), from("x:a1")), "held x:a1"},
		"the first environment reads heads": {in(nil, from("c2:a1")), "up_to_date c2"},
		"a newer commit for it":             {in(nil, from("c1:a1")), "promote c2 from c1; c2 verified"},
		"dev is new": {in(from("c1:a1; green", nothing, "c1:a3; green"), from("c1:a2")),
			"promote c1:a3; c2 not_deployed; c1:a3 verified"},
		"dev is new, with what prod had before": {in(from("c1:a2; green", nothing, "c1:a1; green"), from("c1:a1", "c1:a2")),
			"up_to_date c1:a2; c2 not_deployed"},
	}.run(t)
}

// A step back reverts the releases after it. A step back to an older commit reverts the newer
// ones with all their releases.
func TestRevertedSources(t *testing.T) {
	t.Parallel()
	in := func(dev, prod []stage) scenario {
		return scenario{source: "c1 c2 c3", dev: dev, prod: prod, now: "48h"}
	}
	three := from("c1:a1; green", "c1:a2; green", "c1:a3; green")
	decided{
		"in dev": {in(from("c1:a1; green", "c1:a2; green", "c1:a1; green"), nil),
			"promote c1:a1 from -; c3 not_deployed; c2 not_deployed; c1:a2 reverted; c1:a1 verified"},
		"in dev, and on": {in(from("c1:a1; green", "c1:a2; green", "c1:a1", "c1:a3; green"), from("c1:a1")),
			"promote c1:a3; c3 not_deployed; c2 not_deployed; c1:a3 verified"},
		"in dev, to an older commit, where it goes on": {in(from("c1:a1; green", "c2:a1; green", "c1:a1", "c1:a2; green"), from("c1:a1")),
			"promote c1:a2; c3 not_deployed; c2:a1 reverted; c1:a2 verified"},
		"in dev, and the newer commit again": {in(from("c1:a1; green", "c2:a1; green", "c1:a1", "c2:a2; green"), from("c1:a1")),
			"up_to_date c1:a1; c3 not_deployed; c2:a2 reverted; c2:a1 reverted"},
		"in prod": {in(from("c1:a1; green", "c1:a2; green"), from("c1:a1", "c1:a2", "c1:a1")),
			"up_to_date c1:a1; c3 not_deployed; c2 not_deployed; c1:a2 reverted"},
		"in prod, skipped there": {in(three, from("c1:a1", "c1:a3", "c1:a1")),
			"up_to_date c1:a1; c3 not_deployed; c2 not_deployed; c1:a3 reverted; c1:a2 reverted"},
		"in prod, something newer": {in(three, from("c1:a1", "c1:a2", "c1:a1")),
			"promote c1:a3; c3 not_deployed; c2 not_deployed; c1:a3 verified"},
		"in prod, to an older commit": {in(from("c1:a1; green", "c2:a1; green", "c2:a2; green"), from("c1:a1", "c2:a1", "c1:a1")),
			"up_to_date c1:a1; c3 not_deployed; c2:a2 reverted; c2:a1 reverted"},
		"in prod, to an older commit, skipped there": {in(from("c1:a1; green", "c1:a2; green", "c2:a3; green"), from("c1:a1", "c2:a3", "c1:a1")),
			"up_to_date c1:a1; c3 not_deployed; c2:a3 reverted; c1:a2 reverted"},
		"in prod, to an older commit, from one without sources": {in(from("c1:a1; green", "c1:a2; green", "c2; green"),
			from("c1:a1", "c2", "c1:a1")), "up_to_date c1:a1; c3 not_deployed; c2 reverted; c1:a2 reverted"},
		"in both, to an older commit, where dev goes on": {in(from("c1:a1; green", "c2:a2; green", "c1:a3; green"),
			from("c1:a1", "c2:a2", "c1:a1")), "promote c1:a3; c3 not_deployed; c2:a2 reverted; c1:a3 verified"},
		"dev is behind prod": {in(from("c1:a1; green", "c1:a2; green", "c1:a1; green"), from("c1:a2")),
			"up_to_date c1:a2; c3 not_deployed; c2 not_deployed"},
		"an instance of prod that was ahead is gone": {in(three, from("x=c1:a1 y=c1:a1", "x=c1:a1 y=c1:a3", "x=c1:a1")),
			"promote c1:a3; c3 not_deployed; c2 not_deployed; c1:a3 verified"},
	}.run(t)
}

// Environments follow different sources: they agree if what both follow is the same.
func TestAgreement(t *testing.T) {
	t.Parallel()
	in := func(dev, qa, prod []stage) scenario {
		return scenario{source: "c1", dev: dev, qa: qa, prod: prod, now: "48h"}
	}
	dev := from("c1:a1; green", "c1:a2; green")
	decided{
		"prod follows more":                       {in(dev, nil, from("c1:a1,d1")), "promote c1:a2; c1:a2 verified"},
		"prod follows more, and is at the newest": {in(dev, nil, from("c1:a2,d1")), "up_to_date c1:a2"},
		"prod follows more, and goes back with that": {in(dev, nil, from("c1:a1,d1", "c1:a1,d2", "c1:a1,d1")),
			"promote c1:a2; c1:a2 verified"},
		"prod follows nothing of that": {in(dev, nil, from("c1:d1")), "up_to_date c1:a2"},
		"prod records no sources":      {in(dev, nil, from("c1")), "up_to_date c1"},
		"dev records no sources":       {in(from("c1; green"), nil, from("c1:a1")), "up_to_date c1"},
		"dev follows more":             {in(from("c1:a1,b1; green", "c1:a1,b2; red"), nil, from("c1:a1")), "up_to_date c1:a1,b1"},
		"dev follows more, not verified": {in(from("c1:a1,b1; red", "c1:a1,b2; red"), nil, from("c1:a1")),
			"up_to_date c1:a1"},
		"dev began to record": {in(from("c1; green", "c1:a1"), nil, nil), "nothing -; c1:a1 waiting"},
		"dev began to record what failed": {in(from("c1; red", "c1:a1"), nil, nil),
			"nothing -; c1:a1 failed"},
		"dev began to follow":            {in(from("c1:a1; green", "c1:a1,b1"), nil, nil), "nothing -; c1:a1,b1 waiting"},
		"dev began to follow, and green": {in(from("c1:a1; red", "c1:a1,b1; green"), nil, nil), "promote c1:a1,b1 from -; c1:a1,b1 verified"},
		"dev stopped to follow":          {in(from("c1:a1,b1; green", "c1:a1"), nil, nil), "promote c1:a1 from -; c1:a1 verified"},
		"dev began to follow, and that moves": {in(from("c1:a1; green", "c1:a1,b1; green", "c1:a1,b2; red"), nil, nil),
			"promote c1:a1,b1 from -; c1:a1,b2 failed; c1:a1,b1 verified"},
		"dev stopped to follow what has moved": {in(from("c1:a1,b1; green", "c1:a1,b2; green", "c1:a1; green"), nil, nil),
			"promote c1:a1 from -; c1:a1 verified"},
		"dev stopped to follow what failed": {in(from("c1:a1,b1; red", "c1:a1; green"), nil, nil),
			"promote c1:a1 from -; c1:a1 verified"},
		"and follows again": {in(from("c1:a1,b1; green", "c1:a1; green", "c1:a1,b1"), nil, nil),
			"promote c1:a1,b1 from -; c1:a1,b1 verified"},
		"and follows another commit": {in(from("c1:a1,b1; green", "c1:a1; green", "c1:a1,b2"), nil, nil),
			"promote c1:a1 from -; c1:a1,b2 waiting; c1:a1 verified"},
		"both have the pair": {in(dev, from("c1:a1; green", "c1:a2; green"), from("c1:a1")), "promote c1:a2; c1:a2 verified"},
		"one lacks the pair": {in(dev, from("c1:a1; green"), from("c1:a1")), "up_to_date c1:a1; c1:a2 not_deployed"},
		"each has another one": {in(from("c1:a2; green"), from("c1:a1; green"), nil),
			"nothing -; c1:a2 not_deployed"},
		"one lacks the commit": {in(dev, []stage{}, nil), "nothing -; c1:a2 not_deployed"},
		"failed in one": {in(dev, from("c1:a1; green", "c1:a2; red"), from("c1:a0")),
			"promote c1:a1; c1:a2 failed; c1:a1 verified"},
		"different sources": {in(dev, from("c1:d1; green"), nil), "promote c1:a2,d1 from -; c1:a2,d1 verified"},
		"what only one follows fails": {in(dev, from("c1:a1,d1; green", "c1:a2,d1; green", "c1:a2,d2; red"), nil),
			"promote c1:a2,d1 from -; c1:a2,d2 failed; c1:a2,d1 verified"},
		"what only one follows fails always": {in(dev, from("c1:d1; red"), nil), "nothing -; c1:a2,d1 failed; c1:a1,d1 failed"},
		"what only one follows fails often": {in(dev, from("c1:a1,d1; green", "c1:a2,d1; red", "c1:a2,d2; red"), nil),
			"promote c1:a1,d1 from -; c1:a2,d2 failed; c1:a1,d1 verified"},
		"what only one follows moves": {in(dev, from("c1:a2,d1; green", "c1:a2,d2; green"), from("c1:a2,d1")),
			"promote c1:a2,d2; c1:a2,d2 verified"},
		"what only one follows does not move back": {in(dev, from("c1:a1,d1; green", "c1:a1,d2; green", "c1:a2,d2; red"), from("c1:a1,d2")),
			"up_to_date c1:a1,d2; c1:a2,d2 failed"},
	}.run(t)
}

// A source of the environment stays if an environment before has ever followed it. That one may only
// have failed to read it, and nobody has tested its head.
func TestKeptSources(t *testing.T) {
	t.Parallel()
	in := func(dev, prod []stage) scenario { return scenario{source: "c1 c2", dev: dev, prod: prod, now: "9h"} }
	closed := func(s scenario) scenario {
		s.rules.Windows = []window{on("sat", "00:00", "01:00", "UTC")}
		return s
	}
	lost := in(from("c1:a1,b1; green", "c1:a1; green"), from("c1:a1,b1,d1"))
	found := in(from("c1:a1; green", "c1:a1,b1; green"), from("c1:a1,d1"))
	parts := in(from("c1:a1,b1; green", "c1:a2,b1; green"), from("y=c1:a1,b1", "x=c1:a2 y=c1:a1,b1"))
	held := parts
	held.rules.Hold = true
	decided{
		"at the newest":      {lost, "up_to_date c1:a1,b1; c2 not_deployed"},
		"outside of windows": {closed(lost), "up_to_date c1:a1,b1,d1; c2 not_deployed"},
		"not verified":       {in(from("c1:a1,b1", "c1:a1"), from("c1:a1,b1")), "up_to_date c1:a1,b1; c2 not_deployed"},
		"another source moves": {in(from("c1:a1,b1; green", "c1:a2; green"), from("c1:a1,b1")),
			"promote c1:a2,b1; c2 not_deployed; c1:a2 verified"},
		"a newer commit": {in(from("c1:a1,b1; green", "c2:a2; green"), from("c1:a1,b1,d1")),
			"promote c2:a2,b1 from c1; c2:a2 verified"},
		"never followed before":   {in(from("c1:a1; green", "c2:a2; green"), from("c1:a1,b1")), "promote c2:a2 from c1; c2:a2 verified"},
		"dev is new":              {in(from("c1:b1", nothing, "c1:a1; green"), from("c1:a1,b1")), "up_to_date c1:a1; c2 not_deployed"},
		"of an instance":          {parts, "up_to_date c1:a2,b1; c2 not_deployed"},
		"of an instance, held":    {held, "held c1:a2,b1"},
		"a new one":               {found, "up_to_date c1:a1,b1; c2 not_deployed"},
		"a new one, outside":      {closed(found), "up_to_date c1:a1,d1; c2 not_deployed"},
		"a new one, not verified": {in(from("c1:a1; green", "c1:a1,b1; red"), from("c1:a1")), "up_to_date c1:a1; c2 not_deployed"},
		"a new one, one moves": {in(from("c1:a1; green", "c1:a2,b1; green"), from("c1:a1")),
			"promote c1:a2,b1; c2 not_deployed; c1:a2,b1 verified"},
		"a new one, one moves, closed": {closed(in(from("c1:a1; green", "c1:a2,b1; green"), from("c1:a1"))),
			"held c1:a1; c2 not_deployed; c1:a2,b1 verified"},
	}.run(t)
}

// Two names of one source are one source, by the name that the environment itself has.
func TestNamesOfSources(t *testing.T) {
	t.Parallel()
	in := func(dev, qa, prod []stage) scenario {
		return scenario{source: "c1", dev: dev, qa: qa, prod: prod, now: "9h"}
	}
	for name, test := range map[string]struct {
		scenario
		want string
	}{
		"other commits do not agree": {in(from("c1:a1; green"), from("c1:A2; green"), from("c1:a0")),
			"up_to_date c1:a0; c1:a1 not_deployed [a]"},
		"dev has another name":     {in(from("c1:a1; green", "c1:A2; green"), nil, from("c1:a1")), "promote c1:a2; c1:a2 verified [a]"},
		"dev has another name now": {in(from("c1:a1; red", "c1:A1"), nil, nil), "nothing -; c1:a1 failed []"},
		"the name of prod":         {in(from("c1:a1,b1; green"), nil, from("c1:A1,b0")), "promote c1:a1,b1; c1:a1,b1 verified [A b]"},
		"one commit twice":         {in(from("c1:a1,A1; green"), nil, from("c1:a0")), "promote c1:a1; c1:a1 verified [a]"},
		"two commits":              {in(from("c1:a1; green", "c1:a1,A2; red"), nil, from("c1:a0")), "promote c1:a1; c1:a1 verified [a]"},
		"two commits in prod":      {in(from("c1:a1; green"), nil, from("c1:a0", "c1:a1,A2")), "promote c1:a1; c1:a1 verified [A]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := test.world()
			w.facts.SourceKey = strings.ToLower
			r := w.decide(t)
			if got := fmt.Sprintf("%s %s", told(r), slices.Sorted(maps.Keys(r.Sources))); got != test.want {
				t.Errorf("got  %s\nwant %s\nreason: %s", got, test.want, r.Reason)
			}
		})
	}
}

// With three environments before, a release that agrees with the first one need not agree with
// the others. Decide finds the newest combination.
func TestCombinations(t *testing.T) {
	t.Parallel()
	s := scenario{source: "c1", dev: from("c1:a1; green"), qa: from("c1:d1; green", "c1:d2; green"), prod: from("c1:a0"), now: "48h"}
	w := s.world()
	w.rules.After["uat"] = gate{Checks: oneGreen}
	w.facts.After["uat"] = w.branch("uat", from("c1:d3; green", "c1:d1; green"))
	if got, want := told(w.decide(t)), "promote c1:a1,d1; c1:a1,d2 not_deployed; c1:a1,d1 verified"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// With pin and hold, the environment has the sources that it had.
func TestSourcesOfPins(t *testing.T) {
	t.Parallel()
	in := func(pin string, dev, prod []stage) scenario {
		return scenario{source: "c1 c2", dev: dev, prod: prod, now: "48h", rules: rules{Pin: pin, Hold: pin == ""}}
	}
	dev := from("c1:a1,b1; green", "c1:a2,b1; red", "c2:a3,b1")
	decided{
		"hold":                     {in("", dev, from("c1:a1,d1")), "held c1:a1,d1"},
		"hold the newest":          {in("", dev, from("x=c1:a1 y=c1:a1", "x=c1:a2 y=c1:a1", "x=c1:a2 y=c1:a1")), "held c1:a2"},
		"where it is":              {in("c1", dev, from("c1:a1", "c1:a2")), "pinned c1:a2"},
		"where it is, in part":     {in("c1", dev, from("x=c1:a1 y=c1:a1", "x=c1:a1 y=c1:a2")), "pinned c1:a2"},
		"back":                     {in("c1", dev, from("c1:a1", "c1:a2", "c2:a2")), "pinned c1:a2 from c2"},
		"not here yet":             {in("c2", dev, from("c1:a1")), "pinned c2:a3,b1 from c1"},
		"the first":                {in("c1", dev, nil), "pinned c1:a2,b1 from -"},
		"unknown":                  {in("x", dev, from("c1:a1")), "pinned x from c1"},
		"without recorded sources": {in("c2", dev, from("c1")), "pinned c2 from c1"},
		"several": {scenario{source: "c1", dev: dev, qa: from("c1:a1,d1"), rules: rules{Pin: "c1"}},
			"pinned c1:a2,b1,d1 from -"},
	}.run(t)
}

// An unreadable environment before stops a pin only if its sources are necessary.
func TestPinReadsLittle(t *testing.T) {
	t.Parallel()
	broken := errors.New("the server is away")
	for prod, want := range map[string]string{"c1:a1": "", "c2:a1": "the history of dev cannot be read: the server is away", "c2": ""} {
		w := scenario{source: "c1 c2", dev: from("c1:a1"), prod: from(prod), rules: rules{Pin: "c1"}}.world()
		w.facts.After["dev"] = promotion.Branch{History: func(int) (promotion.GitOpsCommit, bool, error) {
			return promotion.GitOpsCommit{}, false, broken
		}}
		text := ""
		if _, err := promotion.Decide(t.Context(), w.rules, w.facts, w.now); err != nil {
			text = err.Error()
		}
		if text != want {
			t.Errorf("at %s: got %q, want %q", prod, text, want)
		}
	}
}

// Outside of windows, the environment keeps its sources.
func TestSourcesAndWindows(t *testing.T) {
	t.Parallel()
	closed := rules{Windows: []window{on("sat", "00:00", "01:00", "UTC")}}
	in := func(dev, prod []stage) scenario {
		return scenario{source: "c1 c2", dev: dev, prod: prod, now: "9h", rules: closed}
	}
	decided{
		"an application moves": {in(from("c1:a1; green", "c1:a2; green"), from("c1:a1,d1")),
			"held c1:a1,d1; c2 not_deployed; c1:a2 verified"},
		"in the first environment": {in(nil, from("c1:a1")), "held c1:a1; c2 verified"},
		"nothing newer":            {in(from("c1:a1; green"), from("c1:a1,d1")), "up_to_date c1:a1,d1; c2 not_deployed"},
		"in the first environment, which is at the newest commit": {scenario{source: "c1", prod: from("c1:a1,d1"), now: "9h", rules: closed},
			"held c1:a1,d1"},
	}.run(t)
}

// A single candidate has no sources: only its id counts.
func TestSourcesOfCandidates(t *testing.T) {
	t.Parallel()
	in := func(dev, prod []stage) scenario {
		return scenario{dev: dev, prod: prod, now: "48h", rules: rules{Candidate: "v2"}}
	}
	decided{
		"verified":      {in(from("v1:a1; green", "v2:a1; green", "v2:a2"), from("v1:a1")), "promote v2 from v1; v2 verified"},
		"already there": {in(from("v2:a1; green", "v2:a2; green"), from("v2:a1")), "up_to_date v2"},
	}.run(t)
}

// A decision reads only the reports that can matter, and those of the source once for a commit.
func TestReadingOfSources(t *testing.T) {
	t.Parallel()
	ci := rules{SourceChecks: []check{{Context: "ci"}}}
	checked := map[string][]said{"c1": {says("ci", promotion.Success)}}
	for name, test := range map[string]struct {
		scenario
		asked string
	}{
		"at the newest": {scenario{source: "c1", dev: from("c1:a1; green", "c1:a2; green"), prod: from("c1:a2,d1")}, ""},
		"down to where it is": {scenario{source: "c1", dev: from("c1:a1; green", "c1:a2; green", "c1:a3; red"), prod: from("c1:a2")},
			"dev/c1:a3"},
		"the source once": {scenario{source: "c1", dev: from("c1:a1; green", "c1:a2; red"), rules: ci, checks: checked},
			"c1 dev/c1:a2 dev/c1:a1"},
		"nothing of a commit that fails in the source": {scenario{source: "c1", dev: from("c1:a1; green", "c1:a2; green"), rules: ci}, "c1"},
		"nothing of what agrees with a failure": {scenario{source: "c1", dev: from("c1:a1; red"), qa: from("c1:d1; green", "c1:d2; green")},
			"dev/c1:a1"},
		"nothing more of what agrees with a soak": {scenario{source: "c1", dev: from("c1:a1; green"), qa: from("c1:d1; green", "c1:d2; green"),
			rules: rules{After: gates{"dev": soaking}}, now: "1h"}, "dev/c1:a1 qa/c1:d2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := test.world()
			r := w.decide(t)
			if got := strings.Join(w.asked, " "); got != test.asked {
				t.Errorf("asked for the reports on %q, want %q; %s", got, test.asked, told(r))
			}
		})
	}
}
