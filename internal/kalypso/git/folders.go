// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// folders returns folders of some root trees, and the folders above them, by their paths. A
// folder that does not exist is empty. Files and links are not followed. Cost: one fetch for
// each missing level of trees, for all folders together.
func (s *source) folders(ctx context.Context, roots []tree.ID, folders ...string) (map[string][]*tree.Dir, error) {
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
		dirs, err := s.dirs(ctx, all...)
		if err != nil {
			return nil, err
		}
		for at, ids := range level {
			for _, id := range ids {
				read[at] = append(read[at], dirs[id])
			}
		}
	}
}

// look returns the entries of some root trees at some paths; entries without a mode where a
// path does not exist. The root is a folder without a name. Cost: that of folders.
func (s *source) look(ctx context.Context, roots []tree.ID, paths ...string) (map[string][]tree.Entry, error) {
	parents, names := make([]string, len(paths)), make([]string, len(paths))
	for i, path := range paths {
		if segments := tree.SplitPath(path); len(segments) > 0 { // otherwise the path is the root
			last := len(segments) - 1
			parents[i], names[i] = strings.Join(segments[:last], "/"), segments[last]
		}
	}
	dirs, err := s.folders(ctx, roots, parents...)
	if err != nil {
		return nil, err
	}
	found := make(map[string][]tree.Entry, len(paths))
	for i, path := range paths {
		for _, dir := range dirs[parents[i]] {
			e, _ := dir.Find(names[i])
			if names[i] == "" {
				e = tree.Subdir("", dir)
			}
			found[path] = append(found[path], e)
		}
	}
	return found, nil
}

// idsIn returns the ids of the folders with a name in some parents. A folder that does not
// exist has the id of the empty folder.
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

// contents returns the content of files in some folders, by their ids. wanted chooses files by
// their names. Files that are larger than most bytes are left out.
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

// sameKind returns the entry if the entry and mode are both a file or both a folder; otherwise
// the zero entry.
func sameKind(e tree.Entry, mode tree.Mode) tree.Entry {
	if e.Mode.IsDir() == (mode == tree.ModeDir) && (e.Mode.IsDir() || IsFile(e)) {
		return e
	}
	return tree.Entry{}
}

// IsFile reports whether an entry is a file, and not a folder, link or submodule.
func IsFile(e tree.Entry) bool {
	return e.Mode == tree.ModeFile || e.Mode == tree.ModeExecutable || e.Mode == "100664"
}
