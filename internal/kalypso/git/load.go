// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"errors"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// fetchMode is how a commit is fetched. What a server refuses, is asked for in the next mode.
type fetchMode int

const (
	byDepth    fetchMode = iota // with so many levels of trees
	commitOnly                  // alone: its trees are fetched by id
	allTrees                    // with all trees
	everything                  // with all files
)

// allLevels is more levels than a tree has.
const allLevels = 1 << 20

// filter returns what to ask for, and how many levels come of it.
func (m fetchMode) filter(levels int) (packp.Filter, int) {
	switch m {
	case byDepth:
		return packp.FilterTreeDepth(uint64(levels)), levels //nolint:gosec // a small positive number.
	case commitOnly:
		return packp.FilterTreeDepth(0), 0
	case allTrees:
		return packp.FilterBlobNone(), allLevels
	case everything:
	}
	return "", allLevels
}

// load fetches those trees that are not there yet, at once. None stands further below
// the root than that depth.
func (s *source) load(ctx context.Context, depth int, ids ...tree.ID) error {
	var wanted []tree.ID
	for _, id := range ids {
		if _, ok := s.objects[id]; !ok && id != emptyDir.ID {
			wanted = append(wanted, id)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	if s.byID {
		// A filter does not count the trees that are asked for themselves.
		err := s.fetch(ctx, wanted, packp.FilterTreeDepth(0), unpackOptions{})
		if err == nil || !declined(err) {
			return err
		}
		s.withoutIDs() // the server promised more than it does
	}
	return s.deepen(ctx, depth+1)
}

// tryLoad loads trees that the server may have, and gives up silently.
func (s *source) tryLoad(ctx context.Context, ids []tree.ID) {
	if s.byID && len(ids) > 0 {
		_ = s.fetch(ctx, ids, packp.FilterTreeDepth(0), unpackOptions{})
	}
}

// loadBlobs fetches the blobs of those ids.
func (s *source) loadBlobs(ctx context.Context, ids ...tree.ID) error {
	if len(ids) == 0 {
		return nil
	}
	if s.byID {
		err := s.fetch(ctx, ids, "", unpackOptions{blobs: true})
		if err == nil || !declined(err) {
			return err
		}
		s.withoutIDs()
	}
	wanted := make(map[tree.ID]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	return s.fetch(ctx, []tree.ID{s.tip}, "", unpackOptions{wanted: wanted})
}

// readBlobs fills in the content of files.
func (s *source) readBlobs(ctx context.Context, files []*tree.Entry) error {
	ids := make([]tree.ID, len(files))
	for i, e := range files {
		ids[i] = e.ID
	}
	if err := s.loadBlobs(ctx, ids...); err != nil {
		return err
	}
	for _, e := range files {
		o, ok := s.objects[e.ID]
		if !ok {
			return s.missing(e.ID)
		}
		e.Content = o.data
	}
	return nil
}

// loadFolders fetches all trees of those folders of the commit.
func (s *source) loadFolders(ctx context.Context, folders []string) error {
	deepest, whole := 0, !s.byID
	for _, folder := range folders {
		depth := len(tree.SplitPath(folder))
		deepest, whole = max(deepest, depth), whole || depth == 0
	}
	if whole {
		return s.loadAll(ctx)
	}
	root, err := s.root(ctx, deepest+1)
	if err != nil {
		return err
	}
	var below []tree.ID
	for _, folder := range folders {
		dir, err := s.folder(ctx, root, folder)
		if err != nil {
			return err
		}
		if dir.ID != emptyDir.ID && !s.complete(dir.ID) {
			below = append(below, dir.ID)
		}
	}
	if len(below) == 0 {
		return nil
	}
	if err = s.fetch(ctx, below, packp.FilterBlobNone(), unpackOptions{}); err != nil && declined(err) {
		s.withoutIDs()
		return s.loadAll(ctx)
	}
	return err
}

// loadAll fetches all trees of the commit.
func (s *source) loadAll(ctx context.Context) error {
	s.mode = max(s.mode, allTrees)
	return s.deepen(ctx, allLevels)
}

// deepen fetches the commit with at least that many levels of trees, or alone
// where its trees can be had by id.
func (s *source) deepen(ctx context.Context, levels int) error {
	for {
		if _, ok := s.objects[s.commit]; ok && (levels <= s.levels || s.mode == commitOnly) {
			return nil
		}
		filter, got := s.mode.filter(levels)
		err := s.fetch(ctx, []tree.ID{s.tip}, filter, unpackOptions{})
		if err == nil {
			if _, ok := s.objects[s.commit]; !ok {
				return s.missing(s.commit)
			}
			s.levels = got
			continue
		}
		if s.mode == everything || !declined(err) {
			return err
		}
		if s.mode++; s.mode == commitOnly && !s.byID {
			s.mode = allTrees
		}
	}
}

func (s *source) withoutIDs() {
	s.byID = false
	if s.mode == commitOnly {
		s.mode = allTrees
	}
}

// declined reports whether the server understood a request and does not serve it,
// unlike one that fails or cannot be reached.
func declined(err error) bool {
	var e *remote.Error
	var status *githttp.Err
	return errors.As(err, &e) && e.Kind == remote.KindServer && !errors.As(err, &status)
}
