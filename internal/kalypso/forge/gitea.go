// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Gitea is Gitea, and Forgejo.
const Gitea Software = "gitea"

var giteaKind = &kind{
	software: Gitea, name: "Gitea", request: "pull request", also: "Forgejo", hosts: []string{"codeberg.org", "gitea.com"}, api: "/api/v1",
	connect: newGitea, refusals: giteaRefusals, maxBody: 65_536, ciRun: giteaRun,
	ofPush: map[pushRefusal][]string{pushArchived: {"is archived"}, pushProtected: {"protected branch"}},
}

// gitea is a repository on Gitea or Forgejo.
type gitea struct {
	tokenLogin
	rest
}

func newGitea(s site, client *http.Client) (Forge, error) {
	last := len(s.path) - 2
	root := s.root
	if s.config.BaseURL == "" && !s.overSSH && last > 0 {
		root += "/" + strings.Join(s.path[:last], "/") // the folder that the forge is served from
	}
	return &gitea{tokenLogin(s.config.Token), rest{
		http: client, authorization: "token " + s.config.Token,
		root: root + "/api/v1/repos/" + url.PathEscape(s.path[last]) + "/" + url.PathEscape(s.path[last+1]),
	}}, nil
}

type giteaPull struct {
	Number         int     `json:"number"`
	URL            string  `json:"html_url"`
	State          string  `json:"state"`
	Draft          bool    `json:"draft"`
	Title          string  `json:"title"`
	Merged         bool    `json:"merged"`
	MergeCommitSHA *string `json:"merge_commit_sha"`
	Base, Head     struct {
		// After a branch is deleted, Ref becomes refs/pull/...; Label stays.
		Label  string `json:"label"`
		Ref    string `json:"ref"`
		SHA    string `json:"sha"`
		RepoID int64  `json:"repo_id"`
	}
}

// giteaDraft marks a request as a draft, at the beginning of its title.
const giteaDraft = "WIP: "

func readGiteaPull(p giteaPull) Request {
	q := Request{
		Number: p.Number, URL: p.URL, State: Open, Draft: p.Draft || strings.HasPrefix(p.Title, giteaDraft),
		Base: p.Base.Ref, Head: p.Head.Label, HeadCommit: p.Head.SHA, Fork: p.Head.RepoID != p.Base.RepoID,
	}
	switch {
	case p.Merged:
		q.State = Merged
		if p.MergeCommitSHA != nil {
			q.MergeCommit = *p.MergeCommitSHA
		}
	case p.State == "closed":
		q.State = Closed
	}
	return q
}

// giteaPages reads a list. Its header names the next page, because a server may have smaller pages
// than we ask for.
func giteaPages[T, R any](ctx context.Context, g *gitea, path string, query url.Values, most int, read func(T) R) ([]R, error) {
	return collect(most, pages(func(page int) (items []T, next int, err error) {
		query.Set("limit", "50")
		query.Set("page", strconv.Itoa(page))
		header, err := g.do(ctx, http.MethodGet, path, query, nil, &items)
		if err == nil && strings.Contains(header.Get("Link"), `rel="next"`) {
			next = page + 1
		}
		return items, next, err
	}), read)
}

// FindByHead looks through the newest requests, because Gitea has no filter for the branch.
func (g *gitea) FindByHead(ctx context.Context, head string) ([]Request, error) {
	found, err := giteaPages(ctx, g, "/pulls", url.Values{"state": {"all"}}, maxRequests, readGiteaPull)
	return slices.DeleteFunc(found, func(q Request) bool { return q.Head != head }), err
}

// Get returns a request. Gitea reads a request in two steps: while it is merged, it may look closed,
// so Get reads a closed one again.
func (g *gitea) Get(ctx context.Context, number int) (q Request, err error) {
	for range 2 {
		var pull giteaPull
		_, err = g.do(ctx, http.MethodGet, fmt.Sprintf("/pulls/%d", number), nil, nil, &pull)
		if q = readGiteaPull(pull); err != nil || q.State != Closed {
			break
		}
	}
	return q, err
}

// Open opens the request, and then sets labels and asks for reviews, which can be repeated.
func (g *gitea) Open(ctx context.Context, n NewRequest) (Request, error) {
	title := n.Title
	if n.Draft {
		title = giteaDraft + title
	}
	var pull giteaPull
	_, err := g.do(ctx, http.MethodPost, "/pulls", nil,
		map[string]any{"head": n.Head, "base": n.Base, "title": title, "body": n.body}, &pull)
	q := readGiteaPull(pull)
	if saidIn(err, "already exists") {
		q, err = existing(ctx, g, n)
	}
	if err != nil {
		return Request{}, insteadOfNotFound(err, remote.Errorf(remote.KindBaseNotFound, "the base branch does not exist"))
	}
	var labelled, asked error
	if len(n.Labels) > 0 {
		labelled = g.label(ctx, q.Number, n.Labels)
	}
	if len(n.Reviewers)+len(n.TeamReviewers) > 0 {
		_, asked = g.do(ctx, http.MethodPost, fmt.Sprintf("/pulls/%d/requested_reviewers", q.Number), nil,
			map[string]any{"reviewers": n.Reviewers, "team_reviewers": n.TeamReviewers}, nil)
		asked = insteadOfNotFound(asked, refused("a reviewer is unknown. Correct the reviewers (a team by its name)"))
	}
	return q, errors.Join(labelled, asked)
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

// label adds labels by their names. Gitea leaves out names that neither the repository nor its
// organization has, so these are made first.
func (g *gitea) label(ctx context.Context, number int, names []string) error {
	type label struct {
		Name string `json:"name"`
	}
	for range 2 {
		var has []label
		path := fmt.Sprintf("/issues/%d/labels", number)
		if _, err := g.do(ctx, http.MethodPost, path, nil, map[string]any{"labels": names}, &has); err != nil {
			return err
		}
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(has, label{name}) })
		for _, name := range names {
			if _, err := g.do(ctx, http.MethodPost, "/labels", nil, map[string]any{"name": name, "color": "#0052cc"}, nil); err != nil {
				return err
			}
		}
		if len(names) == 0 {
			break
		}
	}
	return nil
}

