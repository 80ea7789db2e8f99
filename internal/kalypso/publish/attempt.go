// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// attempt is a change that is decided anew on each attempt to make it: between a
// plan and its apply, and between two attempts, others may have come to own what is
// desired.
type attempt struct {
	desired ownership.Desired
	// inv is what the plan was made against, at the location of what is desired.
	inv *ownership.Inventory
	// message is the commit's, and asIs that of one that only says whose packages are;
	// startFrom is the branch that a missing branch starts from.
	message, asIs, startFrom string
	// shown is what the plan has shown to be taken over, by path with its record; nothing else is.
	shown map[string]string
	// seen and decision are the last attempt's: the inventory as the branch was found,
	// and what was decided about it.
	seen     *ownership.Inventory
	decision ownership.Decision
}

// attempt returns what brings a location, of which inv is the inventory, to what is
// desired; what says what changes, for the commit.
func (p *Publisher) attempt(desired ownership.Desired, inv *ownership.Inventory, what string) *attempt {
	return &attempt{
		desired: desired, inv: inv, message: p.message(desired, what), asIs: p.message(desired, takesOver),
	}
}

// job returns what git does.
func (a *attempt) job() git.Job {
	return git.Job{Look: a.inv.Around(a.desired), StartFrom: a.startFrom, Decide: a.decide}
}

// decide decides about a branch as it was found.
func (a *attempt) decide(found *git.State) (git.Change, error) {
	seen := *a.inv
	if err := seen.NoteOwners(found, a.desired.Location.Branch); err != nil {
		return git.Change{}, err
	}
	a.seen, a.decision = &seen, ownership.Decide(a.desired, &seen)
	a.decision.Change.Message = a.message
	standing := found.ID
	if found.Unchanged && len(a.decision.TakenOver) > 0 { // as after an import
		standing = func(path string) tree.ID { return tree.ID(seen.Owned[path].ID) }
	}
	if (!found.Unchanged || len(a.decision.TakenOver) > 0) && leavesContent(a.decision.Change, standing) {
		if len(a.desired.Paths) > 0 {
			a.decision.Change.Message = a.asIs
		}
		a.leaveRecord()
	}
	if unshown := a.decision.Unshown(a.shown); len(unshown) > 0 && message.Refusal(a.decision) == nil {
		return git.Change{}, fmt.Errorf("the plan does not show that this apply takes over what another resource owns in %s: %s. Nothing was written. Plan again, and apply that plan", a.desired.Location, message.Owners(a.desired.Location, unshown))
	}
	return a.decision.Change, message.Refusal(a.decision)
}

// takesOver says of a change that it leaves all packages as they are in the branch, and
// only says whose they are.
const takesOver = "take over packages as they are"

// leavesContent reports whether a change leaves everything as it stands in a branch,
// records aside.
func leavesContent(change git.Change, standing func(path string) tree.ID) bool {
	for path, edit := range change.Edits {
		if !ownership.IsRecord(path) && edit.Want.ID != standing(path) {
			return false
		}
	}
	return true
}

// leaveRecord takes the records out of a change that would propose nothing else: what
// nobody else claims needs no review, and the next change brings the record.
func (a *attempt) leaveRecord() {
	if !a.desired.Propose || len(a.decision.TakenOver) > 0 {
		return
	}
	for path := range a.decision.Change.Edits {
		if ownership.IsRecord(path) {
			delete(a.decision.Change.Edits, path)
		}
	}
	a.decision.Records = a.seen.Records
}
