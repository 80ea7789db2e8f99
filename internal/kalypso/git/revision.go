// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Revision is a commit of a repository: Commit, or the head of Branch if Commit is empty. A
// complete Commit needs no Branch if the server sends commits by id. An abbreviated Commit has
// to be in the branch's history, and so has any Commit with InBranch.
type Revision struct {
	Repo, Branch, Commit string
	InBranch             bool
}

// String returns the revision as repo#branch@commit, without secrets.
func (r Revision) String() string {
	text := remote.Redact(r.Repo) + "#" + r.Branch
	if r.Commit != "" {
		text += "@" + r.Commit
	}
	return text
}

func (r Revision) check(repo *repo) error {
	switch {
	case r.Branch == "" && r.Commit == "":
		return fmt.Errorf("the reference to %s has neither a branch nor a commit. Set one", repo.name)
	case r.Commit != "" && !tree.IsCommitID(r.Commit):
		return fmt.Errorf("%q is not a Git commit id. Write its 40 hexadecimal digits", r.Commit)
	case r.Branch != "":
		return CheckBranch(r.Branch)
	}
	return nil
}

// allTrees is the filter for commits with all trees.
var allTrees = packp.FilterBlobNone()

// resolve finds the commit of a revision. with is that of history.
func (r *reader) resolve(ctx context.Context, at Revision, with packp.Filter) (Commit, error) {
	tip := r.branch(at.Branch)
	id, err := tree.ParseID(at.Commit)
	isFull := err == nil
	switch {
	case (at.Commit == "" || at.InBranch) && tip.IsZero():
		return Commit{}, remote.Errorf(remote.KindBranchNotFound, "%s has no branch %q. Check the name, and that the branch has not been "+
			"deleted", r.repo.name, at.Branch)
	case at.Commit == "" || id == tip:
		return r.commit(ctx, tip, with)
	case isFull && !at.InBranch: // a server may send any commit
		if c, err := r.commit(ctx, id, with); err == nil || !declined(err) {
			return c, err
		}
	}
	if tip.IsZero() {
		return Commit{}, remote.Errorf(remote.KindCommitNotFound, "%s does not send the commit %s. Check the id, write all its 40 digits, "+
			"and name the branch that has this commit in its history", r.repo.name, at.Commit)
	}
	return r.find(ctx, at, tip)
}

// historyDepths are the depths in which find looks for a commit, one after the other; 0 is the
// whole history.
var historyDepths = []int{20, 1000, 0}

// find looks for a commit in the history of a tip. It compares an abbreviated id
// with the whole history: otherwise, a newer commit with the same beginning could replace the
// older one unnoticed.
func (r *reader) find(ctx context.Context, at Revision, tip tree.ID) (Commit, error) {
	depths := historyDepths
	isFull := len(at.Commit) == 2*len(tree.ID{})
	if !isFull {
		depths = depths[len(depths)-1:]
	}
	found, isWhole := r.search(tip, at.Commit)
	for _, depth := range depths {
		if isWhole || isFull && len(found) == 1 {
			break
		}
		if err := r.history(ctx, tip, depth, packp.FilterTreeDepth(0)); err != nil {
			return Commit{}, err
		}
		found, isWhole = r.search(tip, at.Commit)
	}
	switch len(found) {
	case 0:
		return Commit{}, remote.Errorf(remote.KindCommitNotFound, "there is no commit %s in the history of the branch %q of %s. Check the id; "+
			"a commit that was removed by a force push cannot be read any more", at.Commit, at.Branch, r.repo.name)
	case 1:
		return found[0], nil
	}
	return Commit{}, remote.Errorf(remote.KindCommitNotFound, "the abbreviated commit id %s stands for %d commits of %s. Write all 40 digits",
		at.Commit, len(found), r.repo.name)
}

// search returns the fetched commits in the history of a tip whose ids begin so. isWhole reports
// whether all of the history is fetched.
func (r *reader) search(tip tree.ID, prefix string) (found []Commit, isWhole bool) {
	isWhole = true
	seen := map[tree.ID]bool{tip: true}
	for next := []tree.ID{tip}; len(next) > 0; next = next[1:] {
		c, err := r.objects.commit(next[0])
		if err != nil {
			isWhole = false
			continue
		}
		if strings.HasPrefix(c.ID.String(), prefix) {
			found = append(found, c)
		}
		for _, parent := range c.Parents {
			if !seen[parent] {
				seen[parent] = true
				next = append(next, parent)
			}
		}
	}
	return found, isWhole
}
