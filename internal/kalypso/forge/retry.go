// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// maxFaults is how often an error that may pass is met before it is reported.
// Rate limits do not count: they say when to come back.
const maxFaults = 5

// run calls op until it succeeds, fails for good, or ctx does not hold long
// enough. So op has to look first what an earlier attempt has done already.
func (r *Repository) run(ctx context.Context, doing string, op func(context.Context) error) error {
	faults := 0
	for {
		err := op(ctx)
		if err == nil {
			return nil
		}
		e := r.explain(ctx, doing, err)
		if !e.passing {
			return e
		}
		wait := e.after
		if wait == 0 {
			if faults++; faults == maxFaults {
				return e
			}
			wait = backoff(faults)
		}
		if deadline, ok := ctx.Deadline(); ok && r.client.now().Add(wait).After(deadline) {
			return e
		}
		r.client.log(ctx, "trying again", map[string]any{"repo": r.name, "after": wait.String(), "reason": e.Error()})
		if !r.client.sleep(ctx, wait) {
			return r.explain(ctx, doing, err)
		}
	}
}

// limited tells whether the answer is about a rate limit, and when to come back.
// See GitHub's "Rate limits for the REST API"; Gitea has none of its own, but
// proxies before it do.
func (a *answer) limited(now time.Time) (wait time.Duration, ok bool) {
	after, reset := a.header.Get("Retry-After"), a.header.Get("X-Ratelimit-Reset")
	used := a.header.Get("X-Ratelimit-Remaining") == "0"
	switch {
	case a.status == http.StatusTooManyRequests, a.kind == "RATE_LIMITED":
	case a.status == http.StatusForbidden && (used || after != "" || a.says("secondary rate limit")):
	default:
		return 0, false
	}
	if seconds, err := strconv.Atoi(after); err == nil && seconds >= 0 {
		return max(time.Second, time.Duration(seconds)*time.Second), true
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(time.Second, at.Sub(now)), true
	}
	if seconds, err := strconv.ParseInt(reset, 10, 64); err == nil && used {
		return max(time.Second, time.Unix(seconds, 0).Sub(now)+time.Second), true // clocks differ
	}
	return time.Minute, true // what GitHub asks for where it does not say
}

// Bounds of the time between two attempts.
const (
	firstWait = 500 * time.Millisecond
	longWait  = 30 * time.Second
)

// backoff doubles the time from attempt to attempt, and takes a random part of it off.
func backoff(attempt int) time.Duration {
	limit := min(longWait, firstWait<<min(attempt, 10))
	return limit/2 + rand.N(limit/2) //nolint:gosec // nothing depends on its being unpredictable.
}
