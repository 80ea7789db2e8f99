// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"testing"
	"time"
)

// A candidate that an environment carries only in part has worked only in part.
func TestParts(t *testing.T) {
	t.Parallel()
	c1 := []stage{at("0h", "c1")}
	dev := func(stages ...stage) scenario {
		return scenario{source: "c1 c2 c3", dev: stages, prod: c1, now: "9h"}
	}
	sourceFails := func(s scenario) scenario {
		s.rules.SourceChecks, s.checks = []check{{Context: "ci"}}, map[string][]said{"c3": {says("ci", "failure")}, "c2": {says("ci", "success")}}
		return s
	}
	decided{
		"a part that goes on washes no failure": {dev(at("0h", "a=c2 b=c2", red), at("1h", "a=c3 b=c2", green)),
			"up_to_date c1; c3 waiting; c2 failed"},
		"the same again does": {dev(at("0h", "a=c2 b=c2", red), at("1h", "a=c3 b=c2", green), at("2h", "a=c2 b=c2", green)),
			"promote c2 from c1; c3 reverted; c2 verified"},
		"what was green before a part went on": {dev(at("0h", "a=c2 b=c2", green), at("1h", "a=c3 b=c2", red)),
			"promote c2 from c1; c3 failed; c2 verified"},
		"what came late and is green": {dev(at("0h", "a=c2 b=c1"), at("1h", "a=c3 b=c2", green)), "promote c2 from c1; c3 " +
			"waiting; c2 verified"},
		"between others that failed": {sourceFails(dev(at("0h", "a=c2 b=c1 c=c1"), at("1h", "a=c3 b=c2 c=c1", red),
			at("2h", "a=c3 b=c3 c=c3", green))), "up_to_date c1; c3 failed; c2 failed"},
		"below one that failed": {sourceFails(dev(at("0h", "a=c3 b=c2", red), at("2h", "a=c3 b=c3", green))),
			"up_to_date c1; c3 failed; c2 failed"},
		"overtaken without a verdict": {sourceFails(dev(at("0h", "a=c3 b=c2"), at("2h", "a=c3 b=c3", green))),
			"promote c2 from c1; c3 failed; c2 verified"},
		"a part that was ahead is taken away": {dev(at("0h", "a=c1 b=c3", green), at("1h", "a=c1", green), at("2h", "a=c3", green)),
			"promote c3 from c1; c3 verified"},
		"a part that was ahead goes back": {dev(at("0h", "a=c1 b=c3", green), at("1h", "a=c1 b=c1", green),
			at("2h", "a=c3 b=c3", green)), "up_to_date c1; c3 reverted; c2 not_deployed"},
		"a part makes place for one further back": {dev(at("0h", "b=c3", green), at("1h", "a=c1", green), at("2h", "a=c3", green)),
			"up_to_date c1; c3 reverted; c2 not_deployed"},
		"a part that was added ahead is backed out": {dev(at("0h", "a=c1", green), at("1h", "a=c1 b=c3", green), at("2h", "a=c1", green),
			at("3h", "a=c3", green)), "up_to_date c1; c3 reverted; c2 not_deployed"},
		"and one of the target": {scenario{source: "c1 c2 c3", now: "9h", dev: []stage{at("0h", "c1", green), at("1h", "c3", green)},
			prod: []stage{at("0h", "a=c1"), at("1h", "a=c1 b=c3"), at("2h", "a=c1")}}, "up_to_date c1; c3 reverted; c2 not_deployed"},
		"a part that was added and went on is taken away": {dev(at("0h", "a=c1", green), at("1h", "a=c1 b=c2", green),
			at("2h", "a=c1 b=c3", green), at("3h", "a=c1", green), at("4h", "a=c3", green)), "promote c3 from c1; c3 verified"},
		"a part of the target is taken away": {scenario{source: "c1 c2 c3", now: "9h", dev: []stage{at("0h", "c1", green), at("1h", "c3", green)},
			prod: []stage{at("0h", "a=c1 b=c1"), at("1h", "a=c1 b=c3"), at("2h", "a=c1")}}, "promote c3 from c1; c3 verified"},
	}.run(t)
}

// A destroyed environment carries nothing. It is new, also before it is written again: what it had
// before does not count.
func TestDestroyed(t *testing.T) {
	t.Parallel()
	c1 := []stage{at("0h", "c1")}
	dev := func(soak time.Duration, stages ...stage) scenario {
		return scenario{source: "c1 c2 c3", dev: stages, prod: c1, now: "9h", rules: rules{After: gates{"dev": {Soak: soak}}}}
	}
	prod := func(stages ...stage) scenario {
		return scenario{source: "c1 c2 c3", dev: []stage{at("0h", "c1", green), at("1h", "c2", green)}, prod: stages, now: "9h"}
	}
	decided{
		"while it soaked": {dev(2*time.Hour, at("0h", "c1", green), at("3h", "c2", green), at("4h", nothing)),
			"up_to_date c1; c3 not_deployed"},
		"after it had soaked": {dev(2*time.Hour, at("0h", "c1", green), at("3h", "c2", green), at("7h", nothing, red)),
			"up_to_date c1; c3 not_deployed"},
		"where nothing soaks": {dev(0, at("0h", "c1", green), at("3h", "c2", green), at("4h", nothing)),
			"up_to_date c1; c3 not_deployed"},
		"and nothing is written twice": {dev(0, at("0h", "c1", green), at("3h", "c2", green), at("4h", nothing), at("5h", nothing)),
			"up_to_date c1; c3 not_deployed"},
		"before it turned green": {dev(0, at("0h", "c1", green), at("3h", "c2"), at("4h", nothing, green)),
			"up_to_date c1; c3 not_deployed"},
		"and written again": {dev(2*time.Hour, at("0h", "c2", green), at("1h", nothing), at("8h", "c2", green)),
			"up_to_date c1; c3 not_deployed; c2 soaking 10h5m"},
		"and written again, further back": {dev(0, at("0h", "c2", green), at("1h", nothing), at("8h", "c1", green)),
			"up_to_date c1; c3 not_deployed; c2 not_deployed"},
		"and written again, red": {dev(0, at("0h", "c2", green), at("1h", nothing), at("2h", "c2"), at("3h", "c3", red)),
			"up_to_date c1; c3 failed; c2 failed"},
		"the target":               {prod(at("0h", "c1"), at("1h", nothing)), "promote c2 from -; c3 not_deployed; c2 verified"},
		"the target, which had it": {prod(at("0h", "c2"), at("1h", nothing)), "promote c2 from -; c3 not_deployed; c2 verified"},
		"the target, which went back": {prod(at("0h", "c2"), at("1h", "c1"), at("2h", nothing)),
			"promote c2 from -; c3 not_deployed; c2 verified"},
		"the target, written again after it went back": {prod(at("0h", "c2"), at("1h", "c1"), at("2h", nothing), at("3h", "c1")),
			"promote c2 from c1; c3 not_deployed; c2 verified"},
		"one of two instances": {dev(0, at("0h", "a=c2 b=c2", green), at("1h", "b=c1", green), at("2h", "a=c2 b=c2", green)),
			"up_to_date c1; c3 not_deployed; c2 reverted"},
	}.run(t)
}
