// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// promotedLabel is what Kalypso's promotion workflow looks for on a pull request
// that changes the promoted commit.
const promotedLabel = "promoted"

// changeRequest is a change that a pull request is made for.
type changeRequest struct {
	settings  RequestSettings
	location  git.Location
	startFrom string
	marker    forge.Marker
	change    git.Change
	// draft is how the change is put onto a branch.
	draft git.Draft
	// title is the request's where the settings have none.
	title string
	// describe tells what changes in the base branch.
	describe func(base git.Proposed) forge.Description
	// standing is the request that proposes just that; nil where none does.
	standing *Proposal
	// settled is true where no request can be open if there is nothing to propose.
	settled bool
}

// requested is what came of it.
type requested struct {
	// proposed has no branch where there was nothing to propose.
	proposed git.Proposed
	// change is what was proposed.
	change  git.Change
	request forge.Request
	// problems kept the request from being all that was asked for.
	problems error
}

// newRequest makes the request for a decision; what says what changes.
func (p *Publisher) newRequest(job Job, decision Decision, what string) changeRequest {
	environment := job.Fleet.Environment
	q := changeRequest{
		settings: *job.Request, location: decision.Location, marker: marker(environment, decision.Location),
		title: environment + ": " + what,
	}
	q.change = decision.Change
	q.draft = git.Draft{Name: func(root tree.ID) string {
		return cmp.Or(q.settings.BranchPrefix, DefaultBranchPrefix) + environment + "/" + root.Short()
	}}
	return q
}

// marker tells the requests for a location from all others.
func marker(environment string, loc git.Location) forge.Marker {
	return forge.Marker{Environment: environment, Base: loc.Branch, Path: loc.Path}
}

// request pushes the change to a branch of its own and opens the pull request, or
// completes what an earlier apply has begun. Each step looks first whether it is
// done, so that an apply can be killed between any two of them. Other open requests
// of the same marker are closed; where there is nothing to propose, all of them.
func (p *Publisher) request(ctx context.Context, q changeRequest) (requested, error) {
	repo, err := p.forges.Repository(q.location.Repo)
	if err != nil {
		return requested{}, err
	}
	got, err := p.push(ctx, q)
	if err != nil {
		return got, err
	}
	if got.proposed.Branch == "" {
		if q.settled {
			return got, nil
		}
		return got, p.closeOthers(ctx, repo, q, forge.Request{}, "There is nothing to propose any more: the branch is as it has to be.")
	}
	got.request, err = repo.Propose(ctx, forge.Proposal{
		Marker: q.marker, Head: got.proposed.Branch, Commit: got.proposed.Commit.String(),
		Title: cmp.Or(q.settings.Title, q.title), Description: q.describe(got.proposed), Labels: q.labels(got),
		Reviewers: q.settings.Reviewers, TeamReviewers: q.settings.TeamReviewers, Draft: q.settings.Draft,
	})
	if got.request.Number == 0 {
		return got, err
	}
	problems := []error{err, p.closeOthers(ctx, repo, q, got.request, overtakenBy(got.request))}
	if q.settings.AutoMerge != "" {
		problems = append(problems, repo.AutoMerge(ctx, got.request.Number, q.settings.AutoMerge))
	}
	got.problems = errors.Join(problems...)
	err = p.await(ctx, repo, q, &got)
	return got, err
}

// push makes the branch that the request is about.
func (p *Publisher) push(ctx context.Context, q changeRequest) (requested, error) {
	var got requested
	draft := q.draft
	if s := q.standing; s != nil {
		draft.Standing = git.Proposed{Branch: s.Branch, Commit: tree.ID(s.Seen)}
	}
	var err error
	got.change, err = p.turns.take(ctx, q.location.Of(), q.change, func(change git.Change) (err error) {
		draft.Job = git.To(change)
		draft.StartFrom = q.startFrom
		got.proposed, err = p.git.Propose(ctx, q.location.Of(), draft)
		return err
	})
	if s := draft.Standing; s.Branch != "" && got.proposed.Branch == s.Branch && got.proposed.Commit == s.Commit {
		got.proposed.Commit = tree.ID(q.standing.Commit) // people may have pushed more since
	}
	return got, err
}

