// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package ownership decides what happens to each folder of a place, and to the records of the
// branch. It compares what a resource wants (Wanted) with what the branch has (Seen), by the rules of
// the guide "Folders". It is pure: it reads nothing and writes nothing.
//
// A place is a repository, a branch and a path. A folder is the folder of one cluster type at
// a place, or one file. An instance is one resource in one state. A record is the file of an
// instance in the branch, with a line for each folder. A resource names a folder if its
// configuration wants it.
//
// Decide first says what each folder is to the resource (relation), and then looks the answer up in a
// table (answers). The rules, with the guide's numbers: 1 a folder has one owner; 2 the record decides;
// 3 the table says which folders a resource gets; 4 a cluster type that leaves cluster_types is released;
// 5 one that leaves the fleet is removed as Removal says; 6 so is everything at a destroy; 7 another place
// is another resource; 8 until its first apply, an imported resource takes over every folder that it names.
package ownership

import (
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
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
	// Differs reports whether content of the branch changes, and not only records.
	Differs bool

	// The rest forbids the decision; Asked does not, if somebody has acknowledged the code.

	// Asked are those of TakenOver that need a code: lines of other waves whose folders go to a wave that
	// owns nothing at the place yet, or that had them at its last apply.
	Asked []Claim
	// Doubled are folders that two records list as owned, with one claim for each record (rule 1).
	Doubled []Claim
	// Refused are wanted folders that exist already and are not ours (rule 3).
	Refused []Refusal
	// Forbidden are folders that Removal forbids to remove, sorted (rule 5).
	Forbidden []string
	// Changed are owned folders that somebody changed after the plan, sorted.
	Changed []string
}

// Refusal is a folder that the resource cannot have.
type Refusal struct {
	Key string
	// Owners are the lines that list the folder, or a folder around it or in it; none if no record
	// lists it.
	Owners []Claim
	// MayBeFreed reports whether the apply itself may free the folder, if the resource is not new: a
	// record of the same environment lists it. If neither resource has cluster_types and the folder was
	// ours at the last apply, another state has imported it, and this apply does not free it.
	MayBeFreed bool
}

type deciding struct {
	Wanted
	Self
	seen   Seen
	claims claims
	// was is our record before.
	was record.Record
	out Decision
}

// Decide compares the wanted content with what the branch has, by the rules of the guide "Folders".
// seen has to have the wanted keys and those of our own record. Cost: linear in the number of folders
// and lines.
func Decide(wanted Wanted, self Self, seen Seen) Decision {
	d := &deciding{Wanted: wanted, Self: self, seen: seen, claims: newClaims(seen.Records), was: seen.Record(self.Instance, wanted.Location),
		out: Decision{Location: wanted.Location, Edits: map[string]tree.Entry{}, Records: maps.Clone(seen.Records)}}
	if d.out.Records == nil {
		d.out.Records = record.Records{}
	}
	lines := map[string]record.Line{}
	for _, key := range wanted.Content.Keys() {
		if d.claim(key) {
			lines[key] = record.Owned
		}
	}
	for _, key := range slices.Sorted(maps.Keys(d.was.Folders)) {
		if _, named := wanted.Content[key]; named {
			continue
		}
		if line := d.leave(key); line != "" {
			lines[key] = line
		}
	}
	d.record(lines)
	return d.out
}

// claim applies rules 1 to 3 to a named folder, and reports whether it becomes or stays ours.
func (d *deciding) claim(key string) bool {
	is, lines := d.relate(key)
	want := d.Content[key]
	d.out.Differs = d.out.Differs || d.seen.Content[key].ID != want.ID
	answer := answers[is].usually
	switch {
	case d.Imported:
		answer = answers[is].toImported
	case !slices.ContainsFunc(d.was.Keys(record.Owned), record.IsFolder): // a file is not a wave
		answer = answers[is].toNew
	}
	switch answer {
	case refuse:
		d.refuse(is, key, lines)
		return false
	case ask:
		d.out.Asked = append(d.out.Asked, slices.DeleteFunc(slices.Clone(lines), func(c Claim) bool { return c.Line() != record.Owned })...)
	case take:
	}
	d.out.TakenOver = append(d.out.TakenOver, lines...)
	want.Name = ""
	d.edit(key, want)
	return true
}

