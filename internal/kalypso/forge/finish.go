// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Close closes a request with a comment, if it is open. A comment that stands
// there already is not written again.
func (r *Repository) Close(ctx context.Context, number int, comment string) error {
	return r.run(ctx, fmt.Sprintf("close pull request %d", number), func(ctx context.Context) error {
		q, err := r.api.request(ctx, number)
		if err != nil || q.State != Open {
			return err
		}
		if err := r.say(ctx, number, comment); err != nil {
			return err
		}
		return r.api.closeRequest(ctx, number)
	})
}

// say comments, unless the same comment stands there.
func (r *Repository) say(ctx context.Context, number int, comment string) error {
	comment = shorten(comment, MaxBody-len("…"))
	comments, err := r.api.comments(ctx, number)
	if err != nil || slices.ContainsFunc(comments, func(c string) bool { return sameText(c, comment) }) {
		return err
	}
	return r.api.comment(ctx, number, comment)
}

// Supersede closes the open requests of the marker that are older than the new
// one, each with a comment that links the new one, and deletes their branches
// with remove, which is told the branch and the commit that we pushed to it: it
// has to keep a branch that is elsewhere. It gives the requests it has closed.
// One that fails does not keep the others from being closed.
func (r *Repository) Supersede(ctx context.Context, m Marker, by Request, remove func(ctx context.Context, branch, commit string) error) ([]Request, error) {
	open, err := r.Requests(ctx, m, Open)
	if err != nil {
		return nil, err
	}
	var closed []Request
	var problems []error
	for _, old := range open {
		if old.Number >= by.Number || old.Head == by.Head {
			continue
		}
		if err := r.overtake(ctx, old, by, remove); err != nil {
			problems = append(problems, err)
			continue
		}
		closed = append(closed, old)
	}
	return closed, errors.Join(problems...)
}

// overtake comments, deletes the branch, and closes: in this order what is left
// undone is found again, since the request is still open.
func (r *Repository) overtake(ctx context.Context, old, by Request, remove func(ctx context.Context, branch, commit string) error) error {
	comment := fmt.Sprintf("Overtaken by #%d, which proposes the newer state of the environment: %s", by.Number, by.URL)
	edited := old.HeadCommit != old.Pushed
	if edited {
		comment += fmt.Sprintf("\n\nSomebody has pushed to %s. That branch is kept; what was changed by hand is not part of the new request.", code(old.Head))
	}
	doing := fmt.Sprintf("close pull request %d, which pull request %d overtakes,", old.Number, by.Number)
	if err := r.run(ctx, doing, func(ctx context.Context) error { return r.say(ctx, old.Number, comment) }); err != nil {
		return err
	}
	if !edited && old.Pushed != "" {
		if err := remove(ctx, old.Head, old.Pushed); err != nil {
			return err
		}
	}
	return r.Close(ctx, old.Number, comment)
}

// AutoMerge has the forge merge the request with a method as soon as its rules
// are met: reviews, checks. Where nothing is left to wait for, it merges at once.
// What is set or merged already stays as it is.
func (r *Repository) AutoMerge(ctx context.Context, number int, method Method) error {
	return r.run(ctx, fmt.Sprintf("turn on automatic merging (%s) of pull request %d", method, number), func(ctx context.Context) error {
		q, err := r.api.request(ctx, number)
		switch {
		case err != nil || q.State == Merged || q.AutoMerge == method:
			return err
		case q.State == Closed:
			return refused("it was closed without a merge. Apply again to propose the change anew")
		case q.Draft:
			return refused("it is a draft. Mark it as ready for review, or set draft = false")
		}
		return r.api.autoMerge(ctx, q, method)
	})
}

// Time between two looks at a request that is waited for.
const (
	firstLook = 5 * time.Second
	longLook  = 30 * time.Second
)

// Await waits until the request is merged or closed, and gives it as it is then.
// It ends with an error when ctx does.
func (r *Repository) Await(ctx context.Context, number int) (Request, error) {
	for wait := firstLook; ; wait = min(longLook, wait*3/2) {
		q, err := r.Request(ctx, number)
		if err != nil || q.State != Open {
			return q, err
		}
		if r.client.sleep(ctx, wait) {
			continue
		}
		return q, &Error{Kind: KindTimeout, cause: ctx.Err(), Message: fmt.Sprintf(
			"pull request %d in %s was not merged before the operation's time was up: %s. Have it merged and apply again, or give the operation more time (timeouts)", number, r.name, q.URL)}
	}
}
