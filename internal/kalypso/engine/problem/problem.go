// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package problem collects what is wrong with a fleet, so that one run reports
// every problem and not just the first.
package problem

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Problem is one thing that is wrong, with a message for the person who can fix it.
type Problem struct {
	// Summary names the sort of problem in a few words: "Unknown field".
	Summary string
	// Subject is the object it is about, as kind/name: "ClusterType/large". May be empty.
	Subject string `yaml:",omitempty"`
	// Where is the place in the input: "manifests[2], line 14" or "fleet.yaml:14". May be empty.
	Where string `yaml:",omitempty"`
	// Detail says what happened and what to do about it.
	Detail string
}

// Error returns the problem as one line of prose.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.Summary)
	if p.Subject != "" {
		fmt.Fprintf(&b, " in %s", p.Subject)
	}
	if p.Where != "" {
		fmt.Fprintf(&b, " (%s)", p.Where)
	}
	b.WriteString(": ")
	b.WriteString(p.Detail)
	return b.String()
}

// List is what a run found wrong. The zero value is ready to use.
type List []Problem

// Add puts one more problem on the list.
func (l *List) Add(p Problem) { *l = append(*l, p) }

// AddErr takes over the problems of err: all of them if err is a List, err itself under
// the given summary otherwise. A nil err adds nothing.
func (l *List) AddErr(summary string, err error) {
	if err == nil {
		return
	}
	var list List
	var one Problem
	switch {
	case errors.As(err, &list):
		*l = append(*l, list...)
	case errors.As(err, &one):
		l.Add(one)
	default:
		l.Add(Problem{Summary: summary, Detail: err.Error()})
	}
}

// Err returns the list as an error, sorted so that the order of the input does
// not matter, or nil when nothing is wrong.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b Problem) int {
		return strings.Compare(a.Error(), b.Error())
	})
	return slices.Compact(sorted)
}

// Error returns all problems, a line each.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, p := range l {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Text returns the subject of the problem, then the problem itself, without the summary.
func (p Problem) Text() string {
	if about := p.About(); about != "" {
		return about + ": " + p.Detail
	}
	return p.Detail
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
// about any other name has a word of its own before it, "the folder large". Foreign texts in it follow
// wording.Visible.
func Sentence(err error) string {
	text := wording.Visible(strings.TrimSpace(err.Error()))
	word, _, _ := strings.Cut(text, " ")
	if first, size := utf8.DecodeRuneInString(text); !strings.ContainsAny(word, ":/.@_=[") && !strings.HasPrefix(text, word+" = ") {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
