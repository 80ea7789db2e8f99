// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Inventory is what a branch has at a place.
type Inventory struct {
	// Head is the commit of the branch; zero if the branch does not exist.
	Head tree.ID
	// Records are the records that count on the branch.
	Records record.Records
	// Found are the existing files and folders by key, as far as they were asked for.
	Found map[string]*git.Found
}

// ID returns the id of the content at a key; zero if nothing is there.
func (inv Inventory) ID(key string) tree.ID {
	if found := inv.Found[key]; found != nil {
		return found.ID
	}
	return tree.ID{}
}

// HasContent reports whether something is at a key, except an emptied folder.
func (inv Inventory) HasContent(key string) bool {
	id := inv.ID(key)
	return !id.IsZero() && id != EmptiedFolder.ID
}

// Record returns the record of an instance if it is for a place; otherwise the zero record.
func (inv Inventory) Record(instance string, at git.Location) record.Record {
	if r, ok := inv.Records[instance]; ok && r.At(at) {
		return r
	}
	return record.Record{}
}

// Query asks a branch for the records and for the content at some keys. known are the ids that
// these had before: the answer has no entries for folders that did not change.
func Query(at git.Location, keys []string, known map[string]tree.ID) git.Query {
	q := git.Query{Paths: map[string]tree.Entry{record.RecordsFolder: {Mode: tree.ModeDir}}, Content: record.IsRecord}
	for _, key := range keys {
		q.Paths[record.PathOf(at, key)] = tree.Entry{Mode: record.ModeOf(key), ID: known[key]}
	}
	return q
}

// Read returns the inventory from the answer to Query for the same keys. Errors: those of
// ReadRecords.
func Read(at git.Location, keys []string, answer *git.Answer) (Inventory, error) {
	inv := Inventory{Head: answer.Head, Found: map[string]*git.Found{}}
	var files []tree.Entry
	if folder := answer.Found[record.RecordsFolder]; folder != nil {
		files = folder.Entries
	}
	var err error
	if inv.Records, err = record.ReadRecords(files, at.Branch); err != nil {
		return Inventory{}, err
	}
	for _, key := range keys {
		if found := answer.Found[record.PathOf(at, key)]; found != nil {
			inv.Found[key] = found
		}
	}
	return inv, nil
}

// Digests returns the digests of the content at some keys.
func (inv Inventory) Digests(keys []string, detail engine.Detail) engine.Digests {
	d := engine.Digests{}
	for _, key := range keys {
		switch found := inv.Found[key]; {
		case !inv.HasContent(key):
		case record.IsFolder(key):
			d.AddFolder(detail, key, found.ID, found.Entries)
		default:
			d[key] = found.ID.Short()
		}
	}
	return d
}

// Claim is the line of a record.
type Claim struct {
	record.Record
	Key string
}

// Line is the value of the line.
func (c Claim) Line() record.Line { return c.Folders[c.Key] }

// claims finds the records that list a path, or a path above or below it.
type claims struct {
	by    map[string][]Claim // by path from the root
	paths []string
}

func newClaims(records record.Records) claims {
	c := claims{by: map[string][]Claim{}}
	for _, r := range records {
		for key := range r.Folders {
			at := r.PathOf(key)
			c.by[at] = append(c.by[at], Claim{r, key})
		}
	}
	for at, all := range c.by {
		slices.SortFunc(all, func(a, b Claim) int { return strings.Compare(a.Instance, b.Instance) })
		c.paths = append(c.paths, at)
	}
	slices.Sort(c.paths)
	return c
}

// around returns the claims of others to paths above and below a path.
func (c claims) around(at, instance string) (all []Claim) {
	for i, char := range at {
		if char == '/' {
			all = append(all, c.by[at[:i]]...)
		}
	}
	first, _ := slices.BinarySearch(c.paths, at+"/")
	for _, below := range c.paths[first:] {
		if !strings.HasPrefix(below, at+"/") {
			break
		}
		all = append(all, c.by[below]...)
	}
	return slices.DeleteFunc(all, func(one Claim) bool { return one.Instance == instance })
}
