// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/azuretest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/forgetest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitlabtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
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
  forge {
    url_prefix = %[1]q
    type       = "github"
    base_url   = %[1]q
    %[2]s
  }
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

// atForge is a repository at a forge with a control plane in main and the environments dev and stage,
// and what people do there.
type atForge struct {
	url, provider string
	// settings are those of requests that the forge has. wanted is a request with them, as requests
	// returns it.
	settings, wanted string
	// success is the forge's word for it.
	success string
	head    func(branch string) string
	read    func(branch, path string) string
	protect func(branch string)
	// merge approves and merges a request.
	merge func(number int)
	// requests are "base labels reviewers teams", oldest first, and statuses "context state" of a commit.
	requests func() []string
	statuses func(commit string) []string
}

// doubles start the forges that no machine of ours can run.
var doubles = map[string]func(t testing.TB) atForge{
	"github": newAtGitHub,
	"gitlab": func(t testing.TB) atForge {
		return newAtDouble(t, "gitlab", gitlabtest.Start, "octocat", "success")
	},
	"azure": func(t testing.TB) atForge {
		return newAtDouble(t, "azure", azuretest.Start, azuretest.Reviewer, "succeeded")
	},
}

// newAtForge returns a repository whose people are still missing. write writes files to a branch.
func newAtForge(kind, url, address, token string, write func(branch string, files map[string][]byte)) atForge {
	for _, environment := range []string{"dev", "stage"} {
		write(environment, map[string][]byte{"docs/index.md": []byte("# Docs\n")})
		write("env-"+environment, environmentFiles(url))
	}
	write("main", controlPlaneFiles("c1"))
	return atForge{url: url, provider: fmt.Sprintf("provider \"kalypso\" {\n forge {\n url_prefix = %[1]q\n type = %[2]q\n "+
		"base_url = %[1]q\n token = %[3]q\n}\n}\n", address, kind, token)}
}

// newAtMemory is newAtForge with a repository in memory.
func newAtMemory(t testing.TB, repo *gitmem.Repo, kind, url, address, token string) atForge {
	t.Helper()
	f := newAtForge(kind, url, address, token, func(branch string, files map[string][]byte) {
		repo.CommitFiles(t, branch, files, "prepared")
	})
	f.head = func(branch string) string { return repo.Head(t, branch) }
	f.read = func(branch, path string) string { return repo.Files(t, branch)[path] }
	return f
}

func newAtGitHub(t testing.TB) atForge {
	t.Helper()
	repo := gitmem.New(t)
	server := githubtest.Start(t, repo)
	f := newAtMemory(t, repo, "github", server.URL(), server.Address(), server.AddToken("kalypso", true))
	f.settings = `labels = ["kalypso"]; reviewers = ["octocat"]; team_reviewers = ["platform"]`
	f.wanted, f.success = "dev [kalypso promoted] [octocat] [platform]", "success"
	f.protect = func(branch string) { server.Protect(t, branch) }
	f.merge = func(number int) {
		server.Approve(t, number, "octocat")
		server.Merge(t, number, "squash")
	}
	f.requests = func() (all []string) {
		for _, p := range server.Pulls() {
			all = append(all, fmt.Sprint(p.Base, " ", p.Labels, p.Users, p.Teams))
		}
		return all
	}
	f.statuses = func(commit string) (all []string) {
		for _, s := range server.Statuses() {
			if s.Commit == commit {
				all = append(all, s.Context+" "+s.State)
			}
		}
		return all
	}
	return f
}

// newAtDouble is a repository on GitLab or Azure Repos, which have no reviews by teams.
func newAtDouble(t testing.TB, kind string, start func(t testing.TB, repo *gitmem.Repo, options ...gittest.HTTPOption) *forgetest.Server,
	reviewer, success string,
) atForge {
	t.Helper()
	repo := gitmem.New(t)
	server := start(t, repo)
	f := newAtMemory(t, repo, kind, server.URL(), server.Address(), server.AddToken("kalypso", true))
	f.settings = fmt.Sprintf(`labels = ["kalypso"]; reviewers = [%q]`, reviewer)
	f.wanted, f.success = fmt.Sprintf("dev [kalypso promoted] [%s] []", reviewer), success
	f.protect = server.Protect
	f.merge = func(number int) {
		server.Change(t, number, func(q *forgetest.Request) { q.Approved = true })
		server.Merge(t, number, "squash")
	}
	f.requests = func() (all []string) {
		for _, q := range server.Requests() {
			all = append(all, fmt.Sprint(q.Base, " ", q.Labels, q.Reviewers, []string{}))
		}
		return all
	}
	f.statuses = func(commit string) (all []string) {
		for _, s := range server.Statuses(commit) {
			all = append(all, s.Context+" "+s.State)
		}
		return all
	}
	return f
}

