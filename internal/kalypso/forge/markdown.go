// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"fmt"
	"strings"
	"unicode"
)

// What is written into Markdown comes from fleets that several teams keep, so
// none of it may become structure, a link, a mention of a person, or a mark.

// maxValue is how many bytes of a value are shown.
const maxValue = 200

// Code shows a value as code on one line, for table cells and text. Forges look
// for no mentions, references and links in code.
func Code(value string) string {
	value = shorten(line(value), maxValue)
	if value == "" {
		return "–"
	}
	if strings.IndexFunc(value, special) < 0 {
		return "`" + value + "`"
	}
	return "<code>" + entities(value) + "</code>"
}

// plain shows prose on one line, where it has no code around it.
func plain(text string) string { return entities(line(text)) }

// special reports whether a character may mean something between backticks, or may
// not be seen as what it is.
func special(r rune) bool {
	if r <= unicode.MaxASCII {
		return r < ' ' || strings.ContainsRune("`|\\<>&\x7f", r)
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '…'
}

// entities writes all that may mean something as numeric character references:
// they are text, and never structure (CommonMark, section 2.5).
func entities(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == ' ' || r == ',' || r == '…' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}

// line makes one line of a text: line breaks and tabs become visible signs,
// other control characters go.
func line(text string) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "?")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			return '⏎'
		case r == '\t':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r): // also what turns the direction of text
			return -1
		}
		return r
	}, text)
}

// shorten cuts a text to so many bytes, at the boundary of a character.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// fenced shows text as it is, over several lines, in a fence that it cannot close.
func fenced(text string) string {
	longest, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", max(3, longest+1))
	return fence + "\n" + text + "\n" + fence
}

// Title makes a request's or an issue's title: one line, no longer than forges take.
func Title(text string) string { return shorten(line(text), maxTitle) }

// maxTitle is less than GitHub's 256 characters and Gitea's 255.
const maxTitle = 240
