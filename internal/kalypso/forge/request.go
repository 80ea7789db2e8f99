// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// RequestState is open, merged or closed.
type RequestState string

// The states of requests.
const (
	Open   RequestState = "open"
	Merged RequestState = "merged"
	Closed RequestState = "closed" // without a merge
)

// Method is a way of merging a request.
type Method string

// The ways of merging.
const (
	Merge  Method = "merge"
	Squash Method = "squash"
	Rebase Method = "rebase"
)

// Request is a pull request on a forge.
type Request struct {
	Number int
	URL    string
	State  RequestState
	Draft  bool
	// Base and Head are branches of the repository. HeadCommit is the commit of Head, now or
	// when the request was finished.
	Base, Head, HeadCommit string
	// MergeCommit is the commit of the merge in the base branch, for any method.
	MergeCommit string
	// AutoMerge says that the forge will merge when its rules are met. Gitea does not report it.
	AutoMerge bool
	// Fork is true if the head branch is in another repository.
	Fork bool

	id string // for GitHub's GraphQL
}

// NewRequest is the content of a new request.
type NewRequest struct {
	// Base is the branch to merge into, and Head the branch to merge.
	Base, Head string
	Title      string
	// Describe returns the description in at most so many bytes; nil for none.
	Describe func(limit int) string
	// Labels that the repository lacks are created.
	Labels                   []string
	Reviewers, TeamReviewers []string
	Draft                    bool

	body string // the description within the forge's limit
}

// maxTitle is how many bytes a title may have: less than GitHub (256 characters), Gitea and GitLab
// (255) accept.
const maxTitle = 240

// requestNamed names a request for messages: "merge request 7".
func (r *Repository) requestNamed(number int) string {
	return fmt.Sprintf("%s %d", r.kind.request, number)
}

// Request returns a request by its number.
func (r *Repository) Request(ctx context.Context, number int) (q Request, err error) {
	err = r.run(ctx, "read "+r.requestNamed(number), func(ctx context.Context) (err error) {
		q, err = r.get(ctx, number)
		return err
	})
	return q, err
}

func (r *Repository) get(ctx context.Context, number int) (Request, error) {
	q, err := r.forge.Get(ctx, number)
	if err == nil && q.Number != number {
		return q, emptyAnswer()
	}
	return q, err
}

// emptyAnswer is the error for an answer without the wanted object, which libraries treat as a success.
func emptyAnswer() error {
	return remote.Errorf(remote.KindServer, "the answer is empty. Check that base_url is the address of the forge")
}

// maxRequests is how many requests of a branch are read, newest first.
const maxRequests = 500

// FindByHead returns the requests from a branch into a base branch, newest first.
func (r *Repository) FindByHead(ctx context.Context, base, head string) (found []Request, err error) {
	err = r.run(ctx, fmt.Sprintf("list the %ss of %s", r.kind.request, head), func(ctx context.Context) (err error) {
		found, err = r.forge.FindByHead(ctx, head)
		return err
	})
	found = slices.DeleteFunc(found, func(q Request) bool { return q.Head != head || q.Base != base || q.Fork })
	slices.SortStableFunc(found, func(a, b Request) int { return b.Number - a.Number })
	return found, err
}

// existing returns the open request of the branches of a new one.
func existing(ctx context.Context, f Forge, n NewRequest) (Request, error) {
	all, err := f.FindByHead(ctx, n.Head)
	for _, q := range all {
		if q.State == Open && q.Head == n.Head && q.Base == n.Base && !q.Fork {
			return q, nil
		}
	}
	return Request{}, cmp.Or(err, error(&remote.Error{Kind: remote.KindServer, Passing: true, Message: "the forge reports an open request " +
		"for the branch, but does not list this request. If the owner of the repository was renamed, write its new URL. Otherwise apply again"}))
}

