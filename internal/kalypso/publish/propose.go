// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// propose carries a change out by a pull request, for a decision about the base branch as it is.
func (p *Publisher) propose(ctx context.Context, c Change) (out Outcome, m message.Messages) {
	noted := c.Attributes.LastRequest
	var made request.Made
	err := p.write(&c, func(work git.Work) (err error) {
		made, err = p.requests.Propose(ctx, request.Order{
			Settings: requestSettings(c), Location: c.Wanted.Location, Environment: c.Job.Fleet.Environment, Instance: c.Self.Instance,
			Noted: noted, Work: work, DefaultTitle: func() string {
				totals, _ := c.totals()
				return message.Title(message.Commit(c.Wanted, c.Job.CommitMessage, totals, "", p.ciRun))
			},
			Describe: func(limit int) string { return p.report(c).Body(p.MaxDiffLines, limit) },
		})
		return err
	})
	if err != nil {
		m.Fail("The change was not proposed", message.Sentence(err))
		return out, m
	}
	if made.Problems != nil {
		m.Warn(message.Incomplete, fmt.Sprintf("%s\n%s", made.Request.URL, message.Sentence(made.Problems)))
	}
	if c.Kind == KindDestroy {
		m.Add(givenUp(c.Wanted.Location, made))
		return out, m
	}
	if made.Unmerged != nil {
		text := problem.Sentence(made.Unmerged)
		if errors.Is(ctx.Err(), context.Canceled) {
			text = "The apply was interrupted while it waited for the merge."
		}
		m.Warn("The pull request is not merged", fmt.Sprintf("%s: %s The next plan reports its state.", made.Request.URL, text))
	}
	return c.proposed(made), m
}

func (c Change) proposed(made request.Made) Outcome {
	out := c.outcome()
	out.LastRequest = made.Noted
	switch {
	case made.IsEmpty:
		return out
	case made.Request.State == forge.Merged:
		out.MergedCommit = made.Request.MergeCommit
		out.LastRequest.Replace()
	case made.Request.State == forge.Closed:
		out.Status = Closed
	default:
		out.Status = Proposed
	}
	out.RequestURL = made.Request.URL
	if out.Status != InSync && c.RequestKind != RequestNone { // the branch still has what the request, which the state gets, is based on
		out.Memory.BranchAtRefresh, out.Memory.LastLook = c.Seen.Content.IDs(), Look{c.Seen.Head, c.Seen.Folder.ID}
	}
	if out.Status != Closed && c.Decision.Differs {
		out.Commit = made.Noted.Commit
	}
	return out
}

// givenUp says what the request of a destroy needs.
func givenUp(at git.Location, made request.Made) (m message.Messages) {
	switch {
	case made.Request.State == forge.Closed:
		m.Fail("Somebody closed the pull request of the destroy", fmt.Sprintf("The provider does not propose the same change again. Open %s "+
			"again, and destroy again. To keep the packages in %s, use a removed block with destroy = false.", made.Request.URL, at))
	case !made.IsEmpty:
		m.Warn("The destroy waits for a merge", fmt.Sprintf("The merge of %s gives the packages in %s up. Terraform no longer manages them.",
			made.Request.URL, at))
	}
	return m
}

// promotedLabel is the label of Kalypso's promotion workflow for a pull request that changes
// the promoted commit.
const promotedLabel = "promoted"

// requestSettings returns the settings of the request, with Kalypso's label if the apply writes the
// file of the promoted commit.
func requestSettings(c Change) request.Settings {
	r, file := *c.Job.Request, engine.PromotedCommitFile
	e, ok := c.Wanted.Content[file]
	if ok && (c.Had == nil || c.Had.Packages[file] != e.ID.Short()) && !slices.Contains(r.Labels, promotedLabel) {
		r.Labels = append(slices.Clone(r.Labels), promotedLabel)
	}
	return r
}

func (p *Publisher) closeOld(ctx context.Context, c Change, why string) (m message.Messages) {
	if c.Had == nil || !c.Had.LastRequest.IsOpen() || p.Forges == nil {
		return m
	}
	if err := p.requests.Close(ctx, c.Wanted.Location, c.Had.LastRequest, why); err != nil {
		m.Warn("The pull request was not closed", fmt.Sprintf("Nobody needs pull request %d any more. Close it by hand. Cause: %s",
			c.Had.LastRequest.Number, problem.Sentence(err)))
	}
	return m
}
