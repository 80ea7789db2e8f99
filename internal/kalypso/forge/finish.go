// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Close closes a request if the request is open.
func (r *Repository) Close(ctx context.Context, number int) error {
	return r.run(ctx, fmt.Sprintf("close pull request %d", number), func(ctx context.Context) error {
		q, err := r.api.request(ctx, number)
		if err != nil || q.State != Open {
			return err
		}
		return r.api.closeRequest(ctx, number)
	})
}

// Comment writes a comment to a request, unless the request has the same comment.
func (r *Repository) Comment(ctx context.Context, number int, comment string) error {
	comment = markdown.Shorten(comment, maxBody-len("…"))
	return r.run(ctx, fmt.Sprintf("comment on pull request %d", number), func(ctx context.Context) error {
		comments, err := r.api.comments(ctx, number)
		if err != nil || slices.ContainsFunc(comments, func(c string) bool { return sameText(c, comment) }) {
			return err
		}
		return r.api.comment(ctx, number, comment)
	})
}

// AutoMerge makes the forge merge the request with a method as soon as its rules are met, such
// as reviews and checks. If no rule is open, the forge merges immediately. A merged request
// stays unchanged. The head branch has to be at our commit; otherwise, AutoMerge turns
// automatic merging off and returns KindHeadMoved. If the merge makes a single commit
// (Squash), body is the text below its title; the forge writes the messages of other merges.
func (r *Repository) AutoMerge(ctx context.Context, number int, method Method, commit, body string) error {
	return r.run(ctx, fmt.Sprintf("turn on automatic merging (%s) of pull request %d", method, number), func(ctx context.Context) error {
		q, err := r.api.request(ctx, number)
		switch {
		case err != nil || q.State == Merged:
			return err
		case q.HeadCommit != commit:
			return errors.Join(headMoved(q), r.api.keepOpen(ctx, q))
		case q.AutoMerge == method:
			return nil
		case q.State == Closed:
			return refused("the request was closed without a merge. Apply again to make a new request")
		case q.Draft:
			return remote.Errorf(remote.KindNoDraft, "the request is a draft. Mark the request as ready for review")
		}
		if method != Squash {
			body = ""
		}
		return r.api.autoMerge(ctx, q, method, body)
	})
}

func headMoved(q Request) error {
	return remote.Errorf(remote.KindHeadMoved, "somebody has pushed to its branch %s. The request is not merged automatically, because "+
		"that would merge unplanned commits. Look at the new commits, then merge the request by hand, or close the request and apply again",
		q.Head)
}

// keepOpen turns automatic merging off, because somebody has pushed to the branch.
func (r *Repository) keepOpen(ctx context.Context, q Request) error {
	return r.run(ctx, fmt.Sprintf("turn off automatic merging of pull request %d", q.Number), func(ctx context.Context) error {
		return r.api.keepOpen(ctx, q)
	})
}

// Times between two looks at an awaited request.
const (
	firstLook = 5 * time.Second
	longLook  = 30 * time.Second
)

// Await waits until the request is merged or closed, and returns the finished request. Errors:
// ctx ended. If the request is merged automatically, commit is our pushed commit: if the
// branch has another commit, Await turns automatic merging off and returns KindHeadMoved.
func (r *Repository) Await(ctx context.Context, number int, commit string) (Request, error) {
	for wait := firstLook; ; wait = min(longLook, wait*3/2) {
		q, err := r.Request(ctx, number)
		if err != nil || q.State != Open {
			return q, err
		}
		if commit != "" && q.HeadCommit != commit {
			return q, errors.Join(headMoved(q), r.keepOpen(ctx, q))
		}
		if r.client.again.Pause(ctx, wait) {
			continue
		}
		return q, &remote.Error{Kind: remote.KindTimeout, Cause: ctx.Err(), Message: fmt.Sprintf(
			"pull request %d in %s was not merged before the operation's time was up: %s. To wait longer, give the operation more time "+
				"(timeouts)", number, r.name, q.URL)}
	}
}
