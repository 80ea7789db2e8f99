// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// edit makes a new root tree out of the one that a commit has. Trees are only
// read where they are on the path; the rest is kept by id.
type edit struct {
	source *source
	before *tree.Dir
	root   *tree.Dir
	// found is what stood at the paths of the change.
	found map[string]tree.Entry
	// differ are the folders in replaced folders that change, as they were.
	differ []tree.ID
}

// edit reads the trees of the source's commit, which may be none, and makes those
// that the change asks for. Errors: *ConflictError and *ExistsError where paths
// are not as expected.
func (s *source) edit(ctx context.Context, branch Branch, change Change) (*edit, error) {
	e := &edit{source: s, before: emptyDir}
	var err error
	if !s.commit.IsZero() {
		if e.before, err = s.root(ctx, s.deeper(change.folderDepth(), change.ReplacesMost())); err != nil {
			return nil, err
		}
	}
	if e.found, err = s.look(ctx, e.before, change.paths()); err != nil {
		return nil, err
	}
	if err := e.checkExpected(ctx, branch, change); err != nil {
		return nil, err
	}
	if e.root, err = e.rewrite(ctx, e.before, nil, change.Edits); err != nil {
		return nil, err
	}
	return e, e.compareFolders(ctx, change)
}

// deeper returns how many levels of trees are fetched where so many lead to the
// folders: one more for their entries, where asking for them later costs a
// connection, or a round trip that is needed anyway.
func (s *source) deeper(levels int, most bool) int {
	if !s.repo.stateless || most {
		levels++
	}
	return levels
}

// rewrite returns a folder as the edits, by their paths in it, make it. at is
// where the folder stands.
func (e *edit) rewrite(ctx context.Context, dir *tree.Dir, at []string, edits map[string]Edit) (*tree.Dir, error) {
	here, below := split(edits)
	var entries []tree.Entry
	for _, old := range dir.Entries {
		path := append(slices.Clone(at), old.Name)
		now, err := old, error(nil)
		if edit, ok := here[old.Name]; ok {
			now, err = e.replace(old, path, edit)
		} else if edits, ok := below[old.Name]; ok {
			now, err = e.descend(ctx, old, path, edits)
		}
		if err != nil {
			return nil, err
		}
		delete(here, old.Name)
		delete(below, old.Name)
		if now.Mode != "" {
			entries = append(entries, now)
		}
	}
	for name, edit := range here {
		if edit.Writes() && (edit.Want.Dir == nil || len(edit.Want.Dir.Entries) > 0) {
			edit.Want.Name = name
			entries = append(entries, edit.Want)
		}
	}
	for name, edits := range below {
		now, err := e.rewrite(ctx, emptyDir, append(slices.Clone(at), name), edits)
		if err != nil {
			return nil, err
		}
		if len(now.Entries) > 0 { // git keeps no empty folders
			entries = append(entries, tree.Subdir(name, now))
		}
	}
	return tree.FromForeign(entries), nil
}

// split tells the edits of a folder's own entries from those further down, by the
// folder that they are in.
func split(edits map[string]Edit) (here map[string]Edit, below map[string]map[string]Edit) {
	here, below = map[string]Edit{}, map[string]map[string]Edit{}
	for path, edit := range edits {
		name, rest, deeper := strings.Cut(path, "/")
		switch {
		case !deeper:
			here[name] = edit
			continue
		case below[name] == nil:
			below[name] = map[string]Edit{}
		}
		below[name][rest] = edit
	}
	return here, below
}

// replace returns what an edit makes of an entry; nothing where it goes.
func (e *edit) replace(old tree.Entry, path []string, edit Edit) (tree.Entry, error) {
	same := sameKind(old, edit.Want.Mode).Mode != ""
	switch {
	case edit.Writes() && !same:
		return old, e.occupied(old, path, edit.Want.Mode)
	case !edit.Writes() && same:
		return tree.Entry{}, nil
	case edit.Writes() && old.ID != edit.Want.ID:
		edit.Want.Name = old.Name
		return edit.Want, nil
	}
	return old, nil
}

// descend returns what edits further down make of a folder; nothing where none of
// it is left.
func (e *edit) descend(ctx context.Context, old tree.Entry, path []string, edits map[string]Edit) (tree.Entry, error) {
	if !old.Mode.IsDir() {
		if (Change{Edits: edits}).Writes() {
			return old, e.occupied(old, path, tree.ModeDir)
		}
		return old, nil // what is to go is not there
	}
	before, err := e.source.dir(ctx, len(path), old.ID)
	if err != nil {
		return old, err
	}
	now, err := e.rewrite(ctx, before, path, edits)
	switch {
	case err != nil || now.ID == before.ID:
		return old, err
	case len(now.Entries) == 0:
		return tree.Entry{}, nil
	}
	return tree.Subdir(old.Name, now), nil
}

// occupied says that something else stands where a file or folder has to be.
func (e *edit) occupied(found tree.Entry, path []string, wanted tree.Mode) error {
	what := "a file"
	switch {
	case found.Mode == tree.ModeSymlink:
		what = "a symbolic link, which is not followed"
	case found.Mode == tree.ModeSubmodule:
		what = "a submodule"
	case found.Mode.IsDir():
		what = "a folder"
	}
	has := "a folder"
	if wanted == tree.ModeFile {
		has = "a file"
	}
	return &remote.Error{Kind: remote.KindOccupied, Message: fmt.Sprintf(
		"%s of %s has to be %s, but is %s. Remove or rename it in the repository, or write to another path",
		strings.Join(path, "/"), e.source.repo.name, has, what)}
}

// compareFolders reads the entries of the folders that are replaced: what is
// there already need not be sent.
func (e *edit) compareFolders(ctx context.Context, change Change) error {
	byDepth := map[int][]tree.ID{}
	var replaced []string
	for _, path := range change.paths() {
		edit, old := change.Edits[path], e.found[path]
		if edit.Want.Mode == tree.ModeDir && edit.Writes() && old.Mode.IsDir() && old.ID != edit.Want.ID {
			depth := len(tree.SplitPath(path))
			byDepth[depth] = append(byDepth[depth], old.ID)
			replaced = append(replaced, path)
		}
	}
	for depth, ids := range byDepth {
		if err := e.source.load(ctx, depth, ids...); err != nil {
			return err
		}
	}
	for _, path := range replaced {
		old, err := e.source.dir(ctx, len(tree.SplitPath(path)), e.found[path].ID)
		if err != nil {
			return err
		}
		wanted := map[string]tree.ID{}
		for _, entry := range change.Edits[path].Want.Dir.Entries {
			wanted[entry.Name] = entry.ID
		}
		for _, entry := range old.Entries {
			if id, stays := wanted[entry.Name]; stays && id != entry.ID && entry.Mode.IsDir() {
				e.differ = append(e.differ, entry.ID)
			}
		}
	}
	return nil
}

// maxCompared folders are asked for by id; beyond that, sending their files again
// is cheaper than finding out which of them the server has.
const maxCompared = 1000

// compareFiles reads which files the folders that change have, where that is
// cheap: without it, a folder's unchanged files are sent once more.
func (e *edit) compareFiles(ctx context.Context) {
	if e.source.repo.stateless && len(e.differ) <= maxCompared {
		e.source.tryLoad(ctx, e.differ)
	}
}
