// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// run calls op until it succeeds, fails for good, or ctx does not hold long
// enough. So op has to look first what an earlier attempt has done already.
func (r *Repository) run(ctx context.Context, doing string, op func(context.Context) error) error {
	var last error
	err := r.client.again.Do(ctx, map[string]any{"repo": r.name}, func() error {
		allowance := remote.NewAllowance(r.forge)
		allowance.Allow("its answers", maxAnswers)
		if last = allowance.Explain(op(allowance.With(ctx))); last == nil {
			return nil
		}
		return r.explain(ctx, doing, last)
	})
	if err != nil && ctx.Err() != nil {
		return r.explain(ctx, doing, last)
	}
	return err
}

// limited reports whether the answer is about a rate limit, and when to come back.
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
	return time.Minute, true // what GitHub asks for if it does not say
}

// backoff doubles from half a second on, and waits up to as long again on top, at
// random.
var backoff = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Jitter: 1, Steps: 16, Cap: 15 * time.Second}
