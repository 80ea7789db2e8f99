// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package wording counts, lists and quotes things in sentences, and suggests the known word that was
// probably meant.
package wording

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Count returns a number with its noun: "1 package", "2 packages".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Sorted returns names sorted and without repetition.
func Sorted(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }

// MaxListed is how many names a sentence lists before it says how many more there are, and MaxOffered how many if
// somebody probably meant one of them.
const (
	MaxListed  = 3
	MaxOffered = 5
)

// First returns the first names of a list. If there are more names, it also says how many.
func First(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Moment writes a time for people, in its own time zone: "Mon 2026-03-02 09:00 +01:00 (Europe/Berlin)".
func Moment(t time.Time) string {
	return fmt.Sprintf("%s (%s)", t.Format("Mon 2006-01-02 15:04 -07:00"), t.Location())
}
