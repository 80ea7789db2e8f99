// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package problem

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns what the problem is about, then what it is; without the summary.
func (p Problem) Text() string {
	about := p.Subject
	if p.Where != "" {
		about = strings.TrimSpace(about + " (" + p.Where + ")")
	}
	if about == "" {
		return p.whole()
	}
	return about + ": " + p.whole()
}

// Sentence returns an error's text with a capital letter and a full stop. What
// starts with a name or a URL keeps its first letter.
func Sentence(err error) string {
	text := strings.TrimSpace(err.Error())
	word, _, _ := strings.Cut(text, " ")
	if first, size := utf8.DecodeRuneInString(text); !strings.ContainsAny(word, ":/.@") {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
