// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Draft is a change to propose.
type Draft struct {
	Work
	// Name returns the name of the branch for a change, which differs for each change. base is what
	// the base branch has at the paths of the change.
	Name func(change Change, base map[string]*Found) string
	// IsKnown reports whether the branch needs no push, because a request for it exists.
	IsKnown func(branch string) (bool, error)
}

// Proposed is a branch with a change.
type Proposed struct {
	// Branch is its name; empty if the base branch already has the change.
	Branch string
	// Commit is its commit; zero if the branch is known and does not exist any more.
	Commit tree.ID
	// Found is what the base branch has at the paths of the change.
	Found map[string]*Found
}

// Propose writes a change to a branch of its own, with one commit on the head of the base branch.
// It does not change the base branch, but creates it if it does not exist and StartFrom is set. It
// pushes a branch once: an existing branch has to have the content that the change makes, as after
// an interruption.
// Errors: those of Apply, KindBaseNotFound if the base branch does not exist, and KindRefused if
// the branch exists with other content.
func (c *Client) Propose(ctx context.Context, base Branch, draft Draft) (Proposed, error) {
	if err := draft.check(); err != nil {
		return Proposed{}, err
	}
	return inTurn(ctx, c, base, func(r *repo) (Proposed, error) { return r.propose(ctx, base, draft) })
}

// propose makes one attempt from the head that the base branch has now.
func (r *repo) propose(ctx context.Context, branch Branch, draft Draft) (p Proposed, err error) {
	l, err := r.list(ctx)
	if err != nil {
		return p, err
	}
	defer l.close()
	base := l.branch(branch.Name)
	from := newSource(r, l, base)
	change, err := from.decide(ctx, draft.Work)
	switch {
	case err != nil:
		return p, err
	case base.IsZero() && change.Writes():
		return p, r.startBase(ctx, l, branch.Name, draft.StartFrom)
	case base.IsZero():
		return p, nil // a missing branch has nothing to remove
	}
	w, err := from.rewrite(ctx, change)
	if err != nil {
		return p, err
	}
	if p.Found, err = w.describe(ctx, change); err != nil || w.root.ID == w.before.ID {
		return p, err
	}
	p.Branch = draft.Name(change, p.Found)
	if err := CheckBranch(p.Branch); err != nil {
		return p, err
	}
	p.Commit = l.branch(p.Branch)
	if known, err := draft.IsKnown(p.Branch); known || err != nil {
		return p, err
	}
	if !p.Commit.IsZero() {
		return p, w.checkPushed(ctx, p.Branch, p.Commit)
	}
	p.Commit, err = w.push(ctx, p.Branch, tree.ID{}, change.Message, base)
	return p, err
}

// checkPushed returns an error if an existing branch has other content than the change makes. It
// compares the whole tree, so that commits of others are never proposed as ours.
func (w *rewriting) checkPushed(ctx context.Context, branch string, commit tree.ID) error {
	r := w.source.repo
	l, err := r.list(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	root, err := newSource(r, l, commit).root(ctx, 1)
	if err != nil {
		return err
	}
	if root.ID != w.root.ID {
		return remote.Errorf(remote.KindRefused, "the branch %s exists in %s, and has other content than the change. Delete the branch, and "+
			"apply again", branch, r.name)
	}
	return nil
}

// startBase makes the missing base branch at the head of another branch, and returns
// remote.ErrMoved, so that a new attempt proposes the change to it.
func (r *repo) startBase(ctx context.Context, l *listing, branch, from string) error {
	if from == "" {
		return remote.Errorf(remote.KindBaseNotFound, "%s has no branch %q to propose the change to", r.name, branch)
	}
	if err := l.checkNew(branch); err != nil {
		return err
	}
	start, err := r.start(l, from)
	if err != nil {
		return err
	}
	if err := r.startBranch(ctx, branch, start); err != nil {
		return err
	}
	return remote.ErrMoved // the next attempt finds the branch
}

// describe returns what the base branch has at the paths of the change.
func (w *rewriting) describe(ctx context.Context, change Change) (map[string]*Found, error) {
	found := map[string]*Found{}
	for path, edit := range change.Edits {
		if there := sameKind(w.found[path][0], edit.Want.Mode); there.Mode != "" {
			found[path] = &Found{Mode: edit.Want.Mode, ID: there.ID}
		}
	}
	return found, w.source.readEntries(ctx, found, Query{})
}
