// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Change is what a location is to become. Everything it does not name stays as
// it is, by id (semantics.md, section 6).
type Change struct {
	// Folders are what folders of ours have to be, completely.
	Folders map[string]*tree.Dir
	// Remove are folders of ours that have to go.
	Remove []string
	// Tracking is what becomes of the promoted commit's file; nil leaves it alone.
	Tracking *Tracking
	// Expected are the ids that folders had when the change was planned; zero
	// means that the folder must not exist. A folder that is neither as expected
	// nor already as it has to be stops the change. Others are not checked.
	Expected map[string]tree.ID
	// Message is the commit's.
	Message string
	// CreateBranchFrom is the branch that a missing branch starts from; a branch
	// without history is made where it is empty.
	CreateBranchFrom string
}

// Tracking is a change of .github/tracking/Promoted_Commit_Id at the repository's
// root, of which a branch has one however many locations it has.
type Tracking struct {
	// Content is what the file has to hold; nil removes it.
	Content []byte
	// Expected is the blob that the file had when the change was planned; zero
	// means that there must be no such file. As with folders, a file that is
	// neither as expected nor already as it has to be stops the change.
	Expected tree.ID
}

// wanted gives the blob that the file has to have; zero for none.
func (t *Tracking) wanted() tree.ID {
	if t.Content == nil {
		return tree.ID{}
	}
	return tree.File(trackingFile, t.Content).ID
}

// Result is what a change came to.
type Result struct {
	// Commit is the commit that was made; zero where there was nothing to do.
	Commit tree.ID
	// Head is where the branch points now.
	Head tree.ID
}

// Apply makes a location hold a change, with one commit, or none where it
// already does. The branch only moves from the head that was read; where
// somebody else was faster, everything is done again on the new head, until ctx
// ends. Errors: *ConflictError and *ExistsError where folders are not as
// expected, *Error for the rest; nothing is written then.
func (c *Client) Apply(ctx context.Context, loc Location, change Change) (Result, error) {
	r, err := c.remote(loc)
	if err != nil {
		return Result{}, err
	}
	if err := change.check(); err != nil {
		return Result{}, err
	}
	var result Result
	err = c.retry(ctx, loc, func() error {
		result, err = r.apply(ctx, loc, change)
		return err
	})
	return result, err
}

// check refuses what no repository should hold.
func (c Change) check() error {
	for name, dir := range c.Folders {
		if dir == nil {
			return fmt.Errorf("the folder %q is to be written, but nothing says what it holds", name)
		}
	}
	for _, name := range append(slices.Sorted(maps.Keys(c.Folders)), c.Remove...) {
		if err := tree.CheckName(name); err != nil {
			return err
		}
	}
	if c.CreateBranchFrom != "" {
		return CheckBranch(c.CreateBranchFrom)
	}
	return nil
}

// apply makes one attempt from the head that the branch has now.
func (r *remote) apply(ctx context.Context, loc Location, change Change) (Result, error) {
	l, err := r.list(ctx)
	if err != nil {
		return Result{}, err
	}
	defer l.close()
	head := l.branch(loc.Branch)
	base := head
	if head.IsZero() {
		if !change.writes() {
			return Result{}, nil // there is nothing that could be removed
		}
		if base, err = r.start(l, change.CreateBranchFrom); err != nil {
			return Result{}, err
		}
	}

	e, err := newSource(r, l, base).edit(ctx, loc, change)
	var exists *ExistsError
	if errors.As(err, &exists) && head.IsZero() {
		exists.StartBranch = change.CreateBranchFrom
	}
	if err != nil {
		return Result{}, err
	}
	unchanged := !base.IsZero() && e.root.ID == e.before.ID
	if unchanged && base == head {
		return Result{Head: head}, nil
	}
	var to *receiver
	var opening errgroup.Group
	opening.Go(func() (err error) {
		to, err = r.openReceiver(ctx)
		return err
	})
	e.compareFiles(ctx)
	if err := opening.Wait(); err != nil {
		return Result{}, err
	}
	defer to.close()

	objects := &pack{has: e.source.known()}
	if unchanged { // a new branch that points at a commit which is there
		return Result{Head: base}, to.push(ctx, loc.Branch, head, base, objects)
	}
	commit := objects.addCommit(r.client.commitObject(e.root.ID, base, change.Message))
	objects.addDir(e.root)
	if err := to.push(ctx, loc.Branch, head, commit, objects); err != nil {
		return Result{}, err
	}
	return Result{Commit: commit, Head: commit}, nil
}

// writes tells whether the change puts anything into a branch.
func (c Change) writes() bool {
	return len(c.Folders) > 0 || c.Tracking != nil && c.Tracking.Content != nil
}

// replacesMost tells whether most folders are expected to be replaced.
func (c Change) replacesMost() bool {
	replaced := 0
	for name, dir := range c.Folders {
		if expected := c.Expected[name]; !expected.IsZero() && expected != dir.ID {
			replaced++
		}
	}
	return replaced > len(c.Folders)/2
}

// start gives the commit that a new branch starts from; zero for none.
func (r *remote) start(l *listing, branch string) (tree.ID, error) {
	if branch == "" {
		return tree.ID{}, nil
	}
	base := l.branch(branch)
	if base.IsZero() {
		return base, &Error{Kind: KindBranchNotFound, Message: fmt.Sprintf(
			"%s has no branch %q to start the new branch from. Correct create_branch_from, or leave it out to start a branch without history", r.name, branch)}
	}
	return base, nil
}

// edit reads the trees of the source's commit, which may be none, and makes those
// that the change asks for.
func (s *source) edit(ctx context.Context, loc Location, change Change) (*edit, error) {
	e := &edit{source: s, before: emptyDir}
	segments := tree.SplitPath(loc.Path)
	var err error
	if !s.commit.IsZero() {
		levels := len(segments) + 1
		if !s.remote.stateless || change.replacesMost() {
			levels++ // the folders' entries too, since asking for them later costs a round trip, or a connection
		}
		if e.before, err = s.root(ctx, levels); err != nil {
			return nil, err
		}
	}
	e.root = e.before
	if err := e.folders(ctx, loc, segments, change); err != nil {
		return nil, err
	}
	return e, e.tracking(ctx, change)
}

// folders replaces and removes the folders below the path.
func (e *edit) folders(ctx context.Context, loc Location, segments []string, change Change) error {
	chain, err := e.open(ctx, segments)
	if err != nil {
		return err
	}
	dir := chain[len(chain)-1]
	if err := e.checkExpected(ctx, loc, dir, len(segments)+1, change); err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, name := range change.Remove {
		gone[name] = true
	}
	kept := map[string]bool{}
	var entries []tree.Entry
	for _, old := range dir.Entries {
		want, ours := change.Folders[old.Name]
		switch {
		case ours && !old.Mode.IsDir():
			return e.notFolder(old, append(segments, old.Name))
		case ours && want.ID != old.ID:
			e.replaced = append(e.replaced, old)
		case ours, !old.Mode.IsDir(), !gone[old.Name]:
			entries = append(entries, old)
			kept[old.Name] = true
		}
	}
	for name, want := range change.Folders {
		if !kept[name] && len(want.Entries) > 0 {
			entries = append(entries, tree.Subdir(name, want))
		}
	}
	e.root = graft(chain, segments, tree.FromForeign(entries))
	return e.compareFolders(ctx, len(segments)+1, change)
}
