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

const contextLines = 3

// hunk is a group of changed lines that are close to each other, with the lines around them, after the lines before.
type hunk struct{ before, lines []signed }

type signed struct {
	sign byte // ' ' if it is unchanged, '-' if it is removed, '+' if it is new
	text string
}

func hunksOf(from, to string) (hunks []hunk) {
	all, end := compare(from, to), 0
	for i := 0; i < len(all); i++ {
		if all[i].sign == ' ' {
			continue
		}
		begin, last := max(end, i-contextLines), i
		for ; i < len(all) && i-last <= 2*contextLines+1; i++ {
			if all[i].sign != ' ' {
				last = i
			}
		}
		end = min(len(all), last+1+contextLines)
		hunks = append(hunks, hunk{all[:begin], all[begin:end]})
		i = end - 1
	}
	return hunks
}

func (h hunk) write(b *strings.Builder) {
	fmt.Fprintf(b, "@@ -%s +%s @@%s\n", span(count(h.before, '+'), count(h.lines, '+')), span(count(h.before, '-'), count(h.lines, '-')),
		heading(h.before))
	for _, line := range h.lines {
		b.WriteByte(line.sign)
		b.WriteString(line.text)
		if !strings.HasSuffix(line.text, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// count returns how many lines do not have a sign.
func count(lines []signed, not byte) (n int) {
	for _, line := range lines {
		if line.sign != not {
			n++
		}
	}
	return n
}

// span returns n lines after the line from in git's form: counted from 1, or the line before an empty
// range.
func span(from, n int) string {
	switch n {
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
func heading(before []signed) string {
	for _, l := range slices.Backward(before) {
		line := l.text
		if c := line[0]; l.sign != '+' && ('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$') {
			return " " + strings.TrimRight(line[:min(len(line), maxHeading)], " \t\r\n\v\f")
		}
	}
	return ""
}

// maxCompared bounds the compared lines, because the time grows with the square of the
// difference. Above the bound, every line counts as changed.
const maxCompared = 10_000

// compare returns the lines of two texts, with as few changed ones as possible (Myers), like git by default.
func compare(from, to string) (all []signed) {
	old, now := slices.Collect(strings.Lines(from)), slices.Collect(strings.Lines(to))
	take := func(sign byte, n int) {
		lines := &old
		if sign == '+' {
			lines = &now
		}
		for _, text := range (*lines)[:n] {
			all = append(all, signed{sign, text})
		}
		*lines = (*lines)[n:]
		if sign == ' ' {
			now = now[n:]
		}
	}
	same, end := 0, 0 // equal lines at the start and at the end
	for same < min(len(old), len(now)) && old[same] == now[same] {
		same++
	}
	take(' ', same)
	for end < min(len(old), len(now)) && old[len(old)-1-end] == now[len(now)-1-end] {
		end++
	}
	gone, come := len(old)-end, len(now)-end
	if gone == 0 || come == 0 || max(gone, come) > maxCompared {
		take('-', gone)
		take('+', come)
	} else {
		matcher := diffmatchpatch.New()
		matcher.DiffTimeout = 0 // no timeout, so that the result does not depend on the clock
		oldLines, newLines, _ := matcher.DiffLinesToRunes(strings.Join(old[:gone], ""), strings.Join(now[:come], ""))
		for _, d := range matcher.DiffMainRunes(oldLines, newLines, false) {
			take(signs[d.Type], utf8.RuneCountInString(d.Text))
		}
	}
	take(' ', end)
	return all
}

var signs = map[diffmatchpatch.Operation]byte{diffmatchpatch.DiffDelete: '-', diffmatchpatch.DiffInsert: '+', diffmatchpatch.DiffEqual: ' '}
