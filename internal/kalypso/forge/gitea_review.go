// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"code.gitea.io/sdk/gitea"
)

func (g *giteaRepo) askReview(ctx context.Context, number int, users, teams []string) error {
	_, err := g.client(ctx).CreateReviewRequests(g.site.owner, g.site.name, int64(number),
		gitea.PullReviewRequestOptions{Reviewers: users, TeamReviewers: teams})
	return insteadOfNotFound(err, refused("a reviewer is unknown. Correct the reviewers (a team by its name)"))
}

func (g *giteaRepo) comments(ctx context.Context, number int) ([]string, error) {
	// Gitea returns all comments in one page.
	comments, _, err := g.client(ctx).ListIssueComments(g.site.owner, g.site.name, int64(number), gitea.ListIssueCommentOptions{})
	var texts []string
	for _, comment := range present(comments) {
		texts = append(texts, comment.Body)
	}
	return texts, err
}

func (g *giteaRepo) comment(ctx context.Context, number int, text string) error {
	_, _, err := g.client(ctx).CreateIssueComment(g.site.owner, g.site.name, int64(number), gitea.CreateIssueCommentOption{Body: text})
	return err
}

const labelColor = "#0052cc"

func (g *giteaRepo) label(ctx context.Context, number int, names []string) error {
	client := g.client(ctx)
	known, err := g.labels(client)
	if err != nil {
		return err
	}
	var ids []int64
	for _, name := range names {
		i := slices.IndexFunc(known, func(l *gitea.Label) bool { return strings.EqualFold(l.Name, name) })
		if i >= 0 {
			ids = append(ids, known[i].ID)
			continue
		}
		made, _, err := client.CreateLabel(g.site.owner, g.site.name, gitea.CreateLabelOption{Name: name, Color: labelColor})
		if err != nil {
			return err
		}
		ids = append(ids, made.ID)
	}
	_, _, err = client.AddIssueLabels(g.site.owner, g.site.name, int64(number), gitea.IssueLabelsOption{Labels: ids})
	return err
}

// labels lists the labels of the repository and of its organization.
func (g *giteaRepo) labels(client *gitea.Client) ([]*gitea.Label, error) {
	same := func(label *gitea.Label) *gitea.Label { return label }
	all, err := collect(giteaList(func(page gitea.ListOptions) ([]*gitea.Label, *gitea.Response, error) {
		return client.ListRepoLabels(g.site.owner, g.site.name, gitea.ListLabelsOptions{ListOptions: page})
	}), 0, same)
	if err != nil {
		return nil, err
	}
	shared, err := collect(giteaList(func(page gitea.ListOptions) ([]*gitea.Label, *gitea.Response, error) {
		return client.ListOrgLabels(g.site.owner, gitea.ListOrgLabelsOptions{ListOptions: page})
	}), 0, same)
	var said *answer
	if errors.As(err, &said) && (said.status == http.StatusNotFound || said.status == http.StatusForbidden) {
		err = nil // the owner is a person, or the token may not look
	}
	return append(all, shared...), err
}
