// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"strings"
)

// section is a part of the page.
type section struct {
	title, text string
	rows        []row
}

// row is a measured value.
type row struct {
	what string
	// bench is the name of the benchmark. A star in the name matches several: the worst of
	// them counts, and the page names it.
	bench string
	// unit is the unit of the value as in benchfmt, which converts ns/op to sec/op, and
	// peak-MB to peak-B.
	unit string
	// per divides the measured value; zero means 1.
	per float64
	// times is the benchmark whose value is the base, if the page shows a multiple.
	times string
	// minus is the benchmark whose value is subtracted.
	minus string
	// format writes the value.
	format string
	// aim is the largest accepted value; zero means no aim. reason says why it is missed today.
	aim    float64
	reason string
	// isChecked has a check fail if the value is larger than bound, or was not measured.
	isChecked bool
	bound     float64
}

// measure returns the value of the row, and a text for it. It is not ok if the value was not measured.
func (r row) measure(all results) (value float64, text string, ok bool) {
	value, worst, ok := all.worst(r.bench, r.unit)
	if !ok {
		return 0, "", false
	}
	if r.minus != "" {
		off, _, has := all.worst(r.minus, r.unit)
		if !has {
			return 0, "", false
		}
		value -= off
	}
	if r.per != 0 {
		value /= r.per
	}
	measured := fmt.Sprintf(r.format, value)
	if r.times != "" {
		base, _, has := all.worst(r.times, r.unit)
		if !has {
			return 0, "", false
		}
		value /= base
		measured = fmt.Sprintf("%.1f times (%s)", value, measured)
	}
	if strings.Contains(r.bench, "*") {
		measured += ", " + worst
	}
	return value, measured, true
}

// render returns the row. It is not ok if the value was not measured.
func (r row) render(all results) (text string, fallsShort, ok bool) {
	value, measured, ok := r.measure(all)
	if !ok {
		return "", false, false
	}
	if r.aim == 0 {
		return fmt.Sprintf("| %s | %s | | |", r.what, measured), false, true
	}
	mark := ""
	if fallsShort = value > r.aim; fallsShort {
		mark = strings.TrimSuffix(fmt.Sprintf("**missed by %.0f %%**: %s", 100*(value/r.aim-1), r.reason), ": ")
	}
	return fmt.Sprintf("| %s | %s | %s | %s |", r.what, measured, r.aimText(), mark), fallsShort, true
}

func (r row) aimText() string {
	if r.times != "" {
		return fmt.Sprintf("%g times", r.aim)
	}
	return fmt.Sprintf(r.format, r.aim)
}
