// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"fmt"
	"strings"
	"unicode"
)

// contextLines are shown around what changes.
const contextLines = 3

// writeHunks writes the hunks that lead from a text to another.
func writeHunks(b *strings.Builder, from, to string) {
	old, now := splitLines(from), splitLines(to)
	var hunk []block
	for _, next := range blocks(from, to) {
		if len(hunk) > 0 && next.oldFrom-hunk[len(hunk)-1].oldTo > 2*contextLines {
			writeHunk(b, old, now, hunk)
			hunk = nil
		}
		hunk = append(hunk, next)
	}
	if len(hunk) > 0 {
		writeHunk(b, old, now, hunk)
	}
}

// writeHunk writes blocks that stand close to each other, and what is around them.
func writeHunk(b *strings.Builder, old, now []string, hunk []block) {
	first, last := hunk[0], hunk[len(hunk)-1]
	before := min(contextLines, first.oldFrom)
	after := min(contextLines, len(old)-last.oldTo)
	from, to := first.oldFrom-before, last.oldTo+after
	fmt.Fprintf(b, "@@ -%s +%s @@%s\n", span(from, to), span(first.newFrom-before, last.newTo+after), heading(old[:from]))
	at := from
	for _, c := range hunk {
		writeLines(b, ' ', old[at:c.oldFrom])
		writeLines(b, '-', old[c.oldFrom:c.oldTo])
		writeLines(b, '+', now[c.newFrom:c.newTo])
		at = c.oldTo
	}
	writeLines(b, ' ', old[at:to])
}

// span returns the lines from..to as git counts them: from 1, or the line before
// where there are none.
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

// maxHeading is how many bytes of a line head a hunk.
const maxHeading = 80

// heading returns the last line that begins something, of those before the hunk.
func heading(before []string) string {
	for i := len(before) - 1; i >= 0; i-- {
		line := before[i]
		if c := line[0]; 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' {
			return " " + visible(strings.TrimRight(line[:min(len(line), maxHeading)], " \t\r\n\v\f"))
		}
	}
	return ""
}

func writeLines(b *strings.Builder, sign byte, lines []string) {
	for _, line := range lines {
		b.WriteByte(sign)
		b.WriteString(visible(line))
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// visible shows control characters as pictures of them, but for tabs and the end
// of the line: printed as they are, they could hide a part of the plan.
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

// hiding reports whether a terminal obeys the character instead of showing it, or
// writes what follows it in the other direction.
func hiding(r rune) bool {
	return r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}
