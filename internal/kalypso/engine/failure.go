// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Failure is an assignment without a package: its configuration violates a schema, its
// templates fail, or its own texts are rejected. The summaries of the problems say which.
type Failure struct {
	Assignment *placement.Assignment
	Problems   problem.List
}

// Failures are those of one environment, in the order of its assignments.
type Failures []Failure

// Err returns the problems of all failures as a problem.List; nil without failures. A problem
// of several assignments is in the list once, with the names of the assignments.
func (all Failures) Err() error {
	var problems problem.List
	of := map[problem.Problem][]*placement.Assignment{}
	for _, f := range all {
		for _, p := range f.Problems {
			if of[p] == nil {
				problems.Add(p)
			}
			of[p] = append(of[p], f.Assignment)
		}
	}
	for i, p := range problems {
		problems[i].Detail += namesOf(of[p])
	}
	return problems.Err()
}

// namesOf names assignments in sentences, and the places in the input that their teams have written.
func namesOf(assignments []*placement.Assignment) string {
	var keys, sources []string
	for _, a := range assignments {
		keys = append(keys, a.Key())
		if source := a.Target.Source.String(); source != "" {
			sources = append(sources, source)
		}
	}
	return listed("Assignment", keys) + listed("Deployment target", sources)
}

// listed returns a sentence with names after their noun; empty for none.
func listed(noun string, names []string) string {
	switch names = wording.Sorted(names); len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" %s: %s.", noun, names[0])
	}
	return fmt.Sprintf(" %d %ss: %s.", len(names), strings.ToLower(noun), wording.First(names, wording.MaxListed))
}

// Keys returns the keys of the assignments.
func (all Failures) Keys() []string {
	keys := make([]string, len(all))
	for i, f := range all {
		keys[i] = f.Assignment.Key()
	}
	return keys
}

// rendered is what became of an assignment: its package, or problems.
type rendered struct {
	assignment *placement.Assignment
	// entry is the package's entry in the folder of the cluster type; without a mode if the package is missing.
	entry    tree.Entry
	problems problem.List
	// isFormer reports whether only Keeping has the assignment.
	isFormer bool
}

// fail takes the package away, if there is an error.
func (r *rendered) fail(err error) {
	if err == nil {
		return
	}
	r.entry = tree.Entry{}
	r.problems.AddErr("Rendering failed", err)
}

// reject notes the findings that refuse deployment targets, and returns the problems that fail the assignments of
// these targets, by the targets' full names. A text that would become part of a template fails them also without
// rules. Texts of targets without an assignment are not written, so nobody needs the findings about them. A target that no
// policy places stays where it is, unless the placement was given.
func (r *Result) reject(ctx context.Context, in Input) map[string]problem.List {
	of := map[string]problem.List{}
	var unassigned problem.List
	for _, f := range findings.OfTargets(ctx, findings.Facts{Fleet: r.Fleet, Placement: r.Placement, Composer: r.composer}, in.Reject) {
		name := findings.TargetOf(f)
		told := problem.Problem{Summary: cmp.Or(findings.Titles[f.Code], "Findings that fail_on does not allow"),
			Detail: fmt.Sprintf("%s %s: %s", f.Code, f.Subject, f.Message)}
		switch {
		case f.Code != findings.TargetUnassigned:
			of[name] = append(of[name], told)
		case in.Assignments != nil:
			continue
		default:
			unassigned = append(unassigned, told)
			r.Fleet.Staying = append(r.Fleet.Staying, name)
		}
		r.rejected = append(r.rejected, f)
	}
	if len(unassigned) > 0 {
		r.Fleet.Notes = append(r.Fleet.Notes, &manifest.Note{Problems: unassigned})
	}
	return of
}

func failures(packages []rendered) Failures {
	var all Failures
	for _, p := range packages {
		if len(p.problems) > 0 {
			all = append(all, Failure{p.assignment, p.problems})
		}
	}
	return all
}
