// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

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
	// Expected is the id of the file or folder at the path when the change was planned; zero if
	// the path did not exist. Any other content stops the change, unless the content is already
	// the wanted one.
	Expected tree.ID
	// Also is another id that counts as expected; zero for none.
	Also tree.ID
	// Unchecked accepts any content at the path as expected.
	Unchecked bool
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

// Files returns those of some paths at which the change has a file, not a folder.
func (c Change) Files(paths []string) map[string]bool {
	files := map[string]bool{}
	for _, path := range paths {
		if c.Edits[path].Want.Mode != tree.ModeDir {
			files[path] = true
		}
	}
	return files
}

// check refuses paths and edits that are not valid, and a path below the path of another edit.
func (c Change) check() error {
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

// folderDepth returns how many levels of trees lead to the parents of the change's folders.
func (c Change) folderDepth() int {
	wanted := map[string]tree.Entry{}
	for path, e := range c.Edits {
		wanted[path] = e.Want
	}
	return Query{Paths: wanted}.levels()
}

// ConflictError says that paths changed after the change was planned. Apply wrote nothing.
type ConflictError struct {
	Branch Branch
	// Paths are the changed paths, sorted.
	Paths []string
	// Files has the paths at which the change has a file, not a folder.
	Files map[string]bool
	// Found has the present entries of the paths that are folders, except deleted folders.
	Found map[string][]tree.Entry
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("somebody else changed %s in %s. Nothing was written", strings.Join(e.Paths, ", "), e.Branch)
}

// ExistsError says that paths that the change would create already exist, with other content.
// Apply wrote nothing.
type ExistsError struct {
	Branch Branch
	// Paths are the existing paths, sorted.
	Paths []string
	// Files has the paths at which the change has a file, not a folder.
	Files map[string]bool
	// StartFrom is the branch that has the paths, if the new branch would start from StartFrom.
	StartFrom string
}

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s already has %s, with other content. Nothing was written", e.Branch, strings.Join(e.Paths, ", "))
}

// checkExpected stops a change if a path changed after the change was planned.
func (w *rewriting) checkExpected(ctx context.Context, branch Branch, change Change) error {
	exists, conflict := &ExistsError{Branch: branch}, &ConflictError{Branch: branch}
	for _, path := range change.paths() {
		edit := change.Edits[path]
		actual := sameKind(w.found[path][0], edit.Want.Mode).ID
		switch {
		case edit.Unchecked || actual == edit.Expected || actual == edit.wanted() || !actual.IsZero() && actual == edit.Also:
		case edit.Expected.IsZero():
			exists.Paths = append(exists.Paths, path)
		default:
			conflict.Paths = append(conflict.Paths, path)
		}
	}
	switch {
	case len(conflict.Paths) > 0:
		return w.detail(ctx, conflict, change)
	case len(exists.Paths) > 0:
		exists.Files = change.Files(exists.Paths)
		return exists
	}
	return nil
}

func (w *rewriting) detail(ctx context.Context, conflict *ConflictError, change Change) error {
	found, err := w.describe(ctx, change)
	if err != nil {
		return err
	}
	conflict.Files, conflict.Found = change.Files(conflict.Paths), map[string][]tree.Entry{}
	for _, path := range conflict.Paths {
		if f := found[path]; f != nil && f.Mode == tree.ModeDir {
			conflict.Found[path] = f.Entries
		}
	}
	return conflict
}
