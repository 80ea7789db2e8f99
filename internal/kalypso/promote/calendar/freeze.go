// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package calendar

import (
	"fmt"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Freeze is a time in which nothing may change, such as the days around a holiday.
type Freeze struct {
	// From and To are dates, as "2026-12-18", or dates with times, as "2026-12-18T17:00". From as a
	// date is the beginning of that day, and To is its end: a freeze includes its last day.
	From, To string
	// Timezone is a name such as "Europe/Berlin".
	Timezone string
	// Reason is what messages call the freeze.
	Reason string
}

// Period is a parsed Freeze. It contains Begins, and not Ends.
type Period struct {
	Reason       string
	Begins, Ends time.Time
}

// Periods checks the freezes of the settings, and adds their problems.
func Periods(freezes []Freeze, add Complain) []Period {
	periods := make([]Period, len(freezes))
	for i, f := range freezes {
		periods[i] = f.period(add.about(i))
	}
	return periods
}

func (f Freeze) period(add about) Period {
	loc := zone(f.Timezone, add)
	begins, fromOK := dated(loc, f.From, 0)
	if !fromOK {
		add("from", notDated, f.From)
	}
	ends, toOK := dated(loc, f.To, 1)
	if !toOK {
		add("to", notDated, f.To)
	}
	if fromOK && toOK && !begins.Before(ends) {
		add("", "It ends on %s, before it begins on %s. Write a to that is later than from.", wording.Moment(ends), wording.Moment(begins))
	}
	if strings.TrimSpace(f.Reason) == "" {
		add("reason", "It is empty. Write why nothing may change, such as \"holiday season\": messages show it.")
	}
	return Period{Reason: f.Reason, Begins: begins, Ends: ends}
}

const notDated = "%.100q is not a date. Write one such as \"2026-12-18\", or a date with a time such as \"2026-12-18T17:00\"."

// dated reads a date with a time, or a date alone. To a date alone it adds a number of days.
func dated(loc *time.Location, text string, days int) (time.Time, bool) {
	t, err := time.Parse("2006-01-02T15:04", text)
	if err != nil {
		t, err = time.Parse(time.DateOnly, text)
		t = t.AddDate(0, 0, days)
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, loc), err == nil
}

// IsInForce reports whether the freeze is in force at a time.
func (p Period) IsInForce(now time.Time) bool { return !now.Before(p.Begins) && now.Before(p.Ends) }

// InForce returns the freeze that is in force at a time. Of several, it returns the one that ends
// last.
func InForce(periods []Period, now time.Time) (last Period, isInForce bool) {
	for _, p := range periods {
		if p.IsInForce(now) && (!isInForce || p.Ends.After(last.Ends)) {
			last, isInForce = p, true
		}
	}
	return last, isInForce
}

// String names the freeze and its end.
func (p Period) String() string {
	return fmt.Sprintf("the freeze %.100q is in force until %s", p.Reason, wording.Moment(p.Ends))
}
