// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// change returns the change to propose; what describes the change.
func (job Job) change(p *Publisher, attempt *ownership.Attempt, what string) request.Wanted {
	stops := job.Was != nil && job.Was.Request != nil && job.Was.Request.AutoMerge != ""
	return request.Wanted{Settings: *job.Request, Attempt: attempt, Summary: what, Run: p.run, StopsMerge: stops}
}

// propose carries out the desired change by a pull request.
func (a *applying) propose(ctx context.Context, attempt *ownership.Attempt) message.Messages {
	inv, loc := attempt.Inventory, a.desired.Location
	if a.keepsClosed() {
		a.out.Attributes, a.out.Inventory = a.Was.Attributes, inv
		return message.Messages{}
	}
	q := a.change(a.Publisher, attempt, a.out.Summary)
	q.Result, q.GoesOn = a.result, true
	got, m, err := a.requests.Propose(ctx, q)
	if err != nil {
		m.Fail("The change was not proposed", message.Explain(loc, err, a.Was == nil, inv.Packages))
		return m
	}
	if got.Branch == "" {
		a.out.nothingProposed(a.Was, got)
		a.out.Inventory = ownership.Holding(attempt.Decision, got.Base)
		return m
	}
	a.out.Commit = got.Commit.String()
	a.out.PullRequest, a.out.PullRequestURL = got.Request.Number, got.Request.URL
	a.out.Inventory = got.Inventory(q, a.Detail)
	if got.Problems != nil {
		m.Warn(message.Incomplete, fmt.Sprintf(
			"%s is open, but not complete. The next apply tries again, except for reviewers: ask them on the forge.\n%s", got.Request.URL,
			message.Sentence(got.Problems)))
	}
	if got.Unfinished != nil {
		m.Warn("The pull request is not merged yet", unfinished(ctx, got))
	}
	if got.Request.State == forge.Merged {
		m.Add(a.takeMerge(ctx, got))
	}
	a.out.Status = a.out.Inventory.Status()
	return m
}

// takeMerge notes a merge during the apply. If the branch has other content, and the apply did
// not wait for the merge, the next refresh reports the difference.
func (a *applying) takeMerge(ctx context.Context, got request.Made) message.Messages {
	merged, m := a.requests.TakeMerge(ctx, a.out.Inventory, got)
	if a.out.MergedCommit = merged; merged == "" && !m.Failed() && a.Request.Wait {
		m.Fail("The merge changed something else", fmt.Sprintf(
			"%s was merged, but the branch does not have the proposed content. Plan again to see the difference.", got.Request.URL))
	}
	return m
}

// unfinished says why an awaited merge has not happened. The request is noted.
func unfinished(ctx context.Context, got request.Made) string {
	const then = " The request stays open, and the next plan reports its state. If you destroy the resource, the request is closed."
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Sprintf("The apply was interrupted while it waited for %s.", got.Request.URL) + then
	}
	return problem.Sentence(got.Unfinished) + then
}

// nothingProposed notes that the branch already has the desired content.
func (out *Outcome) nothingProposed(was *Applied, got request.Made) {
	if was != nil {
		out.PullRequest, out.PullRequestURL, out.MergedCommit = was.PullRequest, was.PullRequestURL, was.MergedCommit
	}
	if got.Before.State == forge.Merged {
		out.MergedCommit = cmp.Or(got.Before.MergeCommit, got.Base.String())
	}
}
