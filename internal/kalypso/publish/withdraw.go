// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// overtakenBy is what is said of a request that another one takes the place of.
func overtakenBy(q forge.Request) string {
	return fmt.Sprintf("Overtaken by #%d, which proposes the newer state of the environment: %s", q.Number, q.URL)
}

// closeLeft closes what an apply that was killed has left open, and what is about folders
// that are taken over, as their removal: requests at a place whose bodies say that they are
// ours, or the former owner's, from a branch that is named as ours are, opened by the same
// author. Their branches stay: only what is noted is deleted. Requests of the numbers in keep
// stay open.
func closeLeft(ctx context.Context, repo *forge.Repository, at forge.Marker, taken []Claim, author, why string, keep ...int) error {
	ours := map[string]bool{at.Instance: true}
	for _, claim := range taken {
		ours[claim.Instance] = true
	}
	at.Instance = "" // anybody's
	open, err := repo.Requests(ctx, at, forge.Open)
	problems := []error{err}
	for _, other := range open {
		if ours[other.Instance] && !slices.Contains(keep, other.Number) && other.Author == author && isNamedAsOurs(other.Head, at.Environment) {
			problems = append(problems, finish(ctx, repo, other.Number, why))
		}
	}
	return errors.Join(problems...)
}

// ourBranch is how the names of our branches end, after any prefix.
var ourBranch = regexp.MustCompile(`^(.*)/[0-9a-f]{12}$`)

// isNamedAsOurs reports whether a branch has a name that those of our requests for an
// environment have.
func isNamedAsOurs(branch, environment string) bool {
	parts := ourBranch.FindStringSubmatch(branch)
	return parts != nil && strings.HasSuffix(parts[1], environment)
}

// closeRemoval closes requests that propose to remove what an apply has just written
// without a request: an earlier destroy, or a move away, has opened them, and nobody follows
// them. Where no forge is known, there are none.
func (a *applying) closeRemoval(ctx context.Context, attempt *attempt) Messages {
	var m Messages
	taken, loc := attempt.decision.TakenOver, a.desired.Location
	if len(taken) == 0 && !a.planned.Moves || a.forges == nil {
		return m
	}
	repo, err := a.forges.Repository(ctx, loc.Repo)
	if errors.Is(err, forge.ErrNoForge) || errors.Is(err, forge.ErrNoToken) {
		return m
	}
	author := ""
	if err == nil {
		author, err = repo.Viewer(ctx)
	}
	if err == nil {
		err = closeLeft(ctx, repo, marker(a.Fleet.Environment, loc, attempt.inv.Instance), taken, author, "The packages are written here again, without a pull request.")
	}
	if err != nil {
		m.warn(notClosed, fmt.Sprintf("The packages are written to %s. If a pull request that removes them is still open there, close it by hand. Cause: %s", loc, sentence(err)))
	}
	return m
}

// finish says why a request is closed, and closes it.
func finish(ctx context.Context, repo *forge.Repository, number int, why string) error {
	if err := repo.Comment(ctx, number, why); err != nil {
		return err
	}
	return repo.Close(ctx, number)
}

// overtaken closes the request of an inventory where another one, or none, is
// wanted now.
func (p *Publisher) overtaken(ctx context.Context, url string, proposal *Proposal, got requested) Messages {
	switch {
	case proposal == nil || proposal.Number == got.request.Number || proposal.Branch == got.proposed.Branch:
		return Messages{}
	case got.request.Number != 0:
		return p.withdraw(ctx, url, proposal, overtakenBy(got.request))
	}
	return p.withdraw(ctx, url, proposal, "There is nothing to propose any more: the branch is as it has to be.")
}

// withdraw closes the request of an inventory, and deletes its branch. What is not as
// it was noted is not ours to touch.
func (p *Publisher) withdraw(ctx context.Context, url string, proposal *Proposal, why string) Messages {
	var m Messages
	repo, err := p.forges.Repository(ctx, url)
	if err == nil {
		err = p.withdrawFrom(ctx, repo, url, proposal, why)
	}
	if err != nil {
		m.warn(notClosed, fmt.Sprintf("Pull request %d is not wanted any more. Close it by hand. Cause: %s", proposal.Number, problem.Sentence(err)))
	}
	return m
}

// withdrawFrom deletes the branch before it closes the request, so that what is left
// undone is found again: the request is open then. A branch that somebody has pushed to
// stays.
func (p *Publisher) withdrawFrom(ctx context.Context, repo *forge.Repository, url string, proposal *Proposal, why string) error {
	q, err := repo.Request(ctx, proposal.Number)
	switch {
	case remote.Is(err, remote.KindNotFound):
		return p.dropBranch(ctx, url, proposal)
	case err != nil:
		return err
	case !proposal.is(q):
		return fmt.Errorf("it is not the one that this resource has opened: its branch is %s, and its author %s", q.Head, q.Author)
	case q.State != forge.Open:
		return p.dropBranch(ctx, url, proposal)
	}
	edited := q.HeadCommit != tree.ID(proposal.Commit).String()
	if edited {
		why += fmt.Sprintf("\n\nSomebody has pushed to %s. That branch is kept, and what was changed by hand is not part of anything newer.", markdown.Code(q.Head))
	}
	if err := repo.Comment(ctx, q.Number, why); err != nil {
		return err
	}
	if !edited {
		if err := p.dropBranch(ctx, url, proposal); err != nil {
			return err
		}
	}
	return repo.Close(ctx, q.Number)
}

// dropMerged deletes the branch of a request that was merged, unless the forge has.
func (p *Publisher) dropMerged(ctx context.Context, url string, merged *Proposal) Messages {
	var m Messages
	if err := p.dropBranch(ctx, url, merged); err != nil {
		m.warn(branchStays, fmt.Sprintf("Pull request %d is merged, and its branch %s is of no use any more. Delete it by hand. Cause: %s", merged.Number, merged.Branch, problem.Sentence(err)))
	}
	return m
}

// dropBranch deletes the branch of a request, where it is as we have left it.
func (p *Publisher) dropBranch(ctx context.Context, url string, proposal *Proposal) error {
	_, err := p.git.DeleteBranch(ctx, git.Branch{Repo: url, Name: proposal.Branch}, tree.ID(proposal.Commit))
	return err
}
