// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// maxArrivals commits of a branch are looked through for when files came into it.
const maxArrivals = 500

// Arrivals tells when files of a folder came into a branch as they are now: how many
// steps along first parents lead from its head to the commit that brought each of
// them. Those that are so for longer than we look, or are not there, are left out.
// Cost: one fetch of commits with the trees that lead to the folder, or one for each level
// of them.
func (c *Client) Arrivals(ctx context.Context, branch Branch, folder string, names []string) (map[string]int, error) {
	r, err := c.open(ctx, branch)
	if err != nil {
		return nil, err
	}
	var found map[string]int
	err = c.retry(ctx, branch, func() error {
		found, err = r.arrivals(ctx, branch, folder, names)
		return err
	})
	return found, err
}

func (r *repo) arrivals(ctx context.Context, branch Branch, folder string, names []string) (map[string]int, error) {
	l, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	s := newSource(r, l, l.branch(branch.Name))
	if s.commit.IsZero() {
		return nil, nil
	}
	s.depth = maxArrivals
	folders, complete, err := s.folderOverTime(ctx, folder)
	if err != nil {
		return nil, err
	}
	found := map[string]int{}
	for _, name := range names {
		now, there := folders[0].Find(name)
		if !there {
			continue
		}
		since := 0
		for since+1 < len(folders) {
			if before, _ := folders[since+1].Find(name); before.ID != now.ID {
				break
			}
			since++
		}
		if since+1 < len(folders) || complete {
			found[name] = since
		}
	}
	return found, nil
}

// folderOverTime returns a folder as it was in the source's commit and in those before
// it along first parents, and whether they are all that there are.
func (s *source) folderOverTime(ctx context.Context, folder string) (folders []*tree.Dir, complete bool, err error) {
	levels := len(tree.SplitPath(folder))
	if err := s.deepen(ctx, levels+1); err != nil {
		return nil, false, err
	}
	roots, complete, err := s.rootsOverTime()
	if err != nil {
		return nil, false, err
	}
	found, err := s.overTime(ctx, roots, folder)
	if err != nil {
		return nil, false, err
	}
	folders, err = s.allDirs(ctx, levels, idsOfFolders(found))
	return folders, complete, err
}

// overTime returns what stands at a path below each of some root trees; an entry without
// a mode where there is nothing. Cost: a fetch for each level of trees that is not there.
func (s *source) overTime(ctx context.Context, roots []tree.ID, path string) ([]tree.Entry, error) {
	found := make([]tree.Entry, len(roots))
	for i, root := range roots {
		found[i] = tree.Entry{Mode: tree.ModeDir, ID: root}
	}
	for depth, name := range tree.SplitPath(path) {
		dirs, err := s.allDirs(ctx, depth, idsOfFolders(found))
		if err != nil {
			return nil, err
		}
		for i, dir := range dirs {
			found[i], _ = dir.Find(name)
		}
	}
	return found, nil
}

// idsOfFolders returns the ids of those entries that are folders, and that of an empty
// one for the others.
func idsOfFolders(entries []tree.Entry) []tree.ID {
	ids := make([]tree.ID, len(entries))
	for i, e := range entries {
		ids[i] = emptyDir.ID
		if e.Mode.IsDir() {
			ids[i] = e.ID
		}
	}
	return ids
}

// rootsOverTime returns the root trees of the source's commit and of those before it
// along first parents that were fetched with it, and whether they are all that there are.
func (s *source) rootsOverTime() (roots []tree.ID, complete bool, err error) {
	for commit := s.commit; ; {
		o, ok := s.objects[commit]
		if !ok && len(roots) == 0 {
			return nil, false, s.missing(commit)
		}
		if !ok {
			return roots, false, nil
		}
		root, err := parseCommit(o.data)
		if err != nil {
			return nil, false, err
		}
		roots = append(roots, root)
		parents := parentsOf(o.data)
		if len(parents) == 0 {
			return roots, true, nil
		}
		commit = parents[0]
	}
}

// allDirs returns the trees of those ids, which stand at that depth below the roots of
// commits, and fetches them at once. Those of one id are one.
func (s *source) allDirs(ctx context.Context, depth int, ids []tree.ID) ([]*tree.Dir, error) {
	different := map[tree.ID]*tree.Dir{}
	for _, id := range ids {
		different[id] = nil
	}
	if err := s.load(ctx, depth, slices.Collect(maps.Keys(different))...); err != nil {
		return nil, err
	}
	dirs := make([]*tree.Dir, len(ids))
	for i, id := range ids {
		if different[id] == nil {
			dir, err := s.dir(ctx, depth, id)
			if err != nil {
				return nil, err
			}
			different[id] = dir
		}
		dirs[i] = different[id]
	}
	return dirs, nil
}
