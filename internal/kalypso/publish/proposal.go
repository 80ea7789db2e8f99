// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Proposal is the pull request that a resource follows, until it is merged or another one
// takes its place. The rest of an inventory stays what the base branch holds.
type Proposal struct {
	Number int `json:"number"`
	// Author opened it, as the forge names who we are.
	Author string `json:"author,omitempty"`
	// Branch is the head branch, Commit what we pushed to it, On the commit of the base
	// branch that it contains, and Seen what was there when we last looked: where it is not
	// Commit, somebody else has pushed, and Pusher is how that commit names its author.
	Branch string   `json:"branch"`
	Commit ObjectID `json:"commit"`
	On     ObjectID `json:"on"`
	Seen   ObjectID `json:"seen"`
	Pusher string   `json:"pusher,omitempty"`
	// Closed is true where somebody has closed it without a merge.
	Closed bool `json:"closed,omitempty"`
	// Paths are what is proposed, records included; with the zero id what the request takes
	// away. From is what the base branch had there.
	Paths Objects `json:"paths"`
	From  Objects `json:"from"`
	// Base are the inventory's packages, for a note.
	Base engine.Digests `json:"base"`
	// Incomplete is true where the request lacks something, as a label.
	Incomplete bool `json:"incomplete,omitempty"`
}

// branchNumber returns the number of a branch that is named as an instance's are, whatever
// the prefix and the environment were; 0 for any other.
func branchNumber(branch, instance string) int {
	digits, ours := strings.CutPrefix(path.Base(branch), instance+"-")
	number, err := strconv.Atoi(digits)
	if !ours || err != nil {
		return 0
	}
	return number
}

// isOpen reports whether there is a request that is open, as far as we know.
func (p *Proposal) isOpen() bool { return p != nil && !p.Closed }

// isEdited reports whether the head branch is not at the commit that we pushed.
func (p *Proposal) isEdited() bool { return p.Seen != p.Commit }

// here returns what the inventory says is at a path, of files and folders that we look at
// and of records.
func (inv *Inventory) here(file string) ObjectID {
	if isRecord(file) {
		return inv.Records[path.Base(file)].File
	}
	if object, ours := inv.Owned[file]; ours {
		return object.ID
	}
	return inv.Foreign[file].ID
}

// holdsProposal reports whether the base branch holds what is proposed: the folders, or
// the records, too.
func (inv *Inventory) holdsProposal(records bool) bool {
	for path, want := range inv.Proposal.Paths {
		id := want.ID
		if id == ObjectID(emptiedFolder.ID) { // nothing is there, then
			id = ObjectID{}
		}
		if (records || !isRecord(path)) && inv.here(path) != id {
			return false
		}
	}
	return true
}

// baseMoved reports whether the base branch has something else than when we pushed, where
// the request or we ourselves change something.
func (inv *Inventory) baseMoved() bool {
	from := inv.Proposal.From
	return slices.ContainsFunc(slices.AppendSeq(slices.Collect(maps.Keys(from)), maps.Keys(inv.known())), func(path string) bool {
		return inv.here(path) != from[path].ID
	})
}

// isStale reports whether the request no longer proposes what was wanted, or not that
// alone. What was closed is left alone, unless it was not ours alone.
func (inv *Inventory) isStale() bool {
	switch p := inv.Proposal; {
	case p == nil:
		return false
	case p.Closed:
		return p.isEdited()
	default:
		return !inv.holdsProposal(true) && (p.isEdited() || inv.baseMoved())
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
		if !isRecord(path) {
			wants[path] = object
		}
	}
	return maps.Equal(wants, wanted(change, false))
}

// wanted are the paths of a change as it wants them, with records or without.
func wanted(change git.Change, records bool) Objects {
	all := Objects{}
	for path, edit := range change.Edits {
		if records || !isRecord(path) {
			all[path] = Object{Mode: edit.Want.Mode, ID: ObjectID(edit.Want.ID)}
		}
	}
	return all
}

// isPushedTo reports whether somebody else has pushed to the branch of the open request.
func (inv *Inventory) isPushedTo() bool {
	p := inv.Proposal
	return p.isOpen() && p.isEdited() && inv.isStale()
}

// merged notes that the request was merged, or that the base branch holds what it proposes.
func (inv *Inventory) merged() {
	written := maps.Clone(inv.Proposal.Paths)
	maps.DeleteFunc(written, func(path string, object Object) bool {
		return isRecord(path) || slices.Contains([]ObjectID{{}, ObjectID(emptiedFolder.ID)}, object.ID)
	})
	if inv.holdsProposal(false) {
		inv.Owned, inv.Applied, inv.Foreign, inv.Drifted = written, maps.Clone(written), nil, false
	} else { // something else came of it since
		applied := Objects{}
		maps.Copy(applied, inv.Applied)
		maps.Copy(applied, written)
		inv.Applied, inv.Drifted = applied, true
	}
	inv.Merged, inv.Proposal = inv.Proposal, nil
}
