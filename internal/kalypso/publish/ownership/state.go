// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

// State compares a branch with the last apply.
type State string

// The states. A resource shows the first four as its status.
const (
	InSync   State = "in_sync"  // the branch has the applied content
	Proposed State = "proposed" // an open request proposes the content
	Closed   State = "closed"   // the request was closed without a merge
	Drifted  State = "drifted"  // somebody has changed our paths
	// Overtaken says that the request does not propose exactly the wanted change. The base
	// branch has changed at its paths, or somebody has pushed to the request's branch.
	Overtaken State = "overtaken"
	// Imported says that no apply has followed the import yet.
	Imported State = "imported"
)

// Settle updates the state, after a look at the branch and its request.
func (inv *Inventory) Settle() {
	switch {
	case inv.isStale():
		inv.State = Overtaken
	case inv.Proposal.IsOpen():
		inv.State = Proposed
	case inv.Proposal != nil:
		inv.State = Closed
	case inv.State == Imported:
	case inv.drifts():
		inv.State = Drifted
	default:
		inv.State = InSync
	}
}

// Status returns the state for the resource's attribute.
func (inv *Inventory) Status() State {
	switch {
	case inv.State == Overtaken && !inv.Proposal.IsOpen():
		return Closed
	case inv.State == Overtaken:
		return Drifted
	case inv.State == Imported, inv.State == "":
		return InSync
	}
	return inv.State
}

// IsSettled reports whether the branch, or an open request, has the applied content, and no
// record of another instance lists any of it.
func (inv *Inventory) IsSettled() bool {
	switch inv.State {
	case InSync, Proposed, Closed:
		return !inv.isContested()
	case Drifted, Overtaken, Imported:
	}
	return false
}

// HasDrifted reports whether the branch itself does not have the applied content.
func (inv *Inventory) HasDrifted() bool {
	return inv.State == Drifted || inv.State == Overtaken && inv.Proposal.IsOpen() && inv.BaseMoved()
}

// drifts reports whether the branch did not have the applied content at our last look.
func (inv *Inventory) drifts() bool {
	for path, object := range inv.Owned {
		if object.ID != inv.Applied[path].ID {
			return true
		}
	}
	return false
}

// isContested reports whether the record of another instance lists a path of ours.
func (inv *Inventory) isContested() bool {
	others := inv.Claimants()
	for path := range inv.Owned {
		if others.Claim(path) {
			return true
		}
	}
	return false
}
