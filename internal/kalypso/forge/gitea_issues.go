// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"slices"

	"code.gitea.io/sdk/gitea"
)

func (g *giteaRepo) askReview(ctx context.Context, number int, users, teams []string) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	_, err = client.CreateReviewRequests(g.site.owner, g.site.name, int64(number), gitea.PullReviewRequestOptions{Reviewers: users, TeamReviewers: teams})
	return insteadOfNotFound(err, "a reviewer is unknown. Correct reviewers and team_reviewers (a team by its name)")
}

func (g *giteaRepo) reviewed(ctx context.Context, number int) (bool, error) {
	client, err := g.client(ctx)
	if err != nil {
		return false, err
	}
	reviews, _, err := client.ListPullReviews(g.site.owner, g.site.name, int64(number), gitea.ListPullReviewsOptions{})
	return slices.ContainsFunc(reviews, func(r *gitea.PullReview) bool {
		return r.State != gitea.ReviewStateRequestReview && r.State != gitea.ReviewStatePending
	}), err
}

func (g *giteaRepo) comments(ctx context.Context, number int) ([]string, error) {
	client, err := g.client(ctx)
	if err != nil {
		return nil, err
	}
	comments, _, err := client.ListIssueComments(g.site.owner, g.site.name, int64(number), gitea.ListIssueCommentOptions{}) // all at once
	texts := make([]string, len(comments))
	for i, comment := range comments {
		texts[i] = comment.Body
	}
	return texts, err
}

func (g *giteaRepo) comment(ctx context.Context, number int, text string) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	_, _, err = client.CreateIssueComment(g.site.owner, g.site.name, int64(number), gitea.CreateIssueCommentOption{Body: text})
	return err
}

func (g *giteaRepo) issues(ctx context.Context) ([]Issue, error) {
	client, err := g.client(ctx)
	if err != nil {
		return nil, err
	}
	var found []Issue
	err = giteaPages(func(page gitea.ListOptions) (*gitea.Response, error) {
		issues, response, err := client.ListRepoIssues(g.site.owner, g.site.name, gitea.ListIssueOption{ListOptions: page, State: gitea.StateOpen, Type: gitea.IssueTypeIssue})
		for _, issue := range issues {
			found = append(found, Issue{Number: int(issue.Index), URL: issue.HTMLURL, Title: issue.Title, Body: issue.Body})
		}
		return response, err
	})
	slices.Reverse(found) // Gitea lists the newest first
	return found, insteadOfNotFound(err, "the repository has its issues turned off, or is not shown to the token. Turn them on in its settings, or set report_issue = false")
}

func (g *giteaRepo) openIssue(ctx context.Context, title, body string) (Issue, error) {
	client, err := g.client(ctx)
	if err != nil {
		return Issue{}, err
	}
	issue, _, err := client.CreateIssue(g.site.owner, g.site.name, gitea.CreateIssueOption{Title: title, Body: body})
	if err != nil {
		return Issue{}, err
	}
	return Issue{Number: int(issue.Index), URL: issue.HTMLURL, Title: issue.Title, Body: issue.Body}, nil
}

func (g *giteaRepo) editIssue(ctx context.Context, issue Issue) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	_, _, err = client.EditIssue(g.site.owner, g.site.name, int64(issue.Number), gitea.EditIssueOption{Title: issue.Title, Body: &issue.Body})
	return err
}

func (g *giteaRepo) closeIssue(ctx context.Context, number int) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	closed := gitea.StateClosed
	_, _, err = client.EditIssue(g.site.owner, g.site.name, int64(number), gitea.EditIssueOption{State: &closed})
	return err
}
