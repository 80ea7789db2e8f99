// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Refresh looks at what stands where was was applied, and at its pull request, and
// brings inventory and report up to date. It writes nothing, and turns off automatic
// merging of a request to which somebody else has pushed. It reports whether anything was
// to be noted. Cost: one listing of references, one question to the
// forge where a request is open, and what has moved.
func (p *Publisher) Refresh(ctx context.Context, was *Applied, inv *ownership.Inventory) (noted bool, m message.Messages) {
	noted, m = p.refresh(ctx, was, inv)
	return noted, m.About(was.Fleet.Environment, message.Place(was.Location, was.Fleet.ClusterTypes))
}

func (p *Publisher) refresh(ctx context.Context, was *Applied, inv *ownership.Inventory) (noted bool, m message.Messages) {
	ctx = trustingApplied(ctx, inv)
	if inv.IsForgotten() {
		if err := p.recall(ctx, was, inv); err != nil {
			m.Fail(message.Unreadable, problem.Sentence(p.gone(was, err)))
			return false, m
		}
	}
	query := inv.Query(was.Exclusive)
	if inv.Proposal != nil {
		if m.Add(p.follow(ctx, was, inv, query)); !m.Failed() {
			p.traceDrift(ctx, inv)
		}
		return true, m
	}
	found, err := p.git.Read(ctx, was.Location.Of(), query)
	if err != nil {
		m.Fail(message.Unreadable, problem.Sentence(p.gone(was, err)))
		return false, m
	}
	if found.Unchanged {
		return false, m
	}
	unwatched, err := p.update(ctx, was, inv, query, found)
	if err != nil {
		m.Fail(message.Unreadable, problem.Sentence(err))
		return false, m
	}
	if len(unwatched) > 0 {
		m.Warn(message.Unwatchable, fmt.Sprintf(
			"The names of these folders in the repository are not valid UTF-8, so they stay: %s. Remove or rename them by hand.", strings.Join(quoted(unwatched), ", ")))
	}
	settleDrift(inv, was)
	p.traceDrift(ctx, inv) // last: what takes too long here costs nothing else
	return true, m
}

func quoted(names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = fmt.Sprintf("%q", name)
	}
	return all
}

// update takes over what a query has found, and looks for what only the record lists that was
// found. It returns the folders that cannot be watched.
func (p *Publisher) update(ctx context.Context, was *Applied, inv *ownership.Inventory, asked git.Query, found *git.State) (unwatched []string, err error) {
	if unwatched, err = inv.Update(found, was.Exclusive); err != nil {
		return nil, err
	}
	return unwatched, p.lookListed(ctx, inv, asked)
}

// lookListed looks for the folders that our record lists and that a query has not asked for,
// since the record was another one then: they may be gone.
func (p *Publisher) lookListed(ctx context.Context, inv *ownership.Inventory, asked git.Query) error {
	more := git.Query{Paths: map[string]tree.Entry{}, Content: ownership.TellsOwners}
	for _, path := range inv.Listed() {
		if _, done := asked.Paths[path]; !done {
			more.Paths[path] = tree.Entry{Mode: tree.ModeDir}
		}
	}
	if len(more.Paths) == 0 {
		return nil
	}
	found, err := p.git.Read(ctx, inv.Location.Of(), more)
	if err != nil {
		return err
	}
	for path := range more.Paths {
		if f := found.Found[path]; f == nil || ownership.IsEmptied(f) {
			inv.Emptied[path] = true
		}
	}
	return nil
}

// gone adds to why a repository cannot be read how to go on where it does not exist
// any more. On hold an apply writes nothing.
func (p *Publisher) gone(was *Applied, err error) error {
	switch {
	case !remote.Is(err, remote.KindNotFound):
		return message.SinceApplied(err)
	case p.hold || was.Hold:
		return fmt.Errorf("%w. The environment is on hold, and nothing is written. To plan without the repository, add -refresh=false. "+
			"If it is gone for good, take the resource out of the state with terraform state rm", err)
	}
	return fmt.Errorf("%w. If it is gone for good, plan and apply with -refresh=false: that writes the packages to where repo, branch and path say now. Or take the resource out of the state with terraform state rm", err)
}

// settleDrift says whether the packages that were found are what was applied: what
// drifted may have been put right by hand.
func settleDrift(inv *ownership.Inventory, was *Applied) {
	inv.Drifted = inv.Drifts()
	switch {
	case !inv.Drifted || inv.Imported:
		was.Status = InSync
	case was.Status != Closed || !maps.Equal(was.Packages, inv.Packages):
		was.Status = Drifted
	}
	was.Packages = maps.Clone(inv.Packages)
}