func (g *gitea) Close(ctx context.Context, number int, comment string) error {
	path := fmt.Sprintf("/issues/%d/comments", number)
	if _, err := g.do(ctx, http.MethodPost, path, nil, map[string]any{"body": comment}, nil); err != nil {
		return err
	}
	_, err := g.do(ctx, http.MethodPatch, fmt.Sprintf("/pulls/%d", number), nil, map[string]any{"state": "closed"}, nil)
	return err
}

// Merge schedules the merge. Gitea carries it out immediately if no rule is open. Gitea
// also schedules merges that can never happen.
func (g *gitea) Merge(ctx context.Context, q Request, m Method) error {
	var allows struct {
		Merge  bool `json:"allow_merge_commits"`
		Squash bool `json:"allow_squash_merge"`
		Rebase bool `json:"allow_rebase"`
	}
	if _, err := g.do(ctx, http.MethodGet, "", nil, nil, &allows); err != nil {
		return err
	}
	if !map[Method]bool{Merge: allows.Merge, Squash: allows.Squash, Rebase: allows.Rebase}[m] {
		return remote.Errorf(remote.KindNoMethod, "%s", strings.ReplaceAll(methodAdvice, "%s", string(m)))
	}
	_, err := g.do(ctx, http.MethodPost, fmt.Sprintf("/pulls/%d/merge", q.Number), nil,
		map[string]any{"Do": m, "head_commit_id": q.HeadCommit, "merge_when_checks_succeed": true}, nil)
	if saidIn(err, "already scheduled") {
		return nil
	}
	return err
}

type giteaStatus struct {
	Context     string    `json:"context"`
	Status      string    `json:"status"`
	Description string    `json:"description"`
	TargetURL   string    `json:"target_url"`
	Created     time.Time `json:"created_at"`
	Creator     *struct {
		Login string `json:"login"`
	} `json:"creator"`
}

// giteaStates count a warning as a failure of the commit, and a skipped status as a success.
var giteaStates = states{"success": Success, "skipped": Success, "failure": Failure, "error": Failure, "warning": Failure}

// Reports lists commit statuses, which Gitea's Actions write too. They come by their number
// ("leastindex"), because the default order compares seconds: statuses that many clusters report
// in the same second may be missing from all pages, or appear twice.
func (g *gitea) Reports(ctx context.Context, commit string) ([]Status, error) {
	return giteaPages(ctx, g, "/commits/"+commit+"/statuses", url.Values{"sort": {"leastindex"}}, maxStatuses, func(s giteaStatus) Status {
		status := Status{Context: s.Context, State: giteaStates.read(s.Status), Description: s.Description, URL: s.TargetURL, Time: s.Created}
		if s.Creator != nil {
			status.Creator = s.Creator.Login
		}
		return status
	})
}

// Report writes a commit status. It looks for the commit first, because Gitea answers with a server
// error if it is missing.
func (g *gitea) Report(ctx context.Context, commit string, s Status) error {
	short := url.Values{"stat": {"false"}, "verification": {"false"}, "files": {"false"}}
	if _, err := g.do(ctx, http.MethodGet, "/git/commits/"+commit, short, nil, nil); err != nil {
		return err
	}
	_, err := g.do(ctx, http.MethodPost, "/statuses/"+commit, nil,
		map[string]any{"state": s.State, "context": s.Context, "description": s.Description, "target_url": s.URL}, nil)
	return err
}

// giteaRun is a run of Gitea's or Forgejo's Actions.
func giteaRun(get func(string) string) Run {
	switch {
	case get("FORGEJO_ACTIONS") == "true":
		return actionsRun(get, "Forgejo Actions", get("GITHUB_RUN_NUMBER")) // Forgejo's pages use this number
	case get("GITEA_ACTIONS") == "true":
		return actionsRun(get, "Gitea Actions", get("GITHUB_RUN_ID"))
	}
	return Run{}
}

// giteaRefusals explain Gitea's messages where the status does not show what to do.
var giteaRefusals = []refusal{
	{says: []string{"please try again later"}, kind: remote.KindRefused, passing: true,
		advice: "Gitea does not know yet whether the request can be merged, or the request has conflicts. Look at the request"},
	{says: []string{"head out of date", "merge push out of date"}, kind: remote.KindRefused, passing: true, advice: movedAdvice},
	{says: []string{"required scope"}, kind: remote.KindForbidden,
		advice: "the token lacks a scope: %s. Make a token that may write repositories and issues (write:repository, write:issue)"},
	{status: http.StatusLocked, kind: remote.KindArchived, advice: archivedAdvice},
	{says: []string{"is archived"}, kind: remote.KindArchived, advice: archivedAdvice},
}
