// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// propose has a decision carried out by a pull request.
func (p *Publisher) propose(ctx context.Context, job Job, inv *Inventory, decision Decision, result *engine.Result, out *Outcome) Messages {
	var m Messages
	q := p.newRequest(job, decision, out.Summary)
	q.startFrom = job.StartFrom
	if inv.Proposal.holds(decision.Change) {
		q.standing = inv.Proposal
	}
	stays := job.Was != nil && decision.Location.Same(job.Was.Location)
	q.settled = stays && inv.Proposal == nil && job.Was.Status == InSync
	old := &engine.Result{}
	if stays {
		old = p.render(job.Was)
	}
	var description forge.Description
	q.describe = func(base git.Proposed) forge.Description {
		d := describe(digestsOf(base.Found, decision.Location, engine.DetailPackage), old, result)
		d.Config = configSince(inv.Config, d)
		d.Summary, d.Run = out.Summary, forge.RunFromEnvironment(p.lookup)
		description = d
		return d
	}
	got, err := p.request(ctx, q)
	if err != nil {
		m.fail("The change was not proposed", explain(decision.Location, err, job.Was == nil))
		return m
	}
	m.add(p.overtaken(ctx, decision.Location.Repo, inv.Proposal, got))
	decision.Change = got.change
	if got.proposed.Branch == "" {
		out.nothingProposed(job.Was, got, q.standing != nil)
		out.Inventory = holding(decision, got.proposed.Base)
		return m
	}
	out.Commit = got.proposed.Commit.String()
	out.Status, out.PullRequest, out.PullRequestURL = Proposed, got.request.Number, got.request.URL
	out.Inventory = proposing(decision, inv, got, job)
	out.Inventory.Config = description.Config[:min(len(description.Config), maxKeptConfig)]
	out.Inventory.Drift = proposedDrift(newCurrent(inv, p.renderedBefore(job)), rendered(decision.Location, result))
	if got.problems != nil {
		out.Inventory.Proposal.Incomplete = true
		m.warn("The pull request is not complete", fmt.Sprintf(
			"%s is open, but lacks something. The next apply tries again.\n%s", got.request.URL, sentence(got.problems)))
	}
	if got.request.State == forge.Merged {
		m.add(p.takeMerge(ctx, job, got, q.settings.Wait, out))
	}
	return m
}

// nothingProposed notes that the branch is as it has to be. merged is true where
// that is since the request that was open is merged.
func (out *Outcome) nothingProposed(was *Applied, got requested, merged bool) {
	out.Status = InSync
	if was != nil {
		out.PullRequest, out.PullRequestURL, out.MergedCommit = was.PullRequest, was.PullRequestURL, was.MergedCommit
	}
	if merged {
		out.MergedCommit = got.proposed.Base.String()
	}
}

// takeMerge notes a merge that has happened during an apply.
func (p *Publisher) takeMerge(ctx context.Context, job Job, got requested, waited bool, out *Outcome) Messages {
	var m Messages
	inv := out.Inventory
	found, err := p.git.Read(ctx, inv.Location.Of(), inv.query(job.Exclusive))
	switch {
	case err != nil:
		m.fail("The GitOps repository cannot be read", problem.Sentence(err))
	case inv.Proposal.standsIn(found, inv):
		inv.merged(ObjectID(found.Head))
		out.Status, out.MergedCommit = InSync, cmp.Or(got.request.MergeCommit, found.Head.String())
	case waited:
		m.fail("The merge changed something else", fmt.Sprintf(
			"%s was merged, but the branch does not hold what was proposed. Plan again to see what differs.", got.request.URL))
	} // else the next refresh tells
	return m
}
