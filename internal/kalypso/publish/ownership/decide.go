// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package ownership decides about each path of a branch, and about the records in the
// branch. It compares the desired content (Desired) with the present content (Inventory,
// Records), by the ten rules of the guide "Folders". It is pure: it reads nothing and
// writes nothing. The questions to git and the answers are values of package git.
package ownership

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Decision says how to change a location to the desired content.
type Decision struct {
	Location git.Location
	// Instance is the instance of the resource.
	Instance string
	// Change has the paths to write and to remove, each with its expected present content, and
	// the resulting records. It has nothing else.
	Change git.Change
	// Records are the records of the branch after the change, by instance.
	Records Records
	// Changes reports whether the content of the branch, or the proposal to it, changes.
	Changes bool
	// Moves reports whether the packages move to this location. Our content at the old location
	// needs another decision, after this one is carried out.
	Moves bool
	// Propose asks for a proposal of the change. Withdraw closes the open request.
	Propose, Withdraw bool
	// TakenOver are wanted paths that the record of another instance lists, and that become
	// ours (rule 3), sorted by path.
	TakenOver []Claim
	// Resumed are wanted paths that our own record lists but the state does not name. A killed
	// apply has left them, or they come back to the list. They are sorted by path.
	Resumed []Claim
	// Doubled are paths that two records list (rule 1). Refused are wanted paths that others
	// own (rule 4). Lost are paths of ours that the record of another instance lists (rule 5).
	// If there is any such path, the decision is not carried out. Each list is sorted by path.
	Doubled, Refused, Lost []Claim
	// Unknown are wanted paths that the state names but nobody is known to own: no record lists
	// them, and their content differs from the applied content. Forbidden are folders of ours
	// that the removal would have to remove but must not. If there is any such path, the
	// decision is not carried out. Both lists are sorted.
	Unknown, Forbidden []string
	// Kept are folders that our record lists and that are not wanted (rule 6), sorted.
	Kept []string
	// Left are owned or formerly owned paths that stay unchanged, sorted.
	Left []string
}

// Claim is a path that belongs to somebody else by a record.
type Claim struct {
	Path string
	// File says that our desired object at the path is a file.
	File bool
	Record
}

// Decide compares the desired content with the present content. It is pure: the decision
// depends only on the arguments. The rules are those of the guide "Folders".
//
//   - The desired content has to be complete. A path that is not ours yet has to be
//     empty, or have the wanted content. If the record of another instance of the same environment
//     and place lists the path, we take it over.
//   - Inventory.Owns decides which paths are ours. Other paths of the state stay
//     unchanged. If such a path is desired, it is in the way.
//   - A folder that is ours and no longer desired is treated by Removal, if it has left the
//     fleet. A folder that is still in the fleet stays, and stays in our record.
//   - At another location nothing is ours yet, except the paths that our own record lists.
func Decide(d Desired, inv *Inventory) Decision {
	out := Decision{
		Location: d.Location, Instance: inv.Instance, Propose: d.Propose, Withdraw: inv.Proposal != nil && !d.Propose,
		Change: git.Change{Edits: map[string]git.Edit{}},
	}
	isNew := inv.IsNew()
	if !isNew && !d.Location.Same(inv.Location) {
		out.Moves = true
		inv = inv.Arriving(d.Location, d.Location.Of().Same(inv.Location.Of()))
	}
	out.Records = maps.Clone(inv.Records)
	others := inv.Claimants()
	out.want(d, inv, others)
	out.remove(d, inv, others)
	out.keep(d, inv, others)
	for _, claims := range [][]Claim{out.TakenOver, out.Resumed, out.Doubled, out.Refused, out.Lost} {
		slices.SortStableFunc(claims, func(a, b Claim) int { return strings.Compare(a.Path, b.Path) })
	}
	slices.Sort(out.Left)
	slices.Sort(out.Unknown)
	out.Changes = isNew || out.Moves || len(out.TakenOver) > 0 || changes(out.Change) || out.goesOn(d, inv) || !d.Propose && givesUp(d, inv)
	if out.Changes || len(d.Paths) == 0 {
		out.record(d, inv)
	}
	if d.Propose && inv.Proposal != nil {
		out.Changes = !inv.proposes(out.Change, out.Records[inv.Instance].Release())
	}
	return out
}

