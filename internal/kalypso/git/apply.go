// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
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
	return inTurn(ctx, c, branch, func(r *repo) (Written, error) { return r.apply(ctx, branch, job) })
}

func (j Work) check() error {
	if j.StartFrom != "" {
		return CheckBranch(j.StartFrom)
	}
	return nil
}

// decide looks at the source's commit, which may be zero, and returns the job's change for
// that commit.
func (s *source) decide(ctx context.Context, job Work) (Change, error) {
	found := &Answer{Head: s.commit, Found: map[string]*Found{}, Unchanged: !s.commit.IsZero() && s.commit == job.Look.Head}
	if !s.commit.IsZero() && !found.Unchanged && (len(job.Look.Paths) > 0 || job.Look.Others != nil) {
		if _, err := s.root(ctx, s.deeper(job.Look.levels())); err != nil {
			return Change{}, err
		}
		if err := s.answer(ctx, found, job.Look); err != nil {
			return Change{}, err
		}
	}
	change, err := job.Decide(found)
	if err != nil {
		return Change{}, err
	}
	return change, change.Check()
}

// apply makes one attempt from the head that the branch has now.
func (r *repo) apply(ctx context.Context, branch Branch, job Work) (Written, error) {
	l, err := r.list(ctx)
	if err != nil {
		return Written{}, err
	}
	defer l.close()
	head := l.branch(branch.Name)
	base := head
	if head.IsZero() {
		if err := l.checkNew(branch.Name); err != nil {
			return Written{}, err
		}
		if base, err = r.start(l, job.StartFrom); err != nil {
			return Written{}, err
		}
	}
	from := newSource(r, l, base)
	change, err := from.decide(ctx, job)
	if err != nil {
		return Written{}, err
	}
	if head.IsZero() && !change.Writes() {
		return Written{}, nil // a missing branch has nothing to remove
	}
	w, err := from.rewrite(ctx, change)
	if err != nil {
		return Written{}, err
	}
	unchanged := !base.IsZero() && w.root.ID == w.before.ID
	if unchanged && base == head {
		return Written{Head: head}, nil
	}
	if unchanged {
		return Written{Head: base}, r.startBranch(ctx, branch.Name, base)
	}
	commit, err := w.push(ctx, branch.Name, head, change.Message, base)
	if err != nil {
		return Written{}, err
	}
	return Written{Commit: commit, Head: commit}, nil
}

// start returns the commit that a new branch starts from; zero if branch is empty.
func (r *repo) start(l *listing, branch string) (tree.ID, error) {
	if branch == "" {
		return tree.ID{}, nil
	}
	base := l.branch(branch)
	if base.IsZero() {
		return base, remote.Errorf(remote.KindStartNotFound, "%s has no branch %q to start the new branch from", r.name, branch)
	}
	return base, nil
}
