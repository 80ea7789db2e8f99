// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Result is what a change came to.
type Result struct {
	// Commit is the commit that was made; zero where there was nothing to do.
	Commit tree.ID
	// Head is where the branch points now.
	Head tree.ID
}

// Apply makes a branch hold a change, with one commit, or none where it already
// does. The branch only moves from the head that was read; where somebody else
// was faster, everything is done again on the new head, until ctx ends. Errors:
// *ConflictError and *ExistsError where paths are not as expected, *remote.Error
// for the rest; nothing is written then.
func (c *Client) Apply(ctx context.Context, branch Branch, change Change) (Result, error) {
	r, err := c.open(branch)
	if err != nil {
		return Result{}, err
	}
	if err := change.check(); err != nil {
		return Result{}, err
	}
	var result Result
	err = c.retry(ctx, branch, func() error {
		result, err = r.apply(ctx, branch, change)
		return err
	})
	return result, err
}

// apply makes one attempt from the head that the branch has now.
func (r *repo) apply(ctx context.Context, branch Branch, change Change) (Result, error) {
	l, err := r.list(ctx)
	if err != nil {
		return Result{}, err
	}
	defer l.close()
	head := l.branch(branch.Name)
	base := head
	if head.IsZero() {
		if !change.Writes() {
			return Result{}, nil // there is nothing that could be removed
		}
		if base, err = r.start(l, change.StartFrom); err != nil {
			return Result{}, err
		}
	}

	e, err := newSource(r, l, base).edit(ctx, branch, change)
	var exists *ExistsError
	if errors.As(err, &exists) && head.IsZero() {
		exists.StartFrom = change.StartFrom
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
		return Result{Head: base}, to.push(ctx, branch.Name, head, base, objects)
	}
	commit := objects.addCommit(r.client.commitObject(e.root.ID, base, change.Message))
	objects.addDir(e.root)
	if err := to.push(ctx, branch.Name, head, commit, objects); err != nil {
		return Result{}, err
	}
	return Result{Commit: commit, Head: commit}, nil
}

// start returns the commit that a new branch starts from; zero for none.
func (r *repo) start(l *listing, branch string) (tree.ID, error) {
	if branch == "" {
		return tree.ID{}, nil
	}
	base := l.branch(branch)
	if base.IsZero() {
		return base, &remote.Error{Kind: remote.KindBranchNotFound, Message: fmt.Sprintf(
			"%s has no branch %q to start the new branch from. Correct create_branch_from, or leave it out to start a branch without history", r.name, branch)}
	}
	return base, nil
}
