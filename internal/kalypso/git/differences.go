// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Differences is what differs below a location from what was rendered.
type Differences struct {
	// Files are those that differ, by path; none where there are too many to tell.
	Files   []Difference
	TooMany bool
	// Tracking is the content of the promoted commit's file; nil where there is none.
	Tracking []byte
}

// Difference is a file below a location that is not as it was rendered.
type Difference struct {
	// Path is <folder>/<path in it>, below the location.
	Path string
	// Found is the file in the branch, with its content; its mode is empty where
	// there is none. Symbolic links and submodules have no content.
	Found tree.Entry
}

// maxDifferences files and folders are looked at: beyond that nobody reads them
// one by one.
const maxDifferences = 5000

// maxDifferenceBytes may be held of what differs; of more, no content is known.
const maxDifferenceBytes = 64 << 20

// pair is a folder as it was rendered, and as it stands in the branch.
type pair struct {
	path     string
	rendered *tree.Dir
	found    tree.ID
}

// differences compares the folders that were found, at that depth, with the
// rendered ones, from the top down. Folders that were not found differ as a
// whole and have no files here.
func (s *source) differences(ctx context.Context, state *State, rendered map[string]*tree.Dir, depth int) (*Differences, error) {
	all := &Differences{}
	var level []pair
	for name, folder := range state.Folders {
		level = append(level, pair{name, cmp.Or(rendered[name], emptyDir), folder.ID})
	}
	for looked := 0; len(level) > 0; depth++ {
		level = slices.DeleteFunc(level, func(p pair) bool { return p.rendered.ID == p.found })
		ids := make([]tree.ID, len(level))
		for i, p := range level {
			ids[i] = p.found
		}
		if err := s.load(ctx, depth, ids...); err != nil {
			return nil, err
		}
		var next []pair
		for _, p := range level {
			dir, err := s.dir(ctx, depth, p.found)
			if err != nil {
				return nil, err
			}
			files, folders := p.compare(dir)
			all.Files, next = append(all.Files, files...), append(next, folders...)
		}
		if looked += len(next); looked+len(all.Files) > maxDifferences {
			all.Files, all.TooMany = nil, true
			break
		}
		level = next
	}
	slices.SortFunc(all.Files, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return all, s.readContent(ctx, all, state.Tracking)
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
func (s *source) readContent(ctx context.Context, all *Differences, trackingBlob tree.ID) error {
	var files []*tree.Entry
	for i := range all.Files {
		if e := &all.Files[i].Found; isFile(*e) {
			files = append(files, e)
		}
	}
	tracking := tree.Entry{ID: trackingBlob}
	if !trackingBlob.IsZero() {
		files = append(files, &tracking)
	}
	s.limit = maxDifferenceBytes
	err := s.readBlobs(ctx, files)
	var tooLarge *Error
	if errors.As(err, &tooLarge) && tooLarge.Kind == KindTooLarge {
		err = nil
	}
	all.Tracking = tracking.Content
	return err
}
