// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// errMoved says that the branch is not where it was when we read it.
var errMoved = errors.New("the branch has moved")

// maxFaults is how often an error that may pass is met before it is reported.
const maxFaults = 5

// retry calls try until it succeeds, fails for good, or ctx ends. A branch that
// moves is tried again without limit, other passing errors a few times.
func (c *Client) retry(ctx context.Context, loc Location, try func() error) error {
	faults := 0
	for attempt := 1; ; attempt++ {
		err := try()
		moved := errors.Is(err, errMoved)
		var e *Error
		if !moved && (!errors.As(err, &e) || !e.passing) {
			return err
		}
		if faults++; moved {
			faults = 0
		}
		if faults == maxFaults {
			return err
		}
		c.log(ctx, "trying again", map[string]any{"location": loc.String(), "attempt": attempt, "reason": err.Error()})
		if !Sleep(ctx, c.wait(attempt)) {
			return gaveUp(ctx, loc, attempt, moved, err)
		}
	}
}

// gaveUp says why there is no further attempt.
func gaveUp(ctx context.Context, loc Location, attempts int, moved bool, err error) error {
	if !moved {
		return err
	}
	return &Error{Kind: KindTimeout, cause: ctx.Err(), Message: fmt.Sprintf(
		"%s was moved by somebody else during each of %d attempts to write, until the operation's time was up. Apply again, or give the operation more time (timeouts)", loc, attempts)}
}

// Sleep waits, and tells whether ctx still holds.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// Bounds of the time between two attempts.
const (
	firstWait = 50 * time.Millisecond
	longWait  = 2 * time.Second
)

// backoff doubles the time from attempt to attempt, and takes a random part of
// it off, so that writers that collided once do not collide again.
func backoff(attempt int) time.Duration {
	limit := longWait
	if attempt < 8 {
		limit = min(longWait, firstWait<<attempt)
	}
	return limit/4 + rand.N(limit*3/4) //nolint:gosec // nothing depends on its being unpredictable.
}
