// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// query asks for what may have changed: nothing while the branch points where it
// did, unless folders of others have become ours to watch.
func (inv *Inventory) query(exclusive bool) git.Query {
	query := git.Query{Paths: inv.recordsQuery(), Folder: inv.Location.Path, Content: tellsOwners}
	for path, object := range inv.known() {
		query.Paths[path] = tree.Entry{Mode: object.Mode, ID: tree.ID(object.ID)}
	}
	for _, path := range inv.listed() {
		query.Paths[path] = tree.Entry{Mode: tree.ModeDir}
	}
	if exclusive {
		query.Others = claimable
	}
	if exclusive == (inv.Foreign != nil) {
		query.Head = tree.ID(inv.Head)
	}
	return query
}

// around asks for what an attempt to write has to know of others: their records,
// and what stands where something of ours is to come.
func (inv *Inventory) around(d Desired) git.Query {
	query := git.Query{Head: tree.ID(inv.Head), Paths: inv.recordsQuery(), Content: tellsOwners}
	for path, object := range inv.claimed(d.Exclusive) {
		query.Paths[path] = tree.Entry{Mode: object.Mode, ID: tree.ID(object.ID)}
	}
	for path, want := range d.Paths {
		known, ours := inv.Owned[path]
		query.Paths[path] = tree.Entry{Mode: want.Mode, ID: tree.ID(known.ID)}
		if !ours {
			query.Head = tree.ID{}
		}
	}
	for _, path := range inv.listed() {
		if _, asked := query.Paths[path]; !asked {
			query.Paths[path], query.Head = tree.Entry{Mode: tree.ModeDir}, tree.ID{}
		}
	}
	return query
}

func (inv *Inventory) recordsQuery() map[string]tree.Entry {
	return map[string]tree.Entry{RecordsFolder: {Mode: tree.ModeDir, ID: tree.ID(inv.RecordsID)}}
}

// tellsOwners reports whether a file says whose a folder is.
func tellsOwners(file string) bool { return isRecord(file) || isReadme(file) }

// noteOwners takes over what a branch says of who owns what in it. Errors: there are
// more records than anybody needs.
func (inv *Inventory) noteOwners(found *git.State, branch string) error {
	if found.Unchanged {
		return nil
	}
	inv.Emptied = map[string]bool{}
	for _, path := range inv.listed() { // which was asked for
		inv.Emptied[path] = found.ID(path).IsZero()
	}
	for path, f := range found.Found {
		if isEmptied(f) {
			inv.Emptied[path] = true
		}
	}
	folder := found.Found[RecordsFolder]
	if id := ObjectID(found.ID(RecordsFolder)); id == inv.RecordsID && !id.isZero() {
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
	inv.Records, inv.RecordsID = records, ObjectID(found.ID(RecordsFolder))
	return nil
}

// standing returns the id of what was found at a path; zero for nothing, and for a
// folder that was emptied.
func standing(found *git.State, path string) tree.ID {
	if f := found.Found[path]; f != nil && !isEmptied(f) {
		return f.ID
	}
	return tree.ID{}
}

// watches reports whether what was found at a path is a folder of others that is
// claimed: not one that was emptied, that a record lists or lies around, or that an owned
// file lies in.
func (inv *Inventory) watches(others claimants, path string, found *git.Found) bool {
	if others.claim(path) || inv.Records[inv.Instance].lists(path) || path == RecordsFolder || isEmptied(found) {
		return false
	}
	return !slices.ContainsFunc(engine.OwnedFiles, func(file string) bool { return strings.HasPrefix(file, path+"/") })
}

// update takes over what was found in the branch, and says of folders that cannot
// be watched: their names are no text. Errors: as those of noteOwners.
func (inv *Inventory) update(found *git.State, exclusive bool) (unwatched []string, err error) {
	if err := inv.noteOwners(found, inv.Location.Branch); err != nil {
		return nil, err
	}
	inv.Head = ObjectID(found.Head)
	owners := inv.claimants()
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

// take notes what was found at one path. An emptied folder is none.
func (inv *Inventory) take(objects Objects, path string, found *git.State) {
	known, id := objects[path], standing(found, path)
	if id != tree.ID(known.ID) {
		inv.remove(path)
	}
	if now := found.Found[path]; !id.IsZero() {
		known.Mode = now.Mode
		if id != tree.ID(known.ID) {
			addDigests(inv.Packages, inv.Location, inv.Detail, path, now)
		}
	}
	known.ID = ObjectID(id)
	objects[path] = known
}

// remove takes a path out of the digests.
func (inv *Inventory) remove(path string) { inv.Packages.RemoveFolder(keyOf(inv.Location, path)) }

// isReadme reports whether a file tells people of a folder, and us whose it is.
func isReadme(file string) bool { return path.Base(file) == engine.ReadmeFile }
