// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// propose has what is desired carried out by a pull request.
func (a *applying) propose(ctx context.Context, attempt *attempt) message.Messages {
	var m message.Messages
	inv, loc := attempt.inv, a.desired.Location
	if a.keepsClosed(a.planned) {
		a.out.Report, a.out.Inventory = a.Was.Report, inv
		return m
	}
	q := a.newRequest(a.Job, attempt, a.out.Summary)
	q.goOn()
	q.describe = func(base git.Proposed) forge.Description {
		d := describe(ownership.DigestsOf(base.Found, loc, engine.DetailPackage), a.result)
		d.Summary, d.Run = q.summary(base), forge.RunFromEnvironment(a.lookup)
		return d
	}
	got, err := a.request(ctx, q)
	if err != nil {
		m.Fail(message.NotProposed, message.Explain(loc, err, a.Was == nil, inv.Packages))
		return m
	}
	m.Add(a.overtaken(ctx, loc.Repo, inv.Proposal, got))
	if got.proposed.Branch == "" {
		a.out.nothingProposed(a.Was, got)
		a.out.Inventory = ownership.Holding(attempt.decision, got.proposed.Base)
		return m
	}
	a.out.Commit = got.proposed.Commit.String()
	a.out.Status, a.out.PullRequest, a.out.PullRequestURL = Proposed, got.request.Number, got.request.URL
	a.out.Inventory = proposing(attempt.decision, attempt.seen, got, a.Job)
	if got.problems != nil {
		m.Warn(message.Incomplete, fmt.Sprintf(
			"%s is open, but lacks something. The next apply tries again.\n%s", got.request.URL, message.Sentence(got.problems)))
	}
	if got.unfinished != nil {
		m.Warn(message.Unmerged, unfinished(ctx, got))
	}
	if got.request.State == forge.Merged {
		m.Add(a.takeMerge(ctx, got, q.settings.Wait))
	}
	return m
}

// unfinished says why a merge that was waited for has not come. The request is noted.
func unfinished(ctx context.Context, got requested) string {
	const then = " The request stays open, and the next plan tells what became of it; destroying the resource closes it."
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Sprintf("The apply was interrupted while it waited for %s.", got.request.URL) + then
	}
	return problem.Sentence(got.unfinished) + then
}

// nothingProposed notes that the branch is as it has to be.
func (out *Outcome) nothingProposed(was *Applied, got requested) {
	out.Status = InSync
	if was != nil {
		out.PullRequest, out.PullRequestURL, out.MergedCommit = was.PullRequest, was.PullRequestURL, was.MergedCommit
	}
	if got.before.State == forge.Merged {
		out.MergedCommit = cmp.Or(got.before.MergeCommit, got.proposed.Base.String())
	}
}

// takeMerge notes a merge that has happened during an apply.
func (a *applying) takeMerge(ctx context.Context, got requested, waited bool) message.Messages {
	var m message.Messages
	inv := a.out.Inventory
	found, err := a.git.Read(ctx, inv.Location.Of(), inv.Query(a.Exclusive))
	if err == nil && !found.Unchanged {
		_, err = inv.Update(found, a.Exclusive)
	}
	switch {
	case err != nil:
		m.Fail(message.Unreadable, problem.Sentence(err))
	case inv.HoldsProposal(false):
		m.Add(a.dropMerged(ctx, inv.Location.Repo, inv.Proposal))
		inv.NoteMerge()
		inv.Merged = nil
		a.out.Status, a.out.MergedCommit = InSync, cmp.Or(got.request.MergeCommit, found.Head.String())
	case waited:
		m.Fail(message.MergedElse, fmt.Sprintf(
			"%s was merged, but the branch does not hold what was proposed. Plan again to see what differs.", got.request.URL))
	} // else the next refresh tells
	return m
}