// want adds the desired content to the change.
func (out *Decision) want(d Desired, inv *Inventory, others Claimants) {
	mine := inv.Records[inv.Instance].Record
	promoted := mine.PromotedCommit // the commit of the former owner of the folders
	for _, path := range slices.Concat(d.Folders(), d.of(tree.ModeFile)) {
		want := d.Paths[path]
		want.Name = ""
		_, known := inv.Applied[path]
		resumed := !known && !inv.Emptied[path] && mine.Lists(path) && !engine.IsOwnedFile(path)
		edit := git.Edit{Want: want, Expected: inv.Owned[path].ID, Unchecked: inv.Emptied[path] || resumed}
		if !known { // the present content is not ours
			edit.Expected = tree.ID{}
		}
		listed := others.Of(path)
		switch claims := Claimed(path, want.Mode, listed); {
		case len(doubles(path, mine, listed)) > 1:
			out.Doubled = append(out.Doubled, Claimed(path, want.Mode, doubles(path, mine, listed))...)
		case known && len(listed) > 0:
			out.Lost = append(out.Lost, claims...)
		case len(listed) == 1 && out.takes(d, path, listed[0]):
			out.TakenOver = append(out.TakenOver, claims...)
			edit.Unchecked = true
			promoted = cmp.Or(listed[0].PromotedCommit, promoted)
		case len(listed) > 0:
			out.Refused = append(out.Refused, claims...)
		case !edit.Unchecked && !slices.Contains([]tree.ID{{}, want.ID}, inv.Owned[path].ID) && !inv.Owns(path, others):
			out.Unknown = append(out.Unknown, path)
		case resumed:
			out.Resumed = append(out.Resumed, Claimed(path, want.Mode, []Record{mine})...)
		}
		out.Change.Edits[path] = edit
	}
	// The promoted commit's file moves with the folders, with the content for them.
	if edit, ok := out.Change.Edits[engine.PromotedCommitFile]; ok && promoted != "" {
		edit.Also = tree.File("", []byte(promoted)).ID
		out.Change.Edits[engine.PromotedCommitFile] = edit
	}
}

// Claimed returns the claims of records to a path.
func Claimed(path string, mode tree.Mode, listed []Record) []Claim {
	claims := make([]Claim, len(listed))
	for i, r := range listed {
		claims[i] = Claim{path, mode == tree.ModeFile, r}
	}
	return claims
}

// doubles returns the records that list exactly this path, our own first.
func doubles(path string, mine Record, listed []Record) []Record {
	return slices.DeleteFunc(append([]Record{mine}, listed...), func(r Record) bool { return !r.Lists(path) })
}

// takes reports whether we take a path over from a record: of the same environment and place.
// A file is taken over with the last folder of the record.
func (out *Decision) takes(d Desired, path string, r Record) bool {
	if r.Environment != d.Environment || !r.At(d.Location) || !r.Lists(path) {
		return false
	}
	remains := func(name string) bool {
		return !slices.ContainsFunc(out.TakenOver, func(c Claim) bool { return c.Instance == r.Instance && c.Path == d.Location.Join(name) })
	}
	return d.Paths[path].Mode == tree.ModeDir || !slices.ContainsFunc(r.ClusterTypes, remains)
}

// remove removes content that is ours, no longer desired, and no longer in the fleet.
func (out *Decision) remove(d Desired, inv *Inventory, others Claimants) {
	mine := inv.Records[inv.Instance].Record
	for _, path := range inv.Paths() {
		if _, stays := d.Paths[path]; stays || inv.Emptied[path] {
			continue
		}
		object := inv.Owned[path]
		gone := git.Edit{Want: tree.Entry{Mode: object.Mode}, Expected: object.ID}
		switch {
		case slices.Contains(d.Leave, path),
			object.Mode == tree.ModeFile && inv.State == Imported,
			d.Removal == Retain && (object.Mode == tree.ModeDir || len(d.Paths) == 0): // files stay only if nothing is desired
			out.Left = append(out.Left, path)
			continue
		case len(doubles(path, mine, others.Of(path))) > 1:
			out.Doubled = append(out.Doubled, Claimed(path, object.Mode, doubles(path, mine, others.Of(path)))...)
			continue
		case others.Claim(path), !object.ID.IsZero() && !inv.Owns(path, others):
			out.Left = append(out.Left, path)
			continue
		case object.IsFolder() && d.Removal == Forbid:
			out.Forbidden = append(out.Forbidden, path)
			continue
		case object.IsFolder() && d.Removal != Delete:
			gone.Want = tree.Subdir("", EmptiedFolder)
		}
		out.Change.Edits[path] = gone
	}
}

// keep finds the folders that stay in our record although they are not desired.
func (out *Decision) keep(d Desired, inv *Inventory, others Claimants) {
	candidates := FoldersAt(d.Location, inv.recorded(d.Location).ClusterTypes)
	for _, path := range out.Left {
		if inv.Owned[path].IsFolder() && inv.Owns(path, others) {
			candidates = append(candidates, path)
		}
	}
	for _, path := range candidates {
		_, wanted := d.Paths[path]
		_, goes := out.Change.Edits[path]
		object, watched := inv.Owned[path]
		if !wanted && !goes && !inv.Emptied[path] && !slices.Contains(out.Forbidden, path) && (!watched || object.IsFolder()) &&
			!others.Claim(path) {
			out.Kept = append(out.Kept, path)
		}
	}
	out.Kept = wording.Sorted(out.Kept)
}

