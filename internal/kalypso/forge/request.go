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
	Number int
	URL    string
	State  RequestState
	Title  string
	Draft  bool
	// Base and Head are branches of the repository. HeadCommit is the commit of Head, now or
	// when the request was finished.
	Base, Head, HeadCommit string
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

// NewRequest is the content of a new request.
type NewRequest struct {
	// Base is the branch to merge into, and Head the branch to merge.
	Base, Head  string
	Title       string
	Description Description
	// Labels that the repository lacks are created.
	Labels []string
	// Reviewers and TeamReviewers are asked only when the request is opened: later, people decide.
	Reviewers, TeamReviewers []string
	Draft                    bool
}

// Request returns a request by its number.
func (r *Repository) Request(ctx context.Context, number int) (Request, error) {
	var found Request
	err := r.run(ctx, fmt.Sprintf("read pull request %d", number), func(ctx context.Context) (err error) {
		found, err = r.api.request(ctx, number)
		return err
	})
	return found, err
}

// maxFinished is how many finished requests are read, newest first.
const maxFinished = 500

// FindByHead returns the requests from a branch into a base branch, newest first: the open ones,
// and those among the newest 500 finished ones of the base branch. Cost: a listing of the base
// branch's requests. GitHub could filter by the branch, but that filter needs the owner, and a
// renamed owner would hide the request.
func (r *Repository) FindByHead(ctx context.Context, base, head string) ([]Request, error) {
	var found []Request
	err := r.run(ctx, "list the pull requests", func(ctx context.Context) error {
		found = nil
		for _, f := range []filter{{state: Open, base: base}, {state: Closed, base: base, most: maxFinished}} {
			some, err := r.api.requests(ctx, f)
			if err != nil {
				return err
			}
			found = append(found, some...)
		}
		return nil
	})
	found = slices.DeleteFunc(found, func(q Request) bool { return q.Head != head || q.Base != base || q.Fork })
	slices.SortFunc(found, func(a, b Request) int { return b.Number - a.Number })
	return found, err
}

// errExists says that the branch already has an open request, which the forge may not list yet.
var errExists = &remote.Error{Kind: remote.KindServer, Passing: true,
	Message: "the forge reports an open request for the branch, but does not list this request. Apply again"}

// Propose opens the request for the proposal's branch, unless the branch has an open request.
// If labels or reviewers cannot be set, Propose returns the request together with the error.
func (r *Repository) Propose(ctx context.Context, p NewRequest) (Request, error) {
	p.Title = Title(p.Title)
	var request Request
	opened := false // by us, even if the answer was lost
	err := r.run(ctx, fmt.Sprintf("open a pull request from %s into %s", p.Head, p.Base), func(ctx context.Context) (err error) {
		var exists bool
		if request, exists, err = r.find(ctx, p); err == nil && !exists {
			opened = true
			request, err = r.api.open(ctx, p, p.Description.Markdown(maxBody))
		}
		return err
	})
	if err != nil {
		return Request{}, err
	}
	r.client.log(ctx, "proposed", map[string]any{"repo": r.name, "request": request.Number, "opened": opened})
	return r.complete(ctx, request, p, opened)
}

// find finds the open request of the proposal's branch. It does not let GitHub filter by the
// branch: that filter needs the owner, and a renamed owner would hide the request.
func (r *Repository) find(ctx context.Context, p NewRequest) (Request, bool, error) {
	open, err := r.api.requests(ctx, filter{state: Open, base: p.Base})
	for _, q := range open {
		if q.Head == p.Head && q.Base == p.Base && !q.Fork {
			return q, true, nil
		}
	}
	return Request{}, false, err
}

// complete adds the missing labels, and asks for reviews if we opened the request.
func (r *Repository) complete(ctx context.Context, q Request, p NewRequest, opened bool) (Request, error) {
	var problems []error
	step := func(doing string, op func(context.Context) error) {
		problems = append(problems, r.run(ctx, fmt.Sprintf("%s pull request %d", doing, q.Number), op))
	}
	if missing := without(p.Labels, q.Labels); len(missing) > 0 {
		step("label", func(ctx context.Context) error { return r.api.label(ctx, q.Number, missing) })
		q.Labels = append(q.Labels, missing...)
	}
	if opened && len(p.Reviewers)+len(p.TeamReviewers) > 0 {
		step("ask for reviews of", func(ctx context.Context) error { return r.api.askReview(ctx, q.Number, p.Reviewers, p.TeamReviewers) })
	}
	return q, errors.Join(problems...)
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
