// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"errors"
	"maps"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// turns lets the resources of one run write to a branch one after the other, and
// remembers what each has left there: none removes what another has just taken
// over. So it happens where a resource gets another name, is replaced by one that
// is created first, or moves to where another one moves away.
type turns struct {
	mutex    sync.Mutex
	branches map[string]*turn
}

// turn is what a run has written to one branch.
type turn struct {
	// free has room for one: whoever is in it writes.
	free chan struct{}
	// written are the paths that have to be there now.
	written map[string]bool
}

// of returns what was written to a branch.
func (t *turns) of(branch git.Branch) *turn {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.branches == nil {
		t.branches = map[string]*turn{}
	}
	key := branch.Key()
	if t.branches[key] == nil {
		t.branches[key] = &turn{free: make(chan struct{}, 1), written: map[string]bool{}}
	}
	return t.branches[key]
}

// begin waits until nobody else writes to the branch.
func (t *turn) begin(ctx context.Context) error {
	select {
	case t.free <- struct{}{}:
		return nil
	default: // so that an operation whose time is up is not told that it waited
	}
	select {
	case t.free <- struct{}{}:
		return nil
	case <-ctx.Done():
		return errors.New("the operation's time was up while another resource of this run wrote to the branch. Give the operation more time (timeouts)")
	}
}

func (t *turn) end() { <-t.free }

// take has a change written when no other one is, without removals of what this
// run has written, and remembers it. It returns the change as it was written.
func (t *turns) take(ctx context.Context, branch git.Branch, change git.Change, write func(git.Change) error) (git.Change, error) {
	turn := t.of(branch)
	if err := turn.begin(ctx); err != nil {
		return change, err
	}
	defer turn.end()
	change.Edits = maps.Clone(change.Edits)
	maps.DeleteFunc(change.Edits, func(path string, edit git.Edit) bool { return !edit.Writes() && turn.written[path] })
	if err := write(change); err != nil {
		return change, err
	}
	for path, edit := range change.Edits {
		if edit.Writes() {
			turn.written[path] = true
		}
	}
	return change, nil
}
