// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/overview"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// recall brings back what was noted of an applied resource, as far as the state and the
// branch tell it: Terraform drops the notes when the provider is killed.
func (p *Publisher) recall(ctx context.Context, was *Applied, inv *Inventory) error {
	inv.Applied = p.applied(was)
	again, err := p.claimAgain(ctx, inv)
	if err != nil {
		return err
	}
	inv.Owned, inv.Packages = again.Owned, again.Packages
	if inv.Proposal, err = p.recallRequest(ctx, was); err != nil || inv.Proposal != nil {
		inv.Unmerged = true
		return err
	}
	inv.Drifted = true // unless all that is there is what was applied
	for path, object := range inv.Owned {
		inv.Owned[path] = Object{Mode: object.Mode} // what differs in it is found out later
	}
	return nil
}

// recallRequest returns the request that is open as the state has it; nil for none. It
// is believed where nobody has pushed to its branch.
func (p *Publisher) recallRequest(ctx context.Context, was *Applied) (*Proposal, error) {
	if was.Status != Proposed || was.Request == nil {
		return nil, nil
	}
	repo, err := p.forges.Repository(ctx, was.Location.Repo)
	if err != nil {
		return nil, err
	}
	q, err := repo.Request(ctx, was.PullRequest)
	if remote.Is(err, remote.KindNotFound) {
		return nil, nil
	}
	commit, idErr := tree.ParseID(was.Commit)
	if err != nil || idErr != nil || q.State != forge.Open || q.Fork || q.Instance != was.Instance || q.HeadCommit != was.Commit {
		return nil, err
	}
	proposal := &Proposal{
		Number: q.Number, Author: q.Author, Branch: q.Head, Commit: ObjectID(commit), Seen: ObjectID(commit), Paths: p.applied(was), Incomplete: true,
	}
	return proposal, nil
}

// applied returns the files and folders that were applied, as they are rendered again.
func (p *Publisher) applied(was *Applied) Objects {
	all := Objects{}
	for path, e := range rendered(was.Location, p.render(was)) {
		all[path] = Object{Mode: e.Mode, ID: ObjectID(e.ID)}
	}
	return all
}

// claimAgain returns what an inventory has forgotten but for what was applied: what stands
// in the places of its packages, and who owns it.
func (p *Publisher) claimAgain(ctx context.Context, forgotten *Inventory) (*Inventory, error) {
	loc := forgotten.Location
	query := git.Query{Paths: forgotten.recordsQuery(), Content: tellsOwners}
	for key := range forgotten.Packages {
		if engine.IsOwnedFile(key) {
			query.Paths[key] = tree.Entry{Mode: tree.ModeFile}
			continue
		}
		if name, ok := overview.OfKey(key); ok {
			query.Paths[loc.Join(name)] = tree.Entry{Mode: tree.ModeFile}
			continue
		}
		name, _, _ := strings.Cut(key, "/")
		query.Paths[loc.Join(name)] = tree.Entry{Mode: tree.ModeDir}
	}
	found, err := p.git.Read(ctx, loc.Of(), query)
	if err != nil {
		return nil, err
	}
	inv := &Inventory{Location: loc, Instance: forgotten.Instance, Detail: forgotten.Detail, Head: ObjectID(found.Head), Owned: Objects{}, Applied: forgotten.Applied}
	if err := inv.noteOwners(found, loc.Branch); err != nil {
		return nil, err
	}
	delete(query.Paths, RecordsFolder)
	for path, e := range query.Paths {
		inv.Owned[path] = Object{Mode: e.Mode, ID: ObjectID(standing(found, path))}
		if _, known := inv.Applied[path]; !known { // not as what, so only a record shows that it is ours
			inv.Applied[path] = Object{Mode: e.Mode}
		}
	}
	inv.Packages = digestsOf(ours(found, inv), loc, forgotten.Detail)
	return inv, nil
}
