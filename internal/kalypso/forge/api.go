// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// api is what a forge offers for one repository, step by step. Its errors are
// those of the connection, *answer, or *remote.Error if it knows what to do; it
// tries nothing twice.
type api interface {
	// requests lists pull requests, newest first.
	requests(ctx context.Context, f filter) ([]Request, error)
	request(ctx context.Context, number int) (Request, error)
	// open returns errExists if there is an open request for the branch.
	open(ctx context.Context, p NewRequest, body string) (Request, error)
	edit(ctx context.Context, q Request, title, body string) error
	closeRequest(ctx context.Context, number int) error
	// autoMerge also merges, if there is nothing to wait for: the request's HeadCommit
	// alone. The merge's commit has a message of the forge's; with a body, this below its title.
	autoMerge(ctx context.Context, q Request, method Method, body string) error
	// keepOpen turns automatic merging off.
	keepOpen(ctx context.Context, q Request) error

	// protected reports whether a branch is protected from pushes, if the forge says it.
	protected(ctx context.Context, branch string) (bool, error)

	// label adds labels, which need not exist.
	label(ctx context.Context, number int, names []string) error
	askReview(ctx context.Context, number int, users, teams []string) error
	// reviewed reports whether anybody has answered with a review.
	reviewed(ctx context.Context, number int) (bool, error)
	// comments and comment are for requests and issues.
	comments(ctx context.Context, number int) ([]string, error)
	comment(ctx context.Context, number int, text string) error

	// statuses lists the commit statuses of a commit, newest first, and checkRuns the
	// check runs that count.
	statuses(ctx context.Context, commit string) ([]Status, error)
	checkRuns(ctx context.Context, commit string) ([]Status, error)
	setStatus(ctx context.Context, commit string, s Status) error

	// issues lists open issues, oldest first, without requests.
	issues(ctx context.Context) ([]Issue, error)
	openIssue(ctx context.Context, title, body string) (Issue, error)
	editIssue(ctx context.Context, issue Issue) error
	closeIssue(ctx context.Context, number int) error

	// viewer returns our name at the forge, which is the author of our requests and issues.
	viewer(ctx context.Context) (string, error)
	// token authenticates git.
	token(ctx context.Context) (string, error)
	// credential names what authenticates: "token".
	credential() string
	// explain knows the words of this forge; nil if they mean nothing special.
	explain(a *answer) *remote.Error
}

// filter chooses requests. Empty fields choose all.
type filter struct {
	state      RequestState // Open, or Closed for all that are finished
	base, head string
	most       int // how many at most; 0 is all
}
