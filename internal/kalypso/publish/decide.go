// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Decision is what is to be done about a location so that it holds what is desired.
type Decision struct {
	Location git.Location
	// Change are the paths to write and those to remove, each with what has to stand
	// there before. It holds nothing that is not ours or to become so.
	Change git.Change
	// Released are paths that we looked after and leave to others as they are, sorted.
	Released []string
	// Changes reports whether the branch, or what is proposed to it, becomes another.
	Changes bool
	// Moves reports whether the packages stand at another location now: what is ours
	// there is another decision, made once this one is carried out.
	Moves bool
	// Propose has the change proposed; Withdraw has the open request closed.
	Propose, Withdraw bool
}

// Decide compares what is desired with what stands there. It is pure: the same
// arguments give the same decision, and it looks at nothing else. Rules:
//
//   - What is desired has to stand there completely. Where it is not ours yet, nothing may.
//   - What is ours and no longer desired goes, unless it is left to others.
//   - After an import nobody knows yet whose files beside the folders are.
//   - What others have there goes only where it is claimed and was seen before.
//   - At another location nothing is ours yet, but the files beside the folders where
//     the branch stays.
//
// See docs/guides/semantics.md, section 6.
func Decide(d Desired, inv *Inventory) Decision {
	out := Decision{
		Location: d.Location, Propose: d.Propose, Withdraw: inv.Proposal != nil && !d.Propose,
		Change: git.Change{Edits: map[string]git.Edit{}},
	}
	isNew := inv.isNew()
	if !isNew && !d.Location.Same(inv.Location) {
		out.Moves = true
		out.Released = slices.Sorted(maps.Keys(inv.Foreign))
		inv = inv.arriving(d.Location, d.Location.Of().Key() == inv.Location.Of().Key())
	}
	expected := inv.known()
	if !d.Exclusive {
		out.Released = slices.AppendSeq(out.Released, maps.Keys(inv.Foreign))
		expected = inv.Owned
	}
	for path, want := range d.Paths {
		want.Name = ""
		out.Change.Edits[path] = git.Edit{Want: want, Expected: tree.ID(expected[path].ID)}
	}
	for path, object := range expected {
		if _, stays := d.Paths[path]; stays {
			continue
		}
		if object.Mode == tree.ModeFile && (inv.Imported || slices.Contains(d.Leave, path)) {
			out.Released = append(out.Released, path)
			continue
		}
		out.Change.Edits[path] = git.Edit{Want: tree.Entry{Mode: object.Mode}, Expected: tree.ID(object.ID)}
	}
	slices.Sort(out.Released)
	out.Changes = isNew || out.Moves || changes(out.Change)
	if d.Propose && inv.Proposal != nil {
		out.Changes = !inv.Proposal.holds(out.Change)
	}
	return out
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
