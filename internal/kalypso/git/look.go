// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"maps"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// look returns what stands at each of the paths below a root tree, as far as
// something does. Folders on the way that do not exist hold nothing, and what is
// no folder is never followed. Cost: one fetch a level at the most, for trees
// that have not been fetched.
func (s *source) look(ctx context.Context, root *tree.Dir, paths []string) (map[string]tree.Entry, error) {
	found := map[string]tree.Entry{}
	folders := map[string]*tree.Dir{"": root}
	for depth := 0; len(paths) > 0; depth++ {
		below := map[string]tree.ID{}
		var deeper []string
		for _, path := range paths {
			segments := tree.SplitPath(path)
			parent := strings.Join(segments[:depth], "/")
			dir := folders[parent]
			if dir == nil {
				continue
			}
			e, ok := dir.Find(segments[depth])
			switch {
			case ok && depth == len(segments)-1:
				found[path] = e
			case ok && e.Mode.IsDir() && depth < len(segments)-1:
				below[strings.Join(segments[:depth+1], "/")] = e.ID
				deeper = append(deeper, path)
			}
		}
		dirs, err := s.dirs(ctx, below)
		if err != nil {
			return nil, err
		}
		maps.Copy(folders, dirs)
		paths = deeper
	}
	return found, nil
}

// folder returns the folder at a path; an empty one where there is none.
func (s *source) folder(ctx context.Context, root *tree.Dir, path string) (*tree.Dir, error) {
	segments := tree.SplitPath(path)
	if len(segments) == 0 {
		return root, nil
	}
	found, err := s.look(ctx, root, []string{path})
	if err != nil || !found[path].Mode.IsDir() {
		return emptyDir, err
	}
	return s.dir(ctx, len(segments), found[path].ID)
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
