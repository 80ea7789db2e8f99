// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package request

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// promotedLabel is the label of Kalypso's promotion workflow for a pull request that changes
// the promoted commit.
const promotedLabel = "promoted"

// Wanted is a change to propose.
type Wanted struct {
	Settings
	*ownership.Attempt
	// Summary describes the change. Result is the desired content; nil for a removal.
	Summary string
	Result  *engine.Result
	// Run is the run that proposes the change.
	Run forge.Run
	// GoesOn is true if the open request keeps its branch.
	GoesOn bool
	// StopsMerge is true if the settings no longer ask for automatic merging.
	StopsMerge bool
}

// Made is the result of Propose.
type Made struct {
	// Proposed has no branch if there was nothing to propose.
	git.Proposed
	// Request is the open request. Before is the request that the plan knew, if it was
	// merged or closed meanwhile.
	Request, Before forge.Request
	// Problems are the reasons why the request is incomplete. Unfinished is the reason why an
	// awaited merge has not happened.
	Problems, Unfinished error
}

// Propose pushes the change to a branch and opens the pull request, or completes the work of
// an earlier apply. Each step first checks whether it is already done, so an apply can be
// killed between any two steps. Propose closes requests that a killed apply has left open, and
// the request of the plan if another request replaces it. If closing fails, Propose warns. If
// Propose returns an error, the change is not proposed.
func (c *Client) Propose(ctx context.Context, q Wanted) (Made, message.Messages, error) {
	var m message.Messages
	repo, err := c.Forges.Repository(ctx, q.Location.Repo)
	if err != nil {
		return Made{}, m, err
	}
	got, err := c.propose(ctx, repo, q)
	if err != nil {
		return got, m, err
	}
	why := nothingLeft
	switch {
	case got.Request.Number != 0:
		why = overtakenBy(got.Request)
	case got.Problems != nil:
		m.Warn(message.NotClosed,
			"There is nothing to propose. If a pull request of this resource is still open, close it by hand. "+
				"Cause: "+message.Sentence(got.Problems))
	}
	if open := q.Inventory.Proposal; open != nil && open.Branch != got.Branch {
		m.Add(c.Withdraw(ctx, q.Location.Repo, open, why))
	}
	return got, m, nil
}

func (c *Client) propose(ctx context.Context, repo *forge.Repository, q Wanted) (got Made, err error) {
	draft, open := q.draft(), q.Inventory.Proposal
	known := 0
	if open != nil {
		known = open.Number
	}
	if draft.Open.Branch != "" {
		now, err := repo.Request(ctx, known)
		switch {
		case err != nil && !remote.Is(err, remote.KindNotFound):
			return got, err
		case now.State != forge.Open || !isOf(open, now): // the branch of a finished request gets no more commits
			got.Before, draft.Open = now, git.Proposed{}
		}
	}
	if got.Proposed, err = c.Git.Propose(ctx, q.Location.Of(), draft); err != nil {
		if remote.Is(err, remote.KindHeadMoved) { // commits pushed after the plan must not be merged either
			err = errors.Join(err, repo.KeepOpen(ctx, known))
		}
		return got, err
	}
	marker := Marker(q.Environment, q.Location, q.Inventory.Instance)
	if got.Branch == "" {
		got.Problems = closeOpen(ctx, repo, marker, "", nothingLeft, known)
		return got, nil
	}
	got.Request, err = repo.Propose(ctx, forge.NewRequest{
		Marker: marker, Head: got.Branch, Commit: got.Commit.String(),
		Title: cmp.Or(q.Title, q.Environment+": "+q.summary(got)), Description: q.describe(got), Labels: q.labels(got),
		Reviewers: q.Reviewers, TeamReviewers: q.TeamReviewers, Draft: q.Draft,
	})
	if got.Request.Number == 0 {
		return got, err
	}
	grown := got.Branch == draft.Open.Branch && got.Commit != draft.Open.Commit
	got.Problems = errors.Join(err, closeOpen(ctx, repo, marker, got.Request.Author, overtakenBy(got.Request), got.Request.Number, known),
		q.merging(ctx, repo, got, grown))
	return got, q.await(ctx, repo, &got)
}

// draft returns the change for a branch of its own.
func (q Wanted) draft() git.Draft {
	draft := git.Draft{Work: q.Work(), Lasting: message.Lasting, Next: q.Inventory.Branches + 1, Name: func(number int) string {
		return q.Branch(q.Environment, q.Inventory.Instance, number)
	}}
	open := q.Inventory.Proposal
	if !q.GoesOn || !open.IsOpen() {
		return draft
	}
	draft.Open, draft.Seen = git.Proposed{Branch: open.Branch, Commit: open.Commit, On: open.On}, open.Seen
	draft.Holds = func(change git.Change) bool {
		return !q.Seen.BaseMoved() && maps.Equal(open.Paths, ownership.Wanted(change, true))
	}
	return draft
}

