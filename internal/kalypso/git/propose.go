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

// Draft is a change for a new branch.
type Draft struct {
	Work
	// Name returns the branch name for a number. Next is the first number that no branch of
	// ours has had.
	Name func(number int) string
	Next int
	// Open is the branch of our open request at our last commit; without a name if no request
	// is open. The branch gets further commits until the request is merged or closed.
	Open Proposed
	// Seen is the commit of that branch when the change was planned.
	Seen tree.ID
	// Holds reports whether the open branch already has a change, and whether the request is
	// based on the present content of the base branch at the paths of the change.
	Holds func(change Change) bool
	// Lasting returns the part of a message that is the same for the same change in each run.
	// Nil returns the whole message.
	Lasting func(message string) string
}

// Proposed is a branch with a change, and its commit. It has no branch if the base branch
// already has the change.
type Proposed struct {
	Branch string
	Commit tree.ID
	// Number is the number of a new branch. On is the commit of the base branch that the branch
	// contains.
	Number int
	On     tree.ID
	// Base is the commit of the base branch that the attempt read. Found is the content of that
	// commit at the paths of the change.
	Base  tree.ID
	Found map[string]*Found
}

// Propose writes a change to a branch for a pull request. It does not change the base branch,
// but creates it if it does not exist and StartFrom is set.
//   - If a request is open, its branch gets one more commit. The commit merges the base branch if
//     the base branch has moved.
//   - Otherwise, a new branch gets one commit on the base branch. So it does if our commits are
//     signed, and the last commit of the open branch is not.
//   - An existing branch counts as ours only if its head is the commit that we would make,
//     except for its time, its signature and the changing part of its message, as after an
//     interruption. If our commits are signed, our key must verify the signature of the head.
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
		return Proposed{}, nil // a missing branch has nothing to remove
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
// branch is open, if somebody else had already pushed to the branch at the time of the plan, or
// if the branch has no signature and needs one.
func (w *rewriting) grow(ctx context.Context, l *listing, draft Draft, change Change, p Proposed) (Proposed, bool, error) {
	open, head := draft.Open, l.branch(draft.Open.Branch)
	if head.IsZero() {
		return p, false, nil
	}
	if head == open.Commit && w.source.repo.client.signing != nil {
		content, err := w.source.repo.commit(ctx, head)
		if _, signature := cutSignature(content); err != nil || signature == "" {
			return p, false, err
		}
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
			"made. Nothing was written. Plan again to see the push, then apply that plan", open.Branch, w.source.repo.name)
	}
	p.Commit = commit
	return p, done, err
}

// maxNames is how many names are tried for a branch.
const maxNames = 20

// begin makes a new branch, or adopts the branch of an apply that was killed.
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
	return Proposed{}, remote.Errorf(remote.KindRefused, "in %s, other branches already have all names that the change could have, "+
		"such as %s. Remove unused branches, or set another branch_prefix", w.source.repo.name, p.Branch)
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
	made, err := r.client.commitObject(w.root.ID, message, parents...)
	if err != nil {
		return head, false, err
	}
	done, err = r.isOurs(ctx, head, made, lasting)
	return head, done, err
}

// startBase makes the missing base branch at the head of another branch, and returns
// remote.ErrMoved, so that a new attempt proposes the change to it.
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

// isOurs reports whether we have made a commit: whether it is the commit that we made now, except
// for its time, its signature and the changing part of its message.
func (r *repo) isOurs(ctx context.Context, id tree.ID, made []byte, lasting func(message string) string) (bool, error) {
	there, err := r.commit(ctx, id)
	if err != nil {
		return false, err
	}
	there, signature := cutSignature(there)
	made, _ = cutSignature(made)
	return timeless(there, lasting) == timeless(made, lasting) && r.client.verifies(there, signature), nil
}

// commit returns the content of a commit.
func (r *repo) commit(ctx context.Context, id tree.ID) ([]byte, error) {
	l, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	s := newSource(r, l, id)
	_, err = s.root(ctx, 1)
	return s.objects[id].data, err
}

var commitTime = regexp.MustCompile(`(?m)^((?:author|committer) .*) \d+ [+-]\d{4}$`)

// timeless returns a commit as text, without its times and the changing part of its message.
func timeless(commit []byte, lasting func(message string) string) string {
	header, message, _ := strings.Cut(string(commit), "\n\n")
	if lasting != nil {
		message = lasting(message)
	}
	return commitTime.ReplaceAllString(header, "$1") + "\n\n" + message
}
