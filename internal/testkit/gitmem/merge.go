// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitmem

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// Merge merges a branch into another one, by a merge commit.
func (r *Repo) Merge(t testing.TB, into, from string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	theirs := r.must(t, from)
	tree, err := r.merged(r.must(t, into), theirs)
	if err != nil {
		t.Fatalf("merging %s into %s: %v", from, into, err)
	}
	r.add(into, revision{tree: tree, parents: []plumbing.Hash{theirs}, author: tester, committer: tester, message: "merge " + from})
}

// MergeCommit makes a commit that merges one commit into another one, and returns its id.
// It is on no branch. It fails if both have changed the same file, even if git could
// merge its lines.
func (r *Repo) MergeCommit(into, from, message string) (commit string, err error) {
	return r.mergedCommit(into, from, message, into, from)
}

// SquashCommit is MergeCommit, but its commit has one parent: the one it is merged into.
func (r *Repo) SquashCommit(into, from, message string) (commit string, err error) {
	return r.mergedCommit(into, from, message, into)
}

// mergedCommit makes a commit with the tree of a merge.
func (r *Repo) mergedCommit(into, from, message string, parents ...string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tree, err := r.merged(plumbing.NewHash(into), plumbing.NewHash(from))
	if err != nil {
		return "", err
	}
	c := revision{tree: tree, author: signature(), committer: signature(), message: message + "\n"}
	for _, id := range parents {
		c.parents = append(c.parents, plumbing.NewHash(id))
	}
	return r.putCommit(c).String(), nil
}

// merged returns the tree of a merge.
func (r *Repo) merged(ours, theirs plumbing.Hash) (tree plumbing.Hash, err error) {
	base, err := r.mergeBase(ours, theirs)
	if err != nil {
		return tree, err
	}
	return r.mergeTrees(r.commitAt(base).tree, r.commitAt(ours).tree, r.commitAt(theirs).tree)
}

// RebaseCommits makes each commit that one commit has and another one lacks anew, on top
// of that one, and returns the id of the last.
func (r *Repo) RebaseCommits(onto, from string) (commit string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := plumbing.NewHash(onto)
	commits := r.walk(plumbing.NewHash(from), last)
	for i := range commits {
		old := r.commitAt(commits[len(commits)-1-i])
		base := plumbing.ZeroHash
		if len(old.parents) > 0 {
			base = r.commitAt(old.parents[0]).tree
		}
		tree, err := r.mergeTrees(base, r.commitAt(last).tree, old.tree)
		if err != nil {
			return "", err
		}
		last = r.putCommit(revision{
			tree: tree, parents: []plumbing.Hash{last}, author: signature(), committer: signature(),
			message: strings.TrimRight(old.message, "\n") + "\n",
		})
	}
	return last.String(), nil
}

// mergeBase returns the last commit that two have in common; zero if there is none.
func (r *Repo) mergeBase(a, b plumbing.Hash) (plumbing.Hash, error) {
	ours, shared := r.ancestors(a), map[plumbing.Hash]bool{}
	for id := range r.ancestors(b) {
		if ours[id] {
			shared[id] = true
		}
	}
	best := maps.Clone(shared)
	for id := range shared {
		for earlier := range r.ancestors(r.commitAt(id).parents...) {
			delete(best, earlier)
		}
	}
	if len(best) > 1 {
		return plumbing.ZeroHash, errors.New("the histories have crossed, which is not merged here")
	}
	for id := range best {
		return id, nil
	}
	return plumbing.ZeroHash, nil
}

// mergeTrees brings what one tree has changed since a base into another one, by path.
func (r *Repo) mergeTrees(base, ours, theirs plumbing.Hash) (plumbing.Hash, error) {
	before, now, then := r.files(base), r.files(ours), r.files(theirs)
	merged := maps.Clone(now)
	for _, path := range sortedNames(unite(before, then)) {
		was, is, wants := same(before[path]), same(now[path]), same(then[path])
		switch {
		case wants == was || wants == is:
			continue
		case is != was:
			return plumbing.ZeroHash, fmt.Errorf("CONFLICT: both have changed %s", path)
		}
		if delete(merged, path); wants != (entry{}) {
			merged[path] = then[path]
		}
	}
	for path := range merged {
		for i := range path {
			if _, ok := merged[path[:i]]; ok && path[i] == '/' {
				return plumbing.ZeroHash, fmt.Errorf("CONFLICT: %s is a file and a folder", path[:i])
			}
		}
	}
	return r.putTree(merged), nil
}

// same is an entry without its name, to be compared.
func same(e entry) entry {
	e.name = ""
	return e
}

func unite(a, b map[string]entry) map[string]entry {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}
