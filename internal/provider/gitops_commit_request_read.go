// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// follow finds out what became of the pull request that is open as far as the
// record knows, and sets status, packages and the record to it. It compares
// trees: how the request was merged, and what else the commits are, does not
// matter. Cost: one question to the forge, one listing of references, and what
// has moved.
func (r *gitOpsCommitResource) follow(ctx context.Context, state *gitOpsCommitModel, known *record, request git.ReadRequest) error {
	p := known.Proposal
	repo, err := r.data.Forges.Repository(state.Repo.ValueString())
	if err != nil {
		return err
	}
	asked, err := repo.Request(ctx, p.Number)
	if err != nil {
		return err
	}
	if p.stale() {
		request.Head, request.Known = tree.ID{}, nil // packages are not what is proposed, so everything is looked at
	}
	found, err := r.data.Client.Read(ctx, state.location(), request)
	if err != nil {
		return err
	}
	switch {
	case !found.Unchanged && p.sameAs(found, known):
		if p.stale() {
			state.Packages = digestsValue(foundDigests(found, state.detail(), known))
		}
		known.merged(found.Head)
		state.Status = types.StringValue(statusInSync)
		state.MergedCommit = types.StringValue(cmp.Or(asked.MergeCommit, found.Head.String()))
		return nil
	case !found.Unchanged && known.differs(found):
		p.BaseMoved = true
		state.rebase(known, found)
		state.Status = types.StringValue(statusDrifted)
	case !found.Unchanged:
		known.Head = objectID(found.Head)
	}
	switch {
	case asked.State == forge.Open && p.BaseMoved:
		return nil
	case asked.State == forge.Open:
		return r.followHead(ctx, state, known, asked)
	case p.BaseMoved: // the branch is what counts
	default:
		state.Packages = digestsValue(p.Base)
		state.Status = types.StringValue(map[bool]string{true: statusClosed, false: statusDrifted}[asked.State == forge.Closed])
	}
	known.Proposal, known.Drifted = nil, true
	return nil
}

// rebase takes the base branch, in which somebody has changed our folders, for
// what packages tell.
func (m *gitOpsCommitModel) rebase(known *record, found *git.State) {
	packages := maps.Clone(known.Proposal.Base)
	known.update(packages, m.detail(), found, m.Exclusive.ValueBool())
	known.Drifted = true
	known.Proposal.Base = maps.Clone(packages)
	m.Packages = digestsValue(packages)
}

// followHead looks at the request's branch where it is not where we last saw it.
func (r *gitOpsCommitResource) followHead(ctx context.Context, state *gitOpsCommitModel, known *record, asked forge.Request) error {
	p := known.Proposal
	if asked.HeadCommit == tree.ID(p.Seen).String() {
		return nil
	}
	loc := state.location()
	loc.Branch = p.Branch
	found, err := r.data.Client.Read(ctx, loc, git.ReadRequest{Names: slices.Collect(maps.Keys(known.Folders))})
	if err != nil {
		return err
	}
	p.Edited = !p.sameAs(found, known)
	if p.Seen = objectID(found.Head); p.Edited {
		state.Status = types.StringValue(statusDrifted)
	} else {
		state.Status = types.StringValue(statusProposed)
	}
	state.Packages = digestsValue(foundDigests(found, state.detail(), known))
	return nil
}

// foundDigests gives the digests of our folders in a branch that was read as a whole.
func foundDigests(found *git.State, detail engine.Detail, known *record) engine.Digests {
	d := engine.Digests{}
	for name := range known.Folders {
		if folder := found.Folders[name]; folder != nil {
			d.AddFolder(detail, name, folder.ID, folder.Entries)
		}
	}
	if known.Tracking != nil {
		d.SetTracking(found.Tracking)
	}
	return d
}

// differs tells whether our part of the branch is not as the record has it.
func (r *record) differs(found *git.State) bool {
	ours := r.known()
	for name, id := range ours {
		var now tree.ID
		if folder := found.Folders[name]; folder != nil {
			now = folder.ID
		}
		if now != id {
			return true
		}
	}
	for name := range found.Folders {
		if _, known := ours[name]; !known {
			return true
		}
	}
	return r.Tracking != nil && r.tracking() != found.Tracking
}
