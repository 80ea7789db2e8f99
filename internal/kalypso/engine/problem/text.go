// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package problem

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns the subject of the problem, then the problem itself, without the summary.
func (p Problem) Text() string {
	if about := p.About(); about != "" {
		return about + ": " + p.whole()
	}
	return p.whole()
}

// About names the object and the place: "ClusterType/large (fleet.yaml:14)". It is empty
// if the problem has neither.
func (p Problem) About() string {
	if p.Where == "" {
		return p.Subject
	}
	return strings.TrimSpace(p.Subject + " (" + p.Where + ")")
}

// Sentence returns an error's text with a capital letter and a full stop. A first word that
// can only be a name keeps its first letter: a URL, a path, a setting. An error that is
// about any other name has a word of its own before it, "the folder large".
func Sentence(err error) string {
	text := strings.TrimSpace(err.Error())
	word, _, _ := strings.Cut(text, " ")
	if first, size := utf8.DecodeRuneInString(text); !strings.ContainsAny(word, ":/.@_=[") {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
