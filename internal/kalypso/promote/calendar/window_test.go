// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package calendar_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
)

type window = calendar.Window

// weekdays is from nine to four on the first four days of the week.
var weekdays = window{Days: []string{"mon", "tue", "wed", "thu"}, From: "09:00", To: "16:00", Timezone: "Europe/Berlin"}

func on(days, from, to, zone string) window {
	return window{Days: strings.Fields(days), From: from, To: to, Timezone: zone}
}

// opens returns "" if windows are open at a time, and otherwise when the first one opens.
func opens(t *testing.T, now time.Time, windows ...window) string {
	t.Helper()
	all := calendar.Openings(windows, func(_ int, attribute, format string, args ...any) { t.Errorf(attribute+": "+format, args...) })
	if open, at := calendar.Next(all, now); !open {
		return wording.Moment(at)
	}
	return ""
}

func TestWindows(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		window
		now, want string
	}{
		"open":                        {weekdays, "2026-03-02T09:00:00+01:00", ""},
		"open to the last second":     {weekdays, "2026-03-02T15:59:59+01:00", ""},
		"just closed":                 {weekdays, "2026-03-02T16:00:00+01:00", "Tue 2026-03-03 09:00 +01:00 (Europe/Berlin)"},
		"not yet open":                {weekdays, "2026-03-02T08:59:59+01:00", "Mon 2026-03-02 09:00 +01:00 (Europe/Berlin)"},
		"now in another zone":         {weekdays, "2026-03-02T07:59:59Z", "Mon 2026-03-02 09:00 +01:00 (Europe/Berlin)"},
		"over the weekend":            {weekdays, "2026-03-05T18:00:00+01:00", "Mon 2026-03-09 09:00 +01:00 (Europe/Berlin)"},
		"over a change of the clock":  {weekdays, "2026-03-26T18:00:00+01:00", "Mon 2026-03-30 09:00 +02:00 (Europe/Berlin)"},
		"in summer":                   {weekdays, "2026-07-06T07:00:00Z", ""},
		"names in full":               {on("Monday FRI", "09:00", "10:00", "UTC"), "2026-03-06T09:30:00Z", ""},
		"whole days":                  {on("sat sun", "00:00", "24:00", "UTC"), "2026-03-08T23:59:59Z", ""},
		"whole days are over":         {on("sat sun", "00:00", "24:00", "UTC"), "2026-03-09T00:00:00Z", "Sat 2026-03-14 00:00 +00:00 (UTC)"},
		"a week later":                {on("mon", "09:00", "10:00", "UTC"), "2026-03-02T10:00:00Z", "Mon 2026-03-09 09:00 +00:00 (UTC)"},
		"overnight, in the evening":   {on("fri", "22:00", "06:00", "UTC"), "2026-03-06T22:00:00Z", ""},
		"overnight, in the morning":   {on("fri", "22:00", "06:00", "UTC"), "2026-03-07T05:59:00Z", ""},
		"overnight, after":            {on("fri", "22:00", "06:00", "UTC"), "2026-03-07T06:00:00Z", "Fri 2026-03-13 22:00 +00:00 (UTC)"},
		"overnight, the day before":   {on("fri", "22:00", "06:00", "UTC"), "2026-03-06T05:00:00Z", "Fri 2026-03-06 22:00 +00:00 (UTC)"},
		"overnight, over the week":    {on("sun", "22:00", "06:00", "UTC"), "2026-03-02T03:00:00Z", ""},
		"to midnight":                 {on("fri", "22:00", "00:00", "UTC"), "2026-03-07T00:00:00Z", "Fri 2026-03-13 22:00 +00:00 (UTC)"},
		"the other side of the world": {on("tue", "09:00", "10:00", "Pacific/Auckland"), "2026-03-02T20:30:00Z", ""},
		"half hours": {on("mon", "09:00", "10:00", "Asia/Kolkata"), "2026-03-02T03:00:00Z", "Mon 2026-03-02 09:00 +05:30 " +
			"(Asia/Kolkata)"},
		// On 29 March 2026 the clock goes from 02:00 +01:00 to 03:00 +02:00, on 25 October 2026 back.
		"a night of seven hours": {on("sat", "22:00", "06:00", "Europe/Berlin"), "2026-03-29T03:59:59Z", ""},
		"a night of seven hours is over": {on("sat", "22:00", "06:00", "Europe/Berlin"), "2026-03-29T04:00:00Z",
			"Sat 2026-04-04 22:00 +02:00 (Europe/Berlin)"},
		"a night of nine hours": {on("sat", "22:00", "06:00", "Europe/Berlin"), "2026-10-25T04:59:59Z", ""},
		"a night of nine hours is over": {on("sat", "22:00", "06:00", "Europe/Berlin"), "2026-10-25T05:00:00Z",
			"Sat 2026-10-31 22:00 +01:00 (Europe/Berlin)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now, err := time.Parse(time.RFC3339, test.now)
			if err != nil {
				t.Fatal(err)
			}
			if got := opens(t, now, test.window); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// One of several windows is enough, and the first one to open is told.
func TestSeveralWindows(t *testing.T) {
	t.Parallel()
	monday := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	windows := []window{on("fri", "09:00", "10:00", "UTC"), on("wed", "09:00", "10:00", "America/New_York"),
		on("mon", "09:00", "10:00", "UTC")}
	if got := opens(t, monday.Add(time.Hour), windows...); got != "" {
		t.Errorf("closed until %s", got)
	}
	if got, want := opens(t, monday.Add(2*time.Hour), windows...), "Wed 2026-03-04 09:00 -05:00 (America/New_York)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// For any input, a window is refused or opens within two weeks, at the time in the message
// and not before.
func FuzzWindow(f *testing.F) {
	f.Add("mon", "thu", "09:00", "16:00", "Europe/Berlin", int64(1772434800))
	f.Add("sun", "sun", "02:10", "02:50", "Europe/Berlin", int64(1774700000))
	f.Add("Friday", "sat", "22:00", "06:00", "Pacific/Apia", int64(1325200000))
	f.Add("sat", "sat", "00:00", "24:00", "America/Santiago", int64(1757000000))
	f.Add("", "x", "24:00", "9:00", "..", int64(0))
	f.Fuzz(func(t *testing.T, day, other, from, to, zone string, unix int64) {
		w := window{Days: []string{day, other}, From: from, To: to, Timezone: zone}
		now := time.Unix(4e8+max(unix, 0)%4e9, 0) // offsets have whole minutes since 1980
		isValid := true
		calendar.Openings([]window{w}, func(int, string, string, ...any) { isValid = false })
		if !isValid {
			return
		}
		told := opens(t, now, w)
		if told == "" {
			return
		}
		text, _, _ := strings.Cut(told, " (")
		when, err := time.Parse("Mon 2006-01-02 15:04 -07:00", text)
		if err != nil {
			t.Fatalf("%q: %v", told, err)
		}
		if when.Before(now) || when.Sub(now) > 15*24*time.Hour {
			t.Errorf("%s is told at %s", told, now)
		}
		if at := opens(t, when.Add(time.Minute-1), w); at != "" {
			t.Errorf("closed until %s when %s is told", at, told)
		}
		if before := opens(t, when.Add(-time.Second), w); !when.Add(-time.Second).Before(now) && before != told {
			t.Errorf("just before %s it is %q", told, before)
		}
	})
}
