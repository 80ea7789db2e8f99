// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package calendar_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the database of Go, wherever the tests run
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/elided"
)

// understood returns the period of a freeze, and the problems.
func understood(f calendar.Freeze) (calendar.Period, string) {
	var problems []string
	periods := calendar.Periods([]calendar.Freeze{f}, func(block int, attribute, format string, args ...any) {
		where := strings.TrimSuffix(fmt.Sprintf("freeze[%d].%s", block, attribute), ".")
		problems = append(problems, where+": "+fmt.Sprintf(format, args...))
	})
	return periods[0], strings.Join(problems, "\n")
}

func TestFreeze(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		from, to, zone, begins, ends string
	}{
		"days":                       {"2026-12-18", "2027-01-03", "Europe/Berlin", "2026-12-17T23:00:00Z", "2027-01-03T23:00:00Z"},
		"one day":                    {"2026-12-24", "2026-12-24", "America/New_York", "2026-12-24T05:00:00Z", "2026-12-25T05:00:00Z"},
		"times":                      {"2026-12-18T17:00", "2027-01-04T08:30", "Asia/Kolkata", "2026-12-18T11:30:00Z", "2027-01-04T03:00:00Z"},
		"a day and a time":           {"2026-12-18", "2026-12-18T12:00", "UTC", "2026-12-18T00:00:00Z", "2026-12-18T12:00:00Z"},
		"over a change of the clock": {"2026-03-28", "2026-03-29", "Europe/Berlin", "2026-03-27T23:00:00Z", "2026-03-29T22:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, problems := understood(calendar.Freeze{From: test.from, To: test.to, Timezone: test.zone, Reason: "holidays"})
			begins, ends := p.Begins.UTC().Format(time.RFC3339), p.Ends.UTC().Format(time.RFC3339)
			if problems != "" || begins != test.begins || ends != test.ends {
				t.Fatalf("got %s to %s %s", begins, ends, problems)
			}
			for at, want := range map[time.Time]bool{
				p.Begins.Add(-time.Second): false, p.Begins: true, p.Ends.Add(-time.Second): true, p.Ends: false} {
				if _, is := calendar.InForce([]calendar.Period{p}, at); is != want {
					t.Errorf("in force at %s: %t", at, is)
				}
			}
		})
	}
}

func TestFreezeInForce(t *testing.T) {
	t.Parallel()
	long, _ := understood(calendar.Freeze{From: "2026-12-18", To: "2027-01-03", Timezone: "Europe/Berlin", Reason: "holidays\x1b\n and rest"})
	short, _ := understood(calendar.Freeze{From: "2026-12-20", To: "2026-12-20", Timezone: "UTC", Reason: "audit"})
	now := time.Date(2026, 12, 20, 12, 0, 0, 0, time.UTC)
	p, is := calendar.InForce([]calendar.Period{short, long, short}, now)
	if want := `the freeze "holidays\x1b\n and rest" is in force until Mon 2027-01-04 00:00 +01:00 (Europe/Berlin)`; !is || p.String() != want {
		t.Errorf("got %s", p)
	}
	if _, is := calendar.InForce(nil, now); is {
		t.Error("in force without freezes")
	}
}

func TestFreezeMistakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		calendar.Freeze
		want string
	}{
		"nothing": {calendar.Freeze{}, "freeze[0].timezone: It is missing. …\".\nfreeze[0].from: \"\" …\".\nfreeze[0].to: \"\" " +
			"…\".\nfreeze[0].reason: It is empty. …\": messages show it."},
		"an offset": {calendar.Freeze{From: "2026-12-18T17:00+01:00", To: "2026-12-19", Timezone: "UTC", Reason: "x"},
			`freeze[0].from: "2026-12-18T17:00+01:00" …".`},
		"no such day": {calendar.Freeze{From: "2027-02-28", To: "2027-02-29", Timezone: "UTC", Reason: "x"},
			`freeze[0].to: "2027-02-29" …".`},
		"the wrong way round": {calendar.Freeze{From: "2027-01-02", To: "2027-01-01", Timezone: "UTC", Reason: "x"},
			"freeze[0]: It ends on Sat 2027-01-02 00:00 +00:00 (UTC), … Sat 2027-01-02 00:00 +00:00 (UTC). …"},
		"this machine's zone": {calendar.Freeze{From: "2027-01-01", To: "2027-01-02", Timezone: "Local", Reason: "x"},
			`freeze[0].timezone: "Local" …".`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, problems := understood(test.Freeze); !elided.Matches(test.want, problems) {
				t.Errorf("got %s", problems)
			}
		})
	}
}

// For any input, a freeze is refused, or it begins before it ends. Its text is one line.
func FuzzFreeze(f *testing.F) {
	f.Add("2026-12-18", "2027-01-03", "Europe/Berlin", "holidays")
	f.Add("2026-03-29T02:30", "2026-10-25T02:30", "Europe/Berlin", "x")
	f.Add("2011-12-30", "2011-12-30", "Pacific/Apia", "x")
	f.Add("2027-01-02", "2027-01-01", "../x", "\x1b")
	f.Fuzz(func(t *testing.T, from, to, zone, reason string) {
		p, problems := understood(calendar.Freeze{From: from, To: to, Timezone: zone, Reason: reason})
		if problems != "" {
			return
		}
		if !p.Begins.Before(p.Ends) {
			t.Errorf("from %s to %s", p.Begins, p.Ends)
		}
		if _, is := calendar.InForce([]calendar.Period{p}, p.Begins); !is {
			t.Errorf("not in force at %s", p.Begins)
		}
		if text := p.String(); len(text) > 2000 || strings.ContainsFunc(text, unicode.IsControl) {
			t.Errorf("the text is %q", text)
		}
	})
}
