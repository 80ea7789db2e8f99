// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"fmt"
	"strings"
	"unicode"
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
	var near []block
	for _, next := range blocks(old, now) {
		if len(near) > 0 && next.oldFrom-near[len(near)-1].oldTo > 2*contextLines {
			hunks = append(hunks, newHunk(old, now, near))
			near = nil
		}
		near = append(near, next)
	}
	if len(near) > 0 {
		hunks = append(hunks, newHunk(old, now, near))
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

// write writes the hunk as git does.
func (h hunk) write(b *strings.Builder) {
	fmt.Fprintf(b, "@@ -%s +%s @@%s\n", span(h.oldFrom, h.oldTo), span(h.newFrom, h.newTo), heading(h.before))
	for _, line := range h.lines {
		b.WriteByte(line.sign)
		b.WriteString(visible(line.text))
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
			return " " + visible(strings.TrimRight(line[:min(len(line), maxHeading)], " \t\r\n\v\f"))
		}
	}
	return ""
}

// visible shows control characters as pictures, except tabs and the end of the line. Printed
// directly, they could hide a part of the plan.
func visible(line string) string {
	text := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	if !strings.ContainsFunc(text, hiding) {
		return line
	}
	return strings.Map(func(r rune) rune {
		switch {
		case !hiding(r):
			return r
		case r < 0x20:
			return '\u2400' + r
		}
		return '\uFFFD'
	}, text) + line[len(text):]
}

// hiding reports whether a terminal obeys the character instead of showing it, or reverses
// the direction of the text after it.
func hiding(r rune) bool {
	return r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}
