// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"maps"
	"slices"
)

// MissingValue is an action of a source that writes null or a value that does not exist.
type MissingValue struct {
	Line, Column int
	// Expression is the action without its braces: ".Labels.app".
	Expression string
}

// Missing returns the first actions, up to most, that wrote a missing value in the last
// execution, and how many there are in all. The last execution must be one of the program p.
func (e *Executor) Missing(p *Program, most int) (first []MissingValue, all int) {
	offsets := slices.Sorted(maps.Keys(e.meter.missing))
	for _, offset := range offsets[:min(most, len(offsets))] {
		line, column := position(p.source, offset)
		first = append(first, MissingValue{line, column, p.actions[offset]})
	}
	return first, len(offsets)
}
