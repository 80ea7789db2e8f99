// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
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
	// open is the request that is open as far as the plan knew; nil for none.
	open *Proposal
	// stop has automatic merging turned off, which was asked for before.
	stop bool
}

// requested is what came of it.
type requested struct {
	// proposed has no branch where there was nothing to propose.
	proposed git.Proposed
	request  forge.Request
	// problems kept the request from being all that was asked for, and unfinished says
	// why the merge that was waited for has not come.
	problems, unfinished error
}

// newRequest makes the request for an attempt; what says what changes.
func (p *Publisher) newRequest(job Job, attempt *attempt, what string) changeRequest {
	environment, loc := job.Fleet.Environment, attempt.desired.Location
	inv := attempt.inv
	q := changeRequest{settings: *job.Request, location: loc, marker: marker(environment, loc, inv.Instance), attempt: attempt, environment: environment, what: what, open: inv.Proposal}
	q.draft = git.Draft{Job: attempt.job(), Lasting: lasting, Name: func(root, base tree.ID, taken int) string {
		id := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%d", inv.Instance, root, base, taken))
		return cmp.Or(q.settings.BranchPrefix, DefaultBranchPrefix) + q.environment + "/" + hex.EncodeToString(id[:6])
	}}
	if was := job.Was; was != nil && was.Request != nil && was.Request.AutoMerge != "" {
		q.stop = true
	}
	if open := inv.Proposal; open != nil {
		q.draft.Known = git.Proposed{Branch: open.Branch, Commit: tree.ID(open.Seen)}
		q.draft.Stands = !open.edited() && open.holds(Decide(attempt.desired, inv).Change)
	}
	return q
}

// marker tells the requests for a location from all others.
func marker(environment string, loc git.Location, instance string) forge.Marker {
	return forge.Marker{Environment: environment, Base: loc.Branch, Path: loc.Path, Instance: instance}
}

// request pushes the change to a branch of its own and opens the pull request, or
// completes what an earlier apply has begun. Each step looks first whether it is
// done, so that an apply can be killed between any two of them. What an apply that was
// killed has left open is closed.
func (p *Publisher) request(ctx context.Context, q changeRequest) (requested, error) {
	repo, err := p.forges.Repository(ctx, q.location.Repo)
	if err != nil {
		return requested{}, err
	}
	got, err := p.push(ctx, q)
	if remote.Is(err, remote.KindHeadMoved) && q.open != nil { // what was pushed since the plan is not merged either
		if keeps := repo.KeepOpen(ctx, q.open.Number); keeps != nil {
			err = errors.Join(err, keeps)
		}
	}
	if err != nil {
		return got, err
	}
	if got.proposed.Branch == "" {
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
	keep := []int{got.request.Number}
	if q.open != nil {
		keep = append(keep, q.open.Number) // it is closed by who has noted it
	}
	problems := []error{err, closeLeft(ctx, repo, q.marker, q.attempt.decision.TakenOver, got.request.Author, overtakenBy(got.request), keep...)}
	switch {
	case q.settings.AutoMerge != "":
		_, body, _ := strings.Cut(q.attempt.decision.Change.Message, "\n\n")
		problems = append(problems, repo.AutoMerge(ctx, got.request.Number, q.settings.AutoMerge, got.proposed.Commit.String(), body))
	case q.stop:
		problems = append(problems, repo.KeepOpen(ctx, got.request.Number))
	}
	got.problems = errors.Join(problems...)
	return got, p.await(ctx, repo, q, &got)
}

// push makes the branch that the request is about.
func (p *Publisher) push(ctx context.Context, q changeRequest) (requested, error) {
	var got requested
	err := p.turns.take(ctx, q.location.Of(), func() (err error) {
		got.proposed, err = p.git.Propose(ctx, q.location.Of(), q.draft)
		return err
	})
	return got, err
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
