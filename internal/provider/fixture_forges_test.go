// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// github is a GitHub whose repository has a branch prod with a foreign file.
type github struct {
	gitServer
	server *githubtest.Server
}

// newGitHub starts one, with a token that may do everything.
func newGitHub(t testing.TB) github {
	t.Helper()
	repo := gitmem.New(t)
	repo.CommitFiles(t, "prod", map[string][]byte{"docs/index.md": []byte("# Docs\n")}, "foreign")
	server := githubtest.Start(t, repo)
	h := github{server: server}
	h.repo, h.url = repo, server.URL()
	h.provider = h.authenticated(fmt.Sprintf("token = %q", server.AddToken("kalypso", true)))
	return h
}

// requestHCL is a block that proposes changes, with settings that semicolons part.
func requestHCL(settings string) string {
	return "pull_request {\n" + strings.ReplaceAll(settings, "; ", "\n") + "\n}"
}

// authenticated returns the provider block that authenticates with these attributes.
func (h github) authenticated(attributes string) string {
	return fmt.Sprintf(`
provider "kalypso" {
  forges = [{
    url_prefix = %[1]q
    type       = "github"
    base_url   = %[1]q
    %[2]s
  }]
}
`, h.server.Address(), attributes)
}

// proposing is the fleet, whose changes are proposed with these settings.
func (h github) proposing(family, settings string) string {
	return fleetHCL(h.gitServer, fleetOptions{family: family, commit: requestHCL(settings)})
}

// open returns the requests that are open.
func (h github) open() []githubtest.Pull {
	return slices.DeleteFunc(h.server.Pulls(), func(p githubtest.Pull) bool { return p.State != "open" })
}

// only returns the one request that is open.
func (h github) only(t testing.TB) githubtest.Pull {
	t.Helper()
	open := h.open()
	if len(open) != 1 {
		t.Fatalf("there are %d open requests: %+v", len(open), open)
	}
	return open[0]
}

// holds reports whether a branch has the family in the package web-live of small.
func (h github) holds(t testing.TB, branch, family string) error {
	t.Helper()
	files := h.repo.Files(t, branch)
	if text := files["small/web-live/reconciler.yaml"]; !strings.Contains(text, "family: "+family) {
		return fmt.Errorf("%s does not hold family %s:\n%s", branch, family, text)
	}
	if files["docs/index.md"] != "# Docs\n" {
		return fmt.Errorf("%s has lost the foreign file", branch)
	}
	return nil
}

// onGitea is a repository on a real Gitea.
type onGitea struct {
	*giteatest.Repo
	t *testing.T
}

// proposing is the fleet, whose changes to main are proposed with these settings.
func (h onGitea) proposing(family, settings string) string {
	r := gitServer{url: h.URL(), provider: fmt.Sprintf("provider \"kalypso\" {\n  forges = [{ url_prefix = %q, type = \"gitea\", token = %q "+
		"}]\n}\n", h.Address(), h.Token(giteatest.Writer))}
	return fleetHCL(r, fleetOptions{family: family, commit: "branch = \"main\"\n  " + requestHCL(settings)})
}

// open returns the requests that are open.
func (h onGitea) open() []*gitea.PullRequest {
	pulls, _, err := h.As(h.t, giteatest.Other).ListRepoPullRequests(giteatest.Owner, h.Name(),
		gitea.ListPullRequestsOptions{State: gitea.StateOpen})
	if err != nil {
		h.t.Fatal(err)
	}
	return pulls
}

// only returns the one request that is open.
func (h onGitea) only() *gitea.PullRequest {
	open := h.open()
	if len(open) != 1 {
		h.t.Fatalf("there are %d open requests", len(open))
	}
	return open[0]
}

func (h onGitea) merge(style gitea.MergeStyle, deleted bool) {
	number := h.only().Index
	for range 100 { // Gitea looks for conflicts in the background
		options := gitea.MergePullRequestOption{Style: style, DeleteBranchAfterMerge: &deleted}
		if done, _, err := h.As(h.t, giteatest.Reviewer).MergePullRequest(giteatest.Owner, h.Name(), number, options); err == nil && done {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	h.t.Fatalf("Gitea does not merge request %d", number)
}

// edit pushes a reviewer's commit to the request's branch: a file in a package of ours.
func (h onGitea) edit() {
	_, _, err := h.As(h.t, giteatest.Reviewer).CreateFile(giteatest.Owner, h.Name(), "small/web-live/more.yaml", gitea.CreateFileOptions{
		FileOptions: gitea.FileOptions{Message: "more", BranchName: h.only().Head.Ref},
		Content:     base64.StdEncoding.EncodeToString([]byte("more: true\n")),
	})
	if err != nil {
		h.t.Fatal(err)
	}
}
