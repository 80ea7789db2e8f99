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
	"strings"
	"time"

	"github.com/google/go-github/v88/github"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// GitHub is GitHub, and GitHub Enterprise Server.
const GitHub Software = "github"

var gitHubKind = &kind{
	software: GitHub, name: "GitHub", request: "pull request", also: "GitHub Enterprise Server",
	hosts: []string{"github.com", ".ghe.com"}, otherHosts: map[string]string{"ssh.github.com": "github.com", "api.github.com": "github.com"},
	api: "/api/v3", connect: newGitHub, hasApps: true, refusals: gitHubRefusals, ofPush: gitHubOfPush,
	rateLimit: []string{"secondary rate limit"}, rights: gitHubRights, maxBody: 65_536, ciRun: gitHubRun,
}

// gitHub is a repository on GitHub or a GitHub Enterprise Server.
type gitHub struct {
	client      *github.Client
	graphql     string // the URL of the GraphQL interface
	owner, name string
	token       func(ctx context.Context) (string, error)
}

func newGitHub(s site, client *http.Client) (Forge, error) {
	if len(s.path) != 2 {
		return nil, errors.New("the path of a repository on GitHub is its owner and its name. Correct the URL")
	}
	restURL, graphql := s.gitHubURLs()
	g := &gitHub{graphql: graphql, owner: s.path[0], name: s.path[1]}
	// Repository.run handles rate limits, in the same way for all forges.
	options := []github.ClientOptionsFunc{github.WithURLs(&restURL, nil), github.WithUserAgent(userAgent), github.WithDisableRateLimitCheck()}
	var err error
	if s.config.App != nil {
		app, wrong := newAppTransport(s, client)
		if wrong != nil {
			return nil, wrong
		}
		g.token = app.token
		options = append(options, github.WithHTTPClient(newHTTPClient(app)))
	} else {
		g.token = func(context.Context) (string, error) { return s.config.Token, nil }
		options = append(options, github.WithHTTPClient(client), github.WithAuthToken(s.config.Token))
	}
	g.client, err = github.NewClient(options...)
	return g, err
}

// gitHubURLs returns the roots of GitHub's REST and GraphQL interfaces. For github.com and
// *.ghe.com, the interfaces have a separate host; on a GitHub Enterprise Server, they are
// folders.
func (s site) gitHubURLs() (rest, graphql string) {
	protocol, host, _ := strings.Cut(s.root, "://")
	if host == "github.com" || strings.HasSuffix(host, ".ghe.com") {
		api := protocol + "://api." + strings.TrimPrefix(host, "api.")
		return api + "/", api + "/graphql"
	}
	return s.root + "/api/v3/", s.root + "/api/graphql"
}

// Login returns the token; that of an App lives for an hour.
func (g *gitHub) Login(ctx context.Context) (user, password string, err error) {
	password, err = g.token(ctx)
	return TokenUser, password, err
}

// FindByHead needs the owner of the branch for GitHub's filter.
func (g *gitHub) FindByHead(ctx context.Context, head string) ([]Request, error) {
	options := &github.PullRequestListOptions{State: "all", Head: g.owner + ":" + head, Sort: "created", Direction: "desc",
		ListOptions: github.ListOptions{PerPage: 100}}
	return collect(maxRequests, g.client.PullRequests.ListIter(ctx, g.owner, g.name, options), readPullRequest)
}

func (g *gitHub) Get(ctx context.Context, number int) (Request, error) {
	pull, _, err := g.client.PullRequests.Get(ctx, g.owner, g.name, number)
	return readPullRequest(pull), err
}

