// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Failure is an assignment without a package: its configuration violates a schema, its
// templates fail, or its own texts are rejected. The summaries of the problems say which.
type Failure struct {
	Assignment *placement.Assignment
	Problems   problem.List
}

// Failures are those of one environment, in the order of its assignments.
type Failures []Failure

// Err returns the problems of all failures as a problem.List, those that many assignments
// have as one; nil without failures.
func (all Failures) Err() error {
	var problems problem.List
	for _, f := range all {
		problems = append(problems, f.Problems...)
	}
	return problems.Together().Err()
}

// Keys returns the keys of the assignments.
func (all Failures) Keys() []string {
	keys := make([]string, len(all))
	for i, f := range all {
		keys[i] = f.Assignment.Key()
	}
	return keys
}

// Keeping returns the result with the present entries of the branch in place of the packages
// that have failed, by the keys of assignments. Packages without a present entry are left out. The
// deployment target of such a package keeps its packages on cluster types that it has left: see
// Former. A cluster type without packages then has a folder only if
// present has its name, too.
func (r *Result) Keeping(present map[string]tree.Entry) (*Result, error) {
	kept := *r
	kept.packages = slices.Clone(r.packages)
	assigned, lacking := map[string]bool{}, map[*fleet.Target]bool{}
	for i, p := range kept.packages {
		key := p.assignment.Key()
		assigned[key] = true
		if len(p.problems) > 0 {
			kept.packages[i].entry = present[key]
			if present[key].Mode == "" {
				lacking[p.assignment.Target] = true
			}
		}
	}
	for target := range lacking {
		for _, ct := range r.clusterTypes {
			a := placement.NewAssignment(r.Fleet, ct, target)
			if e := present[a.Key()]; e.Mode != "" && !assigned[a.Key()] {
				kept.packages = append(kept.packages, rendered{assignment: a, entry: e, isFormer: true})
				kept.Former = append(kept.Former, a)
			}
		}
	}
	slices.SortFunc(kept.packages, func(a, b rendered) int { return placement.Compare(a.assignment, b.assignment) })
	slices.SortFunc(kept.Former, placement.Compare)
	var err error
	kept.Folders, err = folders(r.Fleet.Environment, r.clusterTypes, kept.packages)
	for _, f := range r.Failures {
		name := f.Assignment.ClusterType.Name
		if dir := kept.Folders[name]; dir != nil && len(dir.Entries) == 1 && present[name].Mode == "" {
			delete(kept.Folders, name)
		}
	}
	return &kept, err
}

// Kept returns the keys of failed packages: those that Keeping has kept, and those that it has left
// out.
func (r *Result) Kept() (kept, left []string) {
	for _, p := range r.packages {
		switch key := p.assignment.Key(); {
		case len(p.problems) == 0:
		case p.entry.Mode != "":
			kept = append(kept, key)
		default:
			left = append(left, key)
		}
	}
	return kept, left
}

// rendered is what became of an assignment: its package, or problems.
type rendered struct {
	assignment *placement.Assignment
	// entry is the package's in the folder of the cluster type; without a mode if there is none.
	entry    tree.Entry
	problems problem.List
	// isFormer reports whether only Keeping has the assignment.
	isFormer bool
}

// fail takes the package away, if there is an error. The problems name the assignment, and the
// place in the input that its team has written.
func (r *rendered) fail(err error) {
	if err == nil {
		return
	}
	r.entry = tree.Entry{}
	var problems problem.List
	problems.AddErr("Rendering failed", err)
	for _, p := range problems {
		p.Assignment, p.Source = r.assignment.Key(), r.assignment.Target.Source.String()
		r.problems.Add(p)
	}
}

// reject returns the findings about texts of deployment targets that may not be written, and the
// problems that fail the assignments of these targets, by the targets' full names. A text that
// would become part of a template fails them also without rules. Texts of targets without an
// assignment are not written, so nobody needs the findings about them.
func reject(targets []*fleet.Target, rules *findings.Rules) (rejected []findings.Finding, of map[string]problem.List) {
	rejected = slices.DeleteFunc(findings.OfTargets(targets), func(f findings.Finding) bool {
		return !f.Always && (rules == nil || rules.Silences(f))
	})
	of = map[string]problem.List{}
	for _, f := range rejected {
		name := findings.TargetOf(f)
		of[name] = append(of[name], problem.Problem{Summary: f.Code, Detail: f.Message})
	}
	return rejected, of
}

// failures returns the assignments that have no package.
func failures(packages []rendered) Failures {
	var all Failures
	for _, p := range packages {
		if len(p.problems) > 0 {
			all = append(all, Failure{p.assignment, p.problems})
		}
	}
	return all
}
