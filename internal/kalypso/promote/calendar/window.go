// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package calendar

import (
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Window is a time of the week, from one time of day to another. One that ends before
// its beginning goes on into the next day.
type Window struct {
	// Days are when it begins: "mon" or "monday", in any case.
	Days []string
	// From and To are times as "09:00"; To may be "24:00".
	From, To string
	// Timezone is a name such as "Europe/Berlin".
	Timezone string
}

// Opening is a parsed Window.
type Opening struct {
	days     [7]bool       // by time.Weekday
	from, to time.Duration // since midnight; to is beyond the day where the window is
	zone     *time.Location
}

const day = 24 * time.Hour

// Openings checks the windows of the settings, and adds their problems.
func Openings(windows []Window, add Complain) []Opening {
	openings := make([]Opening, len(windows))
	for i, w := range windows {
		openings[i] = w.opening(add.about(i))
	}
	return openings
}

var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

func (w Window) opening(add about) Opening {
	var o Opening
	if len(w.Days) == 0 {
		add("days", "They are missing. Write the days on which it opens, such as [\"mon\", \"thu\"], or all seven.")
	}
	for _, name := range w.Days {
		i := slices.IndexFunc(weekdays, func(full string) bool { return strings.EqualFold(full, name) || strings.EqualFold(full[:3], name) })
		if i < 0 {
			add("days", "%.100q is not a day. %sDays are mon, tue, wed, thu, fri, sat and sun.", name, wording.DidYouMean(name, weekdays))
			continue
		}
		o.days[i] = true
	}
	var fromOK, toOK bool
	if o.from, fromOK = timeOfDay(w.From); !fromOK || o.from == day {
		fromOK = false
		add("from", "%.100q is not a time of day. Write one such as \"09:00\", from 00:00 to 23:59.", w.From)
	}
	if o.to, toOK = timeOfDay(w.To); !toOK {
		add("to", "%.100q is not a time of day. Write one such as \"16:00\", from 00:00 to 24:00.", w.To)
	}
	switch {
	case fromOK && toOK && o.from == o.to:
		add("", "It opens and closes at %s. For whole days write from = \"00:00\" and to = \"24:00\".", w.From)
	case o.to < o.from:
		o.to += day
	}
	o.zone = zone(w.Timezone, add)
	return o
}

// timeOfDay reads a time of day, "00:00" to "24:00", as the time since midnight.
func timeOfDay(text string) (time.Duration, bool) {
	if text == "24:00" {
		return day, true
	}
	t, err := time.Parse("15:04", text)
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, err == nil && len(text) == len("15:04")
}

// Next returns whether a window is open now, and otherwise when the first one opens. Without
// windows, the result is open.
func Next(windows []Opening, now time.Time) (open bool, opens time.Time) {
	open = len(windows) == 0
	for _, w := range windows {
		is, begins := w.next(now)
		open = open || is
		if opens.IsZero() || begins.Before(opens) {
			opens = begins
		}
	}
	return open, opens
}

// horizon is how many days next looks ahead. A change of the clock can remove the window of one week.
const horizon = 15

// next looks whether the window is open, and when it opens the next time.
func (o Opening) next(now time.Time) (open bool, opens time.Time) {
	year, month, today := now.In(o.zone).Date()
	for date := today - 1; date <= today+horizon; date++ {
		at := func(clock time.Duration) time.Time {
			return time.Date(year, month, date, 0, int(clock.Minutes()), 0, 0, o.zone)
		}
		begins, ends := at(o.from), at(o.to)
		switch {
		case !o.days[time.Date(year, month, date, 0, 0, 0, 0, time.UTC).Weekday()] || !begins.Before(ends):
		case begins.After(now):
			return open, begins
		case ends.After(now):
			open = true
		}
	}
	return open, time.Time{}
}
