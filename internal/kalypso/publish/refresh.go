// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Refresh reads the present content of the place of the last apply, and its pull request. It
// updates the inventory and was. It does not write to the branch. If somebody else has pushed
// to the request, it turns off automatic merging. noted reports whether there is something to
// store. Cost: one listing of references, one question to the forge if a request is open, and
// the changed content.
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
	moved := false
	look := func() (err error) {
		moved, err = p.observe(ctx, was, inv)
		return err
	}
	if inv.Proposal != nil {
		m.Add(p.follow(ctx, was, inv, look))
	} else {
		if err := look(); err != nil || !moved {
			if err != nil {
				m.Fail(message.Unreadable, problem.Sentence(p.gone(was, err)))
			}
			return false, m
		}
		inv.Settle()
		was.Status, was.Packages = inv.Status(), maps.Clone(inv.Packages)
	}
	if !m.Failed() {
		p.traceDrift(ctx, inv) // last, because it may use up the rest of the time
	}
	return true, m
}

// observe updates an inventory from its branch, and reports whether the branch has moved.
func (p *Publisher) observe(ctx context.Context, was *Applied, inv *ownership.Inventory) (moved bool, err error) {
	query := inv.Query()
	found, err := p.git.Read(ctx, was.Location.Of(), query)
	if err != nil || found.Unchanged {
		return false, err
	}
	if err := inv.Update(found); err != nil {
		return false, err
	}
	return true, p.lookListed(ctx, inv, query)
}

// lookListed looks for folders that our present record lists, but that a query with an older
// record has not asked for. They may be deleted.
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

// gone adds to an error of reading a repository what to do if the repository does not exist
// any more. On hold, an apply writes nothing.
func (p *Publisher) gone(was *Applied, err error) error {
	switch {
	case !remote.Is(err, remote.KindNotFound):
		return message.SinceApplied(err)
	case p.hold || was.Hold:
		return fmt.Errorf("%w. The environment is on hold, so an apply writes nothing. To plan without the repository, add -refresh=false. "+
			"If the repository was deleted, remove the resource from the state with terraform state rm", err)
	}
	return fmt.Errorf("%w. If the repository was deleted, plan and apply with -refresh=false: that writes the packages to the new repo, "+
		"branch and path. Or remove the resource from the state with terraform state rm", err)
}

// follow finds the outcome of the pull request, and updates the inventory and was.
func (p *Publisher) follow(ctx context.Context, was *Applied, inv *ownership.Inventory, look func() error) message.Messages {
	merges := was.Request != nil && was.Request.AutoMerge != ""
	merged, m, err := p.requests.Follow(ctx, inv, merges, look)
	status := inv.Status()
	switch {
	case err != nil:
	case status != ownership.Proposed:
		was.Packages = maps.Clone(inv.Packages)
	case was.Status != ownership.Proposed: // somebody has reopened the request, or reset the base branch
		was.Packages, err = p.requests.Packages(ctx, inv)
	}
	if err != nil {
		m.Fail("The pull request cannot be followed", problem.Sentence(p.gone(was, err)))
		return m
	}
	if was.Status = status; merged != "" && status == ownership.InSync {
		was.MergedCommit = merged
	}
	return m
}

// ours returns our part of the found content.
func ours(found *git.Answer, inv *ownership.Inventory) map[string]*git.Found {
	all := maps.Clone(found.Found)
	maps.DeleteFunc(all, func(path string, _ *git.Found) bool {
		_, ok := inv.Owned[path]
		return !ok
	})
	return all
}
