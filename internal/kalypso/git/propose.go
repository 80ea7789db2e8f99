// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Draft is how a change is put onto a branch of its own.
type Draft struct {
	Job
	// Name returns the branch's name for the root tree that it holds.
	Name func(root tree.ID) string
	// Standing is a branch that already proposes the same change, and the commit
	// that is its head: as long as it is there, no other one is made.
	Standing Proposed
}

// Proposed is a branch that holds a change, and its commit. It has no branch where
// the base branch holds the change already.
type Proposed struct {
	Branch string
	Commit tree.ID
	// Base is the commit of the base branch that was looked at, and Found what it
	// has at the paths of the change.
	Base  tree.ID
	Found map[string]*Found
}

// Propose makes a branch that holds a base branch with a change on it, for a pull
// request; the base branch itself is not touched, but made where it is missing and
// StartFrom says from what. A branch of that name that is there already is taken
// over where it is exactly that, replaced where it has the same files on an older
// base, and gets a further commit where somebody has changed it. Errors: as those
// of Apply, and KindBaseNotFound where there is no branch to propose to.
func (c *Client) Propose(ctx context.Context, base Branch, draft Draft) (Proposed, error) {
	r, err := c.open(base)
	if err != nil {
		return Proposed{}, err
	}
	if err := draft.check(); err != nil {
		return Proposed{}, err
	}
	var proposed Proposed
	err = c.retry(ctx, base, func() error {
		proposed, err = r.propose(ctx, base, draft)
		return err
	})
	return proposed, err
}

// propose makes one attempt from the head that the base branch has now.
func (r *repo) propose(ctx context.Context, branch Branch, draft Draft) (Proposed, error) {
	l, err := r.list(ctx)
	if err != nil {
		return Proposed{}, err
	}
	defer l.close()
	base := l.branch(branch.Name)
	from := newSource(r, l, base)
	change, err := from.decide(ctx, draft.Job)
	switch {
	case err != nil:
		return Proposed{}, err
	case base.IsZero() && change.Writes():
		return Proposed{}, r.startBase(ctx, l, branch.Name, draft.StartFrom)
	case base.IsZero():
		return Proposed{}, nil // there is nothing that could be removed
	}
	w, err := from.rewrite(ctx, branch, change)
	if err != nil {
		return Proposed{}, err
	}
	proposed := Proposed{Base: base}
	if proposed.Found, err = w.describe(ctx, change); err != nil || w.root.ID == w.before.ID {
		return proposed, err
	}
	if s := draft.Standing; s.Branch != "" && l.branch(s.Branch) == s.Commit {
		proposed.Branch, proposed.Commit = s.Branch, s.Commit
		return proposed, nil
	}
	proposed.Branch = draft.Name(w.root.ID)
	if err := CheckBranch(proposed.Branch); err != nil {
		return Proposed{}, err
	}
	head, parent, there := l.branch(proposed.Branch), base, false
	if !head.IsZero() {
		if parent, there, err = r.continued(ctx, head, base, w.root.ID); err != nil {
			return Proposed{}, err
		}
	}
	if parent == head && !there { // somebody's commits are on it: what they did beside our paths stays
		if w, err = r.rewriteOnto(ctx, branch, head, change); err != nil {
			return Proposed{}, err
		}
		there = w.root.ID == w.before.ID
	}
	if proposed.Commit = head; !there {
		proposed.Commit, err = w.push(ctx, proposed.Branch, head, parent, change.Message)
	}
	return proposed, err
}

// startBase makes the base branch where another one says what it starts from,
// and has the attempt made again: nothing can be proposed to a missing branch.
func (r *repo) startBase(ctx context.Context, l *listing, branch, from string) error {
	if from == "" {
		return &remote.Error{Kind: remote.KindBaseNotFound, Message: fmt.Sprintf(
			"%s has no branch %q to propose the change to", r.name, branch)}
	}
	start, err := r.start(l, from)
	if err != nil {
		return err
	}
	if err := r.startBranch(ctx, branch, start); err != nil {
		return err
	}
	return remote.ErrMoved // it is there now
}

// describe returns what the base branch has at the paths of the change.
func (w *rewriting) describe(ctx context.Context, change Change) (map[string]*Found, error) {
	found := map[string]*Found{}
	for path, edit := range change.Edits {
		if there := sameKind(w.found[path], edit.Want.Mode); there.Mode != "" {
			found[path] = &Found{Mode: edit.Want.Mode, ID: there.ID}
		}
	}
	return found, w.source.readEntries(ctx, found, Query{})
}

// rewriteOnto makes the trees that the change asks for on top of a commit, whatever
// our paths are in it.
func (r *repo) rewriteOnto(ctx context.Context, branch Branch, commit tree.ID, change Change) (*rewriting, error) {
	l, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	return newSource(r, l, commit).rewrite(ctx, branch, change.unchecked())
}

// continued looks at a branch that is to hold a root tree, and says what to do
// about it: nothing where it already is one commit on top of the base, else which
// parent the commit gets that mends it. Somebody's commits stay; our own on an
// older base has been merged, or overtaken by the base, and is no use any more.
func (r *repo) continued(ctx context.Context, head, base, root tree.ID) (parent tree.ID, there bool, err error) {
	l, err := r.list(ctx)
	if err != nil {
		return parent, false, err
	}
	defer l.close()
	s := newSource(r, l, head)
	found, err := s.root(ctx, 1)
	switch {
	case err != nil:
		return parent, false, err
	case found.ID != root:
		return head, false, nil
	}
	return base, slices.Equal(parentsOf(s.objects[head].data), []tree.ID{base}), nil
}
