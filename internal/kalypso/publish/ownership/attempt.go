// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Attempt is a change that is decided anew on each attempt to make it. Between a plan and
// its apply, and between two attempts, others may have become owners of the desired paths.
type Attempt struct {
	Desired
	// Inventory is the inventory that the plan used, at the desired location.
	Inventory *Inventory
	// Message is the message of the commit. AsIs is the message of a commit that only
	// records the owner of packages. StartFrom is the branch that a missing branch starts
	// from.
	Message, AsIs, StartFrom string
	// Shown are the paths that the plan has shown as taken over or resumed: see
	// Decision.Shown. The attempt takes over no others.
	Shown map[string]string
	// Seen and Decision are the last attempt's: the inventory as the branch was found, and
	// the decision about it.
	Seen     *Inventory
	Decision Decision
}

// RefusedError says that a decision must not be carried out: the folders of others, or ours by
// two records, are in the way. Package message says which and why.
type RefusedError struct{ Decision }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("this resource cannot write to %s", e.Location)
}

// UnshownError says that an attempt would take over paths that its plan has not shown.
// Their owner or their content has changed since.
type UnshownError struct {
	Location git.Location
	Claims   []Claim
}

func (e *UnshownError) Error() string {
	return fmt.Sprintf("the plan has not shown what this apply would take over in %s", e.Location)
}

// Work returns the work for package git. Its errors are *RefusedError, *UnshownError and
// those of NoteOwners.
func (a *Attempt) Work() git.Work {
	return git.Work{Look: a.Inventory.Around(a.Desired), StartFrom: a.StartFrom, Decide: a.decide}
}

// decide decides about a branch as it was found.
func (a *Attempt) decide(found *git.Answer) (git.Change, error) {
	seen := *a.Inventory
	if err := seen.NoteOwners(found, a.Location.Branch); err != nil {
		return git.Change{}, err
	}
	decision := Decide(a.Desired, &seen)
	decision.Change.Message = a.Message
	standing := found.ID
	if found.Unchanged { // as after an import
		standing = func(path string) tree.ID { return seen.Owned[path].ID }
	}
	if (!found.Unchanged || len(decision.TakenOver) > 0) && LeavesContent(decision.Change, standing) {
		if len(a.Paths) > 0 {
			decision.Change.Message = a.AsIs
		}
		if a.Propose && len(decision.TakenOver) == 0 {
			decision.leaveRecord(seen.Records)
		}
	}
	a.Seen, a.Decision = &seen, decision
	if decision.IsRefused() {
		return git.Change{}, &RefusedError{decision}
	}
	if unshown := decision.unshown(a.Shown, standing); len(unshown) > 0 {
		return git.Change{}, &UnshownError{a.Location, unshown}
	}
	return decision.Change, nil
}

// LeavesContent reports whether a change leaves everything in a branch as it is, except
// records. Such a change only records who owns the packages.
func LeavesContent(change git.Change, standing func(path string) tree.ID) bool {
	for path, edit := range change.Edits {
		if !IsRecord(path) && edit.Want.ID != standing(path) {
			return false
		}
	}
	return true
}

// leaveRecord takes the records out of a change that would propose nothing else. Paths
// that nobody else claims need no review, and the next change brings the record. known are
// the records of the branch.
func (out *Decision) leaveRecord(known Records) {
	for path := range out.Change.Edits {
		if IsRecord(path) {
			delete(out.Change.Edits, path)
		}
	}
	out.Records = known
}
