// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Proposal is the pull request that a resource follows, until it is merged or another one
// takes its place. The rest of an inventory still describes the base branch.
type Proposal struct {
	Number int `json:"number"`
	// Author is our name on the forge. It opened the request.
	Author string `json:"author,omitempty"`
	// Branch is the head branch. Commit is the commit that we pushed to it. On is the
	// commit of the base branch that it contains. Seen is the branch's commit at our last
	// look. If Seen differs from Commit, somebody else has pushed, and Pusher is the
	// author that this commit names.
	Branch string  `json:"branch"`
	Commit tree.ID `json:"commit"`
	On     tree.ID `json:"on"`
	Seen   tree.ID `json:"seen"`
	Pusher string  `json:"pusher,omitempty"`
	// Closed is true if somebody has closed it without a merge.
	Closed bool `json:"closed,omitempty"`
	// Paths are the proposed objects, with records. Objects that the request takes away
	// have the zero id. From are the objects of the base branch at these paths.
	Paths Objects `json:"paths"`
	From  Objects `json:"from"`
	// Base are the inventory's packages, for a note.
	Base engine.Digests `json:"base"`
	// Incomplete is true if the request lacks something, for example a label.
	Incomplete bool `json:"incomplete,omitempty"`
}

// BranchNumber returns the number of a branch that is named as an instance's are, whatever
// the prefix and the environment were; 0 for any other.
func BranchNumber(branch, instance string) int {
	digits, ours := strings.CutPrefix(path.Base(branch), instance+"-")
	number, err := strconv.Atoi(digits)
	if !ours || err != nil {
		return 0
	}
	return number
}

// IsOpen reports whether there is a request that is open, as far as we know.
func (p *Proposal) IsOpen() bool { return p != nil && !p.Closed }

// IsEdited reports whether the head branch is not at the commit that we pushed.
func (p *Proposal) IsEdited() bool { return p.Seen != p.Commit }

// Here returns the inventory's object at a path, for files and folders that we look at and
// for records.
func (inv *Inventory) Here(file string) tree.ID {
	if IsRecord(file) {
		return inv.Records[path.Base(file)].File
	}
	if object, ours := inv.Owned[file]; ours {
		return object.ID
	}
	return inv.Foreign[file].ID
}

// HoldsProposal reports whether the base branch holds the proposed folders, or also the
// proposed records.
func (inv *Inventory) HoldsProposal(records bool) bool {
	for path, want := range inv.Proposal.Paths {
		id := want.ID
		if id == EmptiedFolder.ID { // nothing is there, then
			id = tree.ID{}
		}
		if (records || !IsRecord(path)) && inv.Here(path) != id {
			return false
		}
	}
	return true
}

// BaseMoved reports whether the base branch has changed since our push, at paths that the
// request or we ourselves change.
func (inv *Inventory) BaseMoved() bool {
	from := inv.Proposal.From
	return slices.ContainsFunc(slices.AppendSeq(slices.Collect(maps.Keys(from)), maps.Keys(inv.Known())), func(path string) bool {
		return inv.Here(path) != from[path].ID
	})
}

// isStale reports whether the request no longer proposes the wanted change, or proposes
// more. It ignores a closed request, unless others had pushed to it.
func (inv *Inventory) isStale() bool {
	switch p := inv.Proposal; {
	case p == nil:
		return false
	case p.Closed:
		return p.IsEdited()
	default:
		return !inv.HoldsProposal(true) && (p.IsEdited() || inv.BaseMoved())
	}
}

// proposes reports whether the request proposes, or proposed before it was closed, just
// that change.
func (inv *Inventory) proposes(change git.Change) bool {
	if inv.isStale() {
		return false
	}
	wants := Objects{}
	for path, object := range inv.Proposal.Paths {
		if !IsRecord(path) {
			wants[path] = object
		}
	}
	return maps.Equal(wants, Wanted(change, false))
}

// Wanted are the paths of a change as it wants them, with records or without.
func Wanted(change git.Change, records bool) Objects {
	all := Objects{}
	for path, edit := range change.Edits {
		if records || !IsRecord(path) {
			all[path] = Object{Mode: edit.Want.Mode, ID: edit.Want.ID}
		}
	}
	return all
}

// IsPushedTo reports whether somebody else has pushed to the branch of the open request.
func (inv *Inventory) IsPushedTo() bool {
	p := inv.Proposal
	return p.IsOpen() && p.IsEdited() && inv.isStale()
}

// NoteMerge notes that the request was merged, or that the base branch holds what it proposes.
func (inv *Inventory) NoteMerge() {
	written := maps.Clone(inv.Proposal.Paths)
	maps.DeleteFunc(written, func(path string, object Object) bool {
		return IsRecord(path) || slices.Contains([]tree.ID{{}, EmptiedFolder.ID}, object.ID)
	})
	if inv.HoldsProposal(false) {
		inv.Owned, inv.Applied, inv.Foreign, inv.State = written, maps.Clone(written), nil, InSync
	} else { // something else came of it since
		applied := Objects{}
		maps.Copy(applied, inv.Applied)
		maps.Copy(applied, written)
		inv.Applied, inv.State = applied, Drifted
	}
	inv.Merged, inv.Proposal = inv.Proposal, nil
}
