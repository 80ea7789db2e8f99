// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package markdown writes Markdown that forges show. (A forge is a Git server, such as
// GitHub.) The content comes from fleets of several teams. So no content may become
// structure, a link, a mention of a person, or a mark.
package markdown

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
)

// maxValue is how many bytes of a value are shown.
const maxValue = 200

// Code shows a value as code on one line, for table cells and text. Forges ignore mentions,
// references and links in code.
func Code(value string) string {
	value = Shorten(Line(value), maxValue)
	if value == "" {
		return "–"
	}
	if strings.IndexFunc(value, special) < 0 {
		return "`" + value + "`"
	}
	return "<code>" + entities(value) + "</code>"
}

// Text shows prose without code on one line.
func Text(text string) string { return entities(Line(text)) }

// Row is a row of a table.
func Row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |" }

// Link shows prose as a link to the address of a page.
func Link(text, address string) string {
	return "[" + Text(text) + "](<" + linkTarget.Replace(strings.ToValidUTF8(address, "")) + ">)"
}

// linkTarget escapes characters that would end the target of a link, or a cell of a table.
var linkTarget = strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", `\`, "%5C", "\n", "", "\r", "")

// special reports whether a character may have a meaning between backticks, or may look like
// another character.
func special(r rune) bool {
	if r <= unicode.MaxASCII {
		return r < ' ' || strings.ContainsRune("`|\\<>&\x7f", r)
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '…'
}

// entities writes all characters that may have a meaning as numeric character references,
// which are always text (CommonMark, section 2.5).
func entities(text string) string { return coded(text, " ,…", "&#%d;") }

// coded writes each character except letters, digits and harmless ones as a code.
func coded(text, harmless, code string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(harmless, r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, code, r)
		}
	}
	return b.String()
}

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

// Codes shows at most `most` values as code in one cell.
func Codes(values []string, most int) string {
	shown := make([]string, 0, len(values))
	for i, value := range values {
		if i == most {
			shown = append(shown, fmt.Sprintf("%d more", len(values)-most))
			break
		}
		shown = append(shown, Code(value))
	}
	return cmp.Or(strings.Join(shown, ", "), "–")
}
