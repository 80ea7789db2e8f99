// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"regexp"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Draft is how a change is put onto a branch of its own.
type Draft struct {
	Work
	// Name returns the name of the branch that has a number, and Next is the first number
	// that no branch of ours has had.
	Name func(number int) string
	Next int
	// Open is the branch of our open request, as we have left it; without a name if no
	// request is open. Until the request is merged or closed, that branch grows.
	Open Proposed
	// Seen is the commit of that branch when the change was planned.
	Seen tree.ID
	// Holds reports whether the open branch holds a change already, and what the base branch
	// has at its paths.
	Holds func(change Change) bool
	// Lasting returns the part of a message that is the same for the same change in each
	// run; nil for all of it.
	Lasting func(message string) string
}

// Proposed is a branch with a change, and its commit. It has no branch if the base branch
// already has the change.
type Proposed struct {
	Branch string
	Commit tree.ID
	// Number is that of a branch that is new, and On the commit of the base branch that the
	// branch contains.
	Number int
	On     tree.ID
	// Base is the commit of the base branch that was looked at, and Found what it
	// has at the paths of the change.
	Base  tree.ID
	Found map[string]*Found
}

// Propose writes a change to a branch for a pull request. It does not change the base branch,
// but creates it if it does not exist and StartFrom is set.
//   - If a request is open, its branch gets one more commit, which merges the base branch if
//     that has moved.
//   - Otherwise, a new branch gets one commit on the base branch.
//   - An existing branch counts as ours only if its head is the same commit that we would make,
//     except for its time and the changing part of its message, as after an interruption.
//
// It never builds on commits of others, and never force-pushes. Errors: those of Apply,
// KindHeadMoved if somebody has pushed to the open branch since the plan, and KindBaseNotFound
// if the base branch does not exist.
func (c *Client) Propose(ctx context.Context, base Branch, draft Draft) (Proposed, error) {
	if err := draft.check(); err != nil {
		return Proposed{}, err
	}
	return inTurn(ctx, c, base, func(r *repo) (Proposed, error) { return r.propose(ctx, base, draft) })
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
	change, err := from.decide(ctx, draft.Work)
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
	none := Proposed{Base: base, On: base}
	if none.Found, err = w.describe(ctx, change); err != nil || w.root.ID == w.before.ID {
		return none, err
	}
	if proposed, done, err := w.grow(ctx, l, draft, change, none); done || err != nil {
		return proposed, err
	}
	return w.begin(ctx, l, draft, change, none)
}

// grow brings the open branch up to date, and reports whether it did. It does nothing if no
// branch is open, or if somebody else had pushed to it when the change was planned.
func (w *rewriting) grow(ctx context.Context, l *listing, draft Draft, change Change, p Proposed) (Proposed, bool, error) {
	open, head := draft.Open, l.branch(draft.Open.Branch)
	if head.IsZero() {
		return p, false, nil
	}
	p.Branch, p.Commit = open.Branch, head
	if head == open.Commit && draft.Holds(change) {
		p.On = open.On
		return p, true, nil
	}
	parents := []tree.ID{open.Commit}
	if p.Base != open.On {
		parents = append(parents, p.Base)
	}
	commit, done, err := w.put(ctx, command{branch: open.Branch, from: open.Commit}, head, parents, change.Message, draft.Lasting)
	if err == nil && !done && head != draft.Seen {
		err = remote.Errorf(remote.KindHeadMoved, "somebody has pushed to %s, the branch of the pull request in %s, after the plan was "+
			"made. Nothing was written. Plan again to see it, then apply that plan", open.Branch, w.source.repo.name)
	}
	p.Commit = commit
	return p, done, err
}

// maxNames are tried for a branch.
const maxNames = 20

// begin makes a branch that is new, or adopts one that an apply has begun which was killed.
func (w *rewriting) begin(ctx context.Context, l *listing, draft Draft, change Change, p Proposed) (Proposed, error) {
	for p.Number = draft.Next; p.Number < draft.Next+maxNames; p.Number++ {
		p.Branch = draft.Name(p.Number)
		if err := CheckBranch(p.Branch); err != nil {
			return Proposed{}, err
		}
		commit, done, err := w.put(ctx, command{branch: p.Branch}, l.branch(p.Branch), []tree.ID{p.Base}, change.Message, draft.Lasting)
		if p.Commit = commit; done || err != nil {
			return p, err
		}
	}
	return Proposed{}, remote.Errorf(remote.KindRefused, "somebody else has made branches of all names that the change could have in %s, "+
		"such as %s. Remove those that nobody needs, or set another branch_prefix", w.source.repo.name, p.Branch)
}

// put pushes the new root tree as a commit on its parents to a branch, and returns the commit.
// head is the branch's present commit. done is false if the branch is neither at the commit
// that the command expects, nor at the new commit.
func (w *rewriting) put(ctx context.Context, to command, head tree.ID, parents []tree.ID, message string,
	lasting func(string) string) (commit tree.ID, done bool, err error) {
	if head == to.from {
		commit, err = w.push(ctx, to.branch, to.from, message, parents...)
		return commit, true, err
	}
	r := w.source.repo
	done, err = r.isCommit(ctx, head, r.client.commitObject(w.root.ID, message, parents...), lasting)
	return head, done, err
}

// startBase makes the base branch where another one says what it starts from,
// and has the attempt made again: nothing can be proposed to a missing branch.
func (r *repo) startBase(ctx context.Context, l *listing, branch, from string) error {
	if from == "" {
		return remote.Errorf(remote.KindBaseNotFound, "%s has no branch %q to propose the change to", r.name, branch)
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
		if there := sameKind(w.found[path][0], edit.Want.Mode); there.Mode != "" {
			found[path] = &Found{Mode: edit.Want.Mode, ID: there.ID}
		}
	}
	return found, w.source.readEntries(ctx, found, Query{})
}

// isCommit reports whether a commit is one that we have made, except for its time and what
// of its message does not last.
func (r *repo) isCommit(ctx context.Context, id tree.ID, made []byte, lasting func(message string) string) (bool, error) {
	l, err := r.list(ctx)
	if err != nil {
		return false, err
	}
	defer l.close()
	s := newSource(r, l, id)
	if _, err := s.root(ctx, 1); err != nil {
		return false, err
	}
	return timeless(s.objects[id].data, lasting) == timeless(made, lasting), nil
}

var commitTime = regexp.MustCompile(`(?m)^((?:author|committer) .*) \d+ [+-]\d{4}$`)

// timeless returns a commit as text, without its times, and of its message what lasts.
func timeless(commit []byte, lasting func(message string) string) string {
	header, message, _ := strings.Cut(string(commit), "\n\n")
	if lasting != nil {
		message = lasting(message)
	}
	return commitTime.ReplaceAllString(header, "$1") + "\n\n" + message
}
