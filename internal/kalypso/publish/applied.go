// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"reflect"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Applied is what was written down when the packages were last applied, and what
// came of it; nil while nothing ever was.
type Applied struct {
	Settings
	Location git.Location
	// Instance is who applied it.
	Instance string
	Report

	rendered *engine.Result
	// beside is what is wanted now, which it mostly is like.
	beside *engine.Result
}

// Report is what there is to say about a location.
type Report struct {
	// Packages are the digests of what is there, or is proposed to be.
	Packages engine.Digests
	// Summary is the last change in one line.
	Summary string
	// Commit is the last commit that wrote packages; empty where there was none.
	Commit string
	// PullRequest and PullRequestURL are the last pull request; zero without one.
	PullRequest    int
	PullRequestURL string
	Status         Status
	// MergedCommit brought the last request into the branch; empty before.
	MergedCommit string
}

// Status is how a location stands to what was applied.
type Status string

// What a Status says.
const (
	InSync   Status = "in_sync"  // the branch holds the packages
	Proposed Status = "proposed" // a request for them is open
	Closed   Status = "closed"   // it was closed without a merge
	Drifted  Status = "drifted"  // somebody has changed what is ours
)

// render returns what was written last, as this version renders it: once, and
// nothing after an import or where it cannot be rendered any more. Where a refresh has
// rendered it, the plan that follows takes that.
func (p *Publisher) render(was *Applied) *engine.Result {
	if was == nil {
		return &engine.Result{}
	}
	if was.rendered == nil {
		was.rendered = p.renderings.take(was)
	}
	if was.rendered == nil {
		was.rendered = &engine.Result{}
		if len(was.Fleet.Manifests) > 0 {
			in := was.Fleet
			in.Beside = was.beside
			// The engine's own bounds end it: an operation that ends must not take it for empty.
			if result, err := p.compute(context.Background(), in); err == nil {
				was.rendered = result
			}
		}
	}
	return was.rendered
}

// renderings are what refreshes have rendered, by instance.
type renderings struct{ byInstance sync.Map } // of instance to *Applied

// keep notes what was rendered for a refresh, if anything was.
func (r *renderings) keep(was *Applied) {
	if was.rendered != nil {
		r.byInstance.Store(was.Instance, was)
	}
}

// take returns what was rendered of the same, once; nil where nothing was.
func (r *renderings) take(was *Applied) *engine.Result {
	kept, found := r.byInstance.LoadAndDelete(was.Instance)
	if !found {
		return nil
	}
	if before := kept.(*Applied); reflect.DeepEqual(before.Fleet, was.Fleet) { //nolint:errcheck,forcetypeassert // the map holds nothing else.
		return before.rendered
	}
	return nil
}

// computeWanted computes what is wanted. Errors: as of engine.Compute.
func (p *Publisher) computeWanted(ctx context.Context, job Job) (*engine.Result, error) {
	result, err := p.compute(ctx, job.Fleet)
	if err == nil && job.Was != nil {
		job.Was.beside = result
	}
	return result, err
}
