// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"context"
	"errors"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Logger gets a message and its fields, which contain no secrets.
type Logger func(ctx context.Context, message string, fields map[string]any)

// Retry says how to repeat attempts.
type Retry struct {
	// Backoff is the time between attempts. Its jitter prevents writers that collided once from
	// colliding again.
	Backoff wait.Backoff
	// Sleep waits, and reports whether ctx is still alive; nil for a real wait.
	Sleep func(ctx context.Context, d time.Duration) bool
	// Log gets each further attempt; nil for no log.
	Log Logger
}

// maxFaults is how many passing errors end the attempts. An error that names a time to wait
// does not count.
const maxFaults = 5

// ErrMoved says that a branch has moved since it was read. Attempts are repeated until ctx
// ends.
var ErrMoved = errors.New("the branch has moved since it was read")

// Do calls try until try succeeds, fails with a lasting error, or ctx ends, and returns the
// last error. So try has to check first what an earlier attempt has already done.
func (r Retry) Do(ctx context.Context, fields map[string]any, try func() error) error {
	backoff := r.Backoff
	for faults := 0; ; {
		err := try()
		var e *Error
		var pause time.Duration
		moved := errors.Is(err, ErrMoved)
		switch {
		case moved:
			faults, pause = 0, backoff.Step()
		case !errors.As(err, &e) || !e.Passing: // also without an error
			return err
		case e.After > 0:
			pause = e.After
		default:
			if faults++; faults == maxFaults {
				return err
			}
			pause = backoff.Step()
		}
		if deadline, ok := ctx.Deadline(); ok && !moved && time.Until(deadline) < pause {
			return err
		}
		if r.Log != nil {
			all := map[string]any{"reason": err.Error(), "after": pause.String()}
			maps.Copy(all, fields)
			r.Log(ctx, "trying again", all)
		}
		if !r.Pause(ctx, pause) {
			return err
		}
	}
}

// Pause waits, with Sleep if that is set, and reports whether ctx is still alive.
func (r Retry) Pause(ctx context.Context, d time.Duration) bool {
	if r.Sleep != nil {
		return r.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
