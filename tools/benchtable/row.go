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

// row is something that was measured.
type row struct {
	what string
	// bench is the name of the benchmark. A star in the name matches several: the worst of
	// them counts, and the page names it.
	bench string
	// unit is what is told of it, as benchfmt has it: ns/op come as sec/op, and what a
	// benchmark reports as peak-MB as peak-B.
	unit string
	// per divides what was measured; 1 where it is zero.
	per float64
	// times is the benchmark of whose value it is told as a multiple.
	times string
	// minus is the benchmark whose value is taken off.
	minus string
	// format writes the value.
	format string
	// aim is the most that it should be; none where it is zero.
	aim float64
}

// render writes the row; not ok if it was not measured.
func (r row) render(all results) (text string, fallsShort, ok bool) {
	value, worst, ok := all.worst(r.bench, r.unit)
	if !ok {
		return "", false, false
	}
	if r.minus != "" {
		off, _, has := all.worst(r.minus, r.unit)
		if !has {
			return "", false, false
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
			return "", false, false
		}
		value /= base
		measured = fmt.Sprintf("%.1f times (%s)", value, measured)
	}
	if strings.Contains(r.bench, "*") {
		measured += ", " + worst
	}
	if r.aim == 0 {
		return fmt.Sprintf("| %s | %s | | |", r.what, measured), false, true
	}
	mark := ""
	if fallsShort = value > r.aim; fallsShort {
		mark = fmt.Sprintf("**missed by %.0f %%**", 100*(value/r.aim-1))
	}
	return fmt.Sprintf("| %s | %s | %s | %s |", r.what, measured, r.aimText(), mark), fallsShort, true
}

func (r row) aimText() string {
	if r.times != "" {
		return fmt.Sprintf("%g times", r.aim)
	}
	return fmt.Sprintf(r.format, r.aim)
}
