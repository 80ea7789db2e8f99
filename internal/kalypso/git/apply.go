// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Work makes a change that depends on the content of its branch.
type Work struct {
	// Query is the one whose answer Decide gets.
	Query Query
	// Decide returns the change for the branch's present content. Each attempt calls Decide
	// again, because the branch may have moved. An error of Decide ends the work.
	Decide func(found *Answer) (Change, error)
	// StartFrom is the branch that a missing branch starts from. If it is empty, the new
	// branch has no earlier history. KindStartNotFound if StartFrom does not exist.
	StartFrom string
}

// Apply writes a change to a branch with one commit, and returns the commit; zero if the branch already
// has the change. Apply only moves the branch from the head that it read. If somebody else
// moved the branch, Apply starts again on the new head, until ctx ends. Errors: *remote.Error and
// those of the work. After an error, the branch is unchanged, except that after KindTimeout the server may
// still carry out a push.
func (c *Client) Apply(ctx context.Context, branch Branch, work Work) (tree.ID, error) {
	return inTurn(ctx, c, branch, func(read *reader) (tree.ID, error) { return read.apply(ctx, branch.Name, work) })
}

// apply makes one attempt from the head that the branch has now.
func (r *reader) apply(ctx context.Context, branch string, work Work) (commit tree.ID, err error) {
	head := r.branch(branch)
	base := head
	if head.IsZero() {
		if base, err = r.start(work.StartFrom); err != nil {
			return commit, err
		}
	}
	w, err := r.rewrite(ctx, base, work)
	switch {
	case err != nil, head.IsZero() && !anyWrites(w.change.Edits), // a missing branch has nothing to remove
		w.changesNothing() && base == head:
		return commit, err
	case w.changesNothing():
		return commit, r.repo.push(ctx, command{branch: branch, to: base}, newPack(nil))
	}
	return w.push(ctx, branch, head)
}

// Proposal is a change for a branch of its own.
type Proposal struct {
	Work
	// Name returns the name of the branch for a change, which differs for each change. base has the ids of what
	// the base branch has at the paths of the change.
	Name func(change Change, base map[string]tree.ID) string
	// IsKnown reports whether the branch needs no push, because a request for it exists.
	IsKnown func(branch string) (bool, error)
}

// Proposed is a branch with a change.
type Proposed struct {
	// Branch is its name; empty if the base branch already has the change.
	Branch string
	// Commit is its commit; zero if the branch is known and does not exist any more.
	Commit tree.ID
}

// Propose writes a change to a branch of its own, with one commit on the head of the base branch.
// It does not change the base branch, but creates it if it does not exist and StartFrom is set. It
// pushes a branch once: an existing branch has to have the content that the change makes, as after
// an interruption.
// Errors: those of Apply, KindBaseNotFound if the base branch does not exist, and KindRefused if
// the branch exists with other content.
func (c *Client) Propose(ctx context.Context, base Branch, proposal Proposal) (Proposed, error) {
	return inTurn(ctx, c, base, func(read *reader) (Proposed, error) { return read.propose(ctx, base.Name, proposal) })
}

// propose makes one attempt from the head that the base branch has now.
func (r *reader) propose(ctx context.Context, branch string, proposal Proposal) (p Proposed, err error) {
	base := r.branch(branch)
	w, err := r.rewrite(ctx, base, proposal.Work)
	switch {
	case err != nil:
		return p, err
	case base.IsZero() && anyWrites(w.change.Edits):
		return p, r.startBase(ctx, branch, proposal.StartFrom)
	case w.changesNothing():
		return p, nil
	}
	p.Branch = proposal.Name(w.change, w.before)
	if err := CheckBranch(p.Branch); err != nil {
		return p, err
	}
	p.Commit = r.branch(p.Branch)
	if known, err := proposal.IsKnown(p.Branch); known || err != nil {
		return p, err
	}
	if p.Commit.IsZero() {
		p.Commit, err = w.push(ctx, p.Branch, tree.ID{})
		return p, err
	}
	// The whole tree is compared, so that commits of others are never proposed as ours.
	pushed, err := r.commit(ctx, p.Commit, packp.FilterTreeDepth(0))
	if err == nil && pushed.root != w.root.ID {
		err = remote.Errorf(remote.KindRefused, "the branch %s exists in %s, and has other content than the change. Delete the branch, and "+
			"apply again", p.Branch, r.repo.name)
	}
	return p, err
}

// startBase makes the missing base branch at the head of another branch, and returns
// remote.ErrMoved, so that a new attempt proposes the change to it.
func (r *reader) startBase(ctx context.Context, branch, from string) error {
	if from == "" {
		return remote.Errorf(remote.KindBaseNotFound, "%s has no branch %q to propose the change to", r.repo.name, branch)
	}
	start, err := r.start(from)
	if err != nil {
		return err
	}
	if err := r.repo.push(ctx, command{branch: branch, to: start}, newPack(nil)); err != nil {
		return err
	}
	return remote.ErrMoved // the next attempt finds the branch
}
