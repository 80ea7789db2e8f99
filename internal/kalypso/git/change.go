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
	// Edits are the files (tree.ModeFile) and folders (tree.ModeDir) after the change, by clean paths from the repository's root. No
	// path lies below another path. An entry without an id removes the path, and so does a folder without entries, because git keeps
	// no empty folders. If a path exists as another kind of entry, an edit that writes fails, and one that removes has no effect.
	Edits map[string]tree.Entry
	// Message is the message of the commit.
	Message string
}

// Writes reports whether an edit writes a file or folder.
func Writes(edit tree.Entry) bool { return !edit.ID.IsZero() && edit.ID != emptyDir.ID }

func anyWrites(edits map[string]tree.Entry) bool {
	for _, edit := range edits {
		if Writes(edit) {
			return true
		}
	}
	return false
}

// Check returns an error if a path or an edit is not valid, or if a path lies below the path of
// another edit.
func (c Change) Check() error {
	for _, path := range slices.Sorted(maps.Keys(c.Edits)) {
		if err := checkWritten(path); err != nil {
			return err
		}
		edit := c.Edits[path]
		folder := edit.Mode == tree.ModeDir
		if !folder && edit.Mode != tree.ModeFile || folder && Writes(edit) && edit.Dir == nil {
			return fmt.Errorf("the path %s is in the change, but the change has no content for it", path)
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

// above returns the path of the edit that name lies below; empty for none.
func (c Change) above(name string) string {
	for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
		if _, ok := c.Edits[parent]; ok {
			return parent
		}
	}
	return ""
}
