// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package request

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// overtakenBy is the reason for closing a request if another request replaces it.
func overtakenBy(q forge.Request) string {
	return fmt.Sprintf("Replaced by #%d, which proposes the newer state of the environment: %s", q.Number, q.URL)
}

// nothingLeft is the reason for closing a request if there is nothing to propose.
const nothingLeft = "There is nothing to propose any more: the base branch already has the desired content."

// closeOpen closes requests that a killed apply has left open, and an unwanted removal. It
// finds them at a place by three signs: the instance in the body, the name of the branch, and
// the author. An empty author means us. The branches stay, because we delete only noted
// branches. Requests with the numbers in keep stay open.
func closeOpen(ctx context.Context, repo *forge.Repository, at forge.Marker, author, why string, keep ...int) error {
	open, err := repo.Requests(ctx, at, forge.Open)
	open = slices.DeleteFunc(open, func(q forge.Request) bool {
		return ownership.BranchNumber(q.Head, at.Instance) == 0 || slices.Contains(keep, q.Number)
	})
	if err == nil && len(open) > 0 && author == "" {
		author, err = repo.Viewer(ctx)
	}
	for _, q := range open {
		if q.Author != author {
			continue
		}
		failed := repo.Comment(ctx, q.Number, why)
		if failed == nil {
			failed = repo.Close(ctx, q.Number)
		}
		err = errors.Join(err, failed)
	}
	return err
}

// CloseOpen closes the requests of an instance at a location that an apply has just written
// without a request. An earlier move away or a killed apply has opened them.
func (c *Client) CloseOpen(ctx context.Context, environment string, loc git.Location, instance string) message.Messages {
	var m message.Messages
	repo, err := c.Forges.Repository(ctx, loc.Repo)
	if err == nil {
		err = closeOpen(ctx, repo, Marker(environment, loc, instance), "", "An apply has written the packages again, without a pull request.")
	}
	if err != nil {
		m.Warn(message.NotClosed, fmt.Sprintf("The apply wrote the packages to %s. If a pull request that removes the packages is still open, "+
			"close that request by hand. Cause: %s", loc, message.Sentence(err)))
	}
	return m
}

// Withdraw closes the request of an inventory, and deletes its branch. It leaves a request or
// branch unchanged if somebody else has changed it.
func (c *Client) Withdraw(ctx context.Context, url string, proposal *ownership.Proposal, why string) message.Messages {
	var m message.Messages
	repo, err := c.Forges.Repository(ctx, url)
	if err == nil {
		err = c.withdrawFrom(ctx, repo, url, proposal, why)
	}
	if err != nil {
		m.Warn(message.NotClosed, fmt.Sprintf("Nobody needs pull request %d any more. Close it by hand. Cause: %s", proposal.Number,
			problem.Sentence(err)))
	}
	return m
}

// withdrawFrom deletes the branch before it closes the request: after an interruption, the
// request is still open, and the next apply finds it. A branch that somebody else has pushed
// to stays.
func (c *Client) withdrawFrom(ctx context.Context, repo *forge.Repository, url string, proposal *ownership.Proposal, why string) error {
	q, err := repo.Request(ctx, proposal.Number)
	switch {
	case remote.Is(err, remote.KindNotFound):
		return c.dropBranch(ctx, url, proposal)
	case err != nil:
		return err
	case !isOf(proposal, q):
		return fmt.Errorf("another pull request has this number: its branch is %s, and its author %s", q.Head, q.Author)
	case q.State != forge.Open:
		return c.dropBranch(ctx, url, proposal)
	}
	edited := q.HeadCommit != proposal.Commit.String()
	if edited {
		why += fmt.Sprintf("\n\nSomebody has pushed to %s. The branch is kept. Newer requests do not contain commits that were pushed by hand.",
			markdown.Code(q.Head))
	}
	if err := repo.Comment(ctx, q.Number, why); err != nil {
		return err
	}
	if !edited {
		if err := c.dropBranch(ctx, url, proposal); err != nil {
			return err
		}
	}
	return repo.Close(ctx, q.Number)
}

// DropMerged deletes the branch of a merged request, unless the forge has deleted it.
func (c *Client) DropMerged(ctx context.Context, url string, merged *ownership.Proposal) message.Messages {
	var m message.Messages
	if err := c.dropBranch(ctx, url, merged); err != nil {
		m.Warn("A branch stays",
			fmt.Sprintf("Pull request %d is merged, and nobody needs its branch %s any more. Delete the branch by hand. Cause: %s", merged.Number,
				merged.Branch, problem.Sentence(err)))
	}
	return m
}

// dropBranch deletes the branch of a request if the branch is at our commit.
func (c *Client) dropBranch(ctx context.Context, url string, proposal *ownership.Proposal) error {
	_, err := c.Git.DeleteBranch(ctx, git.Branch{Repo: url, Name: proposal.Branch}, proposal.Commit)
	return err
}
