// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Logger takes a message and its fields. They hold no secrets.
type Logger func(ctx context.Context, message string, fields map[string]any)

// Retry is how something is tried again.
type Retry struct {
	// Backoff is the time between attempts. Its jitter keeps writers that collided
	// once from colliding again.
	Backoff wait.Backoff
	// Now is the clock and Sleep waits, which reports whether ctx still holds;
	// the real ones where they are nil.
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) bool
	// Log is told of each further attempt; nobody where it is nil.
	Log Logger
}

// maxFaults is how often an error that may pass is met before it is returned.
// One that says when to come back does not count.
const maxFaults = 5

// ErrMoved says that something is not where it was when we looked: it is tried
// again until ctx ends.
var ErrMoved = errors.New("it has moved since it was looked at")

// Do calls try until it succeeds, fails for good, or ctx ends, and returns its
// last error. So try has to look first what an earlier attempt has done already.
func (r Retry) Do(ctx context.Context, fields map[string]any, try func() error) error {
	backoff := r.Backoff
	for faults := 0; ; {
		err := try()
		pause, passing := r.pause(err, &faults, &backoff)
		if !passing {
			return err
		}
		if deadline, ok := ctx.Deadline(); ok && !errors.Is(err, ErrMoved) && r.now().Add(pause).After(deadline) {
			return err
		}
		if r.Log != nil {
			all := map[string]any{"reason": err.Error(), "after": pause.String()}
			for name, value := range fields {
				all[name] = value
			}
			r.Log(ctx, "trying again", all)
		}
		if !r.Pause(ctx, pause) {
			return err
		}
	}
}

// pause returns how long to wait before the next attempt, and whether there is one.
func (r Retry) pause(err error, faults *int, backoff *wait.Backoff) (time.Duration, bool) {
	var e *Error
	switch {
	case err == nil:
		return 0, false
	case errors.Is(err, ErrMoved):
		*faults = 0
		return backoff.Step(), true
	case !errors.As(err, &e) || !e.Passing:
		return 0, false
	case e.After > 0:
		return e.After, true
	}
	if *faults++; *faults == maxFaults {
		return 0, false
	}
	return backoff.Step(), true
}

func (r Retry) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

// Pause waits, with Sleep if that is set, and reports whether ctx still holds.
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
