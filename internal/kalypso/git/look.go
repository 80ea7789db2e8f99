// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// look returns what stands at each of the paths below a root tree, as far as
// something does. Cost: that of folders.
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
