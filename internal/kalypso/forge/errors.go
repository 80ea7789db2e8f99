// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// backoff doubles, beginning with half a second. A random time of up to the same length is
// added.
var backoff = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Jitter: 1, Steps: 16, Cap: 15 * time.Second}

// run calls op until op succeeds, fails with a lasting error, or ctx ends too soon for another
// attempt. doing names the operation in errors.
func (r *Repository) run(ctx context.Context, doing string, op func(context.Context) error) error {
	var last error
	err := r.client.again.Do(ctx, map[string]any{"repo": r.name}, func() error {
		if last = guarded(ctx, op); last == nil {
			return nil
		}
		return r.explain(ctx, doing, last)
	})
	if err != nil && ctx.Err() != nil {
		return r.explain(ctx, doing, last)
	}
	return err
}

// guarded calls op, and returns a panic as an error: GitLab's library panics on null in a list.
func guarded(ctx context.Context, op func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return op(ctx)
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
		return remote.Ended(ctx, r.kind.name)
	case errors.As(err, &own):
		return own
	case errors.As(err, &said):
		return r.classifyAnswer(said)
	}
	if e := remote.Connection(r.kind.name, err); e != nil {
		return e
	}
	return remote.Errorf(remote.KindServer, "the answer of %s is not valid: %s. Check that base_url is the "+
		"address of the forge", r.kind.name, wording.Words(err.Error()))
}

func (r *Repository) classifyAnswer(a *answer) *remote.Error {
	forge, credential := r.kind.name, r.config.credential()
	if wait, ok := a.limited(r.client.now(), r.kind.rateLimit); ok {
		return &remote.Error{Kind: remote.KindRateLimit, Passing: true, After: wait, Message: fmt.Sprintf(
			"%s accepts no more requests with this token until %s (rate limit): %s. Try again later, or use a token that others do "+
				"not use up",
			forge, r.client.now().Add(wait).UTC().Format("15:04:05 UTC"), a.message)}
	}
	for _, refusal := range r.kind.refusals {
		if (refusal.status == 0 || refusal.status == a.status) && (len(refusal.says) == 0 || a.says(refusal.says...)) {
			return &remote.Error{Kind: refusal.kind, Passing: refusal.passing, Message: strings.ReplaceAll(refusal.advice, "%s", a.message)}
		}
	}
	text := strings.ToLower(http.StatusText(a.status))
	switch {
	case a.status == http.StatusUnauthorized:
		return remote.Errorf(remote.KindAuthentication, "%s refuses the %s (401 unauthorized): %s. "+
			"Check that this credential is right, has not expired and has not been revoked", forge, credential, a.message)
	case a.status == http.StatusForbidden:
		advice := "Give the token the right to write contents, pull requests, issues and commit statuses of this repository"
		if r.kind.rights != nil {
			if known := r.kind.rights(a); known != "" {
				advice = known
			}
		}
		return remote.Errorf(remote.KindForbidden, "%s does not allow this operation to the %s: %s. %s", forge, credential, a.message, advice)
	case a.status == http.StatusNotFound:
		return remote.Errorf(remote.KindNotFound, "%s did not find the object, or hides it from the %s (404: "+
			"%s). Check the repository's URL, and that the token may see the repository", forge, credential, a.message)
	case a.status >= http.StatusInternalServerError:
		return &remote.Error{Kind: remote.KindServer, Passing: true,
			Message: fmt.Sprintf("%s answers with a server error (%d %s): %s. Try again later", forge, a.status, text, a.message)}
	}
	return refused("%s refuses the request (%d %s): %s", forge, a.status, text, a.message)
}

func refused(format string, args ...any) *remote.Error {
	return remote.Errorf(remote.KindRefused, format, args...)
}

// refusal explains a refusal that a forge expresses by its text.
type refusal struct {
	status  int      // 0 for any
	says    []string // the text has one of these parts; nil for any text
	kind    remote.ErrorKind
	passing bool
	advice  string // what it means and what to do. %s is the forge's text
}

// Texts for refusals of several forges.
const (
	archivedAdvice = "the repository is archived and accepts no changes. Unarchive it, or write to another repository"
	methodAdvice   = "the repository does not allow this way of merging: %s. Allow it in the repository's settings"
	movedAdvice    = "a branch moved in the meantime: %s"
)

// limited reports whether the answer is about a rate limit, and how long to wait. See GitHub's
// "Rate limits for the REST API". Other forges, and proxies in front of them, use the same headers.
// words are those of the forge.
func (a *answer) limited(now time.Time, words []string) (wait time.Duration, ok bool) {
	after := a.header.Get("Retry-After")
	used := a.header.Get("X-Ratelimit-Remaining") == "0" || a.header.Get("Ratelimit-Remaining") == "0"
	switch {
	case a.status == http.StatusTooManyRequests:
	case a.status == http.StatusServiceUnavailable && after != "":
	case a.status == http.StatusForbidden && (used || after != "" || a.says(words...)):
	default:
		return 0, false
	}
	if seconds, err := strconv.ParseInt(after, 10, 32); err == nil {
		return max(time.Second, time.Duration(seconds)*time.Second), true
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(time.Second, at.Sub(now)), true
	}
	reset := cmp.Or(a.header.Get("X-Ratelimit-Reset"), a.header.Get("Ratelimit-Reset"))
	if seconds, err := strconv.ParseInt(reset, 10, 64); err == nil && used {
		return max(time.Second, time.Unix(seconds, 0).Sub(now.Add(-time.Second))), true // clocks differ
	}
	return time.Minute, true // GitHub's rule for an answer without a time
}

// says reports whether the server's text contains one of the parts, which are in lower case.
func (a *answer) says(parts ...string) bool {
	message := strings.ToLower(a.message)
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(message, part) })
}

// saidIn reports whether an error is a forge's answer with one of the parts.
func saidIn(err error, parts ...string) bool {
	var said *answer
	return errors.As(err, &said) && said.says(parts...)
}