func readPullRequest(pull *github.PullRequest) Request {
	q := Request{
		Number: pull.GetNumber(), URL: pull.GetHTMLURL(), State: Open, Draft: pull.GetDraft(),
		Base: pull.GetBase().GetRef(), Head: pull.GetHead().GetRef(), HeadCommit: pull.GetHead().GetSHA(),
		AutoMerge: pull.GetAutoMerge() != nil,
		Fork:      pull.GetHead().GetRepo().GetID() != pull.GetBase().GetRepo().GetID(),
		id:        pull.GetNodeID(),
	}
	switch {
	case !pull.GetMergedAt().IsZero(): // a list does not say "merged"
		q.State, q.MergeCommit = Merged, pull.GetMergeCommitSHA()
	case pull.GetState() == "closed":
		q.State = Closed
	}
	return q
}

// Open opens the request, and then sets labels and asks for reviews, which can be repeated.
func (g *gitHub) Open(ctx context.Context, n NewRequest) (Request, error) {
	pull, _, err := g.client.PullRequests.Create(ctx, g.owner, g.name, &github.NewPullRequest{
		Title: &n.Title, Head: &n.Head, Base: &n.Base, Body: &n.body, Draft: &n.Draft,
	})
	q := readPullRequest(pull)
	if saidIn(err, "a pull request already exists") {
		q, err = existing(ctx, g, n)
	}
	if err != nil {
		return Request{}, err
	}
	var labelled, asked error
	if len(n.Labels) > 0 {
		_, _, labelled = g.client.Issues.AddLabelsToIssue(ctx, g.owner, g.name, q.Number, n.Labels)
	}
	if len(n.Reviewers)+len(n.TeamReviewers) > 0 {
		_, _, asked = g.client.PullRequests.RequestReviewers(ctx, g.owner, g.name, q.Number,
			github.ReviewersRequest{Reviewers: n.Reviewers, TeamReviewers: n.TeamReviewers})
	}
	return q, errors.Join(labelled, asked)
}

func (g *gitHub) Close(ctx context.Context, number int, comment string) error {
	if _, _, err := g.client.Issues.CreateComment(ctx, g.owner, g.name, number, &github.IssueComment{Body: &comment}); err != nil {
		return err
	}
	_, _, err := g.client.PullRequests.Edit(ctx, g.owner, g.name, number, &github.PullRequest{State: github.Ptr("closed")})
	return err
}

// Merge turns on automatic merging, which only GraphQL has. If no rule is open, or no rule exists,
// Merge merges.
func (g *gitHub) Merge(ctx context.Context, q Request, m Method) error {
	err := g.enableAutoMerge(ctx, q, m)
	if saidIn(err, "clean status", "protected branch rules not configured") {
		_, _, err = g.client.PullRequests.Merge(ctx, g.owner, g.name, q.Number, "",
			&github.PullRequestOptions{SHA: q.HeadCommit, MergeMethod: string(m)})
	}
	return err
}

// graphQLStatuses are the statuses of REST that mean the same as types of errors.
var graphQLStatuses = map[string]int{
	"RATE_LIMITED": http.StatusTooManyRequests, "FORBIDDEN": http.StatusForbidden, "NOT_FOUND": http.StatusNotFound,
}

var gitHubStates = states{"success": Success, "failure": Failure, "error": Failure}

func (g *gitHub) enableAutoMerge(ctx context.Context, q Request, m Method) error {
	const text = "mutation($input: EnablePullRequestAutoMergeInput!) { enablePullRequestAutoMerge(input: $input) { clientMutationId } }"
	input := map[string]any{"pullRequestId": q.id, "mergeMethod": strings.ToUpper(string(m)), "expectedHeadOid": q.HeadCommit}
	request, err := g.client.NewRequest(ctx, http.MethodPost, g.graphql,
		map[string]any{"query": text, "variables": map[string]any{"input": input}})
	if err != nil {
		return err
	}
	var result struct {
		Errors []struct{ Type, Message string }
	}
	response, err := g.client.Do(request, &result)
	if err != nil || len(result.Errors) == 0 {
		return err
	}
	said := &answer{request: "GraphQL", status: cmp.Or(graphQLStatuses[result.Errors[0].Type], response.StatusCode), header: response.Header}
	for _, e := range result.Errors {
		said.message = wording.Words(said.message + "\n" + e.Message)
	}
	return said
}

