// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Draft is how a change is put onto a branch of its own.
type Draft struct {
	Job
	// Name returns a name for the branch, by the root tree that it holds, the base that
	// it stands on, and how many names others have taken.
	Name func(root, base tree.ID, taken int) string
	// Known is the branch that an open request of ours is about, and the commit that
	// was its head when the change was planned.
	Known Proposed
	// Lasting returns of the message of the change what it says each time that the change
	// is made, as another run may say something else besides; nil for all of it.
	Lasting func(message string) string
	// Stands is true where the known branch proposes the same change already: as long
	// as it is there, no other one is made.
	Stands bool
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
// StartFrom says from what. A branch of that name that is there already is taken for
// ours where it is the very commit that there is to make, but for its time and what of
// its message does not last, as after an interruption. What
// others have made, or pushed to ours, is never built on: a branch of another name is
// made. Nothing is pushed by force.
// Errors: as those of Apply, KindHeadMoved where somebody has pushed to the known branch
// since, and KindBaseNotFound where there is no branch to propose to.
func (c *Client) Propose(ctx context.Context, base Branch, draft Draft) (Proposed, error) {
	r, err := c.open(ctx, base)
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
	known := l.branch(draft.Known.Branch)
	switch {
	case known.IsZero():
	case known != draft.Known.Commit:
		return Proposed{}, &remote.Error{Kind: remote.KindHeadMoved, Message: fmt.Sprintf(
			"somebody has pushed to %s, the branch of the pull request in %s, after the plan was made. Nothing was written. Plan again to see it, then apply that plan", draft.Known.Branch, r.name)}
	case draft.Stands:
		proposed.Branch, proposed.Commit = draft.Known.Branch, known
		return proposed, nil
	}
	for taken := range maxNames {
		proposed.Branch = draft.Name(w.root.ID, base, taken)
		if err := CheckBranch(proposed.Branch); err != nil {
			return Proposed{}, err
		}
		head := l.branch(proposed.Branch)
		if head.IsZero() {
			proposed.Commit, err = w.push(ctx, proposed.Branch, head, base, change.Message)
			return proposed, err
		}
		ours, err := r.isCommit(ctx, head, r.client.commitObject(w.root.ID, base, change.Message), draft.Lasting)
		if proposed.Commit = head; err != nil || ours {
			return proposed, err
		}
	}
	return Proposed{}, &remote.Error{Kind: remote.KindRefused, Message: fmt.Sprintf(
		"somebody else has made branches of all names that the change could have in %s, such as %s. Remove those that nobody needs, or set another branch_prefix", r.name, proposed.Branch)}
}

// maxNames are tried for a branch.
const maxNames = 20

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

// isCommit reports whether a commit is one that we have made, but for its time and what
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
