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

// propose carries the change out by a pull request.
func (w *work) propose(ctx context.Context) (m message.Messages) {
	made, err := w.makeRequest(ctx)
	if err != nil {
		m.Fail("The change was not proposed", message.Sentence(err))
		return m
	}
	w.after.Proposal = made.Noted
	if made.Problems != nil {
		m.Warn(message.Incomplete, fmt.Sprintf("%s\n%s", made.Request.URL, message.Sentence(made.Problems)))
	}
	if w.desired.Destroys() {
		switch {
		case made.Request.State == forge.Closed:
			m.Fail("Somebody closed the pull request of the destroy", fmt.Sprintf("The provider does not propose the same change again. Open %s "+
				"again, and destroy again. To keep the packages in %s, use a removed block with destroy = false.", made.Request.URL, w.at))
		case !made.IsEmpty:
			m.Warn("The destroy waits for a merge", fmt.Sprintf("The merge of %s gives the packages in %s up. Terraform no longer manages them.",
				made.Request.URL, w.at))
		}
		return m
	}
	w.remember()
	if !made.IsEmpty { // the branch still has what the request is based on
		w.memory.Seen = idsOf(w.inventory)
	}
	switch {
	case made.IsEmpty:
		w.after.Status = InSync
	case made.Request.State == forge.Closed:
		w.after.Status, w.after.RequestURL = Closed, made.Request.URL
	default:
		w.after.Status, w.after.RequestURL = Proposed, made.Request.URL
		if w.decision.Differs(w.desired, w.inventory) {
			w.after.Commit = made.Noted.Commit
		}
	}
	if made.Request.State == forge.Merged {
		w.after.Status, w.after.MergedCommit = InSync, made.Request.MergeCommit
		w.after.Proposal.Replace()
		w.remember()
	}
	if made.Unmerged != nil {
		text := problem.Sentence(made.Unmerged)
		if errors.Is(ctx.Err(), context.Canceled) {
			text = "The apply was interrupted while it waited for the merge."
		}
		m.Warn("The pull request is not merged", fmt.Sprintf("%s: %s The next plan reports its state.", made.Request.URL, text))
	}
	return m
}

// makeRequest makes the request for a decision about the base branch as it is.
func (w *work) makeRequest(ctx context.Context) (made request.Made, err error) {
	err = w.attempt(func(change git.Work) (err error) {
		made, err = w.requests.Propose(ctx, request.Wanted{
			Settings: w.requestSettings(), Location: w.at, Environment: w.Fleet.Environment, Instance: w.instance(), Noted: w.after.Proposal,
			Work: change, DefaultTitle: func() string { return w.Fleet.Environment + ": " + w.after.Summary }, Describe: w.describe,
		})
		return err
	})
	return made, err
}

// promotedLabel is the label of Kalypso's promotion workflow for a pull request that changes
// the promoted commit.
const promotedLabel = "promoted"

// requestSettings returns the settings of the request, with Kalypso's label if the apply writes the
// file of the promoted commit.
func (w *work) requestSettings() request.Settings {
	r, file := *w.Request, engine.PromotedCommitFile
	e, ok := w.desired.Content[file]
	if ok && (w.Was == nil || w.Was.Packages[file] != e.ID.Short()) && !slices.Contains(r.Labels, promotedLabel) {
		r.Labels = append(slices.Clone(r.Labels), promotedLabel)
	}
	return r
}

// closeOld closes the open request of the resource.
func (w *work) closeOld(ctx context.Context, why string) (m message.Messages) {
	if !w.after.Proposal.IsOpen() || w.Forges == nil {
		return m
	}
	if err := w.requests.Close(ctx, w.at, w.after.Proposal, why); err != nil {
		m.Warn("The pull request was not closed", fmt.Sprintf("Nobody needs pull request %d any more. Close it by hand. Cause: %s",
			w.after.Proposal.Number, problem.Sentence(err)))
	}
	w.after.Proposal.Replace()
	return m
}

// describe returns the body of the request.
func (w *work) describe(limit int) string {
	w.comparePackages(context.Background())
	return w.report().Body(w.MaxDiffLines, limit)
}
