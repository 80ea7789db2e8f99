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
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Refresh looks at what stands where was was applied, and at its pull request, and
// brings inventory and report up to date. It writes nothing, and turns off automatic
// merging of a request to which somebody else has pushed. It reports whether anything was
// to be noted. Cost: one listing of references, one question to the
// forge where a request is open, and what has moved.
func (p *Publisher) Refresh(ctx context.Context, was *Applied, inv *Inventory) (noted bool, m Messages) {
	noted, m = p.refresh(ctx, was, inv)
	return noted, m.About(was.Fleet.Environment, Place(was.Location, was.Fleet.ClusterTypes))
}

func (p *Publisher) refresh(ctx context.Context, was *Applied, inv *Inventory) (noted bool, m Messages) {
	ctx = trustingApplied(ctx, inv)
	if inv.isForgotten() {
		if err := p.recall(ctx, was, inv); err != nil {
			m.fail(unreadable, problem.Sentence(gone(err)))
			return false, m
		}
	}
	query := inv.query(was.Exclusive)
	if inv.Proposal != nil {
		if m.add(p.follow(ctx, was, inv, query)); !m.Failed() {
			p.traceDrift(ctx, inv)
		}
		return true, m
	}
	found, err := p.git.Read(ctx, was.Location.Of(), query)
	if err != nil {
		m.fail(unreadable, problem.Sentence(gone(err)))
		return false, m
	}
	if found.Unchanged {
		return false, m
	}
	unwatched, err := inv.update(found, was.Exclusive)
	if err == nil {
		err = p.lookListed(ctx, inv, query)
	}
	if err != nil {
		m.fail(unreadable, problem.Sentence(err))
		return false, m
	}
	if len(unwatched) > 0 {
		m.warn(unwatchable, fmt.Sprintf(
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

// settleDrift says whether the packages that were found are what was applied: what
// drifted may have been put right by hand.
func settleDrift(inv *Inventory, was *Applied) {
	inv.Drifted = inv.drifts()
	switch {
	case !inv.Drifted || inv.Imported:
		was.Status = InSync
	case was.Status != Closed || !maps.Equal(was.Packages, inv.Packages):
		was.Status = Drifted
	}
	was.Packages = maps.Clone(inv.Packages)
}

// follow finds out what became of the pull request that is open as far as the
// inventory knows. One that is not there any more counts as closed.
func (p *Publisher) follow(ctx context.Context, was *Applied, inv *Inventory, query git.Query) Messages {
	var m Messages
	number := inv.Proposal.Number
	repo, err := p.forges.Repository(ctx, was.Location.Repo)
	if err != nil {
		m.fail(unfollowed, problem.Sentence(gone(err)))
		return m
	}
	asked, err := repo.Request(ctx, number)
	if gone := remote.Is(err, remote.KindNotFound); gone || err == nil && !inv.Proposal.is(asked) {
		asked, err = forge.Request{State: forge.Closed}, nil
		m.warn(requestGone, fmt.Sprintf(
			"The forge has no pull request %d any more that this resource has opened for %s, so it counts as closed. Where it is only hidden from the token, give the token the right to read pull requests.", number, was.Location))
	}
	if err == nil {
		err = p.followed(ctx, was, inv, query, asked)
	}
	if err != nil {
		m.fail(unfollowed, problem.Sentence(err))
		return m
	}
	if open := inv.Proposal; open.isPushedTo() && was.Request != nil && was.Request.AutoMerge != "" {
		if err := repo.KeepOpen(ctx, number); err != nil {
			m.warn(stillMerges, fmt.Sprintf("Somebody has pushed to %s, the branch of %s. Turn automatic merging of that request off by hand. Cause: %s", open.Branch, asked.URL, sentence(err)))
		}
	}
	return m
}

// followed notes what became of the request. It compares trees: how it was merged, and
// what else the commits are, does not matter.
func (p *Publisher) followed(ctx context.Context, was *Applied, inv *Inventory, query git.Query, asked forge.Request) error {
	proposal := inv.Proposal
	if proposal.stale() { // packages are not what is proposed, so everything is looked at
		forget(&query)
	}
	found, err := p.git.Read(ctx, was.Location.Of(), query)
	if err != nil {
		return gone(err)
	}
	if err := inv.noteOwners(found, was.Location.Branch); err != nil {
		return err
	}
	holds := proposal.Done
	if !found.Unchanged {
		holds = proposal.standsIn(found, inv)
	}
	switch {
	case holds && asked.State != forge.Open:
		if proposal.stale() {
			was.Packages = digestsOf(ours(found, inv), was.Location, was.Detail)
		}
		if inv.merged(ObjectID(found.Head)); asked.State == forge.Merged {
			inv.Merged = proposal
		}
		inv.Packages = maps.Clone(was.Packages)
		was.Status, was.MergedCommit = InSync, cmp.Or(asked.MergeCommit, found.Head.String())
		return nil
	case holds && proposal.recorded(inv): // somebody has pushed it
		if found.Unchanged {
			return nil
		}
		proposal.Done, proposal.BaseMoved = true, false
		_, err := inv.update(found, was.Exclusive)
		was.Packages, was.Status = maps.Clone(inv.Packages), Proposed
		inv.Drifted = false
		return err
	case !found.Unchanged && inv.differs(found):
		proposal.BaseMoved, proposal.Done = true, false
		if _, err := inv.update(found, was.Exclusive); err != nil {
			return err
		}
		inv.Drifted = true
		was.Packages, was.Status = maps.Clone(inv.Packages), Drifted
	case !found.Unchanged:
		inv.Head = ObjectID(found.Head)
	}
	if asked.State == forge.Open {
		return p.followHead(ctx, was, inv, asked)
	}
	if !proposal.BaseMoved { // else the branch is what counts
		was.Packages, was.Status = maps.Clone(inv.Packages), Drifted
		if asked.State == forge.Closed {
			was.Status = Closed
		}
	}
	if inv.Unmerged = asked.State != forge.Merged; !inv.Unmerged {
		inv.mergedOtherwise()
	}
	inv.Proposal, inv.Drifted = nil, true
	return nil
}

// forget has a query look at everything, as if nothing were known.
func forget(query *git.Query) {
	query.Head = tree.ID{}
	for path, e := range query.Paths {
		query.Paths[path] = tree.Entry{Mode: e.Mode}
	}
}

// followHead looks at the request's branch where it is not where we last saw it. What it
// holds is reported, unless the base branch is what counts.
func (p *Publisher) followHead(ctx context.Context, was *Applied, inv *Inventory, asked forge.Request) error {
	proposal := inv.Proposal
	if asked.HeadCommit == tree.ID(proposal.Seen).String() {
		return nil
	}
	query := git.Query{Paths: map[string]tree.Entry{}}
	for _, paths := range []Objects{proposal.Paths, inv.Owned} {
		for path, object := range paths {
			query.Paths[path] = tree.Entry{Mode: object.Mode}
		}
	}
	found, err := p.git.Read(ctx, git.Branch{Repo: was.Location.Repo, Name: proposal.Branch}, query)
	if err != nil {
		return err
	}
	proposal.Seen, proposal.Pusher = ObjectID(found.Head), found.Author
	if proposal.BaseMoved {
		return nil
	}
	was.Status = Proposed
	if proposal.edited() {
		was.Status = Drifted
	}
	was.Packages = digestsOf(ours(found, inv), was.Location, was.Detail)
	return nil
}

// ours returns of what was found what is ours.
func ours(found *git.State, inv *Inventory) map[string]*git.Found {
	all := maps.Clone(found.Found)
	maps.DeleteFunc(all, func(path string, _ *git.Found) bool {
		_, ok := inv.Owned[path]
		return !ok
	})
	return all
}