// labels adds the label of Kalypso's promotion workflow where the promoted commit changes.
func (q changeRequest) labels(got requested) []string {
	edit, ok := got.change.Edits[engine.PromotedCommitFile]
	changes := ok && edit.Writes() && (got.proposed.Found[engine.PromotedCommitFile] == nil || got.proposed.Found[engine.PromotedCommitFile].ID != edit.Want.ID)
	if !changes || slices.Contains(q.settings.Labels, promotedLabel) {
		return q.settings.Labels
	}
	return append(slices.Clone(q.settings.Labels), promotedLabel)
}

// await waits for the merge where the settings say so, and else looks once where
// the forge may have merged at once.
func (p *Publisher) await(ctx context.Context, repo *forge.Repository, q changeRequest, got *requested) error {
	if !q.settings.Wait {
		if q.settings.AutoMerge != "" {
			if now, err := repo.Request(ctx, got.request.Number); err == nil {
				got.request = now
			}
		}
		return nil
	}
	now, err := repo.Await(ctx, got.request.Number)
	switch {
	case err != nil:
		return errors.Join(got.problems, err)
	case now.State == forge.Closed:
		return fmt.Errorf("pull request %d was closed without a merge: %s. Apply again to propose the change anew", now.Number, now.URL)
	}
	got.request = now
	return nil
}

// overtakenBy is what is said of a request that another one takes the place of.
func overtakenBy(q forge.Request) string {
	return fmt.Sprintf("Overtaken by #%d, which proposes the newer state of the environment: %s", q.Number, q.URL)
}

// closeOthers closes the open requests of the marker but for one.
func (p *Publisher) closeOthers(ctx context.Context, repo *forge.Repository, q changeRequest, but forge.Request, why string) error {
	open, err := repo.Requests(ctx, q.marker, forge.Open)
	problems := []error{err}
	for _, other := range open {
		if other.Number != but.Number && other.Head != but.Head {
			problems = append(problems, p.closeRequest(ctx, repo, q.location.Repo, other, why))
		}
	}
	return errors.Join(problems...)
}

// closeRequest closes a request that is open: it says why, deletes the branch
// unless somebody else has pushed to it, and closes. In this order what is left
// undone is found again, since the request is still open.
func (p *Publisher) closeRequest(ctx context.Context, repo *forge.Repository, url string, q forge.Request, why string) error {
	edited := q.Pushed != "" && q.HeadCommit != q.Pushed
	if edited {
		why += fmt.Sprintf("\n\nSomebody has pushed to %s. That branch is kept, and what was changed by hand is not part of anything newer.", forge.Code(q.Head))
	}
	if err := repo.Comment(ctx, q.Number, why); err != nil {
		return err
	}
	if !edited && q.Pushed != "" {
		commit, err := tree.ParseID(q.Pushed)
		if err != nil {
			return err
		}
		if _, err = p.git.DeleteBranch(ctx, git.Branch{Repo: url, Name: q.Head}, commit); err != nil {
			return err
		}
	}
	return repo.Close(ctx, q.Number)
}

// withdraw closes the request of an inventory: by its number, since its marker may
// be that of another environment, or gone with a text that a person has rewritten.
func (p *Publisher) withdraw(ctx context.Context, url string, proposal *Proposal, why string) Messages {
	var m Messages
	repo, err := p.forges.Repository(url)
	if err == nil {
		var q forge.Request
		switch q, err = repo.Request(ctx, proposal.Number); {
		case err != nil:
		case q.State == forge.Open:
			q.Head, q.Pushed = proposal.Branch, tree.ID(proposal.Commit).String()
			err = p.closeRequest(ctx, repo, url, q, why)
		default:
			_, err = p.git.DeleteBranch(ctx, git.Branch{Repo: url, Name: proposal.Branch}, tree.ID(proposal.Commit))
		}
	}
	if err != nil {
		m.warn("The pull request was not closed", fmt.Sprintf("Pull request %d is not wanted any more. Close it by hand. Cause: %s", proposal.Number, problem.Sentence(err)))
	}
	return m
}

// overtaken closes the request of an inventory where another one, or none, is
// wanted now.
func (p *Publisher) overtaken(ctx context.Context, url string, proposal *Proposal, got requested) Messages {
	if proposal == nil || proposal.Number == got.request.Number || proposal.Branch == got.proposed.Branch {
		return Messages{}
	}
	why := "This is not wanted any more."
	if got.request.Number != 0 {
		why = overtakenBy(got.request)
	}
	return p.withdraw(ctx, url, proposal, why)
}
