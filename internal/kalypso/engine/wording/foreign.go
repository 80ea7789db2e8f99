// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package wording

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns a text of people or servers for a screen: it spells out characters that are
// invisible, that a terminal obeys, or that reverse the direction of the text. It keeps line breaks and
// tabs. All foreign texts follow this rule; the other functions here cut and fold.
func Visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n', r == '\t', unicode.IsGraphic(r):
			b.WriteRune(r)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, "\\x%02x", r)
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}

var onOneLine = strings.NewReplacer("\r\n", "⏎", "\n", "⏎", "\t", " ")

// Line returns a foreign text as one line.
func Line(text string) string { return Visible(onOneLine.Replace(strings.TrimSpace(text))) }

// maxName is how many characters of a name a message shows.
const maxName = 60

// Escaped returns a requested name, which may be any text, as one line and cut.
func Escaped(name string) string {
	runes := []rune(Line(name))
	return string(runes[:min(len(runes), maxName)])
}

// Quoted is Escaped in quotes.
func Quoted(name string) string { return `"` + Escaped(name) + `"` }

// MaxWords is how many bytes of a server's text a message shows.
const MaxWords = 1000

// Words returns the text of a server for a message: without web pages and empty lines, and cut.
func Words(text string) string {
	if lower := strings.ToLower(text); strings.Contains(lower, "<html") || strings.Contains(lower, "<!doctype") {
		return "(a web page)"
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return Shorten(Visible(strings.Join(lines, "\n")), MaxWords)
}

// Shorten cuts a text to limit bytes, at the boundary of a character.
func Shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}
