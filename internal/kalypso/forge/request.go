// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	Number      int
	URL         string
	State       RequestState
	Title, Body string
	Draft       bool
	// Base and Head are branches of the repository. HeadCommit is the commit of Head, now or
	// when the request was finished.
	Base, Head, HeadCommit string
	// Author is the user who opened the request.
	Author string
	// Instance is the instance in the body's mark. It is only a hint, because everybody can
	// write a mark.
	Instance string
	// MergeCommit is the commit of the merge in the base branch, for any method.
	MergeCommit string
	// AutoMerge is the method with which the forge will merge when its rules are met. Gitea
	// does not report it.
	AutoMerge Method
	Labels    []string
	// Fork is true if the head branch is in another repository.
	Fork bool

	id string // for GitHub's GraphQL
}

// NewRequest is the content of a new or updated request.
type NewRequest struct {
	Marker Marker
	// Head is the branch to merge, and Commit our pushed commit in it.
	Head, Commit string
	Title        string
	Description  Description
	// Labels that the repository lacks are created.
	Labels []string
	// Reviewers, TeamReviewers and Draft are used only when the request is opened: later, people
	// decide.
	Reviewers, TeamReviewers []string
	Draft                    bool
}

// says reports whether the body's mark belongs to the marker.
func (q Request) says(m Marker) bool {
	k, ok := readMark(q.Body)
	return ok && !q.Fork && k.of(m) && k.Head == q.Head && q.Base == m.Base
}

// read fills in the values of the body's mark.
func (q Request) read() Request {
	if k, ok := readMark(q.Body); ok && !q.Fork && k.Head == q.Head {
		q.Instance = k.Instance
	}
	return q
}

// Request returns a request by its number.
func (r *Repository) Request(ctx context.Context, number int) (Request, error) {
	var found Request
	err := r.run(ctx, fmt.Sprintf("read pull request %d", number), func(ctx context.Context) (err error) {
		found, err = r.api.request(ctx, number)
		return err
	})
	return found.read(), err
}

// maxFinished is how many finished requests are read, newest first.
const maxFinished = 500

// Requests returns the requests in one of the states whose bodies have the marker, newest
// first: all open ones, and those among the newest 500 finished ones of the base branch.
// Everybody can open such a request, so the caller must check who did. Cost: a listing of the
// base branch's requests.
func (r *Repository) Requests(ctx context.Context, m Marker, states ...RequestState) ([]Request, error) {
	var found []Request
	err := r.run(ctx, "list the pull requests", func(ctx context.Context) error {
		found = nil
		if slices.Contains(states, Open) {
			open, err := r.api.requests(ctx, filter{state: Open, base: m.Base})
			if err != nil {
				return err
			}
			found = append(found, open...)
		}
		if slices.Contains(states, Merged) || slices.Contains(states, Closed) {
			finished, err := r.api.requests(ctx, filter{state: Closed, base: m.Base, most: maxFinished})
			if err != nil {
				return err
			}
			found = append(found, finished...)
		}
		return nil
	})
	found = slices.DeleteFunc(found, func(q Request) bool { return !q.says(m) || !slices.Contains(states, q.State) })
	slices.SortFunc(found, func(a, b Request) int { return b.Number - a.Number })
	for i := range found {
		found[i] = found[i].read()
	}
	return found, err
}

// errExists says that the branch already has an open request, which the forge may not list yet.
var errExists = &remote.Error{Kind: remote.KindServer, Passing: true,
	Message: "the forge reports an open request for the branch, but does not list this request. Apply again"}

// Propose opens the request for the proposal's branch, or updates the branch's open request.
// If labels or reviewers cannot be set, Propose returns the request together with the error.
func (r *Repository) Propose(ctx context.Context, p NewRequest) (Request, error) {
	p.Title = Title(p.Title)
	var request Request
	opened := false // by us, even if the answer was lost
	err := r.run(ctx, fmt.Sprintf("open a pull request from %s into %s", p.Head, p.Marker.Base), func(ctx context.Context) (err error) {
		var exists bool
		if request, exists, err = r.find(ctx, p); err == nil && !exists {
			opened = true
			request, err = r.api.open(ctx, p, p.body(""))
		}
		return err
	})
	if err != nil {
		return Request{}, err
	}
	r.client.log(ctx, "proposed", map[string]any{"repo": r.name, "request": request.Number, "opened": opened})
	return r.complete(ctx, request, p, opened)
}

// body returns the proposal's body. It keeps the text of people in the present body.
func (p NewRequest) body(there string) string {
	mark := p.Marker.mark()
	mark.Head, mark.Commit = p.Head, p.Commit
	return renewed(there, p.Description.Markdown, mark)
}

// find finds the open request of the proposal's branch. It does not let GitHub filter by the
// branch: that filter needs the owner, and a renamed owner would hide the request.
func (r *Repository) find(ctx context.Context, p NewRequest) (Request, bool, error) {
	open, err := r.api.requests(ctx, filter{state: Open, base: p.Marker.Base})
	for _, q := range open {
		if q.Head == p.Head && q.Base == p.Marker.Base && !q.Fork {
			return q, true, nil
		}
	}
	return Request{}, false, err
}

// complete changes a request to what the proposal contains.
func (r *Repository) complete(ctx context.Context, q Request, p NewRequest, opened bool) (Request, error) {
	var problems []error
	step := func(doing string, op func(context.Context) error) {
		problems = append(problems, r.run(ctx, fmt.Sprintf("%s pull request %d", doing, q.Number), op))
	}
	if body := p.body(q.Body); !opened && (q.Title != p.Title || !sameText(q.Body, body)) {
		step("update", func(ctx context.Context) error { return r.api.edit(ctx, q, p.Title, body) })
		q.Title, q.Body = p.Title, body
	}
	if missing := without(p.Labels, q.Labels); len(missing) > 0 {
		step("label", func(ctx context.Context) error { return r.api.label(ctx, q.Number, missing) })
		q.Labels = append(q.Labels, missing...)
	}
	if opened && len(p.Reviewers)+len(p.TeamReviewers) > 0 {
		step("ask for reviews of", func(ctx context.Context) error { return r.api.askReview(ctx, q.Number, p.Reviewers, p.TeamReviewers) })
	}
	return q.read(), errors.Join(problems...)
}

// without returns the names that are not among others. Forges ignore case.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(others, func(other string) bool { return strings.EqualFold(name, other) })
	})
}

// sameText compares a written text with the forge's text, which may have other line breaks.
func sameText(a, b string) bool {
	normal := func(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) }
	return normal(a) == normal(b)
}
