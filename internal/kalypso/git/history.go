// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// History returns the commits that the branch reaches in fewer than depth steps, along all parents: parents first, and of commits that do
// not follow each other the older first. It returns none if the branch does not exist. Errors: those of Client.Read, and one of the
// commits is where a shallow repository ends (remote.KindCommitNotFound). Cost: that of Commits.
func (l *Log) History(ctx context.Context, depth int) ([]Commit, error) {
	return online(ctx, l.view, func(ctx context.Context, read *reader) ([]Commit, error) {
		return read.reachable(ctx, l.at.Branch, depth, read.levels(l.levels))
	})
}

// reachable is History. with is that of history.
func (r *reader) reachable(ctx context.Context, branch string, depth int, with packp.Filter) ([]Commit, error) {
	tip := r.branch(branch)
	found, isFetched := map[tree.ID]Commit{}, false
	for step, next := 1, []tree.ID{tip}; step <= depth && len(next) > 0 && !tip.IsZero(); step++ {
		var parents []tree.ID
		for _, id := range next {
			if _, isKnown := found[id]; isKnown {
				continue
			}
			if !r.objects.has(id) && !isFetched {
				isFetched = true
				if err := r.history(ctx, tip, depth, with); err != nil {
					return nil, err
				}
			}
			c, err := r.objects.commit(id)
			if err != nil {
				return nil, r.missing(id, err)
			}
			if len(c.Parents) > 0 && step < depth && slices.Contains(r.advertised.Shallows, plumbing.Hash(id)) {
				return nil, remote.Errorf(remote.KindCommitNotFound, "%s is shallow: the history of its branch %q ends at the commit %.7s. Fetch "+
					"all of it: git fetch --unshallow, in GitHub Actions fetch-depth: 0, in GitLab CI GIT_DEPTH: 0", r.repo.name, branch, id)
			}
			found[id], parents = c, append(parents, c.Parents...)
		}
		next = parents
	}
	return ordered(found), nil
}

// ordered returns commits in the order of History.
func ordered(found map[tree.ID]Commit) (order []Commit) {
	byTime := func(a, b Commit) int { return cmp.Or(a.Time.Compare(b.Time), bytes.Compare(a.ID[:], b.ID[:])) }
	isAdded := map[tree.ID]bool{}
	var add func(commits []Commit)
	add = func(commits []Commit) {
		for _, c := range slices.SortedFunc(slices.Values(commits), byTime) {
			if isAdded[c.ID] {
				continue
			}
			isAdded[c.ID] = true
			var parents []Commit
			for _, id := range c.Parents {
				if parent, isThere := found[id]; isThere {
					parents = append(parents, parent)
				}
			}
			add(parents)
			order = append(order, c)
		}
	}
	add(slices.Collect(maps.Values(found)))
	return order
}

// Below fetches folders of the log's commits by their ids, with everything below them. Cost: one fetch if one of them is missing.
func (l *Log) Below(ctx context.Context, ids []tree.ID) error {
	_, err := online(ctx, l.view, func(ctx context.Context, read *reader) (any, error) {
		return nil, read.named(ctx, read.objects.absent(ids), "")
	})
	return err
}
