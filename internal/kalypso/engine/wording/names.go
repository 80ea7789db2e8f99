// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package wording

import (
	"slices"
	"strings"
)

// WithoutNames returns a text with a mark in place of each of some names. Two texts that differ only in these
// names become equal. The longest name is first, because it may contain another one.
func WithoutNames(text string, names ...string) string {
	for _, name := range slices.SortedFunc(slices.Values(names), func(a, b string) int { return len(b) - len(a) }) {
		text = Mark(text, name, "\x00")
	}
	return text
}

// Mark returns a text with a mark in place of a name, where it is a whole word.
func Mark(text, name, mark string) string {
	var b strings.Builder
	copied := 0
	for at := 0; name != ""; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			break
		}
		from, to := at+i, at+i+len(name)
		at = from + 1
		if (from == 0 || !isLetter(text[from-1])) && (to == len(text) || !isLetter(text[to])) {
			if copied == 0 {
				b.Grow(len(text))
			}
			b.WriteString(text[copied:from])
			b.WriteString(mark)
			copied, at = to, to
		}
	}
	if copied == 0 {
		return text
	}
	b.WriteString(text[copied:])
	return b.String()
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
