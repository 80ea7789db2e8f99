// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// overTime returns what stands at a path below each of some root trees; an entry without
// a mode where there is nothing. Cost: that of folders.
func (s *source) overTime(ctx context.Context, roots []tree.ID, path string) ([]tree.Entry, error) {
	names := tree.SplitPath(path)
	found := make([]tree.Entry, len(roots))
	if len(names) == 0 {
		for i, root := range roots {
			found[i] = tree.Entry{Mode: tree.ModeDir, ID: root}
		}
		return found, nil
	}
	parent := strings.Join(names[:len(names)-1], "/")
	dirs, err := s.folders(ctx, roots, []string{parent})
	for i, dir := range dirs[parent] {
		found[i], _ = dir.Find(names[len(names)-1])
	}
	return found, err
}

// folders returns folders as they are below each of some root trees, by their paths, with
// those above them; empty ones where there are none. What is no folder is not followed.
// Cost: a fetch for each level of trees that is not there, for all folders together.
func (s *source) folders(ctx context.Context, roots []tree.ID, folders []string) (map[string][]*tree.Dir, error) {
	read := map[string][]*tree.Dir{}
	for depth := 0; ; depth++ {
		level, different := map[string][]tree.ID{}, map[tree.ID]bool{}
		for _, folder := range folders {
			names := tree.SplitPath(folder)
			if len(names) < depth {
				continue
			}
			at := strings.Join(names[:depth], "/")
			if level[at] != nil {
				continue
			}
			level[at] = roots
			if depth > 0 {
				level[at] = idsIn(read[strings.Join(names[:depth-1], "/")], names[depth-1])
			}
			for _, id := range level[at] {
				different[id] = true
			}
		}
		if len(level) == 0 {
			return read, nil
		}
		if err := s.load(ctx, depth, slices.Collect(maps.Keys(different))...); err != nil {
			return nil, err
		}
		for at, ids := range level {
			var err error
			if read[at], err = s.allDirs(ctx, depth, ids); err != nil {
				return nil, err
			}
		}
	}
}

// idsIn returns the ids of the folders of a name in folders, and that of an empty one where
// there is none.
func idsIn(parents []*tree.Dir, name string) []tree.ID {
	found := make([]tree.Entry, len(parents))
	for i, parent := range parents {
		found[i], _ = parent.Find(name)
	}
	return idsOfFolders(found)
}

// filesOverTime returns the files that a folder has below each of some root trees, with
// their content, as far as wanted chooses them by their names, and they are not larger than
// so many bytes.
func (s *source) filesOverTime(ctx context.Context, roots []tree.ID, folder string, most int, wanted func(name string) bool) ([][]tree.Entry, error) {
	names := strings.Join(tree.SplitPath(folder), "/")
	read, err := s.folders(ctx, roots, []string{names})
	if err != nil {
		return nil, err
	}
	dirs := read[names]
	contents, err := s.contents(ctx, dirs, most, wanted)
	if err != nil {
		return nil, err
	}
	files := make([][]tree.Entry, len(dirs))
	for i, dir := range dirs {
		for _, e := range dir.Entries {
			if IsFile(e) && wanted(e.Name) {
				e.Content = contents[e.ID]
				files[i] = append(files[i], e)
			}
		}
	}
	return files, nil
}

// contents returns the content of files in some folders, by their ids, as far as wanted
// chooses them by their names, and they are not larger than so many bytes.
func (s *source) contents(ctx context.Context, folders []*tree.Dir, most int, wanted func(name string) bool) (map[tree.ID][]byte, error) {
	all, missing, within := map[tree.ID]bool{}, map[tree.ID]bool{}, map[tree.ID]bool{}
	for _, dir := range folders {
		for _, e := range dir.Entries {
			if !IsFile(e) || !wanted(e.Name) {
				continue
			}
			all[e.ID] = true
			if _, there := s.objects[e.ID]; !there {
				missing[e.ID], within[dir.ID] = true, true
			}
		}
	}
	leftOut, err := s.loadFiles(ctx, missing, within, most)
	if err != nil {
		return nil, err
	}
	contents := make(map[tree.ID][]byte, len(all))
	for id := range all {
		switch o, ok := s.objects[id]; {
		case ok && len(o.data) <= most:
			contents[id] = o.data
		case !ok && !leftOut:
			return nil, s.missing(id)
		}
	}
	return contents, nil
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
