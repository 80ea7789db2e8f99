// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// style says which characters may stand in a slot, which has one; allowed has sets of
// them. Of another style also these have to know: fill and special, isVerbatim and value of
// a slot, what lays out its slots (layout.go), and use (reference.go).
type style uint8

// The styles, as bits of a set.
const (
	plain style = 1 << iota
	plainInFlow
	singleQuoted
	doubleQuoted
	blockLine
	comment
	keyWord
)

// prose are the styles in which all that is readable may stand, but for what is special.
const prose = plain | plainInFlow | singleQuoted | doubleQuoted | blockLine | comment

// allowed has the styles in which a character may stand anywhere; where else it may
// stand depends on what is around it, see special.
var allowed = func() (table [256]style) {
	for c := ' '; c <= '~'; c++ {
		table[c] = prose
	}
	for _, c := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-" {
		table[c] |= keyWord
	}
	for _, c := range ",?[]{}" {
		table[c] &^= plainInFlow
	}
	for _, c := range ":#" {
		table[c] &^= plain | plainInFlow
	}
	table['\''] &^= singleQuoted
	table['"'] &^= doubleQuoted
	table['\\'] &^= doubleQuoted
	table['\t'] = blockLine | comment
	return table
}()

// fill returns where that ends which stands in a slot of the style that begins there;
// not ok where it is nothing that may stand there.
func (s style) fill(text []byte, from int) (end int, ok bool) {
	switch s {
	case plain, plainInFlow:
		if !beginsPlain(text[from:]) {
			return from, false
		}
		for end = s.run(text, from); text[end-1] == ' '; end-- {
		}
		return end, true
	case blockLine: // that stays as far indented as it is
		end = s.run(text, from)
		return end, end > from && text[from] != ' ' && text[from] != '\t'
	case keyWord:
		end = s.run(text, from)
		return end, end > from && isAlphanumeric(text[from]) && end-from <= maxKey
	case singleQuoted, doubleQuoted, comment:
		return s.run(text, from), true
	default:
		return from, false
	}
}

// maxKey is less than what YAML takes for a key in one line.
const maxKey = 512

// beginsPlain reports whether a plain scalar certainly begins here, or goes on.
func beginsPlain(text []byte) bool {
	switch {
	case len(text) == 0:
		return false
	case text[0] >= utf8.RuneSelf:
		return readable(text) > 0
	default:
		return isAlphanumeric(text[0]) || strings.IndexByte("_./$(+", text[0]) >= 0
	}
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}

// run returns where the characters end that may stand in a slot, within its line.
func (s style) run(text []byte, at int) int {
	for at < len(text) {
		if allowed[text[at]]&s != 0 {
			at++
			continue
		}
		length := s.special(text, at)
		if length == 0 {
			break
		}
		at += length
	}
	return at
}

// special returns the length of what stands there if it may, in view of what stands
// around it; else 0.
func (s style) special(text []byte, at int) int {
	c, next := text[at], text[at+1:]
	switch {
	case c >= utf8.RuneSelf && s&prose != 0:
		return readable(text[at:])
	case s&(plain|plainInFlow) != 0:
		isNoKey := c == ':' && len(next) > 0 && allowed[next[0]]&keyWord != 0
		isNoComment := c == '#' && at > 0 && text[at-1] != ' '
		if isNoKey || isNoComment {
			return 1
		}
	case s == singleQuoted && c == '\'' && bytes.HasPrefix(next, []byte("'")):
		return len("''")
	case s == doubleQuoted && c == '\\':
		return escape(text[at:])
	}
	return 0
}

// readable returns the length of the character beyond ASCII that stands there, if
// YAML takes it for nothing special; else 0.
func readable(text []byte) int {
	const firstPrintable, lineSeparator, paragraphSeparator, byteOrderMark = '\u00A0', '\u2028', '\u2029', '\uFEFF'
	switch r, size := utf8.DecodeRune(text); {
	case r < firstPrintable, r == lineSeparator, r == paragraphSeparator, r == byteOrderMark, r >= utf8.RuneError && r <= '\uFFFF':
		return 0
	default:
		return size
	}
}

// escape returns the length of the escape sequence that stands there, if it is a
// common one; else 0.
func escape(text []byte) int {
	const long = len(`\u0000`)
	switch {
	case len(text) > 1 && strings.IndexByte("0abtnvfre \"'\\N_LP", text[1]) >= 0:
		return len(`\n`)
	case len(text) >= long && text[1] == 'u' && text[2]|0x20 != 'd' && len(bytes.Trim(text[2:long], "0123456789abcdefABCDEF")) == 0:
		return long // no half of a surrogate pair
	}
	return 0
}
