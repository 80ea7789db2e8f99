// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// splitLines returns the lines of a text with their line breaks.
func splitLines(text string) []string { return slices.Collect(strings.Lines(text)) }

// block is a run of changed lines: old[oldFrom:oldTo] becomes now[newFrom:newTo].
type block struct{ oldFrom, oldTo, newFrom, newTo int }

// maxCompared bounds the compared lines, because the time grows with the square of the
// difference. Above the bound, every line counts as changed.
const maxCompared = 10_000

// blocks returns the runs of changed lines between two texts, with as few lines as possible
// (Myers), like git by default.
func blocks(old, now []string) []block {
	same := 0 // equal lines at the start
	for same < min(len(old), len(now)) && old[same] == now[same] {
		same++
	}
	end := 0
	for end < min(len(old), len(now))-same && old[len(old)-1-end] == now[len(now)-1-end] {
		end++
	}
	old, now = old[same:len(old)-end], now[same:len(now)-end]
	if len(old) == 0 || len(now) == 0 || max(len(old), len(now)) > maxCompared {
		return appendBlock(nil, block{same, same + len(old), same, same + len(now)})
	}
	matcher := diffmatchpatch.New()
	matcher.DiffTimeout = 0 // no timeout, so that the result does not depend on the clock
	oldLines, newLines, _ := matcher.DiffLinesToRunes(strings.Join(old, ""), strings.Join(now, ""))
	var all []block
	at := block{same, same, same, same}
	for _, d := range matcher.DiffMainRunes(oldLines, newLines, false) {
		n := utf8.RuneCountInString(d.Text)
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			at.oldTo += n
		case diffmatchpatch.DiffInsert:
			at.newTo += n
		case diffmatchpatch.DiffEqual:
			all = appendBlock(all, at)
			at = block{at.oldTo + n, at.oldTo + n, at.newTo + n, at.newTo + n}
		}
	}
	return appendBlock(all, at)
}

// appendBlock adds a block, unless the block is empty.
func appendBlock(all []block, b block) []block {
	if b.oldFrom == b.oldTo && b.newFrom == b.newTo {
		return all
	}
	return append(all, b)
}
