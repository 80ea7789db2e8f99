// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"path"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// plain returns the spelling of a path without "./" and further slashes; empty for the root.
func plain(at string) string { return strings.Join(tree.SplitPath(at), "/") }

// folders returns folders of some root trees, and the folders above them, by their plain paths. A folder that does not exist is empty.
// Files and links are not followed. Cost: one fetch for each missing level of trees, for all folders together.
func (r *reader) folders(ctx context.Context, roots []tree.ID, folders ...string) (map[string][]*tree.Dir, error) {
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
		dirs, err := r.dirs(ctx, all...)
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

// idsIn returns the ids of the folders with a name in some parents; that of the empty folder if a folder does not exist.
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

// look returns the entries of some root trees at some paths; entries without a mode where a path does not exist. The root is a folder
// without a name. Cost: that of folders.
func (r *reader) look(ctx context.Context, roots []tree.ID, paths ...string) (map[string][]tree.Entry, error) {
	parents := make([]string, len(paths))
	for i, at := range paths {
		parents[i] = path.Dir(plain(at))
	}
	dirs, err := r.folders(ctx, roots, parents...)
	if err != nil {
		return nil, err
	}
	found := make(map[string][]tree.Entry, len(paths))
	for i, at := range paths {
		for _, dir := range dirs[plain(parents[i])] {
			e := tree.Subdir("", dir)
			if name := plain(at); name != "" {
				e, _ = dir.Find(path.Base(name))
			}
			found[at] = append(found[at], e)
		}
	}
	return found, nil
}

// sameKind returns the entry if the entry and mode are both a file or both a folder; otherwise the zero entry.
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

// normal returns an entry with a mode that git writes today.
func normal(e tree.Entry) tree.Entry {
	switch {
	case e.Mode.IsDir():
		e.Mode = tree.ModeDir
	case IsFile(e):
		e.Mode = tree.ModeFile
	}
	return e
}
