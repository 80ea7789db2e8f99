// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// source returns the trees and blobs of one commit, and fetches them when they are needed. It
// fetches by id if the server allows this; otherwise it fetches more of the commit, and the
// whole commit if the server has no filters.
type source struct {
	repo    *repo
	listing *listing
	used    bool // the listing's session cannot fetch again
	commit  tree.ID
	// tip is the commit of the request: the source's commit, or a commit that has it among the
	// last depth commits of its history. Depth 0 is the whole history.
	tip     tree.ID
	depth   int
	objects objects
	can     ability
	// levels is how many levels of trees below the commit have been fetched.
	levels int
}

// newSource returns a source for a commit of the listing. It fetches nothing.
func newSource(r *repo, l *listing, commit tree.ID) *source {
	caps := l.advertised.Capabilities
	s := &source{repo: r, listing: l, commit: commit, tip: commit, depth: 1, objects: objects{}}
	if caps.Supports(capability.Filter) {
		s.can = byDepth | noBlobs | smallBlobs
		if caps.Supports(capability.AllowTipSHA1InWant) && caps.Supports(capability.AllowReachableSHA1InWant) {
			s.can |= byID
		}
	}
	return s
}

// root returns the root tree of the commit. It fetches so many levels of trees with the commit
// if the server can.
func (s *source) root(ctx context.Context, levels int) (*tree.Dir, error) {
	if err := s.deepen(ctx, levels); err != nil {
		return nil, err
	}
	id, err := s.rootID()
	if err != nil {
		return nil, err
	}
	return s.dir(ctx, id)
}

// rootID returns the id of the root tree of the commit, which has been fetched.
func (s *source) rootID() (tree.ID, error) {
	commit, ok := s.objects[s.commit]
	if !ok || commit.kind != plumbing.CommitObject {
		return tree.ID{}, s.missing(s.commit)
	}
	return parseCommit(commit.data)
}

func (s *source) dir(ctx context.Context, id tree.ID) (*tree.Dir, error) {
	dirs, err := s.dirs(ctx, id)
	return dirs[id], err
}

// dirs returns trees by their ids, and fetches the missing ones in one fetch.
func (s *source) dirs(ctx context.Context, ids ...tree.ID) (map[tree.ID]*tree.Dir, error) {
	if err := s.load(ctx, ids); err != nil {
		return nil, err
	}
	dirs := make(map[tree.ID]*tree.Dir, len(ids))
	for _, id := range ids {
		if dirs[id] != nil {
			continue
		}
		var err error
		if dirs[id], err = s.loaded(id); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}

// emptyDir is the empty tree. Git knows it even if the repository does not contain it.
var emptyDir = tree.FromEntries(nil)

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

// complete reports whether all trees below a tree have been fetched. It looks into no tree
// twice.
func (s *source) complete(id tree.ID, seen map[tree.ID]bool) bool {
	if seen[id] {
		return true
	}
	seen[id] = true
	dir, err := s.loaded(id)
	return err == nil && !slices.ContainsFunc(dir.Entries, func(e tree.Entry) bool { return e.Mode.IsDir() && !s.complete(e.ID, seen) })
}

// known returns the ids that the server certainly has: those of fetched objects, and those in
// fetched trees.
func (s *source) known() map[tree.ID]bool {
	ids := make(map[tree.ID]bool, len(s.objects))
	for id, o := range s.objects {
		ids[id] = true
		if o.kind != plumbing.TreeObject {
			continue
		}
		entries, err := parseTree(o.data)
		if err != nil {
			continue // a tree that was not fetched
		}
		for _, e := range entries {
			ids[e.ID] = true
		}
	}
	return ids
}

// missing returns the error that the server has not sent a requested object.
func (s *source) missing(id tree.ID) error {
	return remote.Errorf(remote.KindServer, "%s did not send the object %s of its commit %s. The repository may be damaged: run git fsck "+
		"on the server", s.repo.name, id, s.commit)
}
