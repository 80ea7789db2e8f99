// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// historyDepths is how many commits of a branch are looked through at first,
// and then; 0 is all of them.
var historyDepths = []int{20, 1000, 0}

// find points the source to a commit in the history of its tip. An abbreviated
// id is held against the whole history: a commit that is added later must not
// change what it stands for without a word.
func (s *source) find(ctx context.Context, at Revision) error {
	depths := historyDepths
	if len(at.Commit) < 2*len(tree.ID{}) {
		depths = depths[len(depths)-1:]
	}
	for _, depth := range depths {
		s.depth, s.levels = depth, notFetched
		if err := s.deepen(ctx, 0); err != nil {
			return err
		}
		found := s.commitsOf(at.Commit)
		if len(found) > 1 {
			return remote.Errorf(remote.KindCommitNotFound, "the abbreviated commit id %s stands for %d commits of %s. Write all 40 digits",
				at.Commit, len(found), s.repo.name)
		}
		if len(found) == 1 {
			s.commit, s.depth = found[0], s.distance(found[0])+1
			s.forgetHistory()
			return nil
		}
		if s.historyIsComplete() {
			break
		}
	}
	return remote.Errorf(remote.KindCommitNotFound, "there is no commit %s in the history of the branch %q of %s. Check the id; a commit "+
		"that was removed by a force push cannot be read any more", at.Commit, at.Branch, s.repo.name)
}

// commitsOf returns the commits whose id begins so.
func (s *source) commitsOf(prefix string) []tree.ID {
	var found []tree.ID
	for id, o := range s.objects {
		if o.kind == plumbing.CommitObject && strings.HasPrefix(id.String(), prefix) {
			found = append(found, id)
		}
	}
	return found
}

// distance returns how many steps from child to parent lead from the tip to a
// commit of the fetched history.
func (s *source) distance(to tree.ID) int {
	seen := map[tree.ID]bool{}
	generation := []tree.ID{s.tip}
	for steps := 0; len(generation) > 0; steps++ {
		var parents []tree.ID
		for _, id := range generation {
			if id == to {
				return steps
			}
			if !seen[id] {
				seen[id] = true
				parents = append(parents, parentsOf(s.objects[id].data)...)
			}
		}
		generation = parents
	}
	return len(seen)
}

// historyIsComplete reports whether every parent of a commit is there.
func (s *source) historyIsComplete() bool {
	for _, o := range s.objects {
		if o.kind != plumbing.CommitObject {
			continue
		}
		for _, parent := range parentsOf(o.data) {
			if _, ok := s.objects[parent]; !ok {
				return false
			}
		}
	}
	return true
}

// forgetHistory drops the commits that were only looked through.
func (s *source) forgetHistory() {
	for id, o := range s.objects {
		if o.kind == plumbing.CommitObject && id != s.commit {
			delete(s.objects, id)
		}
	}
}
