// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

func refused(format string, args ...any) *remote.Error {
	return remote.Errorf(remote.KindRefused, format, args...)
}

func methodRefused(words string) *remote.Error {
	return remote.Errorf(remote.KindNoMethod, "the repository does not allow this way of merging: %s. Allow it in the repository's "+
		"settings", words)
}

func archived() *remote.Error {
	return remote.Errorf(remote.KindArchived, "the repository is archived and accepts no changes. Unarchive it, or write to another "+
		"repository")
}

func noBase() *remote.Error {
	return remote.Errorf(remote.KindBaseNotFound, "the base branch does not exist")
}

// forbidden returns the error that a credential lacks a right, with advice.
func forbidden(forge, credential, words, advice string) *remote.Error {
	return remote.Errorf(remote.KindForbidden, "%s does not allow this operation to the %s: %s. %s", forge, credential, words, advice)
}

// explain turns the error of an operation into a message. doing names the operation.
func (r *Repository) explain(ctx context.Context, doing string, err error) *remote.Error {
	e := r.classify(ctx, err)
	return &remote.Error{
		Kind: e.Kind, Passing: e.Passing, After: e.After, Cause: err,
		Message: fmt.Sprintf("cannot %s in %s: %s", doing, r.name, r.client.masker.Mask(e.Message)),
	}
}

func (r *Repository) classify(ctx context.Context, err error) *remote.Error {
	var said *answer
	var own *remote.Error
	switch {
	case ctx.Err() != nil:
		return remote.Ended(ctx, r.forge)
	case errors.As(err, &own):
		return own
	case errors.As(err, &said):
		return r.classifyAnswer(said)
	}
	if e := remote.Connection(r.forge, err); e != nil {
		return e
	}
	return remote.Errorf(remote.KindServer, "the answer of %s is not valid: %s. Check that base_url is the "+
		"address of the forge", r.forge, remote.Words(err.Error()))
}

func (r *Repository) classifyAnswer(a *answer) *remote.Error {
	if wait, ok := a.limited(r.client.now()); ok {
		return &remote.Error{Kind: remote.KindRateLimit, Passing: true, After: wait, Message: fmt.Sprintf(
			"%s accepts no more requests with this token until %s (rate limit): %s. Try again later, or use a token that others do "+
				"not use up",
			r.forge, r.client.now().Add(wait).UTC().Format("15:04:05 UTC"), a.message)}
	}
	if e := r.api.explain(a); e != nil {
		return e
	}
	text := strings.ToLower(http.StatusText(a.status))
	switch {
	case a.status == http.StatusUnauthorized:
		return remote.Errorf(remote.KindAuthentication, "%s refuses the %s (401 unauthorized): %s. "+
			"Check that this credential is right, has not expired and has not been revoked", r.forge, r.api.credential(), a.message)
	case a.status == http.StatusForbidden || a.kind == "FORBIDDEN":
		return forbidden(r.forge, r.api.credential(), a.message, "Give the token the right to write contents, pull requests, "+
			"issues and commit statuses of this repository")
	case a.status == http.StatusNotFound || a.kind == "NOT_FOUND":
		return remote.Errorf(remote.KindNotFound, "%s did not find the object, or hides it from the %s (404: "+
			"%s). Check the repository's URL, and that the token may see the repository", r.forge, r.api.credential(), a.message)
	case a.status >= http.StatusInternalServerError:
		return &remote.Error{Kind: remote.KindServer, Passing: true,
			Message: fmt.Sprintf("%s answers with a server error (%d %s): %s. Try again later", r.forge, a.status, text, a.message)}
	}
	return refused("%s refuses the request (%d %s): %s", r.forge, a.status, text, a.message)
}

// These errors say why a repository has no forge to ask: no forge exists, the forge is
// unknown, or credentials are missing. They are mistakes only if the caller needs a forge.
var (
	ErrNoForge = errors.New("no forge")
	ErrNoToken = errors.New("no token")
)

func noForge(format string, args ...any) error {
	return &remote.Error{Kind: remote.KindRefused, Message: fmt.Sprintf(format, args...), Cause: ErrNoForge}
}

// run calls op until op succeeds, fails with a lasting error, or ctx ends too soon for another
// attempt. So op has to check first what an earlier attempt has already done.
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

// limited reports whether the answer is about a rate limit, and how long to wait. See GitHub's
// "Rate limits for the REST API". Gitea has no rate limit, but proxies in front of Gitea may.
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
	return time.Minute, true // GitHub's rule for an answer without a time
}

// backoff doubles, beginning with half a second. A random time of up to the same length is
// added.
var backoff = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Jitter: 1, Steps: 16, Cap: 15 * time.Second}
