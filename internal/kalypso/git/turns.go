// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"errors"
)

// inTurn writes to a branch when nobody else who shares the client does, as the resources of
// one run: none loses a race against its siblings.
func inTurn[T any](ctx context.Context, c *Client, branch Branch, write func() (T, error)) (done T, err error) {
	made, _ := c.turns.LoadOrStore(branch.Key(), make(chan struct{}, 1))
	room := made.(chan struct{}) //nolint:errcheck,forcetypeassert // nothing else is stored.
	if err := enter(ctx, room); err != nil {
		return done, err
	}
	defer func() { <-room }()
	return attempt(ctx, c, branch, write)
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
		return errors.New("the operation's time was up while another resource of this run wrote to the branch. Give the operation more " +
			"time (timeouts)")
	}
}
