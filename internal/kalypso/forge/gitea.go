// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strings"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// giteaRepo is a repository on Gitea or Forgejo.
type giteaRepo struct {
	site site
	http *http.Client
}

var _ api = (*giteaRepo)(nil)

func newGitea(s site, plain http.RoundTripper) *giteaRepo {
	return &giteaRepo{site: s, http: newHTTPClient(newestFirst{plain})}
}

// client makes the library's client for one call, because the library keeps the context in the
// client.
func (g *giteaRepo) client(ctx context.Context) *gitea.Client {
	client, err := gitea.NewClient(g.site.root,
		gitea.SetContext(ctx), gitea.SetToken(g.site.config.Token), gitea.SetHTTPClient(g.http),
		gitea.SetUserAgent(userAgent), gitea.SetGiteaVersion("")) // does not ask for the version: Forgejo has other numbers
	if err != nil {
		panic("a client that does not ask for the version cannot fail: " + err.Error())
	}
	return client
}

// giteaPage is how many items Gitea lists in a page by default.
const giteaPage = 50

// giteaList iterates over the pages of a list.
func giteaList[T any](list func(page gitea.ListOptions) ([]*T, *gitea.Response, error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for page := 1; page != 0; {
			items, response, err := list(gitea.ListOptions{Page: page, PageSize: giteaPage})
			if err != nil {
				yield(nil, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			page = response.NextPage
		}
	}
}

func (g *giteaRepo) requests(ctx context.Context, f filter) ([]Request, error) {
	client := g.client(ctx)
	found, err := collect(giteaList(func(page gitea.ListOptions) ([]*gitea.PullRequest, *gitea.Response, error) {
		return client.ListRepoPullRequests(g.site.owner, g.site.name,
			gitea.ListPullRequestsOptions{ListOptions: page, State: gitea.StateType(f.state)})
	}), f.most, readPull)
	return slices.DeleteFunc(found, func(q Request) bool { return f.base != "" && q.Base != f.base }), err
}

func (g *giteaRepo) request(ctx context.Context, number int) (Request, error) {
	pull, _, err := g.client(ctx).GetPullRequest(g.site.owner, g.site.name, int64(number))
	if err != nil {
		return Request{}, err
	}
	return readPull(pull), nil
}

// draftPrefix marks a request as a draft, at the beginning of its title.
const draftPrefix = "WIP: "

func readPull(pull *gitea.PullRequest) Request {
	q := Request{
		Number: int(pull.Index), URL: pull.HTMLURL, State: Open,
		Draft: pull.Draft || strings.HasPrefix(pull.Title, draftPrefix),
	}
	switch {
	case pull.HasMerged:
		q.State = Merged
		if pull.MergedCommitID != nil {
			q.MergeCommit = *pull.MergedCommitID
		}
	case pull.State == gitea.StateClosed:
		q.State = Closed
	}
	if pull.Base != nil && pull.Head != nil {
		// After the branch is deleted, Ref becomes refs/pull/...; the name stays.
		q.Base, q.Head, q.HeadCommit = pull.Base.Ref, pull.Head.Name, pull.Head.Sha
		q.Fork = pull.Head.RepoID != pull.Base.RepoID
	}
	for _, label := range present(pull.Labels) {
		q.Labels = append(q.Labels, label.Name)
	}
	return q
}

func (g *giteaRepo) open(ctx context.Context, p NewRequest, body string) (Request, error) {
	client := g.client(ctx)
	title := p.Title
	if p.Draft {
		title = draftPrefix + title
	}
	pull, _, err := client.CreatePullRequest(g.site.owner, g.site.name, gitea.CreatePullRequestOption{
		Head: p.Head, Base: p.Base, Title: title, Body: body,
	})
	var said *answer
	switch {
	case errors.As(err, &said) && said.status == http.StatusConflict && said.says("already exists"):
		return Request{}, errExists
	case err != nil:
		return Request{}, insteadOfNotFound(err, noBase())
	}
	return readPull(pull), nil
}

// insteadOfNotFound returns meaning for a 404 about a repository that exists, because Gitea
// does not name the reason.
func insteadOfNotFound(err error, meaning *remote.Error) error {
	var said *answer
	if errors.As(err, &said) && said.status == http.StatusNotFound {
		return meaning
	}
	return err
}

func (g *giteaRepo) closeRequest(ctx context.Context, number int) error {
	client := g.client(ctx)
	closed := gitea.StateClosed
	_, _, err := client.EditPullRequest(g.site.owner, g.site.name, int64(number), gitea.EditPullRequestOption{State: &closed})
	return err
}

// autoMerge schedules the merge. Gitea carries it out immediately if no rule is open. Gitea
// also schedules merges that can never happen.
func (g *giteaRepo) autoMerge(ctx context.Context, q Request, method Method, body string) error {
	client := g.client(ctx)
	repo, _, err := client.GetRepo(g.site.owner, g.site.name)
	if err != nil {
		return err
	}
	if !map[Method]bool{Merge: repo.AllowMerge, Squash: repo.AllowSquash, Rebase: repo.AllowRebase}[method] {
		return methodRefused(string(method))
	}
	_, _, err = client.MergePullRequest(g.site.owner, g.site.name, int64(q.Number), gitea.MergePullRequestOption{
		Style: gitea.MergeStyle(method), Message: body, HeadCommitId: q.HeadCommit, MergeWhenChecksSucceed: true,
	})
	var said *answer
	if errors.As(err, &said) && said.status == http.StatusConflict && said.says("already scheduled") {
		return nil
	}
	return err
}

// keepOpen cancels a scheduled merge. Gitea does not report whether a merge was scheduled.
func (g *giteaRepo) keepOpen(ctx context.Context, q Request) error {
	_, err := g.client(ctx).CancelScheduledAutoMerge(g.site.owner, g.site.name, int64(q.Number))
	var said *answer
	if errors.As(err, &said) && said.status == http.StatusNotFound {
		return nil // no merge was scheduled
	}
	return err
}

func (g *giteaRepo) viewer(ctx context.Context) (string, error) {
	me, _, err := g.client(ctx).GetMyUserInfo()
	if err != nil {
		return "", err
	}
	return me.UserName, nil
}

func (g *giteaRepo) token(context.Context) (string, error) { return g.site.config.Token, nil }

func (g *giteaRepo) credential() string { return "token" }

// explain reads Gitea's message if the status does not show what to do.
func (g *giteaRepo) explain(a *answer) *remote.Error {
	switch {
	case a.says("please try again later"):
		return &remote.Error{Kind: remote.KindRefused, Passing: true, Message: "Gitea does not know yet whether the request can be merged, " +
			"or the request has conflicts. Look at the request"}
	case a.says("head out of date", "merge push out of date"):
		return &remote.Error{Kind: remote.KindRefused, Passing: true, Message: "a branch moved in the meantime: " + a.message}
	case a.says("reviewer", "poster of pr"):
		return refused("a reviewer has no access to the repository, or opened the request: %s. Correct the reviewers", a.message)
	case a.says("required scope"):
		return &remote.Error{Kind: remote.KindForbidden, Message: "the token lacks a scope: " + a.message + ". Make a token that may write " +
			"repositories and issues (write:repository, write:issue)"}
	case a.status == http.StatusLocked, a.says("is archived"):
		return archived()
	}
	return nil
}