func newAtGitea(t *testing.T) atForge {
	t.Helper()
	h := onGitea{giteatest.NewRepo(t), t}
	f := newAtForge("gitea", h.URL(), h.Address(), h.Token(giteatest.Writer), func(branch string, files map[string][]byte) {
		texts := map[string]string{}
		for path, content := range files {
			texts[path] = string(content)
		}
		h.Write(t, branch, texts)
	})
	f.settings = `labels = ["kalypso"]; reviewers = ["octocat"]; team_reviewers = ["platform"]`
	f.wanted, f.success = "dev [kalypso promoted] [octocat] [platform]", "success"
	f.head = func(branch string) string { return h.Head(t, branch) }
	f.read = func(branch, path string) string { return h.Read(t, branch, path) }
	f.protect = func(branch string) { h.Protect(t, branch) }
	f.merge = func(number int) {
		_, _, err := h.As(t, giteatest.Reviewer).CreatePullReview(giteatest.Owner, h.Name(), int64(number),
			gitea.CreatePullReviewOptions{State: gitea.ReviewStateApproved, Body: "Good."})
		if err != nil {
			t.Fatal(err)
		}
		h.merge(number)
	}
	f.requests = func() (all []string) {
		for _, listed := range h.open() {
			p, _, err := h.As(t, giteatest.Other).GetPullRequest(giteatest.Owner, h.Name(), listed.Index) // lists lack teams
			if err != nil {
				t.Fatal(err)
			}
			var labels, users, teams []string
			for _, label := range p.Labels {
				labels = append(labels, label.Name)
			}
			for _, user := range p.RequestedReviewers {
				users = append(users, user.UserName)
			}
			for _, team := range p.RequestedReviewersTeams {
				teams = append(teams, team.Name)
			}
			all = append(all, fmt.Sprint(p.Base.Ref, " ", labels, users, teams))
		}
		return all
	}
	f.statuses = func(commit string) (all []string) {
		for context, s := range h.Reports(t, commit) {
			all = append(all, context+" "+string(s.State))
		}
		return all
	}
	return f
}

// onGitea is a repository on a real Gitea.
type onGitea struct {
	*giteatest.Repo
	t *testing.T
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

func (h onGitea) merge(number int) {
	for range 100 { // Gitea looks for conflicts in the background
		options := gitea.MergePullRequestOption{Style: gitea.MergeStyleSquash, DeleteBranchAfterMerge: new(true)}
		if done, _, err := h.As(h.t, giteatest.Reviewer).MergePullRequest(giteatest.Owner, h.Name(), int64(number), options); err == nil && done {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	h.t.Fatalf("Gitea does not merge request %d", number)
}

// controlPlaneFiles is a control plane whose workload has this version in every environment.
func controlPlaneFiles(version string) map[string][]byte {
	workload := kalypsoObject("Workload", "web", "version: "+version, "{deploymentTargets: [{name: dev, environment: dev}, {name: stage, "+
		"environment: stage}, {name: prod, environment: prod}]}")
	return map[string][]byte{
		"templates.yaml": []byte(strings.Replace(templatesYAML, "{{ .DeploymentTargetName }}", "{{ .DeploymentTargetName }}, labels: {version: "+
			"{{ .Labels.version }}}", 1)),
		"large.yaml": []byte(clusterTypeYAML("large")), "small.yaml": []byte(clusterTypeYAML("small")), "workload.yaml": []byte(workload),
		"policies.yaml": []byte(policyYAML("large", "", "large") + "---\n" + policyYAML("small", "", "small")),
	}
}

// environmentFiles is the configuration of an environment with the control plane in main.
func environmentFiles(repo string) map[string][]byte {
	base := kalypsoObject("BaseRepo", "main", "", fmt.Sprintf("{repo: %q, branch: main, path: .}", repo))
	return map[string][]byte{"main.yaml": []byte(base)}
}
