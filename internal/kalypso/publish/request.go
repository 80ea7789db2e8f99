// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// promotedLabel is what Kalypso's promotion workflow looks for on a pull request
// that changes the promoted commit.
const promotedLabel = "promoted"

// changeRequest is a change that a pull request is made for.
type changeRequest struct {
	settings RequestSettings
	location git.Location
	marker   forge.Marker
	attempt  *attempt
	// draft is how the change is put onto a branch.
	draft git.Draft
	// environment is whose packages change, and what says how.
	environment, what string
	// describe tells what changes in the base branch.
	describe func(base git.Proposed) forge.Description
	// open is the request that the plan knew; nil for none. Who has noted it closes it.
	open *ownership.Proposal
	// stop has automatic merging turned off, which was asked for before.
	stop bool
}

// requested is what came of it.
type requested struct {
	// proposed has no branch where there was nothing to propose.
	proposed git.Proposed
	// request is the one that is open; before is the one that the plan knew, where that was
	// merged or closed meanwhile.
	request, before forge.Request
	// problems kept the request from being all that was asked for, and unfinished says
	// why the merge that was waited for has not come.
	problems, unfinished error
}

// newRequest makes the request for an attempt, from a new branch; what says what changes.
func (p *Publisher) newRequest(job Job, attempt *attempt, what string) changeRequest {
	environment, loc := job.Fleet.Environment, attempt.desired.Location
	inv := attempt.inv
	q := changeRequest{settings: *job.Request, location: loc, marker: marker(environment, loc, inv.Instance), attempt: attempt, environment: environment, what: what, open: inv.Proposal}
	q.draft = git.Draft{Job: attempt.job(), Lasting: lasting, Next: inv.Branches + 1, Name: func(number int) string {
		return fmt.Sprintf("%s%s/%s-%d", cmp.Or(q.settings.BranchPrefix, DefaultBranchPrefix), environment, inv.Instance, number)
	}}
	if was := job.Was; was != nil && was.Request != nil && was.Request.AutoMerge != "" {
		q.stop = true
	}
	return q
}

// known is the number of the request that the plan knew; 0 for none.
func (q changeRequest) known() int {
	if q.open == nil {
		return 0
	}
	return q.open.Number
}

// goOn has the request that is open go on with its branch.
func (q *changeRequest) goOn() {
	open, attempt := q.open, q.attempt
	if !open.IsOpen() {
		return
	}
	q.draft.Open, q.draft.Seen = git.Proposed{Branch: open.Branch, Commit: tree.ID(open.Commit), On: tree.ID(open.On)}, tree.ID(open.Seen)
	q.draft.Holds = func(change git.Change) bool {
		return !attempt.seen.BaseMoved() && maps.Equal(open.Paths, ownership.Wanted(change, true))
	}
}

// marker tells the requests for a location from all others.
func marker(environment string, loc git.Location, instance string) forge.Marker {
	return forge.Marker{Environment: environment, Base: loc.Branch, Path: loc.Path, Instance: instance}
}

// request pushes the change to a branch and opens the pull request, or completes what an
// earlier apply has begun. Each step looks first whether it is done, so that an apply can
// be killed between any two of them. What an apply that was killed has left open is closed.
func (p *Publisher) request(ctx context.Context, q changeRequest) (requested, error) {
	var got requested
	repo, err := p.forges.Repository(ctx, q.location.Repo)
	if err != nil {
		return got, err
	}
	if q.draft.Open.Branch != "" {
		now, err := repo.Request(ctx, q.open.Number)
		switch {
		case err != nil && !remote.Is(err, remote.KindNotFound):
			return got, err
		case now.State != forge.Open || !isOf(q.open, now): // a branch of a request that has ended grows no more
			got.before, q.draft.Open = now, git.Proposed{}
		}
	}
	if got.proposed, err = p.push(ctx, q); err != nil {
		if remote.Is(err, remote.KindHeadMoved) { // what was pushed since the plan is not merged either
			err = errors.Join(err, repo.KeepOpen(ctx, q.open.Number))
		}
		return got, err
	}
	if got.proposed.Branch == "" {
		got.problems = closeLeft(ctx, repo, q.marker, "", nothingLeft, q.known())
		return got, nil
	}
	got.request, err = repo.Propose(ctx, forge.Proposal{
		Marker: q.marker, Head: got.proposed.Branch, Commit: got.proposed.Commit.String(),
		Title: cmp.Or(q.settings.Title, q.title(got.proposed)), Description: q.describe(got.proposed), Labels: q.labels(got),
		Reviewers: q.settings.Reviewers, TeamReviewers: q.settings.TeamReviewers, Draft: q.settings.Draft,
	})
	if got.request.Number == 0 {
		return got, err
	}
	got.problems = errors.Join(err, closeLeft(ctx, repo, q.marker, got.request.Author, overtakenBy(got.request), got.request.Number, q.known()), q.merging(ctx, repo, got))
	return got, p.await(ctx, repo, q, &got)
}

