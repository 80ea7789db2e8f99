// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"net/http"
	"path"
	"strconv"
	"strings"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// statuses lists the statuses of a commit. It checks that the answer is about the commit:
// Gitea looks first for a branch or tag with the same name, which everybody with write access
// can push.
func (g *giteaRepo) statuses(ctx context.Context, commit string) ([]Status, error) {
	client := g.client(ctx)
	var found []Status
	for page := 1; ; page++ {
		statuses, response, err := client.ListStatuses(g.site.owner, g.site.name, commit,
			gitea.ListStatusesOption{ListOptions: gitea.ListOptions{Page: page, PageSize: giteaPage}})
		if err != nil {
			return nil, err
		}
		for _, s := range present(statuses) {
			if of := path.Base(s.URL); s.URL != "" && of != commit {
				return nil, remote.Errorf(remote.KindCommitNotFound, "Gitea answers with the statuses of commit %s, because a branch or tag "+
					"has the name %[2]s. Remove this branch or tag. Until then, the statuses of the commit %[2]s are unknown", markdown.Line(of), commit)
			}
			status := Status{
				Context: s.Context, State: statusState(string(s.State)), raw: string(s.State), key: s.Context,
				Description: markdown.Line(s.Description), URL: WebPage(s.TargetURL), Time: s.Created,
			}
			if s.Creator != nil {
				status.Creator = s.Creator.UserName
			}
			found = append(found, status)
		}
		total, err := strconv.Atoi(response.Header.Get("X-Total-Count"))
		if n := max(len(found), page); len(statuses) == 0 || err == nil && len(found) >= total || n > maxStatuses {
			return found, checkStatuses(n)
		}
	}
}

// newestFirst asks Gitea for statuses with the highest number first ("leastindex"), which the
// library cannot do. Gitea's default order compares seconds: statuses that many clusters
// report in the same second may be missing from all pages, or appear twice.
type newestFirst struct{ next http.RoundTripper }

func (t newestFirst) RoundTrip(request *http.Request) (*http.Response, error) {
	if strings.HasSuffix(request.URL.Path, "/statuses") {
		request = request.Clone(request.Context())
		request.URL.RawQuery += "&sort=leastindex"
	}
	return t.next.RoundTrip(request)
}

// Only GitHub has check runs: Gitea's Actions write commit statuses.
func (g *giteaRepo) checkRuns(context.Context, string) ([]Status, error) { return nil, nil }

func (g *giteaRepo) setStatus(ctx context.Context, commit string, s Status) error {
	_, _, err := g.client(ctx).CreateStatus(g.site.owner, g.site.name, commit, gitea.CreateStatusOption{
		State: gitea.StatusState(s.State), Context: s.Context, Description: s.Description, TargetURL: s.URL,
	})
	return err
}