// refuse notes a folder that the resource cannot have, or cannot remove.
func (d *deciding) refuse(is relation, key string, lines []Claim) {
	if is == doubled {
		d.out.Doubled = append(d.out.Doubled, lines...)
		return
	}
	_, had := d.Applied[key]
	mayBeFreed := slices.ContainsFunc(lines, func(c Claim) bool { return c.Environment == d.Environment && (!had || c.IsPart || d.IsPart) })
	d.out.Refused = append(d.out.Refused, Refusal{key, lines, mayBeFreed})
}

// leave applies rules 1 and 4 to 6 to a folder of our record that is no longer wanted. It returns
// the new line; empty for none.
func (d *deciding) leave(key string) record.Line {
	at := record.PathOf(d.Location, key)
	_, owned, _ := d.claims.on(at, d.Instance)
	near := slices.DeleteFunc(d.claims.around(at, d.Instance), func(c Claim) bool { return c.Line() != record.Owned })
	gone := tree.Entry{Mode: record.ModeOf(key)}
	if d.Removal == Empty && record.IsFolder(key) {
		gone = tree.Subdir("", EmptiedFolder)
	}
	switch stays := d.was.Folders[key] == record.Released || slices.Contains(d.Others, key) || d.Removal == Retain; {
	case stays && len(owned) > 0, !d.seen.Content.Has(key):
		return "" // the line does not count, or there is nothing left
	case stays:
		return record.Released
	case len(owned) > 0:
		d.refuse(doubled, key, append(owned, Claim{d.was, key}))
	case d.Removal == Forbid:
		d.out.Forbidden = append(d.out.Forbidden, key)
	case len(near) > 0:
		d.refuse(around, key, near)
	default:
		d.out.Removed, d.out.Differs = append(d.out.Removed, key), true
		d.edit(key, gone)
		return ""
	}
	return record.Owned
}

// edit writes or removes a folder. It notes a folder that the plan saw with other content than the branch
// has now.
func (d *deciding) edit(key string, to tree.Entry) {
	d.out.Edits[record.PathOf(d.Location, key)] = to
	planned, wasSeen := d.Planned[key]
	if now := d.seen.Content[key].ID; wasSeen && now != planned && now != to.ID && now != EmptiedFolder.ID {
		d.out.Changed = append(d.out.Changed, key)
	}
}

// record adds our record to the edits, and those of others without the lines that are taken over.
// A new version of the provider alone does not make a commit. The record of a destroyed resource still
// describes its content.
func (d *deciding) record(lines map[string]record.Line) {
	ours := record.Record{
		Instance: d.Instance, Environment: d.Environment, Branch: d.Location.Branch, Path: record.PlainPath(d.Location.Path), IsPart: d.IsPart,
		Provider: d.Version, Release: d.Release.Known(d.was.Release), Folders: lines,
	}
	if d.Destroys() {
		ours.Environment, ours.IsPart, ours.Provider, ours.Release = d.was.Environment, d.was.IsPart, d.was.Provider, d.was.Release
	}
	d.out.Released = ours.Keys(record.Released)
	if exists := len(d.was.Folders)+len(lines) > 0; exists && (!d.was.SaysSame(ours) || d.out.Differs && d.was.Provider != ours.Provider) {
		d.note(ours)
	}
	for _, c := range d.out.TakenOver {
		theirs := d.out.Records[c.Instance]
		theirs.Folders = maps.Clone(theirs.Folders)
		delete(theirs.Folders, c.Key)
		d.note(theirs)
	}
}

// note adds a record to the edits. A record without lines is deleted.
func (d *deciding) note(r record.Record) {
	edit := tree.Entry{Mode: tree.ModeFile}
	delete(d.out.Records, r.Instance)
	if len(r.Folders) > 0 {
		edit = tree.File("", r.Content())
		d.out.Records[r.Instance] = r
	}
	d.out.Edits[record.Path(r.Instance)] = edit
}
