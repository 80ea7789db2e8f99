// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// ConflictError says that paths changed after the change was planned. Nothing was
// written.
type ConflictError struct {
	Branch Branch
	// Paths are those that changed, sorted.
	Paths []string
	// Files are those of them that are files for the change, and no folders.
	Files map[string]bool
	// Found is what those that are folders hold now; nothing for those that are gone.
	Found map[string][]tree.Entry
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("somebody else changed %s in %s. Nothing was written", strings.Join(e.Paths, ", "), e.Branch)
}

// ExistsError says that what was to be created exists already, with other content.
// Nothing was written.
type ExistsError struct {
	Branch Branch
	// Paths are those that exist, sorted.
	Paths []string
	// Files are those of them that were to be files, and no folders.
	Files map[string]bool
	// StartFrom is the branch that has them, if the branch was to start from it.
	StartFrom string
}

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s already holds %s, with other content. Nothing was written", e.Branch, strings.Join(e.Paths, ", "))
}

// checkExpected stops a change of which a path is not as it was when it was planned.
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
		return w.tell(ctx, conflict, change)
	case len(exists.Paths) > 0:
		exists.Files = change.Files(exists.Paths)
		return exists
	}
	return nil
}

// Adds the details to a conflict, and returns it.
func (w *rewriting) tell(ctx context.Context, conflict *ConflictError, change Change) error {
	ids := map[string]tree.ID{}
	conflict.Files = change.Files(conflict.Paths)
	for _, path := range conflict.Paths {
		if e := sameKind(w.found[path][0], tree.ModeDir); e.Mode != "" && change.Edits[path].Want.Mode == tree.ModeDir {
			ids[path] = e.ID
		}
	}
	dirs, err := w.source.dirs(ctx, slices.Collect(maps.Values(ids))...)
	if err != nil {
		return err
	}
	conflict.Found = map[string][]tree.Entry{}
	for path, id := range ids {
		conflict.Found[path] = dirs[id].Entries
	}
	return conflict
}
