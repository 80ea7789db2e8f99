// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package ownership decides what happens to each folder of a place, and to the records of the
// branch. It compares the wanted content (Desired) with what the branch has (Inventory), by
// the rules of the guide "Folders". It is pure: it reads nothing and writes nothing.
//
// A place is a repository, a branch and a path. A folder is the folder of one cluster type at
// a place, or one file. An instance is one resource in one state. A record is the file of an
// instance in the branch, with a line for each folder. A resource names a folder if its
// configuration wants it.
//
// The rules, with the guide's numbers: 1 a folder has one owner; 2 the record decides; 3 a resource gets a folder
// that is new, empty, released, has the same content, or is of another wave, and is refused any other; 4 a cluster
// type that leaves cluster_types is released; 5 one that leaves the fleet is removed as Removal says; 6 so is
// everything at a destroy; 7 another place is another resource; 8 until its first apply, an imported resource takes
// over every folder that it names.
package ownership

import (
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Self is what an instance knows about itself.
type Self struct {
	Instance string
	// Imported is true between an import and the first apply.
	Imported bool
	// Applied are the ids of the last applied content, by key.
	Applied map[string]tree.ID
	// Planned are the ids of the content that the plan saw, by key; nil if it saw nothing. If an
	// owned folder has other content now, the decision says so.
	Planned map[string]tree.ID
}

// Decision says how to bring a place to the wanted content.
type Decision struct {
	Location git.Location
	Instance string
	// Edits are the paths to write and to remove, with the records.
	Edits map[string]tree.Entry
	// Records are the records of the branch after the edits, by instance.
	Records record.Records
	// TakenOver are lines of other records whose folders become ours, sorted by key.
	TakenOver []Claim
	// Released are the folders of our record that it releases or has released, sorted.
	Released []string
	// Removed are our folders that are emptied or deleted, sorted.
	Removed []string

	// The rest forbids the decision.

	// Doubled are folders that two records list as owned, with one claim for each record (rule 1).
	Doubled []Claim
	// Refused are wanted folders that exist already and are not ours (rule 3).
	Refused []Refusal
	// Forbidden are folders that Removal forbids to remove, sorted (rule 5).
	Forbidden []string
	// Changed are owned folders that somebody changed after the plan, sorted.
	Changed []string
}

// Refusal is a wanted folder that exists already and is not ours.
type Refusal struct {
	Key string
	// Owners are the lines that list the folder, or a folder around it or in it; none if no record
	// lists it.
	Owners []Claim
}

// MayBeFreed reports whether the apply itself may free the folder, if the resource is not new: a
// record of the same environment lists it. If neither resource has cluster_types and the folder was
// ours at the last apply, another state has imported it, and this apply does not free it.
func (r Refusal) MayBeFreed(d Desired, applied map[string]tree.ID) bool {
	_, had := applied[r.Key]
	return slices.ContainsFunc(r.Owners, func(c Claim) bool { return c.Environment == d.Environment && (!had || c.IsPart || d.IsPart) })
}

// Forbids reports whether the decision must not be carried out.
func (out Decision) Forbids() bool {
	return len(out.Doubled)+len(out.Refused)+len(out.Forbidden)+len(out.Changed) > 0
}

// Decide compares the wanted content with the inventory, by the rules of the guide "Folders".
// The inventory has to have the wanted keys and those of our own record. Cost: linear in the
// number of folders and lines.
func Decide(d Desired, self Self, inv Inventory) Decision {
	out := Decision{Location: d.Location, Instance: self.Instance, Edits: map[string]tree.Entry{}, Records: maps.Clone(inv.Records)}
	if out.Records == nil {
		out.Records = record.Records{}
	}
	mine := record.Record{
		Instance: self.Instance, Environment: d.Environment, Branch: d.Location.Branch, Path: record.PlainPath(d.Location.Path), IsPart: d.IsPart,
		Provider: d.Version, Release: d.Release, Folders: map[string]record.Line{},
	}
	was := inv.Record(self.Instance, d.Location)
	if d.Destroys() { // the record still describes the content
		mine.Environment, mine.IsPart = was.Environment, was.IsPart
		mine.Provider, mine.Release = was.Provider, was.Release
	}
	mine.Release = mine.Release.Known(was.Release)
	all := newClaims(inv.Records)
	for _, key := range d.Keys() {
		if out.claim(d, self, inv, all, key) {
			mine.Folders[key] = record.Owned
			want := d.Content[key]
			want.Name = ""
			out.Edits[record.PathOf(d.Location, key)] = want
			out.checkPlanned(self, inv, key, want.ID)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(was.Folders)) {
		if _, named := d.Content[key]; named {
			continue
		}
		if line := out.leave(d, self, inv, all, was, key); line != "" {
			mine.Folders[key] = line
		}
	}
	out.Released = mine.Keys(record.Released)
	out.record(was, mine, out.Differs(d, inv))
	return out
}

// claim applies rules 1 to 3 to a wanted folder, and reports whether it becomes or stays ours.
func (out *Decision) claim(d Desired, self Self, inv Inventory, all claims, key string) bool {
	at := record.PathOf(d.Location, key)
	var owners, released []Claim
	for _, c := range all.by[at] {
		if c.Line() == record.Owned {
			owners = append(owners, c)
		} else if c.Instance != self.Instance {
			released = append(released, c)
		}
	}
	around := all.around(at, self.Instance)
	isWithin := slices.ContainsFunc(around, func(c Claim) bool { return c.Line() == record.Owned }) // a merge can cause this
	isMine := func(c Claim) bool { return c.Instance == self.Instance }
	mayTake := func(c Claim) bool {
		_, had := self.Applied[key]
		if c.Line() == record.Released && !inv.HasContent(key) { // it protects nothing
			return true
		}
		return c.Key == key && c.Environment == d.Environment && (c.Line() == record.Released || d.IsPart && c.IsPart && !had)
	}
	switch others := slices.Concat(owners, released); {
	case len(owners) > 1: // rule 1
		out.Doubled = append(out.Doubled, owners...)
		return false
	case len(owners) == 1 && isMine(owners[0]) && !isWithin: // rule 2
		out.TakenOver = append(out.TakenOver, released...) // these lines do not count, and go
		return true
	case len(around) > 0:
		out.Refused = append(out.Refused, Refusal{key, around})
		return false
	case len(owners) == 0 && inv.Record(self.Instance, d.Location).Folders[key] == record.Released:
		out.TakenOver = append(out.TakenOver, released...)
		return true
	case self.Imported || len(others) > 0 && !slices.ContainsFunc(others, func(c Claim) bool { return !mayTake(c) }):
		out.TakenOver = append(out.TakenOver, others...)
		return true
	case len(others) > 0:
		out.Refused = append(out.Refused, Refusal{key, others})
		return false
	case inv.HasContent(key) && inv.ID(key) != d.Content[key].ID:
		out.Refused = append(out.Refused, Refusal{Key: key})
		return false
	}
	return true
}

// leave applies rules 1 and 4 to 6 to a folder of our record that is no longer wanted. It returns
// the new line; empty for none.
func (out *Decision) leave(d Desired, self Self, inv Inventory, all claims, was record.Record, key string) record.Line {
	var owners []Claim
	for _, c := range all.by[record.PathOf(d.Location, key)] {
		if c.Line() == record.Owned && c.Instance != self.Instance {
			owners = append(owners, c)
		}
	}
	switch isReleased := was.Folders[key] == record.Released || slices.Contains(d.InFleet, key) || d.Removal == Retain; {
	case isReleased && len(owners) > 0, !inv.HasContent(key):
		return "" // the line does not count, or there is nothing left
	case isReleased:
		return record.Released
	case len(owners) > 0:
		out.Doubled = append(out.Doubled, append(owners, Claim{was, key})...)
		return record.Owned
	case d.Removal == Forbid:
		out.Forbidden = append(out.Forbidden, key)
		return record.Owned
	}
	around := slices.DeleteFunc(all.around(record.PathOf(d.Location, key), self.Instance), func(c Claim) bool { return c.Line() != record.Owned })
	if len(around) > 0 {
		out.Refused = append(out.Refused, Refusal{key, around})
		return record.Owned
	}
	gone := tree.Entry{Mode: record.ModeOf(key)}
	if d.Removal == Empty && record.IsFolder(key) {
		gone = tree.Subdir("", EmptiedFolder)
	}
	out.Removed = append(out.Removed, key)
	out.Edits[record.PathOf(d.Location, key)] = gone
	out.checkPlanned(self, inv, key, gone.ID)
	return ""
}

// checkPlanned notes a folder that the plan saw with other content than the branch has now.
func (out *Decision) checkPlanned(self Self, inv Inventory, key string, want tree.ID) {
	planned, seen := self.Planned[key]
	if now := inv.ID(key); seen && now != planned && now != want && now != EmptiedFolder.ID {
		out.Changed = append(out.Changed, key)
	}
}

// record adds our record to the edits, and those of others without the lines that are taken over.
// A new version of the provider alone does not make a commit.
func (out *Decision) record(was, mine record.Record, differs bool) {
	if exists := len(was.Folders)+len(mine.Folders) > 0; exists && (!was.Says(mine) || differs && was.Provider != mine.Provider) {
		out.note(mine)
	}
	for _, c := range out.TakenOver {
		theirs := out.Records[c.Instance]
		theirs.Folders = maps.Clone(theirs.Folders)
		delete(theirs.Folders, c.Key)
		out.note(theirs)
	}
}

// note adds a record to the edits. A record without lines is deleted.
func (out *Decision) note(r record.Record) {
	edit := tree.Entry{Mode: tree.ModeFile}
	delete(out.Records, r.Instance)
	if len(r.Folders) > 0 {
		edit = tree.File("", r.Content())
		out.Records[r.Instance] = r
	}
	out.Edits[record.RecordPath(r.Instance)] = edit
}

// Differs reports whether the decision changes content of the branch, and not only records. inv
// is the inventory of the decision.
func (out Decision) Differs(d Desired, inv Inventory) bool {
	if len(out.Removed) > 0 {
		return true
	}
	return slices.ContainsFunc(d.Keys(), func(key string) bool { return inv.ID(key) != d.Content[key].ID })
}
