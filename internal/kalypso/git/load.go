// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path"
	"slices"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// ability is a set of features of a server, without those that the server has declined.
type ability uint8

const (
	byID       ability = 1 << iota // send any object by its id
	byDepth                        // leave out trees by their depth
	noBlobs                        // leave out files
	smallBlobs                     // leave out large files
)

// allLevels is more levels than a tree has.
const allLevels = 1 << 20

// errNoWay says that the server can carry out no plan.
var errNoWay = &remote.Error{Kind: remote.KindServer, Message: "the server does not serve the request"}

// ask carries out the first plan that the server can and does not decline. It remembers which
// abilities the server declined.
func (s *source) ask(ctx context.Context, plans ...plan) (done plan, err error) {
	err = errNoWay
	for _, p := range plans {
		if p.needs&^s.can != 0 {
			continue
		}
		if err = s.fetch(ctx, p); !declined(err) {
			return p, err
		}
		s.can &^= cmp.Or(p.needs&^byID, p.needs)
	}
	return plan{}, err
}

// declined reports whether the server understood a request and does not serve it. A server
// that fails or cannot be reached has not declined.
func declined(err error) bool {
	var e *remote.Error
	var status *githttp.Err
	return errors.As(err, &e) && e.Kind == remote.KindServer && !errors.As(err, &status)
}

// head is the plan for the commit, or for a history that contains the commit. From a whole
// history, only commits are kept.
func (s *source) head(needs ability, filter packp.Filter, levels int) plan {
	p := plan{wants: []tree.ID{s.tip}, depth: s.depth, needs: needs, filter: filter, levels: levels}
	if p.commits = s.depth == 0; p.commits {
		p.levels = 0
	}
	return p
}

// load fetches the missing trees in one fetch. If the server sends no trees by id, load
// fetches all trees of the commit.
func (s *source) load(ctx context.Context, ids []tree.ID) error {
	absent := s.absent(ids)
	delete(absent, emptyDir.ID)
	if len(absent) == 0 {
		return nil
	}
	// A filter does not apply to objects that the request names, so the server sends only trees.
	named := plan{wants: slices.Collect(maps.Keys(absent)), filter: packp.FilterTreeDepth(0), needs: byID}
	if _, err := s.ask(ctx, named); !declined(err) {
		return err
	}
	return s.deepen(ctx, allLevels)
}

// loadBlobs fetches the missing blobs in one fetch.
func (s *source) loadBlobs(ctx context.Context, ids ...tree.ID) error {
	_, err := s.loadFiles(ctx, s.absent(ids), nil, 0)
	return err
}

func (s *source) absent(ids []tree.ID) map[tree.ID]bool {
	absent := map[tree.ID]bool{}
	for _, id := range ids {
		if _, ok := s.objects[id]; !ok {
			absent[id] = true
		}
	}
	return absent
}

// loadFiles fetches blobs. If folders has the trees of all blobs, the server can leave out
// blobs larger than most bytes, because a filter applies to the content of folders that the
// request names. leftOut reports whether the server did.
func (s *source) loadFiles(ctx context.Context, blobs, folders map[tree.ID]bool, most int) (leftOut bool, err error) {
	if len(blobs) == 0 {
		return false, nil
	}
	var plans []plan
	if len(folders) > 0 {
		small := packp.FilterBlobLimit(uint64(most)+1, packp.BlobLimitPrefixNone) //nolint:gosec // a small positive number.
		plans = []plan{{wants: slices.Collect(maps.Keys(folders)), filter: small, blobs: blobs, needs: byID | smallBlobs}}
	}
	all := s.head(0, "", allLevels)
	all.blobs = blobs
	alone := plan{wants: slices.Collect(maps.Keys(blobs)), blobs: blobs, needs: byID}
	done, err := s.ask(ctx, append(plans, alone, all)...)
	return done.needs&smallBlobs != 0, err
}

// blobs returns the content of blobs, by their ids. It fetches the missing ones in one fetch.
func (s *source) blobs(ctx context.Context, ids []tree.ID) (map[tree.ID][]byte, error) {
	if err := s.loadBlobs(ctx, ids...); err != nil {
		return nil, err
	}
	contents := make(map[tree.ID][]byte, len(ids))
	for _, id := range ids {
		o, ok := s.objects[id]
		if !ok {
			return nil, s.missing(id)
		}
		contents[id] = o.data
	}
	return contents, nil
}

func (s *source) readBlobs(ctx context.Context, files []*tree.Entry) error {
	ids := make([]tree.ID, len(files))
	for i, e := range files {
		ids[i] = e.ID
	}
	contents, err := s.blobs(ctx, ids)
	for _, e := range files {
		e.Content = contents[e.ID]
	}
	return err
}

// loadFolders fetches all trees of some folders of the commit.
func (s *source) loadFolders(ctx context.Context, folders []string) error {
	deepest, whole := 0, s.can&byID == 0
	for _, folder := range folders {
		depth := len(tree.SplitPath(folder))
		deepest, whole = max(deepest, depth), whole || depth == 0
	}
	if whole {
		return s.deepen(ctx, allLevels)
	}
	root, err := s.root(ctx, deepest+1)
	if err != nil {
		return err
	}
	dirs, err := s.folders(ctx, []tree.ID{root.ID}, folders...)
	if err != nil {
		return err
	}
	var below []tree.ID
	for _, folder := range folders {
		if dir := dirs[path.Join(tree.SplitPath(folder)...)][0]; !s.complete(dir.ID, map[tree.ID]bool{}) {
			below = append(below, dir.ID)
		}
	}
	if len(below) == 0 {
		return nil
	}
	if _, err := s.ask(ctx, plan{wants: below, filter: packp.FilterBlobNone(), needs: byID}); !declined(err) {
		return err
	}
	return s.deepen(ctx, allLevels)
}

// deepen fetches the commit with at least so many levels of trees. If the server cannot leave
// out deeper levels, deepen fetches all.
func (s *source) deepen(ctx context.Context, levels int) error {
	if _, ok := s.objects[s.commit]; ok && levels <= s.levels {
		return nil
	}
	plans := []plan{s.head(noBlobs, packp.FilterBlobNone(), allLevels), s.head(0, "", allLevels)}
	if levels < allLevels {
		some := packp.FilterTreeDepth(uint64(levels)) //nolint:gosec // a small positive number.
		plans = slices.Insert(plans, 0, s.head(byDepth, some, levels))
	}
	done, err := s.ask(ctx, plans...)
	if err != nil {
		return err
	}
	if _, ok := s.objects[s.commit]; !ok {
		return s.missing(s.commit)
	}
	s.levels = done.levels
	return nil
}
