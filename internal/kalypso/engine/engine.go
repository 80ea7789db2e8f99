// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package engine computes a fleet: from the manifests of a fleet to the files of
// the GitOps repository. It is pure: the same input gives the same bytes.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/rendering"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Input is the input for one environment.
type Input struct {
	Manifests   []manifest.Text
	Environment string
	// Assignments, if not nil, replace the placement by scheduling policies:
	// <cluster type>/<deployment target> to the names of policies, which may be none.
	Assignments map[string][]string
	// ClusterTypes, if not nil, are the names of the cluster types to write. The others
	// are placed and not rendered. The result then has no file with the promoted commit,
	// because that file belongs to the whole.
	ClusterTypes []string
	// PromotedCommit, if not empty, replaces the commit of the BaseRepo "main".
	PromotedCommit string
	// Reject, if not nil, fails the assignments of deployment targets that findings.OfTargets refuses. Texts that would
	// become part of a template fail them always.
	Reject *findings.Rules
	// PlaceOnly stops after placement: the result has no folders.
	PlaceOnly bool
	// Before and Owners are the manifests of the last apply, and what Fleet.Remembered returned then. They say which workspace has a
	// name that two teams use, and what a broken file may have. They are nil if there was no apply.
	Before []manifest.Text
	Owners fleet.Owners
}

// owners returns the owners of the last apply. Manifests that this version does not read any more say nothing.
func (in Input) owners() fleet.Owners {
	objects, _, _ := manifest.DecodeAll(in.Before)
	before, _ := fleet.NewAfter(objects, in.Environment, func() fleet.Owners { return in.Owners })
	owners := before.Owners()
	maps.Copy(owners, in.Owners)
	return owners
}

// Result is the result for one environment.
type Result struct {
	Fleet     *fleet.Fleet
	Placement *placement.Placement
	// Folders are the folders below the GitOps repository's path, by cluster type.
	Folders map[string]*tree.Dir
	// Others are the names of the fleet's cluster types that Input.ClusterTypes leaves out,
	// sorted.
	Others []string
	// FilesBeside are the files of the environment beside its folders, by their paths
	// from the repository's root: PromotedCommitFile, or none.
	FilesBeside map[string][]byte
	// Failures are the assignments without a package of their own, in their order. Folders have
	// nothing of them, or what Keeping has put there.
	Failures Failures
	// Former are assignments that are no longer wanted, and whose packages Keeping keeps.
	Former []*placement.Assignment

	composer     *composition.Composer   // nil where only placing was asked for
	clusterTypes []*manifest.ClusterType // that have folders
	packages     []rendered              // of all assignments in them
	// rejected are findings for which assignments failed.
	rejected []findings.Finding
}

// Compute runs the engine: decode, place, compose, render. Errors are a
// problem.List with everything that is wrong at the first step that fails, or the end of
// the context. If only assignments fail, or files of other teams are broken, the error has these
// problems, and there is a result all the same: it is complete except for the packages of these
// assignments, and Failures has the reasons. Cost: linear in the size of manifests and assignments.
func Compute(ctx context.Context, in Input) (*Result, error) {
	result, err := compute(ctx, in)
	if err := ended(ctx, in.Environment, err); err != nil {
		return nil, err
	}
	return result, err
}

// ended is the error of a context that ended; nil if it did not end. stopped has the template or schema that it stopped.
func ended(ctx context.Context, environment string, stopped error) error {
	var at problem.List
	errors.As(stopped, &at)
	switch err := ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded) && len(at) > 0:
		return fmt.Errorf("the environment %s was not computed before the operation's time was up (%w). It stopped at %s. Make sure that this "+
			"ends, or give the operation more time (timeouts)", environment, err, strings.TrimSuffix(at[0].Text(), "."))
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the environment %s was not computed before the operation's time was up. Give the operation more time "+
			"(timeouts): %w", environment, err)
	case err != nil:
		return fmt.Errorf("the environment %s was not computed, since the operation was interrupted: %w", environment, err)
	}
	return nil
}

