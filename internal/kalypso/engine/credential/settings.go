// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package credential

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// setting matches a line that sets a value, in YAML, JSON or a properties file: the text
// before the name, the name, and the value.
var setting = lazily(`^([ \t]*(?:-[ \t]+)*(?:["']?--|export[ \t]+)?)["']?([A-Za-z][A-Za-z0-9_.-]*)["']?[ \t]*[:=][ \t]*(.*)$`)

// pair matches the beginning of a value within braces, in JSON or YAML, escaped or not.
var pair = lazily(`[{,][ \t]*\\?["']?([A-Za-z][A-Za-z0-9_.-]*)\\?["']?[ \t]*:[ \t]*`)

// blockStart matches the text before a value that begins on the next line.
var blockStart = lazily(`^[|>][-+0-9]*([ \t]+#.*)?[ \t]*$`)

// settings returns the values of credentials' names in a text, in order.
func settings(text string) []span {
	if !nameHints.in(text) {
		return nil
	}
	var found []span
	l := linesOf(text)
	for i := range l.all {
		if name, a, ok := l.credential(i); ok {
			first, _, _ := strings.Cut(text[a.from:a.to], "\n")
			if !isReference(name, first) {
				found = append(found, a)
			}
		}
		found = append(found, pairs(l.all[i])...)
	}
	return found
}

func said(name string) string {
	return fmt.Sprintf("sets %s, which is a credential by its name", name)
}

type lines struct {
	text string
	all  []line
}

// line is a line without its line break, and the position where it begins.
type line struct {
	text string
	from int
}

func linesOf(text string) lines {
	l := lines{text: text}
	at := 0
	for each := range strings.Lines(text) {
		l.all = append(l.all, line{strings.TrimRight(each, "\r\n"), at})
		at += len(each)
	}
	return l
}

// indent is the indentation of a line; larger than any other for a blank line.
func (l line) indent() int {
	rest := strings.TrimLeft(l.text, " \t")
	if rest == "" {
		return math.MaxInt
	}
	return len(l.text) - len(rest)
}

// assignment is a line that sets a value.
type assignment struct {
	name string
	// column is the position of the name in the line, and value the position of the value.
	column, value int
}

func (l line) assignment() (assignment, bool) {
	at := setting().FindStringSubmatchIndex(l.text)
	if at == nil {
		return assignment{}, false
	}
	return assignment{l.text[at[4]:at[5]], at[3], at[6]}, true
}

// credential returns the name and the value that line i sets, if the name is that of a credential.
// Otherwise ok is false.
func (l lines) credential(i int) (name string, s span, ok bool) {
	text := l.all[i].text
	if !nameHints.in(text) && !strings.Contains(text, "value") {
		return "", span{}, false
	}
	a, ok := l.all[i].assignment()
	if !ok || !IsName(a.name) && !l.isNamed(i, a) {
		return "", span{}, false
	}
	s, ok = l.value(i, a)
	s.what = said(a.name)
	return a.name, s, ok
}

// maxBeside bounds the lines that are searched for a field beside another.
const maxBeside = 100

// isNamed reports whether line i is the value of a credential, and a field beside it, in the same mapping, is the
// name, as in the environment variables of containers.
func (l lines) isNamed(i int, a assignment) bool {
	if a.name != "value" {
		return false
	}
	from, to := i, i+1
	for from > max(0, i-maxBeside) && l.all[from].indent() >= a.column { // to the line that begins the element of a list
		from--
	}
	for to < min(len(l.all), i+maxBeside) && l.all[to].indent() >= a.column {
		to++
	}
	return slices.ContainsFunc(l.all[from:to], func(beside line) bool {
		if !strings.Contains(beside.text, "name") {
			return false
		}
		b, ok := beside.assignment()
		return ok && b.name == "name" && b.column == a.column && IsName(strings.Trim(beside.text[b.value:], " \t\"',"))
	})
}

// value returns the position of the value that line i sets, which may continue on the lines
// below. ok is false if the value is a structure.
func (l lines) value(i int, a assignment) (span, bool) {
	text := l.all[i].text[a.value:]
	skipped := len(properties().FindString(text))
	text = strings.TrimRight(text[skipped:], " \t,")
	from := l.all[i].from + a.value + skipped
	switch {
	case text == "" || text[0] == '#':
		return l.below(i, a.column)
	case blockStart().MatchString(text):
		return l.block(i, a.column)
	case text[0] == '"' || text[0] == '\'':
		if _, to, _ := inQuotes(l.text[from:]); from+to < len(l.text) {
			return span{from: from + 1, to: from + to}, true
		}
	}
	s := span{from: from, to: from + len(text)}
	if more, ok := l.block(i, a.column); ok && text[0] != '{' && text[0] != '[' {
		s.to = more.to
	}
	return s, true
}

// block returns the lines below line i with a larger indentation than the column.
func (l lines) block(i, column int) (span, bool) {
	var s span
	for _, below := range l.all[i+1:] {
		if below.indent() <= column {
			break
		}
		if rest := strings.TrimSpace(below.text); rest != "" {
			start := below.from + strings.Index(below.text, rest)
			if s.to == 0 {
				s.from = start
			}
			s.to = start + len(rest)
		}
	}
	return s, s.to > 0
}

// below is block for a text. ok is false for a structure.
func (l lines) below(i, column int) (span, bool) {
	s, ok := l.block(i, column)
	if !ok {
		return s, false
	}
	first, _, _ := strings.Cut(l.text[s.from:s.to], "\n")
	isStructure := setting().MatchString(first) || strings.ContainsAny(first[:1], "{[?#-")
	return s, !isStructure
}

// pairs returns the values of credentials within braces on a line.
func pairs(l line) []span {
	if !strings.ContainsAny(l.text, "{,") || !nameHints.in(l.text) {
		return nil
	}
	var found []span
	named := false
	all := pair().FindAllStringSubmatchIndex(l.text, -1)
	for i, at := range all {
		next := len(l.text)
		if i+1 < len(all) {
			next = all[i+1][0]
		}
		name, rest := l.text[at[2]:at[3]], l.text[at[1]:]
		from, to := inBraces(rest, next-at[1])
		value := rest[from:to]
		if (IsName(name) || named && name == "value") && !isReference(name, value) {
			found = append(found, span{l.from + at[1] + from, l.from + at[1] + to, said(name)})
		}
		named = name == "name" && IsName(value)
	}
	return found
}

// inBraces returns the position of the value that a text begins with, without quotes. A
// value without quotes ends before the next pair.
func inBraces(text string, next int) (from, to int) {
	if from, to, ok := inQuotes(text); ok {
		return from, to
	}
	text = text[:next]
	if end := strings.IndexAny(text, ",}]"); end >= 0 && !strings.HasPrefix(text, "{{") {
		text = text[:end]
	}
	return 0, len(strings.TrimRight(text, " \t"))
}

// quoted matches a quoted value from its opening quote. Each group is the value in one sort
// of quotes.
var quoted = lazily(`(?s)^(?:"((?:[^"\\]|\\(?:.|$))*)|'((?:[^']|'')*)|\\"(.*?)(?:\\"|$))`)

// inQuotes returns the position of the quoted value that a text begins with. The value may
// also end at the end of the text.
func inQuotes(text string) (from, to int, ok bool) {
	at := quoted().FindStringSubmatchIndex(text)
	for i := 2; i < len(at); i += 2 {
		if at[i] >= 0 {
			return at[i], at[i+1], true
		}
	}
	return 0, 0, false
}
