// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"errors"
	"sync"
)

// turns lets those who share a client, as the resources of one run, write to a branch one
// after the other: none loses a race against its siblings.
type turns struct {
	// branches have by their keys a channel with room for one: it is full while somebody writes.
	branches sync.Map
}

// take has something written to a branch when nobody else writes to it.
func (t *turns) take(ctx context.Context, branch Branch, write func() error) error {
	made, _ := t.branches.LoadOrStore(branch.Key(), make(chan struct{}, 1))
	room := made.(chan struct{}) //nolint:errcheck,forcetypeassert // nothing else is stored.
	if err := enter(ctx, room); err != nil {
		return err
	}
	defer func() { <-room }()
	return write()
}

// enter waits until nobody else is in the room.
func enter(ctx context.Context, room chan struct{}) error {
	select {
	case room <- struct{}{}:
		return nil
	default: // so that an operation whose time is up is not told that it waited
	}
	select {
	case room <- struct{}{}:
		return nil
	case <-ctx.Done():
		return errors.New("the operation's time was up while another resource of this run wrote to the branch. Give the operation more time (timeouts)")
	}
}
