// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// Destroy removes the applied content from the repository by the rules of on_removal: with one
// commit, or by a pull request. Content that another instance now owns stays. job has the
// settings of the last apply. meant is false for a destroy without a plan, which is half of a
// replacement: it removes nothing (rule 9), and the new resource takes the folders over.
func (p *Publisher) Destroy(ctx context.Context, job Job, meant bool) message.Messages {
	if !meant {
		return p.replaced(ctx, job.Inventory)
	}
	return p.destroy(ctx, job).About(job.Fleet.Environment, message.Place(job.Inventory.Location, job.Fleet.ClusterTypes))
}

// replaced closes the open request of a replaced resource. The new resource opens its own
// request.
func (p *Publisher) replaced(ctx context.Context, inv *ownership.Inventory) message.Messages {
	if !inv.Proposal.IsOpen() {
		return message.Messages{}
	}
	return p.requests.Withdraw(trustingApplied(ctx, inv), inv.Location.Repo, inv.Proposal, "Another resource replaces the resource "+
		"that opened this request.")
}

func (p *Publisher) destroy(ctx context.Context, job Job) message.Messages {
	var m message.Messages
	ctx = trustingApplied(ctx, job.Inventory)
	if job.Inventory.IsForgotten() {
		again, err := p.claimAgain(ctx, job.Inventory)
		if err != nil {
			m.Fail(message.Unreadable, problem.Sentence(message.GoneForGood(err)))
			return m
		}
		job.Inventory = again
	}
	inv := job.Inventory
	if m.Add(p.checkFrozenDestroy(job)); m.Failed() {
		return m
	}
	if inv.Merged != nil {
		m.Add(p.requests.DropMerged(ctx, inv.Location.Repo, inv.Merged))
	}
	what := "remove all packages"
	if job.Fleet.IsPart() && len(job.Fleet.ClusterTypes) > 0 {
		what = "remove the packages of " + message.List("cluster type", wording.Sorted(job.Fleet.ClusterTypes))
	}
	if job.Removal == ownership.Retain {
		what = "leave all packages to others"
	}
	more, err := p.remove(ctx, job, job.nothing(inv.Location), inv, what)
	m.Add(more)
	if err != nil {
		m.Fail(message.Unchanged, message.Explain(inv.Location, message.GoneForGood(err), false, inv.Packages))
	}
	return m
}

// unwanted is the reason for closing a request for packages of a removed resource.
const unwanted = "Nobody needs the packages here any more."

// remove removes the content that an inventory owns from its location. If the settings propose
// changes, remove opens a pull request, because a push would bypass the review. It closes the
// request of an earlier change. what describes the change, for the commit.
func (p *Publisher) remove(ctx context.Context, job Job, nothing ownership.Desired, inv *ownership.Inventory,
	what string) (message.Messages, error) {
	var m message.Messages
	attempt := p.attempt(nothing, inv, what)
	if job.Request != nil {
		return p.proposeRemoval(ctx, job, attempt, what)
	}
	branch := inv.Location.Of()
	_, err := p.git.Apply(ctx, branch, attempt.Work())
	if err != nil {
		return m, err
	}
	if attempt.Decision.Withdraw {
		m.Add(p.requests.Withdraw(ctx, branch.Repo, inv.Proposal, unwanted))
	}
	m.Add(leftToOthers(attempt))
	return m, nil
}

// leftToOthers names the paths that a removal leaves unchanged, and the reason.
func leftToOthers(attempt *ownership.Attempt) message.Messages {
	var m message.Messages
	if left := message.LeftText(attempt.Decision, attempt.Seen); left != "" {
		m.Warn("Left to others", left+" Clusters keep running this content.")
	}
	return m
}

// proposeRemoval opens a pull request that removes packages.
func (p *Publisher) proposeRemoval(ctx context.Context, job Job, attempt *ownership.Attempt, what string) (message.Messages, error) {
	got, m, err := p.requests.Propose(ctx, job.change(p, attempt, what))
	if err != nil {
		return m, err
	}
	m.Add(leftToOthers(attempt))
	if got.Branch == "" {
		return m, nil
	}
	if got.Problems != nil {
		m.Warn(message.Incomplete, fmt.Sprintf("%s is open, but not complete.\n%s", got.Request.URL, message.Sentence(got.Problems)))
	}
	if got.Request.State != forge.Merged {
		m.Warn("The removal is proposed", fmt.Sprintf(
			"The merge of %s will remove the packages from %s. Terraform no longer manages these packages.", got.Request.URL, attempt.Location))
	}
	return m, nil
}
