// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// rewriting makes a new root tree from the root tree of a commit. It reads only the trees on
// the paths of the change, and keeps the rest by id.
type rewriting struct {
	source *source
	before *tree.Dir
	root   *tree.Dir
	// found has the entries at the paths of the change before the change.
	found map[string][]tree.Entry
}

// rewrite reads the trees of the source's commit, if the source has one, and makes the trees
// of the change.
func (s *source) rewrite(ctx context.Context, change Change) (*rewriting, error) {
	w := &rewriting{source: s, before: emptyDir}
	var err error
	if !s.commit.IsZero() {
		if w.before, err = s.root(ctx, s.deeper(change.folderDepth())); err != nil {
			return nil, err
		}
	}
	if w.found, err = s.look(ctx, []tree.ID{w.before.ID}, change.paths()...); err != nil {
		return nil, err
	}
	if w.root, err = w.dir(ctx, w.before, nil, change.Edits); err != nil {
		return nil, err
	}
	// The server already has the content of replaced folders, so it need not be sent.
	var replaced []tree.ID
	for path, edit := range change.Edits {
		if old := w.found[path][0]; edit.Want.Mode == tree.ModeDir && edit.Writes() && old.Mode.IsDir() && old.ID != edit.Want.ID {
			replaced = append(replaced, old.ID)
		}
	}
	return w, s.load(ctx, replaced)
}

// deeper returns how many levels of trees to fetch. It adds a level for the folders' entries
// if a later request for the entries would need a new connection.
func (s *source) deeper(levels int) int {
	if !s.repo.stateless {
		levels++
	}
	return levels
}

// dir returns the folder at a path after the edits. The keys of the edits are paths below the
// folder.
func (w *rewriting) dir(ctx context.Context, before *tree.Dir, at []string, edits map[string]Edit) (*tree.Dir, error) {
	here, below := split(edits)
	var entries []tree.Entry
	for _, old := range before.Entries {
		path := append(slices.Clone(at), old.Name)
		now, err := old, error(nil)
		if edit, ok := here[old.Name]; ok {
			now, err = w.replace(old, path, edit)
		} else if edits, ok := below[old.Name]; ok {
			now, err = w.descend(ctx, old, path, edits)
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
	stays := entries
	for name, edit := range here {
		if edit.Writes() {
			edit.Want.Name = name
			entries = append(entries, edit.Want)
		}
	}
	for name, edits := range below {
		now, err := w.dir(ctx, emptyDir, append(slices.Clone(at), name), edits)
		if err != nil {
			return nil, err
		}
		if len(now.Entries) > 0 { // git keeps no empty folders
			entries = append(entries, tree.Subdir(name, now))
		}
	}
	if err := w.checkNames(at, stays, entries[len(stays):]); err != nil {
		return nil, err
	}
	return tree.FromForeign(entries), nil
}

// checkNames refuses new entries whose names some file systems treat as the name of another
// entry: in a checkout on such a file system, one entry would replace the other.
func (w *rewriting) checkNames(at []string, stay, fresh []tree.Entry) error {
	if len(fresh) == 0 {
		return nil
	}
	names := make(map[string]string, len(stay)+len(fresh))
	for _, e := range stay {
		names[tree.Fold(e.Name)] = e.Name
	}
	for _, e := range fresh {
		if other, taken := names[tree.Fold(e.Name)]; taken {
			folder := path.Join(at...)
			return remote.Errorf(remote.KindOccupied, "%s exists in %s, and %s cannot be written beside it: many file systems (of macOS "+
				"and Windows) treat the two names as the same, so a checkout there would lose one of the files. Rename or remove "+
				"one of them", path.Join(folder, other), w.source.repo.name, path.Join(folder, e.Name))
		}
		names[tree.Fold(e.Name)] = e.Name
	}
	return nil
}

// split divides the edits of a folder into those of its own entries, and those of each folder
// below.
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

// replace returns an entry after its edit; the zero entry if the edit removes it.
func (w *rewriting) replace(old tree.Entry, path []string, edit Edit) (tree.Entry, error) {
	same := sameKind(old, edit.Want.Mode).Mode != ""
	switch {
	case edit.Writes() && !same:
		return old, w.occupied(old, path, edit.Want.Mode)
	case !edit.Writes() && same:
		return tree.Entry{}, nil
	case edit.Writes() && old.ID != edit.Want.ID:
		edit.Want.Name = old.Name
		return edit.Want, nil
	}
	return old, nil
}

// descend returns a folder after the edits below it; the zero entry if the folder becomes
// empty.
func (w *rewriting) descend(ctx context.Context, old tree.Entry, path []string, edits map[string]Edit) (tree.Entry, error) {
	if !old.Mode.IsDir() {
		if (Change{Edits: edits}).Writes() {
			return old, w.occupied(old, path, tree.ModeDir)
		}
		return old, nil // nothing to remove
	}
	before, err := w.source.dir(ctx, old.ID)
	if err != nil {
		return old, err
	}
	now, err := w.dir(ctx, before, path, edits)
	switch {
	case err != nil || now.ID == before.ID:
		return old, err
	case len(now.Entries) == 0:
		return tree.Entry{}, nil
	}
	return tree.Subdir(old.Name, now), nil
}

// occupied returns the error that an entry of another kind has the path of a file or folder.
func (w *rewriting) occupied(found tree.Entry, path []string, wanted tree.Mode) error {
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
	return remote.Errorf(remote.KindOccupied, "the path %s of %s has to be %s, but is %s. Remove or rename the entry in the branch, or write "+
		"to another path", strings.Join(path, "/"), w.source.repo.name, has, what)
}

// push pushes the new root tree as a commit on its parents (zero ids are left out), and
// moves a branch to it.
func (w *rewriting) push(ctx context.Context, branch string, from tree.ID, message string, parents ...tree.ID) (tree.ID, error) {
	content, err := w.source.repo.client.commitObject(w.root.ID, message, parents...)
	if err != nil {
		return tree.ID{}, err
	}
	to, err := w.source.repo.openReceiver(ctx)
	if err != nil {
		return tree.ID{}, err
	}
	defer to.close()
	objects := &pack{has: w.source.known()}
	commit := objects.addCommit(content)
	objects.addDir(w.root)
	return commit, to.push(ctx, command{branch, from, commit}, objects)
}
