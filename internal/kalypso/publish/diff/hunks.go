// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// contextLines is how many lines are shown around a change.
const contextLines = 3

// hunk is a group of blocks that are close to each other, with the lines around them.
type hunk struct {
	// before are the lines of the old text before the hunk.
	before []string
	// oldFrom..oldTo are the lines of the hunk in the old text, and newFrom..newTo in the new
	// text.
	oldFrom, oldTo, newFrom, newTo int
	// lines are the unchanged, removed and new lines.
	lines []signed
}

// signed is a line of a hunk.
type signed struct {
	sign byte // ' ', '-' or '+'
	text string
}

// hunksOf returns the hunks between two texts.
func hunksOf(from, to string) []hunk {
	old, now := splitLines(from), splitLines(to)
	var hunks []hunk
	var together []block
	for _, next := range blocks(old, now) {
		if len(together) > 0 && next.oldFrom-together[len(together)-1].oldTo > 2*contextLines {
			hunks = append(hunks, newHunk(old, now, together))
			together = nil
		}
		together = append(together, next)
	}
	if len(together) > 0 {
		hunks = append(hunks, newHunk(old, now, together))
	}
	return hunks
}

func newHunk(old, now []string, blocks []block) hunk {
	first, last := blocks[0], blocks[len(blocks)-1]
	before := min(contextLines, first.oldFrom)
	after := min(contextLines, len(old)-last.oldTo)
	from, to := first.oldFrom-before, last.oldTo+after
	h := hunk{before: old[:from], oldFrom: from, oldTo: to, newFrom: first.newFrom - before, newTo: last.newTo + after}
	add := func(sign byte, lines []string) {
		for _, line := range lines {
			h.lines = append(h.lines, signed{sign, line})
		}
	}
	at := from
	for _, c := range blocks {
		add(' ', old[at:c.oldFrom])
		add('-', old[c.oldFrom:c.oldTo])
		add('+', now[c.newFrom:c.newTo])
		at = c.oldTo
	}
	add(' ', old[at:to])
	return h
}

func (h hunk) write(b *strings.Builder) {
	fmt.Fprintf(b, "@@ -%s +%s @@%s\n", span(h.oldFrom, h.oldTo), span(h.newFrom, h.newTo), heading(h.before))
	for _, line := range h.lines {
		b.WriteByte(line.sign)
		b.WriteString(line.text)
		if !strings.HasSuffix(line.text, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// span returns the lines from..to in git's form: counted from 1, or the line before an empty
// range.
func span(from, to int) string {
	switch n := to - from; n {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	default:
		return fmt.Sprintf("%d,%d", from+1, n)
	}
}

// maxHeading is how many bytes of a line the heading of a hunk shows.
const maxHeading = 80

// heading returns the last line before the hunk that begins a block.
func heading(before []string) string {
	for i := len(before) - 1; i >= 0; i-- {
		line := before[i]
		if c := line[0]; 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' {
			return " " + strings.TrimRight(line[:min(len(line), maxHeading)], " \t\r\n\v\f")
		}
	}
	return ""
}

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
