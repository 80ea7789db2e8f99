// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Change is the new content of some paths of a branch. All other paths stay unchanged, by id.
type Change struct {
	// Edits are by the path from the repository's root, without "./" and double or trailing
	// slashes. No path lies below another path.
	Edits map[string]Edit
	// Message is the message of the commit.
	Message string
}

// Edit is the new content of a path.
type Edit struct {
	// Want is the file (tree.ModeFile) or folder (tree.ModeDir) that the path has after the
	// change. An entry without an id, or a folder without entries, removes the path: Git keeps
	// no empty folders. An existing entry of another kind is never removed, and blocks an edit
	// that writes.
	Want tree.Entry
}

// Writes reports whether the edit writes a file or folder.
func (e Edit) Writes() bool { return !e.wanted().IsZero() }

// wanted returns the id that the path has after the change; zero if the edit removes the path.
func (e Edit) wanted() tree.ID {
	if e.Want.ID == emptyDir.ID {
		return tree.ID{}
	}
	return e.Want.ID
}

// Writes reports whether the change writes a file or folder.
func (c Change) Writes() bool {
	for _, e := range c.Edits {
		if e.Writes() {
			return true
		}
	}
	return false
}

func (c Change) paths() []string { return slices.Sorted(maps.Keys(c.Edits)) }

// Check returns an error if a path or an edit is not valid, or if a path lies below the path of
// another edit.
func (c Change) Check() error {
	for _, path := range c.paths() {
		if err := checkWritten(path); err != nil {
			return err
		}
		if err := c.Edits[path].check(path); err != nil {
			return err
		}
		if above := c.above(path); above != "" {
			return fmt.Errorf("the path %s lies in %s, and one change cannot write or remove both. Use another path for one of them", path, above)
		}
	}
	return nil
}

// checkWritten refuses a path that is not clean: two spellings of one path would be two
// entries.
func checkWritten(name string) error {
	if err := tree.CheckPath(name); err != nil {
		return fmt.Errorf("the path %q: %w", name, err)
	}
	if len(tree.SplitPath(name)) == 0 || path.Clean(name) != name {
		return fmt.Errorf("%q is not a path below the root of a repository. Write it like a/b", name)
	}
	return nil
}

// check refuses an edit without content.
func (e Edit) check(path string) error {
	folder := e.Want.Mode == tree.ModeDir
	if !folder && e.Want.Mode != tree.ModeFile || folder && e.Writes() && e.Want.Dir == nil {
		return fmt.Errorf("the path %s is in the change, but the change has no content for it", path)
	}
	return nil
}

// above returns the path of the edit that name lies below; empty for none.
func (c Change) above(name string) string {
	for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
		if _, ok := c.Edits[parent]; ok {
			return parent
		}
	}
	return ""
}
