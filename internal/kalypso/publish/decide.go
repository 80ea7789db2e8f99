// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Decision is what is to be done about a location so that it holds what is desired.
type Decision struct {
	Location git.Location
	// Instance is who writes it.
	Instance string
	// Change are the paths to write and those to remove, each with what has to stand
	// there before, and the records that follow. It holds nothing else.
	Change git.Change
	// Records are those of the branch once the change is made, by instance.
	Records Records
	// Changes reports whether the branch, or what is proposed to it, becomes another.
	Changes bool
	// Moves reports whether the packages stand at another location now: what is ours
	// there is another decision, made once this one is carried out.
	Moves bool
	// Part is that of what is desired.
	Part bool
	// Propose has the change proposed; Withdraw has the open request closed.
	Propose, Withdraw bool
	// Released are paths that we looked after and leave to others as they are, sorted.
	Released []string
	// Forbidden are folders of ours that would have to go and must not, sorted.
	Forbidden []string
	// Unknown are paths that the state knows and nothing shows to be ours: no record claims
	// them, and what stands there is not what was applied. Those that are wanted keep the
	// decision from being carried out, the others are released. Sorted.
	Unknown []string
	// TakenOver are folders that another instance of the same environment and place
	// recorded, and that become ours. Refused are folders that are wanted and recorded
	// for others, or lie in or around such. Lost are those that were ours and that
	// somebody else has recorded since. Each sorted by path.
	TakenOver, Refused, Lost []Claim
}

// Claim is a path that a record says is somebody else's.
type Claim struct {
	Path string
	// File says that for us a file stands there, and no folder.
	File bool
	Record
}

// Decide compares what is desired with what stands there. It is pure: the same
// arguments give the same decision, and it looks at nothing else. Rules:
//
//   - What is desired has to stand there completely. Where it is not ours yet, nothing
//     may, but what another instance of the environment and place has recorded as its
//     own, and emptied folders.
//   - Ours is what Inventory.owns says, and nothing else. What the state knows beside it is
//     left as it stands, and in the way where it is desired; exclusive claims it all the same.
//   - What is ours and no longer desired goes as the removal says. Files are deleted;
//     after an import nobody knows yet whose they are. What is left to others stays, and
//     our record says of folders that they are released: who writes the environment there
//     takes them over. What it has released stays so, whatever an older state says.
//   - What others have there goes only where it is claimed and was seen before.
//   - What another instance has recorded since is not ours any more.
//   - At another location nothing is ours yet, but what our own record names.
//   - The record of what is ours is written with the first change, and moves with it.
//
// See docs/guides/semantics.md, section 6.
func Decide(d Desired, inv *Inventory) Decision {
	out := Decision{
		Location: d.Location, Instance: inv.Instance, Part: d.Part, Propose: d.Propose, Withdraw: inv.Proposal != nil && !d.Propose,
		Change: git.Change{Edits: map[string]git.Edit{}},
	}
	isNew := inv.isNew()
	if !isNew && !d.Location.Same(inv.Location) {
		out.Moves = true
		out.Released = slices.Sorted(maps.Keys(inv.Foreign))
		inv = inv.arriving(d.Location, d.Location.Of().Same(inv.Location.Of()))
	}
	out.Records = maps.Clone(inv.Records)
	owners := inv.claimants()
	out.want(d, inv, owners)
	out.remove(d, inv, owners)
	slices.Sort(out.Released)
	slices.Sort(out.Forbidden)
	slices.Sort(out.Unknown)
	out.Changes = isNew || out.Moves || len(out.TakenOver) > 0 || changes(out.Change) || out.goesOn(d, inv) || !d.Propose && out.givesUp(inv)
	if out.Changes || len(d.Paths) == 0 {
		out.record(d, inv)
	}
	if d.Propose && inv.Proposal != nil {
		out.Changes = !inv.Proposal.holds(out.Change)
	}
	return out
}

