// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/google/go-github/v88/github"
)

// gitHub is a repository on GitHub or a GitHub Enterprise Server.
type gitHub struct {
	client      *github.Client
	graphql     string // the URL of the GraphQL interface
	owner, name string
	app         *appTransport // nil if a token authenticates
	fixed       string        // that token
}

var _ api = (*gitHub)(nil)

func newGitHub(s site, plain http.RoundTripper) (*gitHub, error) {
	rest, graphql := s.githubURLs()
	g := &gitHub{graphql: graphql, owner: s.owner, name: s.name, fixed: s.config.Token}
	// Repository.run handles rate limits, in the same way for all forges.
	options := []github.ClientOptionsFunc{github.WithURLs(&rest, nil), github.WithUserAgent(userAgent), github.WithDisableRateLimitCheck()}
	var err error
	if s.config.App != nil {
		if g.app, err = newAppTransport(s, plain); err != nil {
			return nil, err
		}
		options = append(options, github.WithHTTPClient(newHTTPClient(g.app)))
	} else {
		options = append(options, github.WithHTTPClient(newHTTPClient(plain)), github.WithAuthToken(s.config.Token))
	}
	g.client, err = github.NewClient(options...)
	return g, err
}

// githubURLs returns the roots of GitHub's REST and GraphQL interfaces. For github.com and
// *.ghe.com, the interfaces have a separate host; on a GitHub Enterprise Server, they are
// folders.
func (s site) githubURLs() (rest, graphql string) {
	protocol, host, _ := strings.Cut(s.root, "://")
	if host == "github.com" || strings.HasSuffix(host, ".ghe.com") {
		api := protocol + "://api." + host
		return api + "/", api + "/graphql"
	}
	return s.root + "/api/v3/", s.root + "/api/graphql"
}

// userAgent is our name in requests to forges.
const userAgent = "terraform-provider-kalypso"

// firstPage is the first page of a list, with GitHub's largest page size.
var firstPage = github.ListOptions{PerPage: 100}

func (g *gitHub) requests(ctx context.Context, f filter) ([]Request, error) {
	options := &github.PullRequestListOptions{State: string(f.state), Base: f.base, Sort: "created", Direction: "desc", ListOptions: firstPage}
	return collect(g.client.PullRequests.ListIter(ctx, g.owner, g.name, options), f.most, readPullRequest)
}

func (g *gitHub) request(ctx context.Context, number int) (Request, error) {
	pull, _, err := g.client.PullRequests.Get(ctx, g.owner, g.name, number)
	if err = given(pull, err); err != nil {
		return Request{}, err
	}
	return readPullRequest(pull), nil
}

func readPullRequest(pull *github.PullRequest) Request {
	q := Request{
		Number: pull.GetNumber(), URL: pull.GetHTMLURL(), State: Open,
		Draft: pull.GetDraft(),
		Base:  pull.GetBase().GetRef(), Head: pull.GetHead().GetRef(), HeadCommit: pull.GetHead().GetSHA(),
		AutoMerge: Method(strings.ToLower(pull.GetAutoMerge().GetMergeMethod())),
		Fork:      pull.GetHead().GetRepo().GetID() != pull.GetBase().GetRepo().GetID(),
		id:        pull.GetNodeID(),
	}
	switch {
	case !pull.GetMergedAt().IsZero(): // a list does not say "merged"
		q.State, q.MergeCommit = Merged, pull.GetMergeCommitSHA()
	case pull.GetState() == "closed":
		q.State = Closed
	}
	for _, label := range present(pull.Labels) {
		q.Labels = append(q.Labels, label.GetName())
	}
	return q
}

func (g *gitHub) open(ctx context.Context, p NewRequest, body string) (Request, error) {
	pull, _, err := g.client.PullRequests.Create(ctx, g.owner, g.name, &github.NewPullRequest{
		Title: &p.Title, Head: &p.Head, Base: &p.Base, Body: &body, Draft: &p.Draft,
	})
	var said *answer
	switch {
	case errors.As(err, &said) && said.says("a pull request already exists"):
		return Request{}, errExists
	case given(pull, err) != nil:
		return Request{}, given(pull, err)
	}
	return readPullRequest(pull), nil
}

func (g *gitHub) closeRequest(ctx context.Context, number int) error {
	_, _, err := g.client.PullRequests.Edit(ctx, g.owner, g.name, number, &github.PullRequest{State: github.Ptr("closed")})
	return err
}

func (g *gitHub) label(ctx context.Context, number int, names []string) error {
	_, _, err := g.client.Issues.AddLabelsToIssue(ctx, g.owner, g.name, number, names)
	return err
}

func (g *gitHub) askReview(ctx context.Context, number int, users, teams []string) error {
	_, _, err := g.client.PullRequests.RequestReviewers(ctx, g.owner, g.name, number,
		github.ReviewersRequest{Reviewers: users, TeamReviewers: teams})
	return err
}

func (g *gitHub) comments(ctx context.Context, number int) ([]string, error) {
	return collect(g.client.Issues.ListCommentsIter(ctx, g.owner, g.name, number, &github.IssueListCommentsOptions{ListOptions: firstPage}), 0,
		(*github.IssueComment).GetBody)
}

func (g *gitHub) comment(ctx context.Context, number int, text string) error {
	_, _, err := g.client.Issues.CreateComment(ctx, g.owner, g.name, number, &github.IssueComment{Body: &text})
	return err
}

func (g *gitHub) token(ctx context.Context) (string, error) {
	if g.app != nil {
		return g.app.token(ctx)
	}
	return g.fixed, nil
}

func (g *gitHub) credential() string {
	if g.app != nil {
		return "GitHub App"
	}
	return "token"
}
