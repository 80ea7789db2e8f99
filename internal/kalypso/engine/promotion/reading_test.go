// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

// Nothing is asked for that cannot matter, nothing twice, and the newest first.
func TestReading(t *testing.T) {
	t.Parallel()
	dev := []stage{at("0h", "c1", green), at("1h", "c2", green), at("2h", "c3", red), at("3h", "c4")}
	closed := []calendar.Window{{Days: []string{"sun"}, From: "00:00", To: "24:00", Timezone: "UTC"}}
	ci := []check{{Context: "ci"}}
	for name, test := range map[string]struct {
		scenario
		asked string
		read  map[string]int
	}{
		"at the newest": {scenario{source: "c1 c2 c3 c4", dev: dev, prod: []stage{at("0h", "c1"), at("1h", "c4")}}, "",
			map[string]int{"source": 1, "prod": 1}},
		"hold": {scenario{source: "c1 c2 c3 c4", dev: dev, prod: dev, rules: rules{Hold: true}}, "",
			map[string]int{"source": 1, "prod": 1}},
		"pin": {scenario{source: "c1 c2 c3 c4", dev: dev, prod: dev, rules: rules{Pin: "c2"}}, "",
			map[string]int{"source": 3, "prod": 1}},
		"a force push":       {scenario{source: "c5", dev: dev, prod: dev}, "", map[string]int{"source": 1, "prod": 1}},
		"until one is found": {scenario{source: "c1 c2 c3 c4", dev: dev}, "dev/c4 dev/c3 dev/c2", map[string]int{"source": 4, "dev": 4}},
		"down to where it is": {scenario{source: "c1 c2 c3 c4", dev: dev, prod: []stage{at("0h", "c2")}},
			"dev/c4 dev/c3", map[string]int{"source": 4, "dev": 4, "prod": 1}},
		"nothing of what was not there": {scenario{source: "c1 c2 c3 c4 c5 c6", dev: dev, prod: []stage{at("0h", "c4")}}, "",
			map[string]int{"source": 6, "dev": 4, "prod": 1}},
		"a cover is asked once": {scenario{source: "c1 c2 c3", dev: []stage{at("0h", "c1"), at("1h", "c2"), at("2h", "c3")}},
			"dev/c3 dev/c2 dev/c1", map[string]int{"source": 3, "dev": 3}},
		"outside of windows as within": {scenario{source: "c1 c2 c3 c4", dev: dev, rules: rules{Windows: closed}}, "dev/c4 dev/c3 dev/c2",
			map[string]int{"source": 4, "dev": 4}},
		"not what the environment left": {scenario{source: "c1 c2", dev: []stage{at("0h", "c2", green)},
			prod: []stage{at("0h", "c1"), at("1h", "c2"), at("2h", "c1")}}, "", map[string]int{"source": 2, "dev": 1, "prod": 3}},
		"the source's checks first": {scenario{source: "c1", dev: []stage{at("0h", "c1", green)}, rules: rules{SourceChecks: ci}}, "c1",
			map[string]int{"source": 1, "dev": 1}},
		"then the environments": {scenario{source: "c1", dev: []stage{at("0h", "c1", green)}, rules: rules{SourceChecks: ci},
			checks: map[string][]said{"c1": {says("ci", promotion.Success)}}}, "c1 dev/c1", map[string]int{"source": 1, "dev": 1}},
		"not another environment": {scenario{source: "c1", dev: []stage{at("0h", "c1", red)}, qa: []stage{at("0h", "c1")}}, "dev/c1",
			map[string]int{"source": 1, "dev": 1, "qa": 1}},
		"not where another one lacks it": {scenario{source: "c1", dev: []stage{at("0h", "c1", green)}, qa: []stage{at("0h", "c0")}}, "",
			map[string]int{"source": 1, "dev": 1, "qa": 1}},
		"itself again, without a soak": {scenario{source: "c1", dev: []stage{at("0h", "c1", green), at("1h", "c1", green)}}, "dev/c1'",
			map[string]int{"source": 1, "dev": 2}},
		"itself again, with a soak to end": {scenario{source: "c1", now: "2h", dev: []stage{at("0h", "c1", green), at("1h", "c1", green)},
			rules: rules{After: gates{"dev": soaking}}}, "dev/c1' dev/c1", map[string]int{"source": 1, "dev": 2}},
		"no further than what is carried": {scenario{source: "c1 c2 c3 c4 c5 c6", dev: []stage{at("0h", "c5", green)},
			prod: []stage{at("0h", "c4")}},
			"dev/c5", map[string]int{"source": 3, "dev": 1, "prod": 1}},
		"all for what nobody knows": {scenario{source: "c1 c2 c3 c4", dev: []stage{at("0h", "x", green)}, prod: []stage{at("0h", "c3")}}, "",
			map[string]int{"source": 4, "dev": 1, "prod": 1}},
		"the one before what is the same": {scenario{source: "c1 c2 c3= c4= c5", dev: []stage{at("0h", "c4", green)},
			prod: []stage{at("0h", "c1")}},
			"dev/c4", map[string]int{"source": 5, "dev": 1, "prod": 1}},
		"no reports without checks": {scenario{source: "c1", dev: []stage{at("0h", "c1", red)},
			rules: rules{After: gates{"dev": {Checks: []check{}}}}}, "", map[string]int{"source": 1, "dev": 1}},
		"a candidate that is there": {scenario{rules: rules{Candidate: "v1"}, dev: dev, prod: []stage{at("0h", "v1")}}, "",
			map[string]int{"prod": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := test.world()
			r := w.decide(t)
			if got := strings.Join(w.asked, " "); got != test.asked {
				t.Errorf("asked for the reports on %q, want %q; %s", got, test.asked, told(r))
			}
			if diff := cmp.Diff(test.read, w.read); diff != "" {
				t.Errorf("GitOps commits read (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	broken := errors.New("the server is away")
	history := func(int) (promotion.GitOpsCommit, bool, error) { return promotion.GitOpsCommit{}, false, broken }
	from := func(asked promotion.Reports) promotion.Reports {
		return func(commit string) ([]promotion.Report, error) {
			all, _ := asked(commit)
			return all, broken
		}
	}
	for name, test := range map[string]struct {
		breaks func(*world)
		want   string
	}{
		"prod": {func(w *world) { w.facts.Target.History = history }, "the history of prod cannot be read: the server is away"},
		"prod, further back": {func(w *world) {
			target := w.facts.Target.History
			w.facts.Target.History = func(i int) (promotion.GitOpsCommit, bool, error) {
				if i == 0 {
					return target(i)
				}
				return history(i)
			}
		}, "the history of prod cannot be read: the server is away"},
		"dev": {func(w *world) { w.facts.After["dev"] = promotion.Branch{History: history} },
			"the history of dev cannot be read: the server is " +
				"away"},
		"reports on dev": {func(w *world) {
			dev := w.facts.After["dev"]
			w.facts.After["dev"] = promotion.Branch{History: dev.History, Reports: from(dev.Reports)}
		}, "the reports on GitOps commit dev/c2 of dev cannot be read: the server is away"},
		"the source": {func(w *world) {
			w.facts.Source = func(int) (promotion.SourceCommit, bool, error) { return promotion.SourceCommit{}, false, broken }
		}, "the history of the source cannot be read: the server is away"},
		"the source, further back": {func(w *world) {
			source := w.facts.Source
			w.facts.Source = func(i int) (promotion.SourceCommit, bool, error) {
				if i == 0 {
					return source(i)
				}
				return promotion.SourceCommit{}, false, broken
			}
		}, "the history of the source cannot be read: the server is away"},
		"reports on the source": {func(w *world) { w.facts.SourceReports = from(w.facts.SourceReports) }, "the reports on the source commit c2 " +
			"cannot be read: the server is away"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scenario{source: "c1 c2", dev: []stage{at("0h", "c2", green)}, prod: []stage{at("0h", "c1")},
				rules: rules{SourceChecks: oneGreen}, checks: map[string][]said{"c2": {green}}}.world()
			test.breaks(w)
			_, err := promotion.Decide(t.Context(), w.rules, w.facts, w.now)
			if !errors.Is(err, broken) || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// A decision ends with its context.
func TestDecisionEnds(t *testing.T) {
	t.Parallel()
	w := scenario{source: "c1", dev: from("c1:a1; green", "c1:a2; green"), prod: from("c1:a1")}.world()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := promotion.Decide(ctx, w.rules, w.facts, w.now); !errors.Is(err, context.Canceled) {
		t.Errorf("got %s, error %v", told(r), err)
	}
}

// Errors in facts that Decide does not read do no harm.
func TestUnreadableAndUnread(t *testing.T) {
	t.Parallel()
	w := scenario{source: "c1 c2", dev: []stage{at("0h", "c2", green)}, prod: []stage{at("0h", "c2")}}.world()
	w.facts.After["dev"] = promotion.Branch{History: func(int) (promotion.GitOpsCommit, bool, error) {
		return promotion.GitOpsCommit{}, false, errors.New("the server is away")
	}}
	if got := told(w.decide(t)); got != "up_to_date c2" {
		t.Errorf("got %s", got)
	}
}

// Facts are not changed.
func TestFactsAreLeftAlone(t *testing.T) {
	t.Parallel()
	carried := map[string]promotion.Release{"": released("c1:a1"), "x": {}}
	w := scenario{source: "c1"}.world()
	w.facts.Target.History = func(int) (promotion.GitOpsCommit, bool, error) {
		return promotion.GitOpsCommit{ID: "g", Carried: carried}, true, nil
	}
	if got := told(w.decide(t)); got != "up_to_date c1" {
		t.Errorf("got %s", got)
	}
	if diff := cmp.Diff(map[string]promotion.Release{"": released("c1:a1"), "x": {}}, carried); diff != "" {
		t.Errorf("carried (-want +got):\n%s", diff)
	}
}

// Without reports, nothing is green.
func TestNobodyReports(t *testing.T) {
	t.Parallel()
	w := scenario{source: "c1", dev: []stage{at("0h", "c1", green)}}.world()
	w.facts.After["dev"] = promotion.Branch{History: w.facts.After["dev"].History}
	if got := told(w.decide(t)); got != "nothing -; c1 waiting" {
		t.Errorf("got %s", got)
	}
}
