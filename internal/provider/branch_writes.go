// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// branchWrites lets the resources of one run write to a branch one after the
// other, and remembers what each has left there: none removes what another has
// just taken over. So it happens where a resource gets another name, is replaced
// with create_before_destroy, or moves to where another one moves away.
type branchWrites struct {
	mutex    sync.Mutex
	branches map[string]*branchWrite
}

// branchWrite is what a run has written to one branch.
type branchWrite struct {
	// turn has room for one: whoever is in it writes.
	turn chan struct{}
	// folders are those that have to be there now, as <location>/<folder>.
	folders map[string]bool
	// tracking is true once the promoted commit's file has to be there.
	tracking bool
}

// branch gives what was written to the branch of a location.
func (w *branchWrites) branch(loc git.Location) *branchWrite {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	key := git.Location{Repo: loc.Repo, Branch: loc.Branch}.Spelling()
	if w.branches == nil {
		w.branches = map[string]*branchWrite{}
	}
	if w.branches[key] == nil {
		w.branches[key] = &branchWrite{turn: make(chan struct{}, 1), folders: map[string]bool{}}
	}
	return w.branches[key]
}

// apply is git.Client.Apply, but for removals of what this run has written.
func (w *branchWrites) apply(ctx context.Context, client *git.Client, loc git.Location, change git.Change) (result git.Result, err error) {
	err = w.inTurn(ctx, loc, &change, func() error {
		result, err = client.Apply(ctx, loc, change)
		return err
	})
	return result, err
}

// propose is git.Client.Propose, but for removals of what this run has
// written or proposed, which are taken out of the draft.
func (w *branchWrites) propose(ctx context.Context, client *git.Client, loc git.Location, draft *git.Draft) (proposed git.Proposed, err error) {
	err = w.inTurn(ctx, loc, &draft.Change, func() error {
		proposed, err = client.Propose(ctx, loc, *draft)
		return err
	})
	return proposed, err
}

// inTurn lets a change be written when no other one is, and remembers it.
func (w *branchWrites) inTurn(ctx context.Context, loc git.Location, change *git.Change, write func() error) error {
	branch := w.branch(loc)
	select {
	case branch.turn <- struct{}{}:
		defer func() { <-branch.turn }()
	case <-ctx.Done():
		return errors.New("the operation's time was up while another resource of this run wrote to the branch. Give the operation more time (timeouts)")
	}
	prefix := loc.Spelling() + "/"
	change.Remove = slices.DeleteFunc(slices.Clone(change.Remove), func(name string) bool {
		if branch.folders[prefix+name] {
			delete(change.Expected, name)
			return true
		}
		return false
	})
	if change.Tracking != nil && change.Tracking.Content == nil && branch.tracking {
		change.Tracking = nil
	}
	if err := write(); err != nil {
		return err
	}
	for name := range change.Folders {
		branch.folders[prefix+name] = true
	}
	branch.tracking = branch.tracking || change.Tracking != nil && change.Tracking.Content != nil
	return nil
}