// merging makes the forge merge only the pushed commit, or turns automatic merging off. If an
// open branch has grown, an earlier order to merge is for the branch's earlier commit.
func (q Wanted) merging(ctx context.Context, repo *forge.Repository, got Made, grown bool) error {
	switch {
	case q.AutoMerge != "":
		var err error
		if grown {
			err = repo.KeepOpen(ctx, got.Request.Number)
		}
		_, body, _ := strings.Cut(q.Decision.Change.Message, "\n\n")
		return errors.Join(err, repo.AutoMerge(ctx, got.Request.Number, q.AutoMerge, got.Commit.String(), body))
	case q.StopsMerge:
		return repo.KeepOpen(ctx, got.Request.Number)
	}
	return nil
}

// changesOwner reports whether the request only records the owner of packages that the base
// branch already has. An apply does not wait for the merge of such a request.
func (q Wanted) changesOwner(got Made) bool {
	return !q.Promotes() && ownership.LeavesContent(q.Decision.Change, (&git.Answer{Found: got.Found}).ID)
}

// summary describes the change of the request.
func (q Wanted) summary(got Made) string {
	if q.changesOwner(got) {
		return message.TakesOver
	}
	return q.Summary
}

// labels adds the label of Kalypso's promotion workflow if the promoted commit changes.
func (q Wanted) labels(got Made) []string {
	edit, ok := q.Decision.Change.Edits[engine.PromotedCommitFile]
	was := got.Found[engine.PromotedCommitFile]
	changes := ok && edit.Writes() && (was == nil || was.ID != edit.Want.ID)
	if !changes || slices.Contains(q.Labels, promotedLabel) {
		return q.Labels
	}
	return append(slices.Clone(q.Labels), promotedLabel)
}

// await waits for the merge if the settings say so. Otherwise it looks once if the forge may
// already have merged.
func (q Wanted) await(ctx context.Context, repo *forge.Repository, got *Made) error {
	if !q.Wait || q.changesOwner(*got) {
		if q.AutoMerge != "" {
			if now, err := repo.Request(ctx, got.Request.Number); err == nil {
				got.Request = now
			}
		}
		return nil
	}
	pushed := ""
	if q.AutoMerge != "" {
		pushed = got.Commit.String()
	}
	now, err := repo.Await(ctx, got.Request.Number, pushed)
	switch {
	case err != nil:
		got.Unfinished = err // the request exists, and later plans follow it
		return nil
	case now.State == forge.Closed:
		return fmt.Errorf("pull request %d was closed without a merge: %s. Apply again to make a new request", now.Number, now.URL)
	}
	got.Request = now
	return nil
}

// describe returns the difference between the packages of the base branch and the proposed
// packages, for a reviewer.
func (q Wanted) describe(got Made) forge.Description {
	c := forge.Description{Summary: q.summary(got), Run: q.Run, Sources: q.moved()}
	before, after := ownership.DigestsOf(got.Found, q.Location, engine.DetailPackage), engine.Digests{}
	is := map[string]*placement.Assignment{}
	if q.Result != nil {
		after, c.Unassigned = q.Result.Digests(engine.DetailPackage), q.Result.Placement.UnassignedTargets
		for _, a := range q.Result.Placement.Assignments {
			is[a.Key()] = a
		}
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	for key := range all {
		kind := forge.Changed
		switch _, existed := before[key]; {
		case !engine.IsPackage(key) || before[key] == after[key]:
			continue
		case !existed:
			kind = forge.Added
		case after[key] == "":
			kind = forge.Removed
		}
		clusterType, target, _ := strings.Cut(key, "/")
		p := forge.PackageChange{ClusterType: clusterType, Package: target, Kind: kind}
		if a := is[key]; a != nil {
			p.Policies = a.Policies
		}
		c.Packages = append(c.Packages, p)
	}
	return c
}

// moved returns the sources that the request changes, by name.
func (q Wanted) moved() []forge.SourceChange {
	was := q.Seen.Records[q.Seen.Instance].Record
	names, _ := ownership.MovedSources(was, q.Desired)
	var all []forge.SourceChange
	for _, name := range names {
		all = append(all, forge.SourceChange{Source: name, From: was.Sources[name], To: q.Sources[name]})
	}
	return all
}