// want puts what is desired into the change.
func (out *Decision) want(d Desired, inv *Inventory, owners claimants) {
	expected := inv.claimed(d.Exclusive)
	mine := inv.Records[inv.Instance]
	promoted := mine.PromotedCommit // by whoever had the folders before
	for _, path := range slices.Concat(d.folders(), d.files()) {
		want := d.Paths[path]
		want.Name = ""
		_, applied := inv.Applied[path]
		edit := git.Edit{
			Want: want, Expected: tree.ID(expected[path].ID),
			Unchecked: inv.Emptied[path] || mine.at(d.Location) && (mine.releases(path) || !applied && mine.names(path)),
		}
		claimed := owners.of(path)
		for _, r := range claimed {
			claim := Claim{path, want.Mode == tree.ModeFile, r}
			switch same := r.Environment == d.Environment && r.at(d.Location) && r.names(path) && (want.Mode == tree.ModeDir || out.takesFrom(r)); {
			case !d.Creates && applied:
				out.Lost = append(out.Lost, claim)
			case same:
				out.TakenOver = append(out.TakenOver, claim)
				edit.Unchecked = true
				promoted = cmp.Or(r.PromotedCommit, promoted)
			default:
				out.Refused = append(out.Refused, claim)
			}
		}
		for _, r := range owners.released[path] {
			if len(claimed) == 0 && r.Environment == d.Environment && r.at(d.Location) {
				out.TakenOver = append(out.TakenOver, Claim{path, want.Mode == tree.ModeFile, r})
				edit.Unchecked = true
			}
		}
		if edit.Expected != want.ID && !edit.Unchecked && out.isUnknown(d, inv, path, owners) {
			edit.Expected = tree.ID{}
		}
		out.Change.Edits[path] = edit
	}
	for _, claims := range [][]Claim{out.TakenOver, out.Refused, out.Lost} {
		slices.SortStableFunc(claims, func(a, b Claim) int { return strings.Compare(a.Path, b.Path) })
	}
	// The promoted commit's file goes with the folders, as it was written for them.
	if edit, ok := out.Change.Edits[engine.PromotedCommitFile]; ok && promoted != "" {
		edit.Also = tree.File("", []byte(promoted)).ID
		out.Change.Edits[engine.PromotedCommitFile] = edit
	}
}

// isUnknown reports whether something stands at a path that the state knows and nothing
// shows to be ours, and notes it.
func (out *Decision) isUnknown(d Desired, inv *Inventory, path string, owners claimants) bool {
	object, watched := inv.Owned[path]
	unknown := watched && !object.ID.isZero() && !d.Exclusive && !owners.claim(path) && !inv.owns(path, owners)
	if unknown {
		out.Unknown = append(out.Unknown, path)
	}
	return unknown
}

// takesFrom reports whether folders of a record are taken over, or it has none: its
// overview goes with them. Of two resources that share a place, neither takes that of the
// other.
func (out *Decision) takesFrom(r Record) bool {
	return len(r.ClusterTypes) == 0 || slices.ContainsFunc(out.TakenOver, func(c Claim) bool { return c.Instance == r.Instance })
}

// remove takes out of the branch what is ours and no longer desired.
func (out *Decision) remove(d Desired, inv *Inventory, owners claimants) {
	if !d.Exclusive {
		out.Released = slices.AppendSeq(out.Released, maps.Keys(inv.Foreign))
	}
	left := map[string]bool{}
	for _, path := range d.Leave {
		left[path] = true
	}
	expected, mine := inv.claimed(d.Exclusive), inv.Records[inv.Instance]
	for _, path := range slices.Sorted(maps.Keys(expected)) {
		if _, stays := d.Paths[path]; stays {
			continue
		}
		object := expected[path]
		_, ours := inv.Owned[path]
		ourFolder := ours && object.Mode == tree.ModeDir
		gone := git.Edit{Want: tree.Entry{Mode: object.Mode}, Expected: tree.ID(object.ID)}
		switch {
		case inv.Emptied[path]: // it is nobody's
			continue
		case owners.claim(path), left[path],
			mine.at(d.Location) && mine.releases(path) && !mine.names(path), // the state is older
			object.Mode == tree.ModeFile && inv.Imported,
			out.isUnknown(d, inv, path, owners),
			ourFolder && d.Removal == Retain:
			out.Released = append(out.Released, path)
			continue
		case ourFolder && d.Removal == Forbid && !object.ID.isZero():
			out.Forbidden = append(out.Forbidden, path)
			continue
		case ourFolder && d.Removal != Delete && !object.ID.isZero():
			gone.Want = tree.Subdir("", emptiedFolder)
		}
		out.Change.Edits[path] = gone
	}
}