func compute(ctx context.Context, in Input) (*Result, error) {
	objects, unmarked, err := manifest.DecodeAll(in.Manifests)
	if err != nil {
		return nil, err
	}
	var problems problem.List
	f, err := fleet.NewAfter(objects, in.Environment, sync.OnceValue(in.owners))
	problems.AddErr("Invalid fleet", err)
	f.Unmarked = unmarked
	placed, err := place(f, in.Assignments)
	problems.AddErr("Invalid placement", err)
	result := &Result{Fleet: f, Placement: placed}
	broken := f.BrokenFiles()
	if in.PlaceOnly {
		return result, append(problems, broken...).Err()
	}

	written := in.partOf(f, placed)
	result.Others = written.others
	used, err := f.Used((&placement.Placement{Assignments: written.assignments}).ClusterTypes())
	problems.AddErr("Missing template", err)
	renderer, err := rendering.New(used)
	problems.AddErr("Invalid template", err)
	if len(problems) > 0 {
		return nil, append(problems, broken...).Err()
	}

	composer := composition.New(f)
	result.composer = composer
	violations, err := composer.Validate(ctx, written.assignments)
	problems.AddErr("Configuration does not satisfy its schema", err)
	w := workers{composer, renderer}
	result.clusterTypes = written.clusterTypes
	rejections := result.reject(ctx, in)
	broken = f.BrokenFiles()
	if result.packages, err = w.render(ctx, written.assignments, rejections); err != nil {
		return nil, err
	}
	for i := range result.packages {
		result.packages[i].fail(violations[i].Err())
	}
	result.Failures = failures(result.packages)
	if len(problems) > 0 {
		problems.AddErr("Rendering failed", result.Failures.Err())
		return nil, append(problems, broken...).Err()
	}
	if result.Folders, err = folders(f.Environment, written.clusterTypes, result.packages); err != nil {
		return nil, fmt.Errorf("the rendered files make no folder: %w", err)
	}
	f.PromotedCommit = cmp.Or(in.PromotedCommit, f.PromotedCommit)
	if f.PromotedCommit != "" && !in.IsPart() {
		result.FilesBeside = map[string][]byte{PromotedCommitFile: []byte(f.PromotedCommit)}
	}
	broken.AddErr("Rendering failed", result.Failures.Err())
	return result, broken.Err()
}

// place takes the assignments as given, or else lets the policies decide.
func place(f *fleet.Fleet, given map[string][]string) (*placement.Placement, error) {
	if given != nil {
		return placement.Explicit(f, given)
	}
	return placement.Place(f)
}

type workers struct {
	composer *composition.Composer
	renderer *rendering.Renderer
}

// render returns what became of each assignment, at the assignment's position, until the end of
// the context. Assignments are shared out among the processors, and do not depend on each other.
// Those of deployment targets with rejections, which are by the targets' full names, fail. The error
// is the end of the context, or that of an assignment whose output is too large: the others of its
// template would cost as much. It is not a failure of this assignment, because a package that is kept
// for such a reason would differ from run to run.
func (w workers) render(ctx context.Context, assignments []*placement.Assignment, rejections map[string]problem.List) ([]rendered, error) {
	packages := make([]rendered, len(assignments))
	for i, a := range assignments {
		packages[i].assignment = a
		packages[i].fail(rejections[a.Target.FullName].Err())
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for some := range slices.Chunk(byTarget(assignments), turn) {
		group.Go(func() error {
			for _, i := range some {
				if len(packages[i].problems) > 0 || ctx.Err() != nil {
					continue
				}
				if err := w.renderOne(ctx, &packages[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return packages, group.Wait()
}

// turn is how many assignments a processor renders at a time.
const turn = 256

// byTarget returns the positions of assignments by deployment target: those of one
// target have much in common, which is rendered once.
func byTarget(assignments []*placement.Assignment) []int {
	first := map[*fleet.Target]int{}
	order := make([]int, len(assignments))
	for i, a := range assignments {
		if _, known := first[a.Target]; !known {
			first[a.Target] = i
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(first[assignments[a].Target], first[assignments[b].Target])
	})
	return order
}

// renderOne renders an assignment. The error is the end of the context, or an output that is too large.
func (w workers) renderOne(ctx context.Context, p *rendered) error {
	files, err := w.renderer.Render(ctx, p.assignment, w.composer.Compose(p.assignment))
	if err != nil && (ctx.Err() != nil || errors.Is(err, rendering.ErrTooLarge)) {
		var problems problem.List
		problems.AddErr("Rendering failed", err)
		return Failures{{p.assignment, problems}}.Err()
	}
	var dir *tree.Dir
	if err == nil {
		dir, err = tree.NewDir(files)
	}
	if err == nil {
		p.entry = tree.Subdir(p.assignment.Target.FullName, dir)
	}
	p.fail(err)
	return nil
}

// Findings returns what the owner of the fleet may want to know. It examines the files of the packages that
// examines selects by their keys; nil selects all. Findings for which assignments failed (Input.Reject) are in
// Failures instead. The error is the end of the context.
func (r *Result) Findings(ctx context.Context, examines func(key string) bool) ([]findings.Finding, error) {
	composer := r.composer
	if composer == nil {
		composer = composition.New(r.Fleet)
	}
	found := findings.Find(ctx, findings.Facts{Fleet: r.Fleet, Placement: r.Placement, Composer: composer, Folders: r.Folders,
		Examines: examines})
	found = slices.DeleteFunc(found, func(f findings.Finding) bool { return slices.Contains(r.rejected, f) })
	return found, ended(ctx, r.Fleet.Environment, nil)
}
