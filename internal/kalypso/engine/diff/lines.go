// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// splitLines gives the lines of a text with their line breaks.
func splitLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	return lines
}

// edits tells which lines of old are deleted and which lines of now are
// inserted: as few as possible (Myers), as git does by default.
func edits(old, now []string) (deleted, inserted []bool) {
	deleted, inserted = make([]bool, len(old)), make([]bool, len(now))
	first := 0
	for first < len(old) && first < len(now) && old[first] == now[first] {
		first++
	}
	lastOld, lastNow := len(old), len(now)
	for lastOld > first && lastNow > first && old[lastOld-1] == now[lastNow-1] {
		lastOld--
		lastNow--
	}
	a := newSide(old[first:lastOld], now[first:lastNow], deleted[first:lastOld])
	b := newSide(now[first:lastNow], old[first:lastOld], inserted[first:lastNow])
	a.compare(b)
	return deleted, inserted
}

// side is a part of one text, as far as its lines stand in the other one too:
// those that do not are changed in any case.
type side struct {
	changed []bool
	// lines are the positions of the lines that both texts have.
	lines []int
	texts []string
}

func newSide(lines, others []string, changed []bool) side {
	common := make(map[string]bool, len(others))
	for _, line := range others {
		common[line] = true
	}
	s := side{changed: changed}
	for i, line := range lines {
		if common[line] {
			s.lines = append(s.lines, i)
			s.texts = append(s.texts, line)
		} else {
			changed[i] = true
		}
	}
	return s
}

// maxCompared bounds the lines that are compared, since comparing takes time by
// the square of what differs: beyond it everything counts as changed.
const maxCompared = 10_000

// compare marks what is changed among the lines that both have.
func (s side) compare(other side) {
	if len(s.lines) > maxCompared || len(other.lines) > maxCompared {
		markAll(s)
		markAll(other)
		return
	}
	if len(s.lines) == 0 && len(other.lines) == 0 {
		return
	}
	runes := map[string]rune{}
	matcher := diffmatchpatch.New()
	matcher.DiffTimeout = 0 // as long as it takes: the result does not depend on the clock
	i, j := 0, 0
	for _, d := range matcher.DiffMainRunes(asRunes(runes, s.texts), asRunes(runes, other.texts), false) {
		n := utf8.RuneCountInString(d.Text)
		switch d.Type {
		case diffmatchpatch.DiffEqual:
			i, j = i+n, j+n
		case diffmatchpatch.DiffDelete:
			for ; n > 0; n-- {
				s.changed[s.lines[i]] = true
				i++
			}
		case diffmatchpatch.DiffInsert:
			for ; n > 0; n-- {
				other.changed[other.lines[j]] = true
				j++
			}
		}
	}
}

func markAll(s side) {
	for _, i := range s.lines {
		s.changed[i] = true
	}
}

// asRunes stands a character for each distinct line.
func asRunes(runes map[string]rune, lines []string) []rune {
	const first = 0x4E00 // there are more valid characters behind it than maxCompared
	text := make([]rune, len(lines))
	for i, line := range lines {
		r, known := runes[line]
		if !known {
			r = first + rune(len(runes)) //nolint:gosec // at most maxCompared
			runes[line] = r
		}
		text[i] = r
	}
	return text
}