// goesOn reports whether what is ours comes from another commit than our record names,
// and no file says so.
func (out *Decision) goesOn(d Desired, inv *Inventory) bool {
	mine := inv.Records[inv.Instance]
	return mine.at(out.Location) && d.Source != "" && len(d.folders()) > 0 && mine.Commit() != d.Source
}

// givesUp reports whether our record names a folder that is released: it would keep
// others from it.
func (out *Decision) givesUp(inv *Inventory) bool {
	mine := inv.Records[inv.Instance]
	return mine.at(out.Location) && slices.ContainsFunc(out.Released, mine.names)
}

// record brings the records into line with the change.
func (out *Decision) record(d Desired, inv *Inventory) {
	mine := d.record(inv.Instance)
	mine.Released = out.released(d, inv)
	was, recorded := out.Records[inv.Instance]
	switch {
	case inv.Instance == "", d.GoesOn:
	case len(d.Paths) > 0 && (!recorded || !was.sameClaims(mine)):
		out.note(mine)
	case len(d.Paths) == 0 && recorded && was.at(d.Location):
		out.note(mine)
	}
	theirs := map[string]Record{}
	for _, claim := range out.TakenOver {
		theirs[claim.Instance] = claim.Record
	}
	for _, r := range out.Records {
		if r.Earlier {
			theirs[r.Instance] = r.Record
		}
	}
	ours := Records{"ours": {Record: mine}}.claimants("")
	_, promoted := d.Paths[engine.PromotedCommitFile]
	for _, r := range theirs {
		left := r.without(ours.claim)
		if promoted {
			left.PromotedCommit = ""
		}
		if !left.sameClaims(r) {
			out.note(left)
		}
	}
}

// released returns the folders that our record has to offer to others, by name: those that
// we leave now, those that we left before, and those that it names and our state has lost.
// An offer lasts, whatever the fleet has by now, since that of who takes it may be another
// one: until somebody has the folder, or nothing is left of it.
func (out *Decision) released(d Desired, inv *Inventory) []string {
	var all []string
	owners := inv.claimants()
	offer := func(path string) {
		_, wanted := d.Paths[path]
		if _, goes := out.Change.Edits[path]; !wanted && !goes && !inv.Emptied[path] && !owners.claim(path) {
			all = append(all, keyOf(d.Location, path))
		}
	}
	for _, path := range out.Released {
		if object := inv.Owned[path]; object.isFolder() && slices.Contains(d.Leave, path) {
			offer(path)
		}
	}
	mine := inv.Records[inv.Instance]
	if !mine.at(d.Location) {
		return sorted(all)
	}
	for _, name := range mine.Released {
		offer(d.Location.Join(name))
	}
	for _, name := range mine.ClusterTypes {
		path := d.Location.Join(name)
		if _, known := inv.Owned[path]; slices.Contains(d.Leave, path) || d.Part && !known {
			offer(path)
		}
	}
	return sorted(all)
}

// note has a record written; one that says of no folder whose it is, is removed. Who has
// no folder is at no commit.
func (out *Decision) note(r Record) {
	if len(r.ClusterTypes) == 0 {
		r.PromotedCommit, r.SourceCommit = "", ""
	}
	edit := git.Edit{Want: tree.Entry{Mode: tree.ModeFile}, Unchecked: true}
	delete(out.Records, r.Instance)
	if len(r.ClusterTypes)+len(r.Released) > 0 {
		edit.Want = tree.File("", r.content())
		if out.Records == nil {
			out.Records = Records{}
		}
		out.Records[r.Instance] = Recorded{Record: r, File: ObjectID(edit.Want.ID)}
	}
	out.Change.Edits[recordPath(r.Instance)] = edit
}

// changes reports whether a change leads to anything else than what it expects.
func changes(c git.Change) bool {
	for _, edit := range c.Edits {
		if edit.Want.ID != edit.Expected {
			return true
		}
	}
	return false
}
