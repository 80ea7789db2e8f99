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
)

// Refresh looks at what stands where was was applied, and at its pull request, and
// brings inventory and report up to date. It writes nothing. It reports whether
// anything was to be noted. Cost: one listing of references, one question to the
// forge where a request is open, and what has moved.
func (p *Publisher) Refresh(ctx context.Context, was *Applied, inv *Inventory) (noted bool, m Messages) {
	if inv.isForgotten() {
		again, err := p.claimAgain(ctx, was)
		if err != nil {
			m.fail("The GitOps repository cannot be read", problem.Sentence(gone(err)))
			return false, m
		}
		inv.Owned = Objects{}
		for path, object := range again.Owned {
			inv.Owned[path] = Object{Mode: object.Mode} // what it holds is found out below
		}
	}
	query := inv.query(was.Exclusive)
	query.Compare = func() map[string]tree.Entry { return rendered(was.Location, p.render(was)) }
	if inv.Proposal != nil {
		if err := p.follow(ctx, was, inv, query); err != nil {
			m.fail("The pull request cannot be followed", problem.Sentence(err))
		}
		return true, m
	}
	found, err := p.git.Read(ctx, was.Location.Of(), query)
	if err != nil {
		m.fail("The GitOps repository cannot be read", problem.Sentence(gone(err)))
		return false, m
	}
	if found.Unchanged {
		return false, m
	}
	if unwatched := inv.update(found, was.Exclusive); len(unwatched) > 0 {
		m.warn("A folder cannot be watched", fmt.Sprintf(
			"The names of these folders in the repository are not valid UTF-8, so they stay: %s. Remove or rename them by hand.", strings.Join(quoted(unwatched), ", ")))
	}
	p.settleDrift(was, inv)
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
func (p *Publisher) settleDrift(was *Applied, inv *Inventory) {
	if inv.Drifted && maps.Equal(inv.Packages, p.render(was).Digests(was.Detail)) {
		inv.Drifted, inv.Drift = false, nil
	}
	switch {
	case !inv.Drifted || inv.Imported:
		was.Status = InSync
	case was.Status != Closed || !maps.Equal(was.Packages, inv.Packages):
		was.Status = Drifted
	}
	was.Packages = maps.Clone(inv.Packages)
}

// follow finds out what became of the pull request that is open as far as the
// inventory knows. It compares trees: how the request was merged, and what else the
// commits are, does not matter.
func (p *Publisher) follow(ctx context.Context, was *Applied, inv *Inventory, query git.Query) error {
	proposal := inv.Proposal
	repo, err := p.forges.Repository(was.Location.Repo)
	if err != nil {
		return err
	}
	asked, err := repo.Request(ctx, proposal.Number)
	if err != nil {
		return err
	}
	if proposal.stale() { // packages are not what is proposed, so everything is looked at
		query.Head = tree.ID{}
		for path, e := range query.Paths {
			query.Paths[path] = tree.Entry{Mode: e.Mode}
		}
	}
	found, err := p.git.Read(ctx, was.Location.Of(), query)
	if err != nil {
		return gone(err)
	}
	switch {
	case !found.Unchanged && proposal.standsIn(found, inv):
		if proposal.stale() {
			was.Packages = digestsOf(ours(found, inv), was.Location, was.Detail)
		}
		inv.merged(ObjectID(found.Head))
		was.Status, was.MergedCommit = InSync, cmp.Or(asked.MergeCommit, found.Head.String())
		return nil
	case !found.Unchanged && inv.differs(found):
		proposal.BaseMoved = true
		inv.update(found, was.Exclusive)
		inv.Drifted = true
		was.Packages, was.Status = maps.Clone(inv.Packages), Drifted
	case !found.Unchanged:
		inv.Head = ObjectID(found.Head)
	}
	if asked.State == forge.Open {
		if proposal.BaseMoved {
			return nil
		}
		return p.followHead(ctx, was, inv, asked)
	}
	if !proposal.BaseMoved { // else the branch is what counts
		was.Packages, was.Status = maps.Clone(inv.Packages), Drifted
		if asked.State == forge.Closed {
			was.Status = Closed
		}
	}
	inv.Proposal, inv.Drifted = nil, true
	return nil
}

// followHead looks at the request's branch where it is not where we last saw it.
func (p *Publisher) followHead(ctx context.Context, was *Applied, inv *Inventory, asked forge.Request) error {
	proposal := inv.Proposal
	if asked.HeadCommit == tree.ID(proposal.Seen).String() {
		return nil
	}
	query := git.Query{Paths: map[string]tree.Entry{}}
	for path, object := range inv.Owned {
		query.Paths[path] = tree.Entry{Mode: object.Mode}
	}
	found, err := p.git.Read(ctx, git.Branch{Repo: was.Location.Repo, Name: proposal.Branch}, query)
	if err != nil {
		return err
	}
	proposal.Seen = ObjectID(found.Head)
	was.Status = Proposed
	if proposal.Edited = !proposal.standsIn(found, inv); proposal.Edited {
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
