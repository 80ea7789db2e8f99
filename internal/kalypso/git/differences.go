// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Difference is a file that differs from the expected one.
type Difference struct {
	// Path starts at the repository's root.
	Path string
	// Found is the file in the branch, with its content; its mode is empty if the file does not
	// exist. Symbolic links and submodules have no content.
	Found tree.Entry
}

// pair is a folder as the change expects it, and the id of the same folder in the branch.
type pair struct {
	path     string
	expected *tree.Dir
	found    tree.ID
}

// differences returns the files that differ from the expected ones, by path. It compares from the
// top down. A folder that the branch does not have adds no files. Files have no content if all of it
// is larger than the limit for one fetch.
func (r *reader) differences(ctx context.Context, state *Answer, expected map[string]tree.Entry) ([]Difference, error) {
	var all []Difference
	var level []pair
	for name, want := range expected {
		switch found := state.Found[name]; {
		case found == nil:
		case found.Mode == tree.ModeDir:
			level = append(level, pair{name, cmp.Or(want.Dir, emptyDir), found.ID})
		case found.ID != want.ID:
			all = append(all, Difference{name, tree.Entry{Mode: found.Mode, ID: found.ID}})
		}
	}
	slices.SortFunc(level, func(a, b pair) int { return strings.Compare(a.path, b.path) }) // each run reports the same files
	for len(level) > 0 {
		level = slices.DeleteFunc(level, func(p pair) bool { return p.expected.ID == p.found })
		ids := make([]tree.ID, len(level))
		for i, p := range level {
			ids[i] = p.found
		}
		dirs, err := r.dirs(ctx, ids...)
		if err != nil {
			return nil, err
		}
		var files []Difference
		var folders []pair
		for _, p := range level {
			moreFiles, moreFolders := p.compare(dirs[p.found])
			files, folders = append(files, moreFiles...), append(folders, moreFolders...)
		}
		all, level = append(all, files...), folders
	}
	slices.SortFunc(all, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	var files []*tree.Entry
	for i := range all {
		if e := &all[i].Found; IsFile(*e) {
			files = append(files, e)
		}
	}
	if err := r.fill(ctx, files); !remote.Is(err, remote.KindTooLarge) { // otherwise the content is left out
		return all, err
	}
	return all, nil
}

// compare returns the differing files of a folder, and the folders to compare next.
func (p pair) compare(found *tree.Dir) (files []Difference, folders []pair) {
	expected, there := map[string]tree.Entry{}, map[string]tree.Entry{}
	for _, e := range p.expected.Entries {
		expected[e.Name] = e
	}
	for _, e := range found.Entries {
		there[e.Name] = e
		if _, ok := expected[e.Name]; !ok {
			expected[e.Name] = tree.Entry{}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		was, is, at := expected[name], there[name], p.path+"/"+name
		if was.Mode == is.Mode && was.ID == is.ID {
			continue
		}
		if was.Mode.IsDir() || is.Mode.IsDir() {
			below := pair{at, cmp.Or(was.Dir, emptyDir), emptyDir.ID}
			if is.Mode.IsDir() {
				below.found = is.ID
			}
			folders = append(folders, below)
		}
		switch isFile := is.Mode != "" && !is.Mode.IsDir(); {
		case isFile:
			files = append(files, Difference{at, is})
		case was.Mode != "" && !was.Mode.IsDir():
			files = append(files, Difference{Path: at})
		}
	}
	return files, folders
}
