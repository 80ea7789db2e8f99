// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package calendar says when changes are allowed: in weekly windows, and outside of freezes.
//
// A time is the first moment at which a clock in the time zone shows it. If the clock skips that
// time, it is the moment of the skip. Windows and freezes contain their beginning, and not their end.
// Nothing has a default: a missing day or time zone must not allow more.
//
// Zones are those of the time zone database that package time finds; a program that brings its own
// imports time/tzdata.
package calendar

import (
	"fmt"
	"strings"
	"time"
)

// Report adds a problem at a place of the settings, such as windows[0].from.
type Report func(where, format string, args ...any)

// machines are names that mean another zone on each machine.
var machines = map[string]bool{time.Local.String(): true, "localtime": true, "posixrules": true, "Factory": true}

// zone returns a time zone by its name in the time zone database.
func zone(name, where string, add Report) *time.Location {
	const such = "Write one such as \"Europe/Berlin\" or \"UTC\"."
	if name == "" {
		add(where, "It is missing. "+such)
		return time.UTC
	}
	loc, err := time.LoadLocation(name)
	if err != nil || machines[name] || strings.HasPrefix(name, "right/") {
		add(where, "%.100q is not in the time zone database. "+such, name)
		return time.UTC
	}
	return loc
}

// instant returns when a clock in the zone shows the same as clock in UTC for the first time. If the
// clock is put forward over that time, it returns the moment of that change.
func instant(zone *time.Location, clock time.Time) time.Time {
	var earliest, skipped time.Time
	for _, around := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		_, offset := clock.Add(around).In(zone).Zone()
		t := clock.Add(-time.Duration(offset) * time.Second).In(zone)
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

// Moment writes a time for people, in its own time zone: "Mon 2026-03-02 09:00 +01:00 (Europe/Berlin)".
func Moment(t time.Time) string {
	return fmt.Sprintf("%s (%s)", t.Format("Mon 2006-01-02 15:04 -07:00"), t.Location())
}
