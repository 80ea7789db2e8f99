// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitops

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/tree"
)

// Difference is a file below a location that is not as it was rendered.
type Difference struct {
	// Path is <folder>/<path in it>, below the location.
	Path string
	// Found is the file in the branch, with its content; its mode is empty where
	// there is none. Symbolic links and submodules have no content.
	Found tree.Entry
}

// maxDifferences files are looked at: beyond that nobody reads them one by one.
const maxDifferences = 5000

// pair is a folder as it was rendered, and as it stands in the branch.
type pair struct {
	path     string
	rendered *tree.Dir
	found    tree.ID
}

// differences compares the folders that were found with the rendered ones, from
// the top down, and gives the files that differ by path, with their content.
// Folders that were not found differ as a whole and have none. There may be too
// many: then it gives none, and tells so.
func (s *source) differences(ctx context.Context, found map[string]*Folder, rendered map[string]*tree.Dir, depth int) (all []Difference, tooMany bool, err error) {
	var level []pair
	for name, folder := range found {
		level = append(level, pair{name, cmp.Or(rendered[name], emptyDir), folder.ID})
	}
	for ; len(level) > 0; depth++ {
		level = slices.DeleteFunc(level, func(p pair) bool { return p.rendered.ID == p.found })
		ids := make([]tree.ID, len(level))
		for i, p := range level {
			ids[i] = p.found
		}
		if err := s.load(ctx, depth, ids...); err != nil {
			return nil, false, err
		}
		var next []pair
		for _, p := range level {
			dir, err := s.dir(ctx, depth, p.found)
			if err != nil {
				return nil, false, err
			}
			files, folders := p.compare(dir)
			all, next = append(all, files...), append(next, folders...)
		}
		if len(all) > maxDifferences {
			return nil, true, nil
		}
		level = next
	}
	slices.SortFunc(all, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return all, false, s.readContent(ctx, all)
}

// compare gives the files of a folder that differ, and the folders to look into.
func (p pair) compare(found *tree.Dir) (files []Difference, folders []pair) {
	gone := map[string]tree.Entry{}
	for _, e := range p.rendered.Entries {
		gone[e.Name] = e
	}
	for _, e := range found.Entries {
		path := p.path + "/" + e.Name
		was, existed := gone[e.Name]
		switch {
		case existed && was.Mode == e.Mode && was.ID == e.ID:
		case e.Mode.IsDir() && existed && was.Mode.IsDir():
			folders = append(folders, pair{path, was.Dir, e.ID})
		case e.Mode.IsDir(): // a file may have stood there: it is left over below
			folders = append(folders, pair{path, emptyDir, e.ID})
			continue
		default:
			files = append(files, Difference{path, e})
			if was.Mode.IsDir() {
				continue
			}
		}
		delete(gone, e.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		if was := gone[name]; was.Mode.IsDir() {
			folders = append(folders, pair{p.path + "/" + name, was.Dir, emptyDir.ID})
			continue
		}
		files = append(files, Difference{Path: p.path + "/" + name})
	}
	return files, folders
}

// readContent fills in the content of the files that were found.
func (s *source) readContent(ctx context.Context, differences []Difference) error {
	var files []*tree.Entry
	for i := range differences {
		if e := &differences[i].Found; isFile(*e) {
			files = append(files, e)
		}
	}
	return s.readBlobs(ctx, files)
}
