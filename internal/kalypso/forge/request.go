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

// Method is how a request is merged.
type Method string

// The methods of merging.
const (
	Merge  Method = "merge"
	Squash Method = "squash"
	Rebase Method = "rebase"
)

// Request is a pull request as it is on the forge.
type Request struct {
	Number      int
	URL         string
	State       RequestState
	Title, Body string
	Draft       bool
	// Base and Head are branches of the repository; HeadCommit is where Head is
	// now, or was when the request was finished.
	Base, Head, HeadCommit string
	// Author opened it.
	Author string
	// Instance is who the body says has made it: a hint, since everybody can write one.
	Instance string
	// MergeCommit is what the merge made in the base branch, by any method.
	MergeCommit string
	// AutoMerge is the method with which the forge merges when its rules are met.
	// Gitea does not report it.
	AutoMerge Method
	Labels    []string
	// Reviewers and Teams were asked for a review, and have not answered yet.
	// Gitea's lists lack the teams.
	Reviewers, Teams []string
	// Fork is true if the head branch is in another repository.
	Fork bool

	id string // what GitHub's GraphQL goes by
}

// NewRequest is what a request is to be.
type NewRequest struct {
	Marker Marker
	// Head is the branch to merge, and Commit what we pushed to it.
	Head, Commit string
	Title        string
	Description  Description
	// Labels are created if the repository has none of that name.
	Labels                   []string
	Reviewers, TeamReviewers []string
	// Draft counts when the request is opened: later, people decide.
	Draft bool
}

// says reports whether the body says that the request is one of the marker's.
func (q Request) says(m Marker) bool {
	k, ok := readMark(q.Body)
	return ok && !q.Fork && k.of(m) && k.Head == q.Head && q.Base == m.Base
}

// read fills in what the body says.
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

// Reachable reports whether the forge knows the repository and accepts the credential. It
// asks for requests, and ignores the answer.
func (r *Repository) Reachable(ctx context.Context) error {
	return r.run(ctx, "list pull requests", func(ctx context.Context) error {
		_, err := r.api.requests(ctx, filter{state: Open, most: 1})
		return err
	})
}

// Protected reports whether a branch is protected from pushes. GitHub does not report
// whether the protection also refuses our pushes.
func (r *Repository) Protected(ctx context.Context, branch string) (protected bool, err error) {
	err = r.run(ctx, "read branch "+branch, func(ctx context.Context) error {
		protected, err = r.api.protected(ctx, branch)
		return err
	})
	return protected, err
}

// maxFinished is how many finished requests are looked through, newest first.
const maxFinished = 500

// Requests returns the requests whose bodies carry a marker and that are in one of the
// states, newest first: all that are open, and those among the newest 500 finished
// ones of the base branch. Everybody can open one: it is the caller's to find out
// whose they are. Cost: a listing of the base branch's requests.
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

// errExists says that there is an open request for the branch already.
var errExists = errors.New("there is an open request for the branch already")

// Propose opens the request for the proposal's branch, or takes over the one that
// is open for it and brings it up to date. If labels or reviewers cannot be
// set, the request is there all the same, and given together with the error.
func (r *Repository) Propose(ctx context.Context, p NewRequest) (Request, error) {
	p.Title = Title(p.Title)
	var request Request
	adopted := false
	err := r.run(ctx, fmt.Sprintf("open a pull request from %s into %s", p.Head, p.Marker.Base), func(ctx context.Context) (err error) {
		if request, adopted, err = r.find(ctx, p); err != nil || adopted {
			return err
		}
		request, err = r.api.open(ctx, p, p.body(""))
		if !errors.Is(err, errExists) {
			return err
		}
		if request, adopted, err = r.find(ctx, p); err == nil && !adopted {
			err = &remote.Error{Kind: remote.KindServer, Passing: true,
				Message: fmt.Sprintf("%s says that there is an open request for the branch, but does not list it. Apply again", r.forge)}
		}
		return err
	})
	if err != nil {
		return Request{}, err
	}
	r.client.log(ctx, "proposed", map[string]any{"repo": r.name, "request": request.Number, "adopted": adopted})
	return r.complete(ctx, request, p, adopted)
}

// body returns the proposal's body, in the place of the one that is there.
func (p NewRequest) body(there string) string {
	mark := p.Marker.mark()
	mark.Head, mark.Commit = p.Head, p.Commit
	return renewed(there, p.Description.Markdown, mark)
}

func (r *Repository) find(ctx context.Context, p NewRequest) (Request, bool, error) {
	open, err := r.api.requests(ctx, filter{state: Open, base: p.Marker.Base, head: p.Head})
	for _, q := range open {
		if q.Head == p.Head && q.Base == p.Marker.Base && !q.Fork {
			return q, true, nil
		}
	}
	return Request{}, false, err
}

// complete returns a request all that the proposal says.
func (r *Repository) complete(ctx context.Context, q Request, p NewRequest, adopted bool) (Request, error) {
	var problems []error
	step := func(doing string, op func(context.Context) error) {
		problems = append(problems, r.run(ctx, fmt.Sprintf("%s pull request %d", doing, q.Number), op))
	}
	if body := p.body(q.Body); adopted && (q.Title != p.Title || !sameText(q.Body, body)) {
		step("update", func(ctx context.Context) error { return r.api.edit(ctx, q, p.Title, body) })
		q.Title, q.Body = p.Title, body
	}
	if missing := without(p.Labels, q.Labels); len(missing) > 0 {
		step("label", func(ctx context.Context) error { return r.api.label(ctx, q.Number, missing) })
		q.Labels = append(q.Labels, missing...)
	}
	users, teams := without(p.Reviewers, q.Reviewers), without(p.TeamReviewers, q.Teams)
	if len(users)+len(teams) > 0 {
		step("ask for reviews of", func(ctx context.Context) error {
			if adopted {
				// Who has answered need not be asked again; from then on people decide.
				if reviewed, err := r.api.reviewed(ctx, q.Number); err != nil || reviewed {
					return err
				}
			}
			return r.api.askReview(ctx, q.Number, users, teams)
		})
	}
	return q.read(), errors.Join(problems...)
}

// without returns the names that are not among others. Forges take no notice of case.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(others, func(other string) bool { return strings.EqualFold(name, other) })
	})
}

// sameText compares what was written with what a forge gives back, which may
// have other line breaks.
func sameText(a, b string) bool {
	normal := func(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) }
	return normal(a) == normal(b)
}
