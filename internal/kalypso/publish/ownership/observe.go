// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Query asks for the content that may have changed. If the branch points to the same commit,
// it asks for nothing, except newly watched folders of others.
func (inv *Inventory) Query(exclusive bool) git.Query {
	query := git.Query{Paths: inv.RecordsQuery(), Folder: inv.Location.Path, Content: TellsOwners}
	for path, object := range inv.Known() {
		query.Paths[path] = tree.Entry{Mode: object.Mode, ID: object.ID}
	}
	for _, path := range inv.Listed() {
		query.Paths[path] = tree.Entry{Mode: tree.ModeDir}
	}
	if exclusive {
		query.Others = Claimable
	}
	if exclusive == (inv.Foreign != nil) {
		query.Head = inv.Head
	}
	return query
}

// Around asks for the foreign content that matters for an attempt to write: the records of
// others, and the present content of the paths to write.
func (inv *Inventory) Around(d Desired) git.Query {
	query := git.Query{Head: inv.Head, Paths: inv.RecordsQuery(), Content: TellsOwners}
	for path, object := range inv.claimed(d.Exclusive) {
		query.Paths[path] = tree.Entry{Mode: object.Mode, ID: object.ID}
	}
	for path, want := range d.Paths {
		known, ours := inv.Owned[path]
		query.Paths[path] = tree.Entry{Mode: want.Mode, ID: known.ID}
		if !ours {
			query.Head = tree.ID{}
		}
	}
	for _, path := range inv.Listed() {
		if _, asked := query.Paths[path]; !asked {
			query.Paths[path], query.Head = tree.Entry{Mode: tree.ModeDir}, tree.ID{}
		}
	}
	return query
}

// RecordsQuery asks for the records, if they differ from the known ones.
func (inv *Inventory) RecordsQuery() map[string]tree.Entry {
	return map[string]tree.Entry{RecordsFolder: {Mode: tree.ModeDir, ID: inv.RecordsID}}
}

// TellsOwners reports whether a file names the owner of a folder.
func TellsOwners(file string) bool { return IsRecord(file) || path.Base(file) == engine.ReadmeFile }

// NoteOwners notes the owners in the branch. Errors: the branch has too many records.
func (inv *Inventory) NoteOwners(found *git.Answer, branch string) error {
	if found.Unchanged {
		return nil
	}
	inv.Emptied = map[string]bool{}
	for _, path := range inv.Listed() { // the query asked for these paths
		inv.Emptied[path] = found.ID(path).IsZero()
	}
	for path, f := range found.Found {
		if IsEmptied(f) {
			inv.Emptied[path] = true
		}
	}
	folder := found.Found[RecordsFolder]
	if id := found.ID(RecordsFolder); id == inv.RecordsID && !id.IsZero() {
		return nil
	}
	records, err := ReadRecords(folder, branch)
	if err != nil {
		return err
	}
	for instance, r := range records {
		if known := inv.Records[instance]; known.File == r.File {
			records[instance] = known
		}
	}
	inv.Records, inv.RecordsID = records, found.ID(RecordsFolder)
	return nil
}

// Standing returns the id of the object at a path; zero for a missing object and for an
// emptied folder.
func Standing(found *git.Answer, path string) tree.ID {
	if f := found.Found[path]; f != nil && !IsEmptied(f) {
		return f.ID
	}
	return tree.ID{}
}

// watches reports whether the object at a path is a claimed folder of others. An emptied
// folder, a folder in, around or equal to a listed path, and a folder with an owned file are
// not.
func (inv *Inventory) watches(others Claimants, path string, found *git.Found) bool {
	if others.Claim(path) || inv.Records[inv.Instance].Lists(path) || path == RecordsFolder || IsEmptied(found) {
		return false
	}
	return !slices.ContainsFunc(engine.OwnedFiles, func(file string) bool { return strings.HasPrefix(file, path+"/") })
}

// Update notes the found content of the branch. It returns the folders that cannot be watched,
// because their names are not valid text. Errors: those of NoteOwners.
func (inv *Inventory) Update(found *git.Answer, exclusive bool) (unwatched []string, err error) {
	if err := inv.NoteOwners(found, inv.Location.Branch); err != nil {
		return nil, err
	}
	inv.Head = found.Head
	owners := inv.Claimants()
	for path := range inv.Owned {
		inv.take(inv.Owned, path, found)
	}
	for path := range inv.Foreign {
		if now := found.Found[path]; now == nil || !exclusive || !inv.watches(owners, path, now) {
			inv.remove(path)
			delete(inv.Foreign, path)
		}
	}
	switch {
	case !exclusive:
		inv.Foreign = nil
	case inv.Foreign == nil:
		inv.Foreign = Objects{}
	}
	for path, f := range found.Found {
		if _, ours := inv.Owned[path]; ours || !exclusive || !inv.watches(owners, path, f) {
			continue
		}
		if !utf8.ValidString(path) {
			unwatched = append(unwatched, path)
			continue
		}
		inv.take(inv.Foreign, path, found)
	}
	slices.Sort(unwatched)
	return unwatched, nil
}

// take notes the object at one path. It does not note an emptied folder.
func (inv *Inventory) take(objects Objects, path string, found *git.Answer) {
	known, id := objects[path], Standing(found, path)
	if id != known.ID {
		inv.remove(path)
	}
	if now := found.Found[path]; !id.IsZero() {
		known.Mode = now.Mode
		if id != known.ID {
			AddDigests(inv.Packages, inv.Location, inv.Detail, path, now)
		}
	}
	known.ID = id
	objects[path] = known
}

func (inv *Inventory) remove(path string) { inv.Packages.RemoveFolder(KeyOf(inv.Location, path)) }