// goesOn reports whether our content comes from another release than the one in our record, and
// only the record can name the release.
func (out *Decision) goesOn(d Desired, inv *Inventory) bool {
	mine := inv.Records[inv.Instance]
	moved := d.Source != "" && mine.Commit() != d.Source || !maps.Equal(mine.Sources, d.Sources)
	return moved && mine.At(out.Location) && len(d.Folders()) > 0
}

// givesUp reports whether our record lists the promoted commit's file, but others write the
// file now: our record would stop them.
func givesUp(d Desired, inv *Inventory) bool {
	mine := inv.Records[inv.Instance]
	return mine.At(d.Location) && mine.PromotedCommit != "" && len(d.Paths) > 0 && slices.Contains(d.Leave, engine.PromotedCommitFile)
}

// record updates the records of the change. Our record lists our paths. Paths that we take
// over leave the record of the other instance.
func (out *Decision) record(d Desired, inv *Inventory) {
	mine := d.record(inv.Instance)
	was, recorded := out.Records[inv.Instance]
	for _, path := range out.Kept {
		mine.ClusterTypes = append(mine.ClusterTypes, KeyOf(d.Location, path))
	}
	mine.ClusterTypes = wording.Sorted(mine.ClusterTypes)
	if len(d.Paths) == 0 && d.Removal == Retain {
		mine.PromotedCommit, mine.SourceCommit, mine.Provider = was.PromotedCommit, was.SourceCommit, was.Provider
		mine.Sources = was.Sources
	}
	switch {
	case inv.Instance == "", d.GoesOn, was.Says(mine), !recorded && mine.isEmpty():
	case len(d.Paths) > 0, !recorded, was.At(d.Location):
		out.note(mine)
	}
	theirs := map[string]Record{}
	for _, claim := range out.TakenOver {
		theirs[claim.Instance] = claim.Record
	}
	taken := func(path string) bool {
		return slices.ContainsFunc(out.TakenOver, func(c Claim) bool { return c.Path == path })
	}
	for _, r := range theirs {
		out.note(r.without(taken))
	}
}

// note adds a record to the change. It removes a record that lists no path.
func (out *Decision) note(r Record) {
	edit := git.Edit{Want: tree.Entry{Mode: tree.ModeFile}, Unchecked: true}
	delete(out.Records, r.Instance)
	if !r.isEmpty() {
		edit.Want = tree.File("", r.Content())
		if out.Records == nil {
			out.Records = Records{}
		}
		out.Records[r.Instance] = Recorded{Record: r, File: edit.Want.ID}
	}
	out.Change.Edits[RecordPath(r.Instance)] = edit
}

// changes reports whether the result of a change differs from the content that it expects.
func changes(c git.Change) bool {
	for _, edit := range c.Edits {
		if edit.Want.ID != edit.Expected {
			return true
		}
	}
	return false
}

// Removes returns the folders of an inventory that the decision removes from the branch.
func (out Decision) Removes(inv *Inventory) (paths []string) {
	for path, edit := range out.Change.Edits {
		if object := inv.Owned[path]; object.IsFolder() && (!edit.Writes() || edit.Want.ID == EmptiedFolder.ID) {
			paths = append(paths, path)
		}
	}
	return wording.Sorted(paths)
}

// IsRefused reports whether the decision must not be carried out.
func (out Decision) IsRefused() bool {
	return len(out.Doubled)+len(out.Refused)+len(out.Lost)+len(out.Unknown)+len(out.Forbidden) > 0
}

// Shown returns the paths that a decision takes over or resumes, for a plan. Each has the
// record that lists the path and the id of its present content. Shown returns nil if seen has
// not read the content.
func (out Decision) Shown(seen func(path string) tree.ID) map[string]string {
	all := map[string]string{}
	for _, c := range slices.Concat(out.TakenOver, out.Resumed) {
		all[c.Path] = RecordPath(c.Instance)
		if seen != nil {
			all[c.Path] += " " + seen(c.Path).Short()
		}
	}
	return all
}

// unshown returns the paths that a decision takes over or resumes but a plan has not shown:
// with another record, or with other content. A plan that could show nothing (nil) allows
// resuming. Otherwise a killed apply would block all later applies.
func (out Decision) unshown(shown map[string]string, there func(path string) tree.ID) []Claim {
	claims := slices.Clone(out.TakenOver)
	if shown != nil {
		claims = append(claims, out.Resumed...)
	}
	read, unread := out.Shown(there), out.Shown(nil)
	return slices.DeleteFunc(claims, func(c Claim) bool {
		return shown[c.Path] == read[c.Path] || shown[c.Path] == unread[c.Path]
	})
}

// IsBeside reports whether a file is beside the packages: a README.md of a cluster type or an
// owned file.
func (out Decision) IsBeside(path string) bool {
	key := KeyOf(out.Location, path)
	return !strings.Contains(key, "/") || !engine.IsPackage(key)
}
