// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package diff writes the difference of two states of a repository as `git diff` prints it,
// but without credentials.
//
//	beside  a file that no cluster reads
//	whole   a file of a folder that is new or removed as a whole
//	fold    a change with the files in which the same lines change
//	hunk    blocks of changed lines that are close to each other
package diff

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// File is a file on one side of a change.
type File struct {
	Mode tree.Mode
	ID   tree.ID
	// Content is nil if the content is not available. Then only the id shows the change. An
	// empty file has emptyID.
	Content []byte
}

var emptyID = tree.File("", nil).ID

// Available reports whether the content is known.
func (f *File) Available() bool {
	return f.Content != nil || f.ID == emptyID || f.Mode == tree.ModeSubmodule
}

func (f *File) isRegular() bool { return f.Mode == tree.ModeFile || f.Mode == tree.ModeExecutable }

// FileChange is the change of one path. Old is nil if the path is new, New is nil if it is
// deleted.
type FileChange struct {
	Path     string
	Old, New *File
	// Beside is true for a file that no cluster reads. Such a file comes last, and is one
	// line if other files change too.
	Beside bool
	// Whole is true if the whole folder of the file is new or removed, like the folder of a
	// package.
	Whole bool
}

// Trees returns the changes between two directories, sorted by path. Either directory may
// contain files and directories with only an id. Cost: Trees does not read equal
// directories.
func Trees(from, to *tree.Dir) []FileChange { return sorted(appendDirs(nil, "", from, to)) }

// appendDirs adds the changes between two directories; nil is a directory that does not
// exist.
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
		if gone != nil && come != nil && gone.Mode != come.Mode && (!gone.isRegular() || !come.isRegular()) { // git splits it too
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

// fileOf returns an entry as a file; nil for a missing entry, and for a directory with known
// entries.
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

// sorted sorts changes by path. A deletion stays before a new file at the same path.
func sorted(changes []FileChange) []FileChange {
	slices.SortStableFunc(changes, func(a, b FileChange) int { return strings.Compare(a.Path, b.Path) })
	return changes
}