// follow finds out what became of the pull request, and brings the inventory up to date. A
// request that is not there any more counts as closed.
func (p *Publisher) follow(ctx context.Context, was *Applied, inv *ownership.Inventory, query git.Query) message.Messages {
	var m message.Messages
	number := inv.Proposal.Number
	repo, err := p.forges.Repository(ctx, was.Location.Repo)
	if err != nil {
		m.Fail(message.Unfollowed, problem.Sentence(p.gone(was, err)))
		return m
	}
	asked, err := repo.Request(ctx, number)
	if gone := remote.Is(err, remote.KindNotFound); gone || err == nil && !isOf(inv.Proposal, asked) {
		asked, err = forge.Request{State: forge.Closed}, nil
		m.Warn(message.RequestGone, fmt.Sprintf(
			"The forge has no pull request %d any more that this resource has opened for %s, so it counts as closed. Where it is only hidden from the token, give the token the right to read pull requests.", number, was.Location))
	}
	if err == nil {
		err = p.followed(ctx, was, inv, query, asked)
	}
	if err != nil {
		m.Fail(message.Unfollowed, problem.Sentence(err))
		return m
	}
	if inv.IsPushedTo() && was.Request != nil && was.Request.AutoMerge != "" {
		if err := repo.KeepOpen(ctx, number); err != nil {
			m.Warn(message.StillMerges, fmt.Sprintf("Somebody has pushed to %s, the branch of %s. Turn automatic merging of that request off by hand. Cause: %s", inv.Proposal.Branch, asked.URL, message.Sentence(err)))
		}
	}
	return m
}

// followed notes what became of the request. It compares trees: how it was merged, and
// what else the commits are, does not matter.
func (p *Publisher) followed(ctx context.Context, was *Applied, inv *ownership.Inventory, query git.Query, asked forge.Request) error {
	found, err := p.git.Read(ctx, was.Location.Of(), query)
	if err != nil {
		return p.gone(was, err)
	}
	if !found.Unchanged {
		if _, err := p.update(ctx, was, inv, query, found); err != nil {
			return err
		}
	}
	proposal := inv.Proposal
	if asked.State == forge.Merged || asked.State == forge.Closed && inv.HoldsProposal(false) {
		was.Status = Drifted
		if inv.NoteMerge(); !inv.Drifted {
			was.Status, was.MergedCommit = InSync, cmp.Or(asked.MergeCommit, found.Head.String())
		}
		was.Packages = maps.Clone(inv.Packages)
		return nil
	}
	proposal.Closed = asked.State == forge.Closed
	if err := p.followHead(ctx, was, proposal, asked.HeadCommit); err != nil {
		return err
	}
	stale := inv.IsStale()
	inv.Drifted = proposal.IsOpen() && stale && inv.BaseMoved()
	switch {
	case proposal.Closed:
		was.Status, was.Packages = Closed, maps.Clone(inv.Packages)
	case stale:
		was.Status, was.Packages = Drifted, maps.Clone(inv.Packages)
	case was.Status != Proposed:
		return p.proposedAgain(ctx, was, proposal)
	}
	return nil
}

// proposedAgain notes that what was applied is proposed again, as somebody has reopened the
// request, or put the base branch back: its packages are those of the request's branch.
func (p *Publisher) proposedAgain(ctx context.Context, was *Applied, proposal *ownership.Proposal) error {
	query := git.Query{Paths: map[string]tree.Entry{}}
	for path, object := range proposal.Paths {
		if !ownership.IsRecord(path) && !object.ID.IsZero() {
			query.Paths[path] = tree.Entry{Mode: object.Mode}
		}
	}
	found, err := p.git.Read(ctx, git.Branch{Repo: was.Location.Repo, Name: proposal.Branch}, query)
	if err != nil {
		return err
	}
	was.Status, was.Packages = Proposed, ownership.DigestsOf(found.Found, was.Location, was.Detail)
	return nil
}

// followHead notes where the request's branch is, and of a commit that we have not pushed
// whom that names as its author.
func (p *Publisher) followHead(ctx context.Context, was *Applied, proposal *ownership.Proposal, head string) error {
	seen, err := tree.ParseID(head)
	if err != nil { // it is gone, and whatever it was, it was not ours alone
		seen = tree.ID{}
	}
	if proposal.Seen == ownership.ObjectID(seen) {
		return nil
	}
	proposal.Seen, proposal.Pusher = ownership.ObjectID(seen), ""
	if proposal.Closed || !proposal.IsEdited() {
		return nil
	}
	found, err := p.git.Read(ctx, git.Branch{Repo: was.Location.Repo, Name: proposal.Branch}, git.Query{})
	if err != nil {
		return err
	}
	proposal.Pusher = found.Author
	return nil
}

// ours returns of what was found what is ours.
func ours(found *git.State, inv *ownership.Inventory) map[string]*git.Found {
	all := maps.Clone(found.Found)
	maps.DeleteFunc(all, func(path string, _ *git.Found) bool {
		_, ok := inv.Owned[path]
		return !ok
	})
	return all
}
