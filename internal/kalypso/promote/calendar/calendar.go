// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package calendar says when changes are allowed: in weekly windows, and outside of freezes. Both
// contain their beginning, and not their end. Nothing has a default: a missing day or time zone must
// not allow more. Where the clock is changed, package time says when a skipped or a repeated time is.
//
// Zones are those of the time zone database that package time finds; a program that brings its own
// imports time/tzdata.
package calendar

import (
	"time"
)

// Complain adds a problem of a block of the settings, by its position, or of an attribute in it. The
// attribute is empty if the problem is about several.
type Complain func(block int, attribute, format string, args ...any)

// about is a Complain for one block.
type about func(attribute, format string, args ...any)

func (c Complain) about(block int) about {
	return func(attribute, format string, args ...any) { c(block, attribute, format, args...) }
}

func zone(name string, add about) *time.Location {
	const such = "Write one such as \"Europe/Berlin\" or \"UTC\"."
	loc, err := time.LoadLocation(name)
	switch {
	case name == "":
		add("timezone", "It is missing. "+such)
	case err != nil || name == time.Local.String(): // "Local" is another zone on each machine
		add("timezone", "%.100q is not in the time zone database. "+such, name)
	default:
		return loc
	}
	return time.UTC
}
