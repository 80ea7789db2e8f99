// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package wording

import (
	"strings"
	"unicode"
)

// Line makes one line of a text. Line breaks and tabs become visible signs, and other
// control characters disappear.
func Line(text string) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "?")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			return '⏎'
		case r == '\t':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r): // also characters that reverse the direction of text
			return -1
		}
		return r
	}, text)
}

// Shorten cuts a text to limit bytes, at the boundary of a character.
func Shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}
