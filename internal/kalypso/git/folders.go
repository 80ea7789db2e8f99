// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// at returns the entry at a path below each of some root trees; an entry without
// a mode if there is none. Cost: that of folders.
func (s *source) at(ctx context.Context, roots []tree.ID, path string) ([]tree.Entry, error) {
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

// folders returns folders below each of some root trees, and the folders above them, by
// their paths. A folder that does not exist is empty. Files and links are not followed.
// Cost: one fetch for each level of trees that is missing, for all folders together.
func (s *source) folders(ctx context.Context, roots []tree.ID, folders []string) (map[string][]*tree.Dir, error) {
	read := map[string][]*tree.Dir{}
	for depth := 0; ; depth++ {
		level, all := map[string][]tree.ID{}, []tree.ID(nil)
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
			all = append(all, level[at]...)
		}
		if len(level) == 0 {
			return read, nil
		}
		if err := s.load(ctx, depth, all...); err != nil {
			return nil, err
		}
		for at, ids := range level {
			var err error
			if read[at], err = s.trees(ctx, depth, ids); err != nil {
				return nil, err
			}
		}
	}
}

// look returns the entries at the paths below a root tree, without the paths that do
// not exist. Cost: that of folders.
func (s *source) look(ctx context.Context, root *tree.Dir, paths []string) (map[string]tree.Entry, error) {
	parents := make([]string, len(paths))
	for i, path := range paths {
		segments := tree.SplitPath(path)
		parents[i] = strings.Join(segments[:len(segments)-1], "/")
	}
	dirs, err := s.folders(ctx, []tree.ID{root.ID}, parents)
	if err != nil {
		return nil, err
	}
	found := map[string]tree.Entry{}
	for i, path := range paths {
		segments := tree.SplitPath(path)
		if e, ok := dirs[parents[i]][0].Find(segments[len(segments)-1]); ok {
			found[path] = e
		}
	}
	return found, nil
}

// idsIn returns the ids of the folders of a name in folders, and that of an empty one if
// there is none.
func idsIn(parents []*tree.Dir, name string) []tree.ID {
	ids := make([]tree.ID, len(parents))
	for i, parent := range parents {
		ids[i] = emptyDir.ID
		if e, _ := parent.Find(name); e.Mode.IsDir() {
			ids[i] = e.ID
		}
	}
	return ids
}

// filesAt returns the files that a folder has below each of some root trees, with
// their content, as far as wanted chooses them by their names, and they are not larger than
// so many bytes.
func (s *source) filesAt(ctx context.Context, roots []tree.ID, folder string, most int,
	wanted func(name string) bool) ([][]tree.Entry, error) {
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

// sameKind returns the entry where it is a file and a file is looked for, or a
// folder and a folder; else nothing.
func sameKind(e tree.Entry, mode tree.Mode) tree.Entry {
	if e.Mode.IsDir() == (mode == tree.ModeDir) && (e.Mode.IsDir() || IsFile(e)) {
		return e
	}
	return tree.Entry{}
}

// IsFile reports whether an entry is a file, and no folder, link or submodule.
func IsFile(e tree.Entry) bool {
	return e.Mode == tree.ModeFile || e.Mode == tree.ModeExecutable || e.Mode == "100664"
}
