// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// host is a forge with a repository that has a branch main, and what people do
// there: the same tests run on each.
type host interface {
	// config authenticates as somebody who may write.
	config() forge.Config
	url() string
	// commit makes a commit on a branch, which starts from main where it is new.
	commit(t testing.TB, branch, content string) (id string)
	// head is the commit of a branch; empty if there is none.
	head(t testing.TB, branch string) string
	// message is that of a branch's commit.
	message(t testing.TB, branch string) string
	// open opens another person's request.
	open(t testing.TB, head, title, body string) (number int)
	// requests are all requests, oldest first.
	requests(t testing.TB) []seen
	// protect has main take merges alone, and only of what is approved.
	protect(t testing.TB)
	approve(t testing.TB, number int)
	merge(t testing.TB, number int, method forge.Method)
	closeRequest(t testing.TB, number int)
	// report is what another person says of a commit, in the forge's own words, and
	// reported all that was said of it, oldest first.
	report(t testing.TB, commit, context, state string)
	reported(t testing.TB, commit string) []forge.Status
}

// seen is a request as people see it.
type seen struct {
	number          int
	title, body     string
	open            bool
	labels          []string
	reviewers       []string
	teams, comments []string
}

// reviewer and team may be asked on each host.
const (
	reviewer = "octocat"
	team     = "platform"
)

// hosts start the forges. Gitea is there where its program is given.
var hosts = map[string]func(t testing.TB) host{
	"GitHub": func(t testing.TB) host { return newGitHubHost(t) },
	"Gitea":  func(t testing.TB) host { return newGiteaHost(t) },
}

func eachHost(t *testing.T, test func(t *testing.T, h host)) {
	t.Helper()
	for name, start := range hosts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, start(t))
		})
	}
}

// pause lets a forge that works in the background do so.
func pause() { time.Sleep(100 * time.Millisecond) }

func find(t testing.TB, all []seen, number int) seen {
	t.Helper()
	i := slices.IndexFunc(all, func(s seen) bool { return s.number == number })
	if i < 0 {
		t.Fatalf("there is no number %d", number)
	}
	return all[i]
}

// githubHost is the GitHub of githubtest.
type githubHost struct {
	server *githubtest.Server
	repo   *gitmem.Repo
	token  string
}

func newGitHubHost(t testing.TB) *githubHost {
	t.Helper()
	repo := gitmem.New(t)
	repo.CommitFiles(t, "main", map[string][]byte{"README.md": []byte("main\n")}, "first")
	server := githubtest.Start(t, repo)
	return &githubHost{server: server, repo: repo, token: server.AddToken("kalypso", true)}
}

func (h *githubHost) config() forge.Config {
	return forge.Config{URLPrefix: h.server.Address(), Kind: forge.GitHub, BaseURL: h.server.Address(), Token: h.token}
}

func (h *githubHost) url() string { return h.server.URL() }

func (h *githubHost) commit(t testing.TB, branch, content string) string {
	t.Helper()
	if h.repo.Head(t, branch) == "" {
		h.repo.Branch(t, branch, "main")
	}
	return h.repo.CommitFiles(t, branch, map[string][]byte{"drone/" + strings.ReplaceAll(branch, "/", "-"): []byte(content)}, content)
}

func (h *githubHost) head(t testing.TB, branch string) string { return h.repo.Head(t, branch) }

func (h *githubHost) message(t testing.TB, branch string) string {
	t.Helper()
	return h.repo.Message(t, branch)
}

func (h *githubHost) open(_ testing.TB, head, title, body string) int {
	return h.server.OpenPull("hubot", "main", head, title, body)
}

func (h *githubHost) requests(testing.TB) []seen {
	var all []seen
	for _, p := range h.server.Pulls() {
		all = append(all, seen{p.Number, p.Title, p.Body, p.State == "open", p.Labels, p.Users, p.Teams, p.Comments})
	}
	return all
}

func (h *githubHost) protect(t testing.TB) { h.server.Protect(t, "main") }

func (h *githubHost) approve(t testing.TB, number int) { h.server.Approve(t, number, reviewer) }

func (h *githubHost) merge(t testing.TB, number int, method forge.Method) {
	h.server.Merge(t, number, string(method))
}

func (h *githubHost) closeRequest(t testing.TB, number int) { h.server.ClosePull(t, number) }

func (h *githubHost) report(_ testing.TB, commit, context, state string) {
	h.server.AddStatuses(githubtest.Status{Commit: commit, Context: context, State: state, Creator: reviewer, Description: state + " of " +
		context})
}

func (h *githubHost) reported(_ testing.TB, commit string) []forge.Status {
	var all []forge.Status
	for _, s := range h.server.Statuses() {
		if s.Commit == commit {
			all = append(all, forge.Status{Context: s.Context, State: forge.StatusState(s.State), Description: s.Description, Creator: s.Creator,
				URL: s.TargetURL})
		}
	}
	return all
}

// naps counts time that would have been slept.
type naps struct {
	mu    sync.Mutex
	times []time.Duration
	// during is called at each nap.
	during func()
}

func (n *naps) sleep(ctx context.Context, d time.Duration) bool {
	n.mu.Lock()
	n.times = append(n.times, d)
	n.mu.Unlock()
	if n.during != nil {
		n.during()
	}
	return ctx.Err() == nil
}

// connect returns the repository, whose waiting takes no time.
func connect(t testing.TB, h host, n *naps) *forge.Repository {
	t.Helper()
	return connectAs(t, h, h.config(), n)
}

func connectAs(t testing.TB, h host, config forge.Config, n *naps) *forge.Repository {
	t.Helper()
	options := forge.Options{Forges: []forge.Config{config}}
	if n != nil {
		options.Sleep = n.sleep
	}
	r, err := forge.NewClient(options).Repository(t.Context(), h.url())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// proposal is what a branch with one commit proposes.
func proposal(t testing.TB, h host, head string) forge.NewRequest {
	t.Helper()
	h.commit(t, head, "proposed")
	return forge.NewRequest{
		Base: "main", Head: head, Title: "dev: +1 ~0 -0 packages",
		Description: forge.Description{Summary: "+1 ~0 -0 packages in 1 cluster type"},
	}
}

func propose(t testing.TB, r *forge.Repository, p forge.NewRequest) forge.Request {
	t.Helper()
	q, err := r.Propose(t.Context(), p)
	if err != nil {
		t.Fatalf("Propose: %v", err)
	}
	return q
}

// remover deletes branches as the provider does, by git.
func remover(t testing.TB, h host, r *forge.Repository) func(ctx context.Context, branch, commit string) error {
	t.Helper()
	username, password, err := r.Login(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client, err := git.NewClient(git.Options{Credentials: []git.Credential{{URLPrefix: h.url(), Username: username, Password: password}}})
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, branch, commit string) error {
		id, err := tree.ParseID(commit)
		if err != nil {
			return err
		}
		_, err = client.DeleteBranch(ctx, git.Branch{Repo: h.url(), Name: branch}, id)
		return err
	}
}
