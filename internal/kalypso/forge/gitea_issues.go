// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"slices"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

func (g *giteaRepo) issues(ctx context.Context) ([]Issue, error) {
	client := g.client(ctx)
	found, err := collect(giteaList(func(page gitea.ListOptions) ([]*gitea.Issue, *gitea.Response, error) {
		return client.ListRepoIssues(g.site.owner, g.site.name,
			gitea.ListIssueOption{ListOptions: page, State: gitea.StateOpen, Type: gitea.IssueTypeIssue})
	}), 0, readGiteaIssue)
	slices.Reverse(found) // Gitea lists the newest first
	return found, insteadOfNotFound(err, refusal(remote.KindNoIssues, "the repository has its issues turned off, or is not shown to the "+
		"token. Turn them on in its settings"))
}

func (g *giteaRepo) openIssue(ctx context.Context, title, body string) (Issue, error) {
	issue, _, err := g.client(ctx).CreateIssue(g.site.owner, g.site.name, gitea.CreateIssueOption{Title: title, Body: body})
	if err != nil {
		return Issue{}, err
	}
	return readGiteaIssue(issue), nil
}

func readGiteaIssue(issue *gitea.Issue) Issue {
	read := Issue{Number: int(issue.Index), URL: issue.HTMLURL, Title: issue.Title, Body: issue.Body}
	if issue.Poster != nil {
		read.Author = issue.Poster.UserName
	}
	return read
}

func (g *giteaRepo) editIssue(ctx context.Context, issue Issue) error {
	_, _, err := g.client(ctx).EditIssue(g.site.owner, g.site.name, int64(issue.Number),
		gitea.EditIssueOption{Title: issue.Title, Body: &issue.Body})
	return err
}

func (g *giteaRepo) closeIssue(ctx context.Context, number int) error {
	client := g.client(ctx)
	closed := gitea.StateClosed
	_, _, err := client.EditIssue(g.site.owner, g.site.name, int64(number), gitea.EditIssueOption{State: &closed})
	return err
}
