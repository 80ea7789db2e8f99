// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package diff writes the difference of two states of a repository as `git diff` prints
// it, except that credentials are not shown.
package diff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// File is a file on one side of a change.
type File struct {
	Mode tree.Mode
	ID   tree.ID
	// Content is nil if it is not available. Then only the id shows that the file changes.
	// An empty file is known by its id.
	Content []byte
}

// emptyID is the id of a file without content.
var emptyID = tree.File("", nil).ID

func (f *File) available() bool {
	return f.Content != nil || f.ID == emptyID || f.Mode == tree.ModeSubmodule
}

// FileChange is the change of one path. Old is nil if the path is new, New is nil if it is
// deleted.
type FileChange struct {
	Path     string
	Old, New *File
	// Beside is true for a file that no cluster reads. Such a file comes last, and is one
	// line if other files change too.
	Beside bool
	// Whole is true if the folder of the file comes or goes with it, as that of a package does.
	Whole bool
}

// Same reports whether nothing happens.
func (c FileChange) Same() bool {
	if c.Old == nil || c.New == nil {
		return c.Old == c.New
	}
	return c.Old.ID == c.New.ID && c.Old.Mode == c.New.Mode
}

// Trees returns the changes that lead from a directory to another, sorted by path. Either
// may contain files and directories of which only the id is known. Cost: Trees does not
// look into equal directories.
func Trees(from, to *tree.Dir) []FileChange { return sorted(appendDirs(nil, "", from, to)) }

// appendDirs adds the changes that lead from one directory to another; nil is a directory
// that does not exist.
func appendDirs(changes []FileChange, path string, from, to *tree.Dir) []FileChange {
	if from != nil && to != nil && from.ID == to.ID {
		return changes
	}
	old, now, first := entriesOf(from), entriesOf(to), len(changes)
	names := maps.Clone(old)
	maps.Copy(names, now)
	for name := range names {
		o, n := old[name], now[name]
		if o.ID == n.ID && o.Mode == n.Mode {
			continue
		}
		if o.Dir != nil || n.Dir != nil {
			changes = appendDirs(changes, path+name+"/", o.Dir, n.Dir)
		}
		gone, come := fileOf(o), fileOf(n)
		if gone != nil && come != nil && (gone.Mode == tree.ModeDir || come.Mode == tree.ModeDir) {
			changes = append(changes, FileChange{Path: path + name, Old: gone})
			gone = nil
		}
		if gone != nil || come != nil {
			changes = append(changes, FileChange{Path: path + name, Old: gone, New: come})
		}
	}
	if from == nil || to == nil {
		for i := range changes[first:] {
			changes[first+i].Whole = true
		}
	}
	return changes
}

// fileOf returns an entry as a file; nil if there is none, and for a directory whose entries
// are known.
func fileOf(e tree.Entry) *File {
	if e.Name == "" || e.Dir != nil {
		return nil
	}
	return &File{e.Mode, e.ID, e.Content}
}

func entriesOf(d *tree.Dir) map[string]tree.Entry {
	entries := map[string]tree.Entry{}
	if d == nil {
		return entries
	}
	for _, e := range d.Entries {
		entries[e.Name] = e
	}
	return entries
}

// sorted puts changes in the order of their paths, deletions first.
func sorted(changes []FileChange) []FileChange {
	slices.SortFunc(changes, func(a, b FileChange) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(isNil(a.Old), isNil(b.Old)))
	})
	return changes
}

func isNil(f *File) int {
	if f == nil {
		return 1
	}
	return 0
}