// Propose opens the request for the proposal's branch, or completes its open request. If labels or
// reviewers cannot be set, Propose returns the request together with the error.
func (r *Repository) Propose(ctx context.Context, n NewRequest) (q Request, err error) {
	n.Title = wording.Shorten(wording.Line(n.Title), maxTitle)
	if n.Describe != nil {
		n.body = n.Describe(r.kind.maxBody)
	}
	doing := fmt.Sprintf("open a %s from %s into %s", r.kind.request, n.Head, n.Base)
	err = r.run(ctx, doing, func(ctx context.Context) (err error) {
		if q, err = r.forge.Open(ctx, n); err == nil && q.Number == 0 {
			err = emptyAnswer()
		}
		return err
	})
	var failed *remote.Error
	if q.Number != 0 && errors.As(err, &failed) {
		err = r.explain(ctx, "set the labels and reviewers of "+r.requestNamed(q.Number), failed.Cause)
	}
	r.client.log(ctx, "proposed", map[string]any{"repo": r.name, "request": q.Number})
	return q, err
}

// Close closes a request with a comment, if the request is open.
func (r *Repository) Close(ctx context.Context, number int, comment string) error {
	comment = wording.Shorten(comment, r.kind.maxBody-len("…"))
	return r.run(ctx, "close "+r.requestNamed(number), func(ctx context.Context) error {
		if q, err := r.get(ctx, number); err != nil || q.State != Open {
			return err
		}
		return r.forge.Close(ctx, number, comment)
	})
}

// errNotYet is what Forge.Merge returns if the rules of the base branch are not met, and the forge
// cannot wait for them and still merge only one commit.
var errNotYet = errors.New("the rules of the base branch are not met")

// AutoMerge makes the forge merge the request with a method as soon as its rules are met, such as
// reviews and checks. If no rule is open, the forge merges immediately. A merged request stays
// unchanged. If the head branch is not at our commit, the error is KindHeadMoved. A forge that
// cannot wait merges in Await (see Check).
func (r *Repository) AutoMerge(ctx context.Context, number int, method Method, commit string) error {
	return r.run(ctx, fmt.Sprintf("turn on automatic merging (%s) of %s", method, r.requestNamed(number)), func(ctx context.Context) error {
		q, err := r.get(ctx, number)
		switch {
		case err != nil || q.State == Merged:
			return err
		case q.HeadCommit != commit:
			return headMoved(q)
		case q.AutoMerge:
			return nil
		case q.State == Closed:
			return refused("the request was closed without a merge. Apply again to make a new request")
		case q.Draft:
			return remote.Errorf(remote.KindNoDraft, "the request is a draft. Mark the request as ready for review")
		}
		if err := r.forge.Merge(ctx, q, method); !errors.Is(err, errNotYet) {
			return err
		}
		return nil
	})
}

func headMoved(q Request) error {
	return remote.Errorf(remote.KindHeadMoved, "somebody has pushed to its branch %s, and a merge would include commits that were not "+
		"planned. Look at the new commits, then merge the request by hand, or close the request and apply again", q.Head)
}

// Times between two looks at an awaited request.
const (
	firstLook = 5 * time.Second
	longLook  = 30 * time.Second
)

// Await waits until the request is merged or closed, and returns the finished request. With a
// method, Await also merges, if the forge cannot do that by itself. Errors: ctx ended; KindHeadMoved
// if the request's branch is not at our commit.
func (r *Repository) Await(ctx context.Context, number int, method Method, commit string) (Request, error) {
	for wait := firstLook; ; wait = min(longLook, wait*3/2) {
		q, err := r.Request(ctx, number)
		if err == nil && q.State == Open && q.HeadCommit != commit {
			err = r.explain(ctx, "merge "+r.requestNamed(number), headMoved(q))
		}
		if err != nil || q.State != Open {
			return q, err
		}
		if method != "" && r.kind.mergesInAwait {
			if err := r.AutoMerge(ctx, number, method, commit); err != nil {
				return q, err
			}
		}
		if r.client.again.Pause(ctx, wait) {
			continue
		}
		return q, &remote.Error{Kind: remote.KindTimeout, Cause: ctx.Err(), Message: fmt.Sprintf(
			"%s in %s was not merged before the operation's time was up: %s. To wait longer, give the operation more time "+
				"(timeouts)", r.requestNamed(number), r.name, q.URL)}
	}
}
