// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package findings reports what the owner of a fleet may want to know: unused objects,
// probable mistakes, and content that does not belong in a repository. Findings stop
// nothing by themselves. The code that writes a fleet refuses findings of SeverityError.
//
//	row         one thing to look for; rows of one code are together
//	subject     the object that a finding is about, as kind/name
//	rule        a code, or a code and a subject, of ignore_findings or fail_on
//	there       the fleet's other environments; everywhere is all of them
//	fault       what is wrong with one rendered file; faults of one sort become one finding
//	refusal     why a cluster refuses an object
//	Location    where a rendered file is below a cluster type's folder
//	vocabulary  the labels that occur in a fleet; a doubt is a label that does not
package findings

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Finding is one thing that was noticed.
type Finding struct {
	// Severity is SeverityError if the finding stops the writing unless it is silenced. It
	// is SeverityWarning if something is probably wrong, and SeverityInfo otherwise.
	Severity string
	// Code is one of Codes.
	Code string
	// Subject is the object it is about, as kind/name.
	Subject string
	// Message says what was found, in sentences, and never holds a value of the configuration.
	Message string
	// Always is set if no rule lets a package have this text, because the text would become part
	// of a template.
	Always bool
}

// Facts are the input of Find.
type Facts struct {
	Fleet     *fleet.Fleet
	Placement *placement.Placement
	Composer  *composition.Composer
	// Folders are the rendered folders by cluster type. They are nil if nothing was
	// rendered. Then Find leaves out the findings that need the output.
	Folders map[string]*tree.Dir
	// Examines reports whether the files of a package are examined, by its key; nil for all packages.
	Examines func(key string) bool
}

// Find returns all findings in the order of Codes, and those of each code by subject.
// Cost: linear in the fleet and the rendered output. If some object has no part in the
// environment, it is also linear in the placements of the fleet's other environments. When the
// context ends, it stops to read rendered files.
func Find(ctx context.Context, in Facts) []Finding {
	s := newSearch(ctx, in)
	for i := range rows {
		row := &rows[i]
		isIdle := row.of == assignments && len(in.Fleet.Targets) == 0 // ENVIRONMENT_EMPTY says it once
		if row.find != nil && !isIdle {
			s.row = row
			row.find(s)
		}
	}
	slices.SortFunc(s.found, inOrder)
	return s.found
}

// OfTargets returns the findings that refuse deployment targets: TEXT_BREAKS_OUT and CREDENTIAL of their texts, and
// those about a target that rules.FailOn names, unless the rules silence them. Without rules, it returns only those that
// nothing can silence.
func OfTargets(ctx context.Context, in Facts, rules *Rules) []Finding {
	s := newSearch(ctx, in)
	for i := range rows {
		if s.row = &rows[i]; s.row.of == targetTexts || rules != nil && s.row.of != output && s.row.find != nil && rules.FailsOn(s.row.code) {
			s.row.find(s)
		}
	}
	return slices.DeleteFunc(s.found, func(f Finding) bool {
		isNamed := func() bool { return f.Severity == SeverityError || slices.ContainsFunc(rules.FailOn, f.matches) }
		return TargetOf(f) == "" || !f.Always && (rules == nil || rules.Silences(f) || !isNamed())
	})
}

// inOrder compares findings: by the order of Codes, then by subject and message.
func inOrder(a, b Finding) int {
	return cmp.Or(cmp.Compare(rank(a.Code), rank(b.Code)), strings.Compare(a.Subject, b.Subject), strings.Compare(a.Message, b.Message))
}

func rank(code string) int {
	return slices.IndexFunc(Codes, func(c Code) bool { return c.Name == code })
}

// search is one run of the rows, with what they share. The functions compute what few fleets
// need, once.
type search struct {
	Facts
	row   *row // that runs
	found []Finding

	words func() *vocabulary
	usage func() *composition.Usage
	// there are the placements of the fleet's other environments, and everywhere is the usage in
	// all environments. All environments use the same manifests, so an object that serves another
	// environment has a part in the fleet.
	there      func() *placement.Placement
	everywhere func() *composition.Usage
	output     func() []fault
}

func newSearch(ctx context.Context, in Facts) *search {
	s := &search{Facts: in}
	s.words = sync.OnceValue(func() *vocabulary { return newVocabulary(in.Fleet) })
	s.usage = sync.OnceValue(func() *composition.Usage { return in.Composer.Usage(in.Placement.Assignments) })
	s.there = sync.OnceValue(func() *placement.Placement {
		// An invalid selector is an error of this environment, and selects nothing there.
		there, _ := placement.Place(in.Fleet.OtherEnvironments())
		return there
	})
	s.everywhere = sync.OnceValue(func() *composition.Usage {
		return in.Composer.Usage(slices.Concat(in.Placement.Assignments, s.there().Assignments))
	})
	s.output = sync.OnceValue(func() []fault { return inspect(ctx, in) })
	return s
}

// note records a finding of the row that runs.
func (s *search) note(subject, format string, values ...any) {
	s.add(Finding{Subject: subject, Message: fmt.Sprintf(format, values...)})
}

// add records a finding with the code and the severity of the row that runs.
func (s *search) add(f Finding) {
	f.Code, f.Severity = s.row.code, s.row.severity
	s.found = append(s.found, f)
}

// nearest names the known word that was probably meant, in parentheses.
func nearest[V any](word string, known map[string]V) string {
	return wording.Hint(word, slices.Sorted(maps.Keys(known)))
}
