// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// Destroy takes the applied content out of the repository as on_removal says: with one
// commit, or by a pull request. Content that another instance owns by then stays. job has
// the settings of the last apply. A destroy that no plan meant is half of a replacement:
// it removes nothing (rule 9), and the new resource takes the folders over.
func (p *Publisher) Destroy(ctx context.Context, job Job, meant bool) message.Messages {
	if !meant {
		return p.replaced(ctx, job.Inventory)
	}
	return p.destroy(ctx, job).About(job.Fleet.Environment, message.Place(job.Inventory.Location, job.Fleet.ClusterTypes))
}

// replaced closes the open request of a resource that another one replaces. The new
// resource proposes its content by a request of its own.
func (p *Publisher) replaced(ctx context.Context, inv *ownership.Inventory) message.Messages {
	if !inv.Proposal.IsOpen() {
		return message.Messages{}
	}
	return p.requests.Withdraw(trustingApplied(ctx, inv), inv.Location.Repo, inv.Proposal, "The resource that has opened this request is "+
		"replaced by another one.")
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
	if inv.Merged != nil {
		m.Add(p.requests.DropMerged(ctx, inv.Location.Repo, inv.Merged))
	}
	what := "remove all packages"
	if job.Fleet.IsPart() && len(job.Fleet.ClusterTypes) > 0 {
		what = "remove the packages of " + message.List("cluster type", ownership.Sorted(job.Fleet.ClusterTypes))
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

// unwanted is the reason for closing a request whose packages are not wanted any more.
const unwanted = "The packages are not wanted here any more."

// remove takes the content that an inventory owns out of its location. If changes are
// proposed, it uses a pull request, because a push would bypass the review. It closes a
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

// leftToOthers names the paths that a removal has left as they are, and the reason.
func leftToOthers(attempt *ownership.Attempt) message.Messages {
	var m message.Messages
	if left := message.LeftText(attempt.Decision, attempt.Seen); left != "" {
		m.Warn(message.LeftToOthers, left+" Clusters keep running it.")
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
		m.Warn(message.Incomplete, fmt.Sprintf("%s is open, but lacks something.\n%s", got.Request.URL, message.Sentence(got.Problems)))
	}
	if got.Request.State != forge.Merged {
		m.Warn(message.RemovalAsked, fmt.Sprintf(
			"%s removes the packages from %s once it is merged. Terraform no longer looks after them.", got.Request.URL, attempt.Location))
	}
	return m, nil
}