func (g *gitHub) Reports(ctx context.Context, commit string) ([]Status, error) {
	list := g.client.Repositories.ListStatusesIter(ctx, g.owner, g.name, commit, &github.ListOptions{PerPage: 100})
	statuses, err := collect(maxStatuses, list, func(s *github.RepoStatus) Status {
		return Status{
			Context: s.GetContext(), State: gitHubStates.read(s.GetState()), Description: s.GetDescription(),
			Creator: s.GetCreator().GetLogin(), URL: s.GetTargetURL(), Time: s.GetCreatedAt().Time,
		}
	})
	if err != nil {
		return nil, err
	}
	runs, err := g.checkRuns(ctx, commit)
	return slices.Concat(statuses, runs), err
}

// checkRuns returns all check runs, the newest first by number. It includes repeated runs, and runs of
// one name in several suites, because a new run does not clear a failure.
func (g *gitHub) checkRuns(ctx context.Context, commit string) ([]Status, error) {
	options := &github.ListCheckRunsOptions{Filter: github.Ptr("all"), ListOptions: github.ListOptions{PerPage: 100}}
	runs, err := collect(maxStatuses, g.client.Checks.ListCheckRunsForRefIter(ctx, g.owner, g.name, commit, options),
		func(run *github.CheckRun) *github.CheckRun { return run })
	if err != nil {
		return nil, err
	}
	slices.SortFunc(runs, func(a, b *github.CheckRun) int { return cmp.Compare(a.GetID(), b.GetID()) })
	var found []Status
	last := map[string]time.Time{} // by name
	for _, run := range runs {
		at := strings.ToLower(run.GetName())
		for _, t := range []github.Timestamp{run.GetStartedAt(), run.GetCompletedAt()} { // a queued run has neither
			if t.After(last[at]) {
				last[at] = t.Time
			}
		}
		found = append(found, Status{
			Context: run.GetName(), State: checkState(run.GetStatus(), run.GetConclusion()), Creator: run.GetApp().GetSlug(),
			Description: cmp.Or(run.GetOutput().GetTitle(), run.GetConclusion(), run.GetStatus()),
			URL:         cmp.Or(run.GetHTMLURL(), run.GetDetailsURL()), Time: last[at],
		})
	}
	slices.Reverse(found)
	return found, nil
}

// checkState returns the state of a check run by the rules of GitHub's required checks and
// command line (gh pr checks). A skipped or neutral check does not block a merge. A cancelled
// check, or a check that needs an action, is not a success.
func checkState(status, conclusion string) StatusState {
	if status != "completed" {
		return Pending
	}
	switch conclusion {
	case "success", "neutral", "skipped":
		return Success
	case "failure", "timed_out", "cancelled", "action_required", "startup_failure":
		return Failure
	}
	return Pending // stale: GitHub no longer waits, for example for a runner
}

func (g *gitHub) Report(ctx context.Context, commit string, s Status) error {
	status := github.RepoStatus{State: github.Ptr(string(s.State)), Context: &s.Context, Description: &s.Description}
	if s.URL != "" {
		status.TargetURL = &s.URL
	}
	_, _, err := g.client.Repositories.CreateStatus(ctx, g.owner, g.name, commit, status)
	return err
}

// gitHubRights names the right that a credential lacks, if GitHub's headers name it.
func gitHubRights(a *answer) string {
	permissions, scopes := a.header.Get("X-Accepted-Github-Permissions"), a.header.Get("X-Accepted-Oauth-Scopes")
	switch {
	case strings.Contains(a.header.Get("X-Github-Sso"), "required"):
		return "The organization requires single sign-on: authorize the token for the organization in your GitHub settings"
	case permissions != "":
		return "The token lacks a permission: " + permissions
	case scopes != "":
		return fmt.Sprintf("The token has the scopes %q, and one of %q is needed", a.header.Get("X-Oauth-Scopes"), scopes)
	}
	return ""
}
