// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Written is the result of a change.
type Written struct {
	// Commit is the new commit; zero if the branch already had the change.
	Commit tree.ID
	// Head is where the branch points now.
	Head tree.ID
}

// Work makes a change that depends on the content of its branch.
type Work struct {
	// Look is the query whose answer Decide gets.
	Look Query
	// Decide returns the change for the branch's present content. Each attempt calls Decide
	// again, because the branch may have moved. An error of Decide ends the job.
	Decide func(found *Answer) (Change, error)
	// StartFrom is the branch that a missing branch starts from. If it is empty, the new
	// branch has no earlier history. KindStartNotFound if StartFrom does not exist.
	StartFrom string
}

// Apply writes a change to a branch with one commit, or without a commit if the branch already
// has the change. Apply only moves the branch from the head that it read. If somebody else
// moved the branch, Apply starts again on the new head, until ctx ends. Errors: *remote.Error and
// those of the job. After an error, the branch is unchanged.
func (c *Client) Apply(ctx context.Context, branch Branch, job Work) (Written, error) {
	if err := job.check(); err != nil {
		return Written{}, err
	}
	return inTurn(ctx, c, branch, func(read *reader) (Written, error) { return read.apply(ctx, branch.Name, job) })
}

func (j Work) check() error {
	if j.StartFrom != "" {
		return CheckBranch(j.StartFrom)
	}
	return nil
}

// apply makes one attempt from the head that the branch has now.
func (r *reader) apply(ctx context.Context, branch string, job Work) (Written, error) {
	head := r.branch(branch)
	base := head
	if head.IsZero() {
		var err error
		if base, err = r.start(branch, job.StartFrom); err != nil {
			return Written{}, err
		}
	}
	w, err := r.rewrite(ctx, base, job)
	switch {
	case err != nil:
		return Written{}, err
	case head.IsZero() && !w.change.Writes():
		return Written{}, nil // a missing branch has nothing to remove
	case w.changesNothing() && base == head:
		return Written{Head: head}, nil
	case w.changesNothing():
		return Written{Head: base}, r.repo.push(ctx, command{branch: branch, to: base}, newPack(nil))
	}
	commit, err := w.push(ctx, branch, head)
	return Written{Commit: commit, Head: commit}, err
}
