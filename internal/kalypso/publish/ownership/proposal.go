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

// Proposal is the pull request of a resource, until the request is merged or replaced. The
// rest of an inventory still describes the base branch.
type Proposal struct {
	Number int `json:"number"`
	// Author is our user name on the forge, which opened the request.
	Author string `json:"author,omitempty"`
	// Branch is the head branch. Commit is the commit that we pushed to it. On is the commit of
	// the base branch that the head branch contains. Seen is the branch's commit at our last
	// look. If Seen differs from Commit, somebody else has pushed, and Pusher is the author in
	// the commit Seen.
	Branch string  `json:"branch"`
	Commit tree.ID `json:"commit"`
	On     tree.ID `json:"on"`
	Seen   tree.ID `json:"seen"`
	Pusher string  `json:"pusher,omitempty"`
	// Closed is true if somebody has closed the request without a merge.
	Closed bool `json:"closed,omitempty"`
	// Paths are the proposed objects, with records. Objects that the request removes have the
	// zero id. From are the objects of the base branch at these paths.
	Paths Objects `json:"paths"`
	From  Objects `json:"from"`
	// Release is the digest of the release of our record in the request (Record.Release); empty if it
	// is not known.
	Release string `json:"release,omitempty"`
	// Base are the inventory's packages, for a note.
	Base engine.Digests `json:"base"`
	// Incomplete is true if the request lacks something, for example a label.
	Incomplete bool `json:"incomplete,omitempty"`
}

// BranchNumber returns the number in the name of an instance's branch, for any prefix and
// environment; 0 for other branches.
func BranchNumber(branch, instance string) int {
	digits, ours := strings.CutPrefix(path.Base(branch), instance+"-")
	number, err := strconv.Atoi(digits)
	if !ours || err != nil {
		return 0
	}
	return number
}

// IsOpen reports whether the last known state of the request is open.
func (p *Proposal) IsOpen() bool { return p != nil && !p.Closed }

// IsEdited reports whether the head branch is at another commit than our pushed commit.
func (p *Proposal) IsEdited() bool { return p.Seen != p.Commit }

// Here returns the id of the inventory's object at a path: an owned file or folder, or a
// record.
func (inv *Inventory) Here(file string) tree.ID {
	if IsRecord(file) {
		return inv.Records[path.Base(file)].File
	}
	return inv.Owned[file].ID
}

// HoldsProposal reports whether the base branch has the proposed content: folders, and with
// records also the records.
func (inv *Inventory) HoldsProposal(records bool) bool {
	for path, want := range inv.Proposal.Paths {
		id := want.ID
		if id == EmptiedFolder.ID { // the base branch then has nothing at the path
			id = tree.ID{}
		}
		if (records || !IsRecord(path)) && inv.Here(path) != id {
			return false
		}
	}
	return true
}

// BaseMoved reports whether the base branch has changed since our push, at paths of the
// request or of the resource.
func (inv *Inventory) BaseMoved() bool {
	from := inv.Proposal.From
	return slices.ContainsFunc(slices.AppendSeq(slices.Collect(maps.Keys(from)), maps.Keys(inv.Owned)), func(path string) bool {
		return inv.Here(path) != from[path].ID
	})
}

// isStale reports whether the request does not propose exactly the wanted change. It ignores a
// closed request, unless others had pushed to it.
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

// HoldsRelease reports whether our record in the base branch names the proposed release.
func (inv *Inventory) HoldsRelease() bool {
	mine, known := inv.Records[inv.Instance]
	return !known || inv.Proposal.Release == "" || inv.Proposal.Release == mine.Release()
}

// proposes reports whether the request proposes, or proposed before it was closed, exactly the
// change to a release.
func (inv *Inventory) proposes(change git.Change, release string) bool {
	if inv.isStale() || inv.Proposal.Release != "" && inv.Proposal.Release != release {
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

// Wanted returns the desired objects of a change, with records or without.
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

// NoteMerge notes that the request was merged, or that the base branch has its content.
func (inv *Inventory) NoteMerge() {
	written := maps.Clone(inv.Proposal.Paths)
	maps.DeleteFunc(written, func(path string, object Object) bool {
		return IsRecord(path) || slices.Contains([]tree.ID{{}, EmptiedFolder.ID}, object.ID)
	})
	if inv.HoldsProposal(false) {
		inv.Owned, inv.Applied, inv.State = written, maps.Clone(written), InSync
	} else { // the branch has other content now
		applied := Objects{}
		maps.Copy(applied, inv.Applied)
		maps.Copy(applied, written)
		inv.Applied, inv.State = applied, Drifted
	}
	inv.Merged, inv.Proposal = inv.Proposal, nil
}
