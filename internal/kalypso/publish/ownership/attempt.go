// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Attempt is a change with a new decision for each attempt. Between a plan and its apply, and
// between two attempts, others may have become owners of the desired paths.
type Attempt struct {
	Desired
	// Inventory is the inventory that the plan used, at the desired location.
	Inventory *Inventory
	// Message is the message of the commit. AsIs is the message of a commit that only
	// records the owner of packages. StartFrom is the branch that a missing branch starts
	// from.
	Message, AsIs, StartFrom string
	// Shown are the paths that the plan has shown as taken over or resumed: see Decision.Shown.
	// The attempt takes over no other paths.
	Shown map[string]string
	// Seen and Decision belong to the last attempt: the inventory of the branch, and the
	// decision about it.
	Seen     *Inventory
	Decision Decision
}

// RefusedError says that a decision must not be carried out: paths of others, or paths that
// two records list, are in the way. Package message names the paths and the reasons.
type RefusedError struct{ Decision }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("this resource cannot write to %s", e.Location)
}

// UnshownError says that an attempt would take over paths that the plan has not shown. Their
// owner or their content changed after the plan.
type UnshownError struct {
	Location git.Location
	Claims   []Claim
}

func (e *UnshownError) Error() string {
	return fmt.Sprintf("the plan has not shown that this apply would take over paths in %s", e.Location)
}

// Work returns the work for package git. Its errors are *RefusedError, *UnshownError and
// those of NoteOwners.
func (a *Attempt) Work() git.Work {
	return git.Work{Look: a.Inventory.Around(a.Desired), StartFrom: a.StartFrom, Decide: a.decide}
}

// decide decides about the content of a branch.
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
	if (!found.Unchanged || len(decision.TakenOver) > 0) && LeavesContent(decision.Change, standing) && !promotes(&seen, decision) {
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

// Promotes reports whether the attempt changes the release that our record names.
func (a *Attempt) Promotes() bool { return promotes(a.Seen, a.Decision) }

func promotes(seen *Inventory, decision Decision) bool {
	was, known := seen.Records[decision.Instance]
	return known && was.Release() != decision.Records[decision.Instance].Release()
}

// LeavesContent reports whether a change only changes records. Such a change only records the
// owner of the packages.
func LeavesContent(change git.Change, standing func(path string) tree.ID) bool {
	for path, edit := range change.Edits {
		if !IsRecord(path) && edit.Want.ID != standing(path) {
			return false
		}
	}
	return true
}

// leaveRecord removes the records from a change that would propose nothing else. Paths without
// another claim need no review, and the next change brings the record. known are the records
// of the branch.
func (out *Decision) leaveRecord(known Records) {
	for path := range out.Change.Edits {
		if IsRecord(path) {
			delete(out.Change.Edits, path)
		}
	}
	out.Records = known
}
