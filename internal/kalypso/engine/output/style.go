// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// style is a way to write a scalar, as a bit of a set.
type style uint8

// The styles. A plain scalar may be between brackets.
const (
	plain style = 1 << iota
	singleQuoted
	doubleQuoted
)

// allowed has the styles in which a character may be anywhere. At other positions, it
// depends on the text around the character, see special.
var allowed = func() (table [256]style) {
	for c := ' '; c <= '~'; c++ {
		table[c] = plain | singleQuoted | doubleQuoted
	}
	for _, c := range ",?[]{}:#" {
		table[c] &^= plain
	}
	table['\''] &^= singleQuoted
	table['"'] &^= doubleQuoted
	table['\\'] &^= doubleQuoted
	return table
}()

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

// run returns where the characters end that may be in a scalar of the style.
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

// special returns the length of the text at this position if the text around it allows it;
// else 0.
func (s style) special(text []byte, at int) int {
	c, next := text[at], text[at+1:]
	switch {
	case c >= utf8.RuneSelf:
		return readable(text[at:])
	case s == plain:
		isNoKey := c == ':' && len(next) > 0 && isWordByte(next[0])
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

// readable returns the length of the character beyond ASCII at this position, if YAML does
// not treat it specially; else 0.
func readable(text []byte) int {
	const firstPrintable, lineSeparator, paragraphSeparator, byteOrderMark = '\u00A0', '\u2028', '\u2029', '\uFEFF'
	switch r, size := utf8.DecodeRune(text); {
	case r < firstPrintable, r == lineSeparator, r == paragraphSeparator, r == byteOrderMark, r >= utf8.RuneError && r <= '\uFFFF':
		return 0
	default:
		return size
	}
}

// escape returns the length of the escape sequence at this position, if it is a common
// one; else 0.
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
