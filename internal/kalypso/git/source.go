// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// source returns the trees and blobs of one commit, and fetches them when they are needed: by
// id if the server allows that, otherwise more of the commit, and all of it if the server has
// no filters. It makes all fetches, each by a plan.
type source struct {
	repo    *repo
	listing *listing
	used    bool // the listing's session cannot fetch again
	commit  tree.ID
	// tip is what the server is asked for: the commit, or one that has it among
	// the last so many commits of its history. A depth of 0 is all of them.
	tip   tree.ID
	depth int
	// limit is how many bytes of one fetch are kept.
	limit int64
	// run, if not nil, counts what all sources of a run keep.
	run     *Snapshots
	objects objects
	can     ability
	// levels of trees below the commit have been fetched.
	levels int
}

// newSource reads from a commit that the listing names. It fetches nothing yet.
func newSource(r *repo, l *listing, commit tree.ID) *source {
	caps := l.advertised.Capabilities
	s := &source{repo: r, listing: l, commit: commit, tip: commit, depth: 1, limit: maxKept, objects: objects{}}
	if caps.Supports(capability.Filter) {
		s.can = byDepth | commitsAlone | noBlobs | smallBlobs
		if caps.Supports(capability.AllowTipSHA1InWant) && caps.Supports(capability.AllowReachableSHA1InWant) {
			s.can |= byID
		}
	}
	return s
}

// root returns the root tree of the commit, and fetches that many levels of trees
// at once if the server lets us.
func (s *source) root(ctx context.Context, levels int) (*tree.Dir, error) {
	if err := s.deepen(ctx, levels); err != nil {
		return nil, err
	}
	commit, ok := s.objects[s.commit]
	if !ok || commit.kind != plumbing.CommitObject {
		return nil, s.missing(s.commit)
	}
	id, err := parseCommit(commit.data)
	if err != nil {
		return nil, err
	}
	return s.dir(ctx, 0, id)
}

// dir returns the tree with this id, depth levels below the root.
func (s *source) dir(ctx context.Context, depth int, id tree.ID) (*tree.Dir, error) {
	if err := s.load(ctx, depth, id); err != nil {
		return nil, err
	}
	return s.loaded(id)
}

// dirs returns trees for the ids of paths, by the same paths, and fetches the missing ones
// in one fetch.
func (s *source) dirs(ctx context.Context, ids map[string]tree.ID) (map[string]*tree.Dir, error) {
	deepest := 0
	for path := range ids {
		deepest = max(deepest, len(tree.SplitPath(path)))
	}
	if err := s.load(ctx, deepest, slices.Collect(maps.Values(ids))...); err != nil {
		return nil, err
	}
	dirs := make(map[string]*tree.Dir, len(ids))
	for path, id := range ids {
		var err error
		if dirs[path], err = s.loaded(id); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}

// trees returns the trees with these ids, depth levels below the roots of commits, and
// fetches the missing ones in one fetch. Equal ids return the same tree.
func (s *source) trees(ctx context.Context, depth int, ids []tree.ID) ([]*tree.Dir, error) {
	if err := s.load(ctx, depth, ids...); err != nil {
		return nil, err
	}
	read := map[tree.ID]*tree.Dir{}
	dirs := make([]*tree.Dir, len(ids))
	for i, id := range ids {
		if read[id] == nil {
			dir, err := s.loaded(id)
			if err != nil {
				return nil, err
			}
			read[id] = dir
		}
		dirs[i] = read[id]
	}
	return dirs, nil
}

// emptyDir is the tree that every repository has without holding it.
var emptyDir = tree.FromEntries(nil)

// loaded returns a tree that has been fetched.
func (s *source) loaded(id tree.ID) (*tree.Dir, error) {
	if id == emptyDir.ID {
		return emptyDir, nil
	}
	o, ok := s.objects[id]
	if !ok || o.kind != plumbing.TreeObject {
		return nil, s.missing(id)
	}
	entries, err := parseTree(o.data)
	return &tree.Dir{ID: id, Entries: entries}, err
}

// complete reports whether all trees below that one are there.
func (s *source) complete(id tree.ID) bool {
	seen := map[tree.ID]bool{}
	left := []tree.ID{id}
	for len(left) > 0 {
		id, left = left[len(left)-1], left[:len(left)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		dir, err := s.loaded(id)
		if err != nil {
			return false
		}
		for _, e := range dir.Entries {
			if e.Mode.IsDir() {
				left = append(left, e.ID)
			}
		}
	}
	return true
}

// known returns the ids that the server has for sure: what was fetched, and what that names.
func (s *source) known() map[tree.ID]bool {
	ids := make(map[tree.ID]bool, len(s.objects))
	for id, o := range s.objects {
		ids[id] = true
		if o.kind != plumbing.TreeObject {
			continue
		}
		entries, err := parseTree(o.data)
		if err != nil {
			continue // a tree that was not needed
		}
		for _, e := range entries {
			ids[e.ID] = true
		}
	}
	return ids
}

// missing says that the server has not sent what it was asked for.
func (s *source) missing(id tree.ID) error {
	return &remote.Error{Kind: remote.KindServer, Message: fmt.Sprintf(
		"%s did not send the object %s of its commit %s. The repository may be damaged: run git fsck on the server", s.repo.name, id, s.commit)}
}
