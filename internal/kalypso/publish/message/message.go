// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package message contains the texts for people: the topics with cause and remedy, and the
// sentences that explain a decision or an error. It decides nothing.
package message

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// Message is a message to a person, beside a result or instead of one.
type Message struct {
	Summary, Detail string
	// Setting names the setting that it is about; empty for none.
	Setting string
}

// Messages are the messages of one operation to a person.
type Messages struct{ Warnings, Errors []Message }

// Failed reports whether there are errors.
func (m *Messages) Failed() bool { return len(m.Errors) > 0 }

// Warn adds a warning.
func (m *Messages) Warn(t problem.Topic, detail string) {
	m.Warnings = append(m.Warnings, Message{Summary: t.Title, Detail: detail})
}

// Fail adds an error.
func (m *Messages) Fail(t problem.Topic, detail string) {
	m.Errors = append(m.Errors, Message{Summary: t.Title, Detail: detail})
}

// Show reports the changes in the repository and returns the diff. It does neither if the
// settings allow no line of the diff. Each line is indented, because Terraform wraps other
// lines like prose.
func (m *Messages) Show(maxLines int, t problem.Topic, summary, note string, changes []diff.FileChange) string {
	if maxLines == 0 {
		return ""
	}
	text, shown := summary, note+diff.Unified(changes, maxLines)
	if shown != "" {
		text += "\n\n " + strings.ReplaceAll(strings.TrimSuffix(shown, "\n"), "\n", "\n ")
	}
	m.Warn(t, text)
	return shown
}

// Add adds the messages of a part of the operation.
func (m *Messages) Add(more Messages) {
	m.Warnings = append(m.Warnings, more.Warnings...)
	m.Errors = append(m.Errors, more.Errors...)
}

// About adds the environment and the place to every warning. Terraform shows only the
// first of several warnings with one summary. So the summaries of two resources differ,
// and the warnings of one resource become one. An environment or a place that is not known
// is empty.
func (m Messages) About(environment, place string) Messages {
	names := slices.DeleteFunc([]string{environment, place}, func(name string) bool { return name == "" })
	where := strings.Join(names, " in ")
	told := map[string]int{}
	var warnings []Message
	for _, w := range m.Warnings {
		if i, before := told[w.Summary]; before {
			warnings[i].Detail += "\n\n" + w.Detail
			continue
		}
		told[w.Summary] = len(warnings)
		if where != "" {
			w.Summary += ": " + where
		}
		warnings = append(warnings, w)
	}
	m.Warnings = warnings
	return m
}

// Place names a location for About; a zero one is not known. Resources that share it differ
// in the cluster types that they are limited to; nil for all.
func Place(at git.Location, clusterTypes []string) string {
	switch {
	case at == git.Location{}:
		return ""
	case clusterTypes == nil:
		return at.String()
	case len(clusterTypes) == 0:
		return at.String() + " (no cluster type)"
	}
	return fmt.Sprintf("%s (%s)", at, wording.First(ownership.Sorted(clusterTypes), maxNamed))
}

// maxNamed cluster types tell a resource from others at its place.
const maxNamed = 3

// maxProblems is the largest number of problems with a message of their own.
const maxProblems = 100

// maxAlike is the largest number of objects that are named beside the first one with the
// same problem.
const maxAlike = 5

// Problems returns a message for each problem that the engine found, and none if err is
// nil.
func Problems(err error) []Message {
	var list problem.List
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &list):
		return []Message{{Summary: uncomputed.Title, Detail: problem.Sentence(err)}}
	}
	all := Told(list)
	if more := len(all) - maxProblems; more > 0 {
		all = append(all[:maxProblems], Message{Summary: moreProblems.Title, Detail: fmt.Sprintf("%d more are not told. Fix the first ones and "+
			"try again.", more)})
	}
	return all
}

// Told returns a message for each of some problems. If several objects have the same
// problem, it returns one message about the first of them, with the names of the others.
func Told(list []problem.Problem) []Message {
	var all []Message
	index, others := map[string]int{}, map[int][]string{}
	for _, p := range list {
		said := p.Summary + strings.TrimPrefix(p.Text(), p.About())
		if i, known := index[said]; known && p.About() != "" {
			others[i] = append(others[i], p.About())
			continue
		}
		index[said] = len(all)
		all = append(all, Message{Summary: p.Summary, Detail: p.Text()})
	}
	for i, names := range others {
		all[i].Detail += fmt.Sprintf("\n\nThe same is wrong in %d more: %s.", len(names), wording.First(names, maxAlike))
	}
	return all
}
