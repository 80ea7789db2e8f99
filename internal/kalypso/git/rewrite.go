// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// rewriting is a change of a commit, with the root tree that the change makes.
type rewriting struct {
	reader *reader
	change Change
	base   Commit
	root   *tree.Dir
	// before has the ids of what the change replaces, by path.
	before map[string]tree.ID
}

// rewrite decides about a commit, which may be zero, and makes the trees of the change. It reads only the trees on
// the paths of the change, and keeps the rest by id.
func (r *reader) rewrite(ctx context.Context, base tree.ID, work Work) (*rewriting, error) {
	c, answer, err := r.answer(ctx, base, work.Query)
	if err != nil {
		return nil, err
	}
	w := &rewriting{reader: r, base: c, before: map[string]tree.ID{}}
	if w.change, err = work.Decide(answer); err == nil {
		err = w.change.Check()
	}
	if err != nil {
		return nil, err
	}
	parents := []string{""}
	for at := range w.change.Edits {
		parents = append(parents, path.Dir(at))
	}
	before, err := r.folders(ctx, []tree.ID{c.root}, parents...)
	if err != nil {
		return nil, err
	}
	if w.root, err = w.dir(before[""][0], "", w.change.Edits); err != nil {
		return nil, err
	}
	// The server already has the content of replaced folders, so it need not be sent.
	var replaced []tree.ID
	for at, edit := range w.change.Edits {
		if old := w.before[at]; edit.Mode == tree.ModeDir && Writes(edit) && !old.IsZero() && old != edit.ID {
			replaced = append(replaced, old)
		}
	}
	_, err = r.dirs(ctx, replaced...)
	return w, err
}

func (w *rewriting) changesNothing() bool { return w.root.ID == w.base.root }

// dir returns the folder at a path after the edits of its entries. The keys of the edits are paths below the folder.
func (w *rewriting) dir(before *tree.Dir, at string, edits map[string]tree.Entry) (*tree.Dir, error) {
	below := map[string]map[string]tree.Entry{} // by entry; an edit of the entry itself has an empty path
	for name, edit := range edits {
		name, rest, _ := strings.Cut(name, "/")
		if below[name] == nil {
			below[name] = map[string]tree.Entry{}
		}
		below[name][rest] = edit
	}
	var stay, fresh []tree.Entry
	for _, old := range before.Entries {
		now := old
		if edits, ok := below[old.Name]; ok {
			delete(below, old.Name)
			var err error
			if now, err = w.entry(old, at, edits); err != nil {
				return nil, err
			}
		}
		if now.Mode != "" {
			stay = append(stay, now)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(below)) {
		now, err := w.entry(tree.Entry{Name: name}, at, below[name])
		if err != nil {
			return nil, err
		}
		if now.Mode != "" {
			fresh = append(fresh, now)
		}
	}
	if err := w.checkNames(at, stay, fresh); err != nil {
		return nil, err
	}
	return tree.FromForeign(append(stay, fresh...)), nil
}

// entry returns an entry of a folder after the edits of it or of entries below it. An entry without a mode does not
// exist.
func (w *rewriting) entry(old tree.Entry, folder string, edits map[string]tree.Entry) (tree.Entry, error) {
	at := path.Join(folder, old.Name)
	edit, isWhole := edits[""]
	if !isWhole {
		edit.Mode = tree.ModeDir
	}
	writes := anyWrites(edits)
	exists := sameKind(old, edit.Mode).Mode != ""
	if isWhole && exists {
		w.before[at] = old.ID
	}
	switch {
	case old.Mode != "" && !exists && writes:
		return old, w.occupied(old, at, edit.Mode)
	case !exists && !writes, isWhole && old.ID == edit.ID:
		return old, nil
	case isWhole && !writes:
		return tree.Entry{}, nil
	case isWhole:
		edit.Name = old.Name
		return edit, nil
	}
	before := emptyDir
	if exists {
		var err error
		if before, err = w.reader.objects.dir(old.ID); err != nil {
			return old, w.reader.missing(old.ID, err)
		}
	}
	now, err := w.dir(before, at, edits)
	switch {
	case err != nil || now.ID == before.ID:
		return old, err
	case len(now.Entries) == 0:
		return tree.Entry{}, nil
	}
	return tree.Subdir(old.Name, now), nil
}

// checkNames refuses new entries whose names some file systems treat as the name of another
// entry: in a checkout on such a file system, one entry would replace the other.
func (w *rewriting) checkNames(folder string, stay, fresh []tree.Entry) error {
	if len(fresh) == 0 {
		return nil
	}
	names := make(map[string]string, len(stay)+len(fresh))
	for _, e := range stay {
		names[tree.Fold(e.Name)] = e.Name
	}
	for _, e := range fresh {
		if other, taken := names[tree.Fold(e.Name)]; taken {
			return remote.Errorf(remote.KindOccupied, "%s exists in %s, and %s cannot be written beside it: many file systems (of macOS "+
				"and Windows) treat the two names as the same, so a checkout there would lose one of the files. Rename or remove "+
				"one of them", path.Join(folder, other), w.reader.repo.name, path.Join(folder, e.Name))
		}
		names[tree.Fold(e.Name)] = e.Name
	}
	return nil
}

var modeNames = map[tree.Mode]string{tree.ModeDir: "a folder", tree.ModeFile: "a file", tree.ModeSubmodule: "a submodule",
	tree.ModeSymlink: "a symbolic link, which is not followed"}

// occupied returns the error that an entry of another kind has the path of a file or folder.
func (w *rewriting) occupied(found tree.Entry, at string, wanted tree.Mode) error {
	return remote.Errorf(remote.KindOccupied, "the path %s of %s has to be %s, but is %s. Remove or rename the entry in the branch, or write "+
		"to another path", at, w.reader.repo.name, modeNames[wanted], modeNames[normal(found).Mode])
}
