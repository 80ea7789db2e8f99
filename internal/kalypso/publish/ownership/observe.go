// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"path"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Query asks for the content that may have changed. If the branch points to the same commit,
// it asks for nothing.
func (inv *Inventory) Query() git.Query {
	query := git.Query{Head: inv.Head, Paths: inv.RecordsQuery(), Folder: inv.Location.Path, Content: TellsOwners}
	for path, object := range inv.Owned {
		query.Paths[path] = tree.Entry{Mode: object.Mode, ID: object.ID}
	}
	for _, path := range inv.Listed() {
		query.Paths[path] = tree.Entry{Mode: tree.ModeDir}
	}
	return query
}

// Around asks for the foreign content that matters for an attempt to write: the records of
// others, and the present content of the paths to write.
func (inv *Inventory) Around(d Desired) git.Query {
	query := git.Query{Head: inv.Head, Paths: inv.RecordsQuery(), Content: TellsOwners}
	for path, object := range inv.Owned {
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

// Update notes the found content of the branch. Errors: those of NoteOwners.
func (inv *Inventory) Update(found *git.Answer) error {
	if err := inv.NoteOwners(found, inv.Location.Branch); err != nil {
		return err
	}
	inv.Head = found.Head
	for path := range inv.Owned {
		inv.take(path, found)
	}
	return nil
}

// take notes the object at one path. It does not note an emptied folder.
func (inv *Inventory) take(path string, found *git.Answer) {
	known, id := inv.Owned[path], Standing(found, path)
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
	inv.Owned[path] = known
}

func (inv *Inventory) remove(path string) { inv.Packages.RemoveFolder(KeyOf(inv.Location, path)) }
