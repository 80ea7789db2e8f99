// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the database of Go, wherever the tests run

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

type window = calendar.Window

func on(days, from, to, zone string) window {
	return window{Days: strings.Fields(days), From: from, To: to, Timezone: zone}
}

func TestInvalidRules(t *testing.T) {
	t.Parallel()
	whole := window{Days: []string{"mon"}, From: "00:00", To: "24:00", Timezone: "UTC"}
	with := func(change func(*window)) rules {
		w := whole
		change(&w)
		return rules{Windows: []window{w}}
	}
	for name, test := range map[string]struct {
		rules
		want []string
	}{
		"fine": {rules{Windows: []window{whole}, After: gates{"dev": {Checks: oneGreen}}}, nil},
		"no days": {with(func(w *window) { w.Days = nil }),
			[]string{`windows[0].days: They are missing. Write the days on which it opens, such as ["mon", "thu"], or all seven.`}},
		"no day": {with(func(w *window) { w.Days = []string{"mon", "mondey", "x"} }),
			[]string{`windows[0].days: "mondey" is not a day. Did you mean "monday"? Days are mon, tue, wed, thu, fri, sat and sun.`,
				`windows[0].days: "x" is not a day. Days are mon, tue, wed, thu, fri, sat and sun.`}},
		"no times": {with(func(w *window) { w.From, w.To = "", "" }),
			[]string{`windows[0].from: "" is not a time of day. Write one such as "09:00", from 00:00 to 23:59.`,
				`windows[0].to: "" is not a time of day. Write one such as "16:00", from 00:00 to 24:00.`}},
		"no time": {with(func(w *window) { w.From, w.To = "24:00", "9:00" }),
			[]string{`windows[0].from: "24:00" is not a time of day. Write one such as "09:00", from 00:00 to 23:59.`,
				`windows[0].to: "9:00" is not a time of day. Write one such as "16:00", from 00:00 to 24:00.`}},
		"opens and closes": {with(func(w *window) { w.From, w.To = "09:00", "09:00" }),
			[]string{`windows[0]: It opens and closes at 09:00. For whole days write from = "00:00" and to = "24:00".`}},
		"no zone": {with(func(w *window) { w.Timezone = "" }),
			[]string{`windows[0].timezone: It is missing. Write one such as "Europe/Berlin" or "UTC".`}},
		"unknown zone": {with(func(w *window) { w.Timezone = "Europe/Berln" }),
			[]string{`windows[0].timezone: "Europe/Berln" is not in the time zone database. Write one such as "Europe/Berlin" or "UTC".`}},
		"a zone of a place": {with(func(w *window) { w.Timezone = "../etc/passwd" }),
			[]string{`windows[0].timezone: "../etc/passwd" is not in the time zone database. Write one such as "Europe/Berlin" or "UTC".`}},
		"this machine's": {with(func(w *window) { w.Timezone = "Local" }),
			[]string{`windows[0].timezone: "Local" is not in the time zone database. Write one such as "Europe/Berlin" or "UTC".`}},
		"this machine's file": {with(func(w *window) { w.Timezone = "localtime" }),
			[]string{`windows[0].timezone: "localtime" is not in the time zone database. Write one such as "Europe/Berlin" or "UTC".`}},
		"leap seconds": {with(func(w *window) { w.Timezone = "right/UTC" }),
			[]string{`windows[0].timezone: "right/UTC" is not in the time zone database. Write one such as "Europe/Berlin" or "UTC".`}},
		"no checks": {rules{After: gates{"dev": {}}},
			[]string{`after["dev"]: There are no checks, so nothing would show whether a commit works in dev. Write at least one block checks, as with context = "kustomization/*"; or no_checks = true, where it is enough that it is there.`}},
		"itself": {rules{Environment: "dev", After: gates{"dev": {Checks: oneGreen}}},
			[]string{`after["dev"]: dev cannot come after itself: nothing would ever be promoted to it. Name the environments before it.`}},
		"a negative soak": {rules{After: gates{"dev": {Checks: oneGreen, Soak: -time.Hour}}},
			[]string{`after["dev"].soak: -1h0m0s is less than nothing. Write how long a commit must have run, such as "2h".`}},
		"empty checks": {rules{After: gates{"dev": {Checks: []check{{}, {Context: "x", AtLeast: -1, Creators: []string{"a", ""}}}}},
			SourceChecks: []check{{}}}, []string{
			`after["dev"].checks[0].context: It is empty. Write the context of the report, such as "kustomization/*", in which * stands for any text.`,
			`after["dev"].checks[1].at_least: -1 is less than nothing. Write how many contexts must be green, or leave it out for one.`,
			`after["dev"].checks[1].creators: One is empty. Write logins, or leave creators out if all reports count.`,
			`source_checks[0].context: It is empty. Write the context of the report, such as "kustomization/*", in which * stands for any text.`}},
		"checks of no source": {rules{Candidate: "v1", SourceChecks: oneGreen},
			[]string{`source_checks: They ask for reports on commits of the source, and a candidate has none. Remove them, or give a source instead of the candidate.`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := test.Check()
			if diff := cmp.Diff(test.want, texts(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, deciding := promotion.Decide(t.Context(), test.rules, promotion.Facts{}, start); !cmp.Equal(texts(err), texts(deciding)) {
				t.Errorf("Check gives %v, Decide %v", err, deciding)
			}
		})
	}
}

// An abbreviated pin would stand for something else once another commit begins so.
func TestAbbreviatedPin(t *testing.T) {
	t.Parallel()
	s := scenario{source: "abc1 abc2 abc10", rules: rules{Pin: "abc"}}
	w := s.world()
	_, err := promotion.Decide(t.Context(), w.rules, w.facts, w.now)
	want := []string{
		`pin: "abc" is abbreviated. Write the whole id: "abc1", "abc10", "abc2".`,
	}
	if diff := cmp.Diff(want, texts(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for pin, want := range map[string]string{
		"ABC10": `pin: "ABC10" is abbreviated. Write the whole id: "abc10".`,
		"def":   `pin: "def" is abbreviated. Write the whole id: "def1".`,
		"fed":   `pin: "fed" is abbreviated. Write the whole id: "fed1".`,
	} {
		w := scenario{source: "abc10 def1= abc11<fed1", rules: rules{Pin: pin}}.world()
		if _, err := promotion.Decide(t.Context(), w.rules, w.facts, w.now); !cmp.Equal(texts(err), []string{want}) {
			t.Errorf("got %q, want %s", texts(err), want)
		}
	}
	s.rules.Pin = "abc1"
	if got := told(s.world().decide(t)); got != "pinned abc1 from -" {
		t.Errorf("got %s", got)
	}
}

// texts returns the problems of an error, all of which are called alike.
func texts(err error) []string {
	var all problem.List
	var out []string
	if errors.As(err, &all) {
		for _, p := range all {
			if p.Summary != "Invalid promotion" {
				out = append(out, p.Summary)
			}
			out = append(out, p.Text())
		}
	} else if err != nil {
		out = append(out, err.Error())
	}
	return out
}
