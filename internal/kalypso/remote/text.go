// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"strings"
	"unicode"
)

// MaxWords is how many bytes of a server's words a message shows.
const MaxWords = 1000

// Words makes what a server said fit to be shown in a message: no web pages, no
// control characters, not too many.
func Words(text string) string {
	if lower := strings.ToLower(text); strings.Contains(lower, "<html") || strings.Contains(lower, "<!doctype") {
		return "(a web page)"
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	text = strings.Join(lines, "\n")
	if len(text) > MaxWords {
		text = strings.ToValidUTF8(text[:MaxWords], "") + "…"
	}
	return text
}