// merging has the forge merge what was pushed and nothing else, or not merge any more.
func (q changeRequest) merging(ctx context.Context, repo *forge.Repository, got requested) error {
	number, commit := got.request.Number, got.proposed.Commit
	switch {
	case q.settings.AutoMerge != "":
		var err error
		if open := q.draft.Open; got.proposed.Branch == open.Branch && commit != open.Commit { // what was asked for is for that one
			err = repo.KeepOpen(ctx, number)
		}
		_, body, _ := strings.Cut(q.attempt.decision.Change.Message, "\n\n")
		return errors.Join(err, repo.AutoMerge(ctx, number, q.settings.AutoMerge, commit.String(), body))
	case q.stop:
		return repo.KeepOpen(ctx, number)
	}
	return nil
}

// push makes the branch that the request is about, or one more commit on it.
func (p *Publisher) push(ctx context.Context, q changeRequest) (proposed git.Proposed, err error) {
	err = p.turns.take(ctx, q.location.Of(), func() (err error) {
		proposed, err = p.git.Propose(ctx, q.location.Of(), q.draft)
		return err
	})
	return proposed, err
}

// changesOwner reports whether the request leaves all packages as they are in the base
// branch, and only says whose they are: nobody waits for that.
func (q changeRequest) changesOwner(base git.Proposed) bool {
	return leavesContent(q.attempt.decision.Change, (&git.State{Found: base.Found}).ID)
}

// summary says what the request changes.
func (q changeRequest) summary(base git.Proposed) string {
	if q.changesOwner(base) {
		return takesOver
	}
	return q.what
}

// title is the request's where the settings have none.
func (q changeRequest) title(base git.Proposed) string { return q.environment + ": " + q.summary(base) }

// labels adds the label of Kalypso's promotion workflow where the promoted commit changes.
func (q changeRequest) labels(got requested) []string {
	edit, ok := q.attempt.decision.Change.Edits[engine.PromotedCommitFile]
	changes := ok && edit.Writes() && (got.proposed.Found[engine.PromotedCommitFile] == nil || got.proposed.Found[engine.PromotedCommitFile].ID != edit.Want.ID)
	if !changes || slices.Contains(q.settings.Labels, promotedLabel) {
		return q.settings.Labels
	}
	return append(slices.Clone(q.settings.Labels), promotedLabel)
}

// await waits for the merge where the settings say so, and else looks once where
// the forge may have merged at once.
func (p *Publisher) await(ctx context.Context, repo *forge.Repository, q changeRequest, got *requested) error {
	if !q.settings.Wait || q.changesOwner(got.proposed) {
		if q.settings.AutoMerge != "" {
			if now, err := repo.Request(ctx, got.request.Number); err == nil {
				got.request = now
			}
		}
		return nil
	}
	pushed := ""
	if q.settings.AutoMerge != "" {
		pushed = got.proposed.Commit.String()
	}
	now, err := repo.Await(ctx, got.request.Number, pushed)
	switch {
	case err != nil:
		got.unfinished = err // the request is there, and is followed from now on
		return nil
	case now.State == forge.Closed:
		return fmt.Errorf("pull request %d was closed without a merge: %s. Apply again to propose the change anew", now.Number, now.URL)
	}
	got.request = now
	return nil
}
