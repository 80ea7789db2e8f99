// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"path"
	"strconv"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// statuses asks for those of a commit, and makes sure that they are: Gitea looks first for a
// branch or tag of that name, which everybody can push.
func (g *giteaRepo) statuses(ctx context.Context, commit string) ([]Status, error) {
	var found []Status
	err := eachPage(func(page int) (int, error) {
		statuses, total, err := g.listStatuses(ctx, commit, page)
		if err != nil {
			return 0, err
		}
		for _, s := range present(statuses) {
			if of := path.Base(s.URL); s.URL != "" && of != commit {
				return 0, refusal(remote.KindCommitNotFound, "Gitea answers with the statuses of commit %s, since a branch or tag has the name "+
					"%[2]s. Nothing is known of the commit %[2]s until that is removed", markdown.Line(of), commit)
			}
			status := Status{
				Context: s.Context, State: statusState(string(s.State)), Description: markdown.Line(s.Description), URL: WebPage(s.TargetURL),
				Time: s.Created, key: s.Context,
			}
			if s.Creator != nil {
				status.Creator = s.Creator.UserName
			}
			found = append(found, status)
		}
		if len(statuses) == 0 || len(found) >= total {
			page = -1
		}
		return page + 1, checkStatuses(len(found))
	})
	return found, err
}

// listStatuses returns a page of statuses, the newest first, and how many there are on all
// pages. The library cannot ask for that order ("leastindex" is the highest one first).
// Gitea's default order compares seconds: statuses that many clusters report in the same
// second may be missing from all pages, or be on two.
func (g *giteaRepo) listStatuses(ctx context.Context, commit string, page int) (statuses []*gitea.Status, total int, err error) {
	at := fmt.Sprintf("%s/api/v1/repos/%s/%s/commits/%s/statuses?sort=leastindex&limit=%d&page=%d",
		g.site.root, url.PathEscape(g.site.owner), url.PathEscape(g.site.name), commit, giteaPage, page)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, http.NoBody)
	if err != nil {
		return nil, 0, err
	}
	request.Header.Set("Authorization", "token "+g.site.config.Token)
	request.Header.Set("User-Agent", userAgent)
	response, err := g.http.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = response.Body.Close() }() // it was read as far as it matters
	if total, err = strconv.Atoi(response.Header.Get("X-Total-Count")); err != nil {
		total = math.MaxInt // a page without any is the last one
	}
	err = json.NewDecoder(response.Body).Decode(&statuses)
	return statuses, total, err
}

// checkRuns are GitHub's alone: Gitea's Actions write commit statuses.
func (g *giteaRepo) checkRuns(context.Context, string) ([]Status, error) { return nil, nil }

func (g *giteaRepo) setStatus(ctx context.Context, commit string, s Status) error {
	_, _, err := g.client(ctx).CreateStatus(g.site.owner, g.site.name, commit, gitea.CreateStatusOption{
		State: gitea.StatusState(s.State), Context: s.Context, Description: s.Description, TargetURL: s.URL,
	})
	return err
}
