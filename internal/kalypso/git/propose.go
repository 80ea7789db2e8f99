// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Draft is how a change is put onto a branch of its own.
type Draft struct {
	Change
	// Name gives the branch's name for the root tree that it holds.
	Name func(root tree.ID) string
	// Standing is a branch that already proposes the same folders, and the commit
	// that was pushed to it: as long as it is there, no other one is made.
	Standing Proposed
}

// Proposed is a branch that holds a change, and its commit. It is zero where the
// base branch holds the change already.
type Proposed struct {
	Branch string
	Commit tree.ID
	// Base is the commit of the location's branch that was looked at, Folders and
	// Tracking what it has of those that the change is about.
	Base     tree.ID
	Folders  map[string]*Folder
	Tracking tree.ID
}

// Propose makes a branch that holds the location's branch with a change on it,
// for a pull request; the location's branch itself is not touched, but made where
// it is missing and CreateBranchFrom says from what. A branch of that name that
// is there already is taken over where it is exactly that, replaced where it has
// the same files on an older base, and gets a further commit where somebody has
// changed it. Errors: as those of Apply, and KindBranchNotFound where there is no
// branch to propose to.
func (c *Client) Propose(ctx context.Context, loc Location, draft Draft) (Proposed, error) {
	r, err := c.remote(loc)
	if err != nil {
		return Proposed{}, err
	}
	if err := draft.check(); err != nil {
		return Proposed{}, err
	}
	var proposed Proposed
	err = c.retry(ctx, loc, func() error {
		proposed, err = r.propose(ctx, loc, draft)
		return err
	})
	return proposed, err
}

// propose makes one attempt from the head that the base branch has now.
func (r *remote) propose(ctx context.Context, loc Location, draft Draft) (Proposed, error) {
	l, err := r.list(ctx)
	if err != nil {
		return Proposed{}, err
	}
	defer l.close()
	base := l.branch(loc.Branch)
	if base.IsZero() {
		if !draft.writes() {
			return Proposed{}, nil // there is nothing that could be removed
		}
		return Proposed{}, r.startBase(ctx, l, loc, draft.CreateBranchFrom)
	}
	e, err := newSource(r, l, base).edit(ctx, loc, draft.Change)
	if err != nil {
		return Proposed{}, err
	}
	proposed := Proposed{Base: base}
	if err := e.describe(ctx, loc, draft.Change, &proposed); err != nil || e.root.ID == e.before.ID {
		return proposed, err
	}
	if s := draft.Standing; s.Branch != "" && l.branch(s.Branch) == s.Commit {
		proposed.Branch, proposed.Commit = s.Branch, s.Commit
		return proposed, nil
	}
	proposed.Branch = draft.Name(e.root.ID)
	if err := CheckBranch(proposed.Branch); err != nil {
		return Proposed{}, err
	}
	head, parent, there := l.branch(proposed.Branch), base, false
	if !head.IsZero() {
		if parent, there, err = r.continued(ctx, head, base, e.root.ID); err != nil {
			return Proposed{}, err
		}
	}
	if parent == head && !there { // somebody's commits are on it: what they did beside our folders stays
		if e, err = r.editOnto(ctx, loc, head, draft.Change); err != nil {
			return Proposed{}, err
		}
		there = e.root.ID == e.before.ID
	}
	if proposed.Commit = head; !there {
		proposed.Commit, err = r.pushEdit(ctx, e, proposed.Branch, head, parent, draft.Message)
	}
	return proposed, err
}

// startBase makes the base branch where another one says what it starts from,
// and has the attempt made again: nothing can be proposed to a missing branch.
func (r *remote) startBase(ctx context.Context, l *listing, loc Location, from string) error {
	if from == "" {
		return &Error{Kind: KindBranchNotFound, Message: fmt.Sprintf(
			"%s has no branch %q, and a pull request needs a branch to be merged into. Create the branch first, or set create_branch_from", r.name, loc.Branch)}
	}
	start, err := r.start(l, from)
	if err != nil {
		return err
	}
	to, err := r.openReceiver(ctx)
	if err != nil {
		return err
	}
	defer to.close()
	if err := to.push(ctx, loc.Branch, tree.ID{}, start, &pack{}); err != nil {
		return err
	}
	return errMoved // it is there now
}

// describe notes what the base branch has of what the change is about.
func (e *edit) describe(ctx context.Context, loc Location, change Change, p *Proposed) error {
	segments := tree.SplitPath(loc.Path)
	dir, err := e.source.below(ctx, e.before, segments)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(change.Expected))
	p.Folders = map[string]*Folder{}
	for _, entry := range dir.Entries {
		if _, found := slices.BinarySearch(names, entry.Name); found && entry.Mode.IsDir() {
			p.Folders[entry.Name] = &Folder{ID: entry.ID}
		}
	}
	if err := e.source.readEntries(ctx, p.Folders, len(segments)+1, ReadRequest{}); err != nil {
		return err
	}
	p.Tracking, err = e.source.tracking(ctx, e.before)
	return err
}

// editOnto makes the trees that the change asks for on top of a commit, whatever
// our folders are in it.
func (r *remote) editOnto(ctx context.Context, loc Location, commit tree.ID, change Change) (*edit, error) {
	l, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	s := newSource(r, l, commit)
	if change.Tracking != nil {
		root, err := s.root(ctx, 1)
		if err != nil {
			return nil, err
		}
		tracking := *change.Tracking
		if tracking.Expected, err = s.tracking(ctx, root); err != nil {
			return nil, err
		}
		change.Tracking = &tracking
	}
	change.Expected = nil
	return s.edit(ctx, loc, change)
}

// continued looks at a branch that is to hold a root tree, and says what to do
// about it: nothing where it already is one commit on top of the base, else which
// parent the commit gets that mends it. Somebody's commits stay; our own on an
// older base has been merged, or overtaken by the base, and is no use any more.
func (r *remote) continued(ctx context.Context, head, base, root tree.ID) (parent tree.ID, there bool, err error) {
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

// pushEdit pushes an edit as a commit on a parent, and moves a branch to it.
func (r *remote) pushEdit(ctx context.Context, e *edit, branch string, from, parent tree.ID, message string) (tree.ID, error) {
	e.compareFiles(ctx)
	to, err := r.openReceiver(ctx)
	if err != nil {
		return tree.ID{}, err
	}
	defer to.close()
	objects := &pack{has: e.source.known()}
	commit := objects.addCommit(r.client.commitObject(e.root.ID, parent, message))
	objects.addDir(e.root)
	return commit, to.push(ctx, branch, from, commit, objects)
}
