// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"maps"
	"slices"
	"text/template/parse"
)

// MissingValue is an action of a source that writes what does not exist, or null.
type MissingValue struct {
	Line, Column int
	// Expression is the action without its braces: ".Labels.app".
	Expression string
}

// Missing returns the first actions, at most so many, that have written what does not exist
// in the last execution, which is one of the program, and how many there are in all.
func (e *Executor) Missing(p *Program, most int) (first []MissingValue, all int) {
	offsets := slices.Sorted(maps.Keys(e.meter.missing))
	for _, offset := range offsets[:min(most, len(offsets))] {
		line, column := position(p.source, offset)
		first = append(first, MissingValue{line, column, e.meter.missing[offset]})
	}
	return first, len(offsets)
}

// action is an action that writes, by its place in the source.
type action struct {
	offset     int
	expression string
}

// actionOf returns the action of a pipeline, which is not instrumented yet.
func actionOf(p *parse.PipeNode) action { return action{int(p.Pos), p.String()} }

// lacks notes an action that writes what does not exist.
func (m *meter) lacks(a action) {
	if m.missing == nil {
		m.missing = map[int]string{}
	}
	m.missing[a.offset] = a.expression
}
