// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"cmp"
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
	// Entries are what differs in those that are folders, as <path>/<entry>, sorted.
	Entries []string
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
	// StartFrom is the branch that has them, where the branch was to start from it.
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
		actual := sameKind(w.found[path], edit.Want.Mode).ID
		switch {
		case edit.Unchecked || actual == edit.Expected || actual == edit.wanted():
		case edit.Expected.IsZero():
			exists.Paths = append(exists.Paths, path)
		default:
			conflict.Paths = append(conflict.Paths, path)
		}
	}
	switch {
	case len(conflict.Paths) > 0:
		var err error
		if conflict.Entries, err = w.conflicting(ctx, conflict.Paths, change); err != nil {
			return err
		}
		return conflict
	case len(exists.Paths) > 0:
		return exists
	}
	return nil
}

// conflicting names the entries of folders that somebody else changed. Where the
// server no longer has the old trees, or gives none by id, they are told from
// what we are about to write.
func (w *rewriting) conflicting(ctx context.Context, paths []string, change Change) ([]string, error) {
	paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return change.Edits[path].Want.Mode != tree.ModeDir })
	var before []tree.ID
	found := map[string]tree.ID{}
	for _, path := range paths {
		before = append(before, change.Edits[path].Expected)
		if e := sameKind(w.found[path], tree.ModeDir); e.Mode != "" {
			found[path] = e.ID
		}
	}
	w.source.tryLoad(ctx, before)
	now, err := w.source.dirs(ctx, found)
	if err != nil {
		return nil, err
	}
	var entries []string
	for i, path := range paths {
		was, err := w.source.loaded(before[i])
		if err != nil {
			was = change.Edits[path].Want.Dir // nil where it was to be removed
		}
		for _, name := range differing(was, cmp.Or(now[path], emptyDir)) {
			entries = append(entries, path+"/"+name)
		}
	}
	return entries, nil
}

// differing returns the names of entries that are not the same in both folders.
func differing(a, b *tree.Dir) []string {
	ids := map[string]tree.ID{}
	if a != nil {
		for _, e := range a.Entries {
			ids[e.Name] = e.ID
		}
	}
	var names []string
	for _, e := range b.Entries {
		if ids[e.Name] != e.ID {
			names = append(names, e.Name)
		}
		delete(ids, e.Name)
	}
	names = slices.AppendSeq(names, maps.Keys(ids))
	slices.Sort(names)
	return names
}
