// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package message contains the texts for people: messages, and the sentences that explain a
// decision or an error. It makes no decisions.
package message

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Message is a message to a person: a warning or an error.
type Message struct {
	Summary, Detail string
	// Setting is the attribute that the message is about; empty for none.
	Setting string
	// Code lifts a refusal, if acknowledge has it; empty if none does.
	Code string
}

// Summaries of messages that several steps give.
const (
	PlannedChange      = "Planned change"
	OnHold             = "The environment is on hold"
	Broken             = "Broken applications"
	Unreadable         = "The GitOps repository cannot be read"
	Unchanged          = "The GitOps repository was not changed"
	NothingThere       = "Nothing to import"
	Forbidden          = "Removal is forbidden"
	Frozen             = "A freeze is in force"
	PromotionUndecided = "The promotion cannot be decided"
	DeploymentsUnread  = "The deployments cannot be read"
	Incomplete         = "The pull request is not complete"
	NoStatus           = "No commit status can be set"
)

// One returns one message, as a list.
func One(summary, detail string) []Message { return []Message{{Summary: summary, Detail: detail}} }

// Messages are the messages of one operation to a person.
type Messages struct{ Warnings, Errors []Message }

// Failed reports whether there are errors.
func (m *Messages) Failed() bool { return len(m.Errors) > 0 }

// Warn adds a warning.
func (m *Messages) Warn(summary, detail string) {
	m.Warnings = append(m.Warnings, Message{Summary: summary, Detail: detail})
}

// Fail adds an error.
func (m *Messages) Fail(summary, detail string) {
	m.Errors = append(m.Errors, Message{Summary: summary, Detail: detail})
}

// Warned makes the errors warnings: nothing is written, so they do no harm.
func (m *Messages) Warned() { m.Warnings, m.Errors = append(m.Warnings, m.Errors...), nil }

// Add adds the messages of a part of the operation.
func (m *Messages) Add(more Messages) {
	m.Warnings = append(m.Warnings, more.Warnings...)
	m.Errors = append(m.Errors, more.Errors...)
}

// About adds the environment and the place to every warning, because Terraform shows only the
// first of several warnings with the same summary. Warnings of one resource with the same
// summary become one warning. Pass "" for an environment or a place that is not known.
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

// Place names a location for About; empty for the zero location. The cluster types distinguish
// resources at the same location; nil means all.
func Place(at git.Location, clusterTypes []string) string {
	switch {
	case at == git.Location{}:
		return ""
	case clusterTypes == nil:
		return at.String()
	case len(clusterTypes) == 0:
		return at.String() + " (no cluster type)"
	}
	return fmt.Sprintf("%s (%s)", at, wording.First(wording.Sorted(clusterTypes), 1))
}

const maxProblems = 100

// Problems returns a message for each problem of the engine; none if err is nil.
func Problems(err error) []Message {
	var list problem.List
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &list):
		return []Message{{Summary: "The fleet cannot be computed", Detail: problem.Sentence(err)}}
	}
	all := Told(list)
	if more := len(all) - maxProblems; more > 0 {
		all = append(all[:maxProblems], Message{Summary: "More problems", Detail: fmt.Sprintf("%d more problems are not shown. Fix "+
			"the problems above, and try again.", more)})
	}
	return all
}

// Told returns a message for each of some problems. If several objects have the same
// problem, except for the repositories, it returns one message about the first of them, with the names of the others.
func Told(list []problem.Problem) []Message {
	var all []Message
	index, others := map[string]int{}, map[int][]string{}
	for _, p := range list {
		repo, _, _ := strings.Cut(p.Where, "#")
		said := p.Summary + strings.ReplaceAll(strings.TrimPrefix(p.Text(), p.About()), repo, "")
		if i, known := index[said]; known && p.About() != "" {
			others[i] = append(others[i], p.About())
			continue
		}
		index[said] = len(all)
		all = append(all, Message{Summary: p.Summary, Detail: p.Text()})
	}
	for i, names := range others {
		all[i].Detail += fmt.Sprintf("\n\nThe same problem is in %d more: %s.", len(names), wording.First(names, wording.MaxListed))
	}
	return all
}
