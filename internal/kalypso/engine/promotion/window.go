// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/spelling"
)

// opening is a window that was understood.
type opening struct {
	days     [7]bool // by time.Weekday
	from, to int     // minutes; to is beyond the day where the window is
	zone     *time.Location
}

const dayMinutes = 24 * 60

// weekdays are the days by time.Weekday.
var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// opening checks a window. Nothing is left to a default: a misspelled key of a nested
// attribute is dropped without a word, and must not open the window wider.
func (w Window) opening(where string, add report) opening {
	var o opening
	if len(w.Days) == 0 {
		add(where+".days", "They are missing. Write the days on which it opens, such as [\"mon\", \"thu\"], or all seven.")
	}
	for _, day := range w.Days {
		i := slices.IndexFunc(weekdays, func(name string) bool { return strings.EqualFold(name, day) || strings.EqualFold(name[:3], day) })
		if i < 0 {
			add(where+".days", "%q is not a day. %sDays are mon, tue, wed, thu, fri, sat and sun.", shown(day), spelling.DidYouMean(day, weekdays))
			continue
		}
		o.days[i] = true
	}
	var fromOK, toOK bool
	if o.from, fromOK = minutes(w.From); !fromOK || o.from == dayMinutes {
		fromOK = false
		add(where+".from", "%q is not a time of day. Write one such as \"09:00\", from 00:00 to 23:59.", shown(w.From))
	}
	if o.to, toOK = minutes(w.To); !toOK {
		add(where+".to", "%q is not a time of day. Write one such as \"16:00\", from 00:00 to 24:00.", shown(w.To))
	}
	switch {
	case fromOK && toOK && o.from == o.to:
		add(where, "It opens and closes at %s. For whole days write from = \"00:00\" and to = \"24:00\".", w.From)
	case o.to < o.from:
		o.to += dayMinutes
	}
	o.zone = zone(w.Timezone, where+".timezone", add)
	return o
}

// minutes reads a time of day, "00:00" to "24:00".
func minutes(text string) (int, bool) {
	if text == "24:00" {
		return dayMinutes, true
	}
	t, err := time.Parse("15:04", text)
	return t.Hour()*60 + t.Minute(), err == nil && len(text) == len("15:04")
}

// machines are names that mean another zone on each machine.
var machines = map[string]bool{time.Local.String(): true, "localtime": true, "posixrules": true, "Factory": true}

// zone returns a time zone by its name in the time zone database.
func zone(name, where string, add report) *time.Location {
	const such = "Write one such as \"Europe/Berlin\" or \"UTC\"."
	if name == "" {
		add(where, "It is missing. "+such)
		return time.UTC
	}
	loc, err := time.LoadLocation(name)
	if err != nil || machines[name] || strings.HasPrefix(name, "right/") {
		add(where, "%q is not in the time zone database. "+such, shown(name))
		return time.UTC
	}
	return loc
}

// next looks when windows are open: whether one is now, and else when the first one
// opens. No windows are open always.
func next(windows []opening, now time.Time) (open bool, opens time.Time) {
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

// horizon is how many days are looked ahead. A change of the clock may leave nothing of
// one week's window.
const horizon = 15

// next looks whether the window is open, and when it opens the next time.
func (o opening) next(now time.Time) (open bool, opens time.Time) {
	year, month, today := now.In(o.zone).Date()
	for day := today - 1; day <= today+horizon; day++ {
		midnight := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
		if !o.days[midnight.Weekday()] {
			continue
		}
		begins, ends := o.instant(midnight, o.from), o.instant(midnight, o.to)
		switch {
		case !begins.Before(ends):
		case begins.After(now):
			return open, begins
		case ends.After(now):
			open = true
		}
	}
	return open, time.Time{}
}

// instant returns when a clock in the zone shows so many minutes after the midnight of a
// day for the first time. If the clock is put forward over that, it is when that is done.
func (o opening) instant(midnight time.Time, after int) time.Time {
	clock := midnight.Add(time.Duration(after) * time.Minute)
	var earliest, skipped time.Time
	for _, around := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		_, offset := clock.Add(around).In(o.zone).Zone()
		t := clock.Add(-time.Duration(offset) * time.Second).In(o.zone)
		if shows(t, clock) && (earliest.IsZero() || t.Before(earliest)) {
			earliest = t
		}
		if around < 0 {
			skipped, _ = t.ZoneBounds()
		}
	}
	if earliest.IsZero() {
		return skipped
	}
	return earliest
}

// shows reports whether the clock at an instant shows the same as another one in UTC.
func shows(t, clock time.Time) bool {
	return t.Format(time.DateTime) == clock.Format(time.DateTime)
}

// moment writes when a window opens, in its own time zone.
func moment(t time.Time) string {
	return fmt.Sprintf("%s (%s)", t.Format("Mon 2006-01-02 15:04 -07:00"), t.Location())
}
