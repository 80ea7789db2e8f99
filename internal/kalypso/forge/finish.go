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

// Viewer returns our name at the forge, which is the author of our requests and issues.
func (r *Repository) Viewer(ctx context.Context) (me string, err error) {
	err = r.run(ctx, "ask who the token belongs to", func(ctx context.Context) error {
		me, err = r.api.viewer(ctx)
		return err
	})
	return me, err
}

// Close closes a request, if it is open.
func (r *Repository) Close(ctx context.Context, number int) error {
	return r.ifOpen(ctx, "close", number, func(ctx context.Context, _ Request) error { return r.api.closeRequest(ctx, number) })
}

// ifOpen does something to a request that is open.
func (r *Repository) ifOpen(ctx context.Context, doing string, number int, do func(context.Context, Request) error) error {
	return r.run(ctx, fmt.Sprintf("%s pull request %d", doing, number), func(ctx context.Context) error {
		q, err := r.api.request(ctx, number)
		if err != nil || q.State != Open {
			return err
		}
		return do(ctx, q)
	})
}

// Comment writes a comment to a request, unless the request has the same comment.
func (r *Repository) Comment(ctx context.Context, number int, comment string) error {
	return r.run(ctx, fmt.Sprintf("comment on pull request %d", number), func(ctx context.Context) error {
		return r.say(ctx, number, comment)
	})
}

// say comments, unless the request or issue has the same comment.
func (r *Repository) say(ctx context.Context, number int, comment string) error {
	comment = markdown.Shorten(comment, MaxBody-len("…"))
	comments, err := r.api.comments(ctx, number)
	if err != nil || slices.ContainsFunc(comments, func(c string) bool { return sameText(c, comment) }) {
		return err
	}
	return r.api.comment(ctx, number, comment)
}

// AutoMerge makes the forge merge the request with a method as soon as its rules are met:
// reviews, checks. If there is nothing to wait for, the forge merges at once. A merged
// request stays as it is. The head branch has to be at the commit, which is ours: if it is
// not, AutoMerge turns automatic merging off and returns KindHeadMoved. If the merge makes
// one commit of all (Squash), body is the text below its title; the forge writes the
// messages of other merges.
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
			return refused("it was closed without a merge. Apply again to make a new request")
		case q.Draft:
			return remote.Errorf(remote.KindNoDraft, "it is a draft. Mark it as ready for review")
		}
		if method != Squash {
			body = ""
		}
		return r.api.autoMerge(ctx, q, method, body)
	})
}

func headMoved(q Request) error {
	return remote.Errorf(remote.KindHeadMoved, "somebody has pushed to its branch %s, so it is not merged automatically: that would merge "+
		"commits that nobody has planned. Look at the new commits, then merge the request by hand, or close the request and apply again",
		q.Head)
}

// KeepOpen turns automatic merging of a request off, if it is open.
func (r *Repository) KeepOpen(ctx context.Context, number int) error {
	return r.ifOpen(ctx, "turn off automatic merging of", number, r.api.keepOpen)
}

// Time between two looks at a request that is waited for.
const (
	firstLook = 5 * time.Second
	longLook  = 30 * time.Second
)

// Await waits until the request is merged or closed, and returns it as it is then. It ends
// with an error when ctx does. If the request is merged automatically, commit is the pushed
// one: if its branch has another commit, Await turns automatic merging off and returns
// KindHeadMoved.
func (r *Repository) Await(ctx context.Context, number int, commit string) (Request, error) {
	for wait := firstLook; ; wait = min(longLook, wait*3/2) {
		q, err := r.Request(ctx, number)
		if err != nil || q.State != Open {
			return q, err
		}
		if commit != "" && q.HeadCommit != commit {
			return q, errors.Join(headMoved(q), r.KeepOpen(ctx, number))
		}
		if r.client.again.Pause(ctx, wait) {
			continue
		}
		return q, &remote.Error{Kind: remote.KindTimeout, Cause: ctx.Err(), Message: fmt.Sprintf(
			"pull request %d in %s was not merged before the operation's time was up: %s. To wait longer, give the operation more time "+
				"(timeouts)", number, r.name, q.URL)}
	}
}
