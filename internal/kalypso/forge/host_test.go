// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/azuretest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/forgetest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitlabtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// host is a forge with a repository that has a branch main, and what people do
// there: the same tests run on each.
type host interface {
	// config authenticates as somebody who may write.
	config() forge.Config
	url() string
	// reviewer is a person as the forge wants to be asked for a review.
	reviewer() string
	// readToken may only read.
	readToken(t testing.TB) string
	// archive makes the repository accept no changes, and rename returns its former URL.
	archive(t testing.TB)
	rename(t testing.TB) (former string)
	// commit makes a commit on a branch, which starts from main where it is new.
	commit(t testing.TB, branch, content string) (id string)
	// head is the commit of a branch; empty if there is none.
	head(t testing.TB, branch string) string
	// requests are all requests, oldest first.
	requests(t testing.TB) []seen
	// protect makes main accept only merges of what is approved.
	protect(t testing.TB)
	approve(t testing.TB, number int)
	merge(t testing.TB, number int, method forge.Method)
	closeRequest(t testing.TB, number int)
	// report is what another person says of a commit, in the forge's own words.
	report(t testing.TB, commit, context string, state forge.StatusState)
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

// reviewer and team may be asked on GitHub and Gitea.
const (
	reviewer = "octocat"
	team     = "platform"
)

// hosts start the forges. Gitea is there where its program is given.
var hosts = map[forge.Software]func(t testing.TB) host{
	forge.GitHub: func(t testing.TB) host { return newGitHubHost(t) },
	forge.Gitea:  func(t testing.TB) host { return newGiteaHost(t) },
	forge.GitLab: func(t testing.TB) host { return newGitLabHost(t) },
	forge.Azure:  func(t testing.TB) host { return newAzureHost(t) },
}

func eachHost(t *testing.T, test func(t *testing.T, h host)) {
	t.Helper()
	for _, kind := range forge.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			start, exists := hosts[forge.Software(kind)]
			if !exists {
				t.Fatal("no host starts this kind of forge for tests")
			}
			test(t, start(t))
		})
	}
}

// pause lets a forge that works in the background do so.
func pause() { time.Sleep(100 * time.Millisecond) }

// memory is a repository in memory, for the doubles.
type memory struct{ repo *gitmem.Repo }

func newMemory(t testing.TB) memory {
	t.Helper()
	repo := gitmem.New(t)
	repo.CommitFiles(t, "main", map[string][]byte{"README.md": []byte("main\n")}, "first")
	return memory{repo}
}

func (m memory) commit(t testing.TB, branch, content string) string {
	t.Helper()
	if m.repo.Head(t, branch) == "" {
		m.repo.Branch(t, branch, "main")
	}
	return m.repo.CommitFiles(t, branch, map[string][]byte{"drone/" + strings.ReplaceAll(branch, "/", "-"): []byte(content)}, content)
}

func (m memory) head(t testing.TB, branch string) string {
	t.Helper()
	return m.repo.Head(t, branch)
}

// doubleHost is GitLab or Azure Repos.
type doubleHost struct {
	memory
	server *forgetest.Server
	token  string
	kind   forge.Software
	asked  string // the reviewer
	states map[forge.StatusState]string
	former string // path
}

func newGitLabHost(t testing.TB) *doubleHost {
	t.Helper()
	m := newMemory(t)
	server := gitlabtest.Start(t, m.repo)
	return &doubleHost{m, server, server.AddToken("kalypso", true), forge.GitLab, reviewer,
		map[forge.StatusState]string{forge.Success: "success", forge.Failure: "failed", forge.Pending: "pending"}, "/octo/old/gitops"}
}

func newAzureHost(t testing.TB) *doubleHost {
	t.Helper()
	m := newMemory(t)
	server := azuretest.Start(t, m.repo)
	return &doubleHost{m, server, server.AddToken("kalypso", true), forge.Azure, azuretest.Reviewer,
		map[forge.StatusState]string{forge.Success: "succeeded", forge.Failure: "failed", forge.Pending: "pending"},
		"/octo/Platform%20Team/_git/fleet"}
}

func (h *doubleHost) config() forge.Config {
	return forge.Config{URLPrefix: h.server.Address(), Kind: h.kind, BaseURL: h.server.Address(), Token: h.token}
}

func (h *doubleHost) url() string                 { return h.server.URL() }
func (h *doubleHost) reviewer() string            { return h.asked }
func (h *doubleHost) readToken(testing.TB) string { return h.server.AddToken("reader", false) }
func (h *doubleHost) archive(testing.TB)          { h.server.Archive() }
func (h *doubleHost) rename(testing.TB) string    { return h.server.RenamedFrom(h.former) }
func (h *doubleHost) protect(testing.TB)          { h.server.Protect("main") }

func (h *doubleHost) requests(testing.TB) (all []seen) {
	for _, q := range h.server.Requests() {
		all = append(all, seen{q.Number, q.Title, q.Body, q.State == "open", q.Labels, q.Reviewers, nil, q.Comments})
	}
	return all
}

func (h *doubleHost) approve(t testing.TB, number int) {
	t.Helper()
	h.server.Change(t, number, func(q *forgetest.Request) { q.Approved = true })
}

func (h *doubleHost) merge(t testing.TB, number int, method forge.Method) {
	t.Helper()
	h.server.Merge(t, number, string(method))
}

func (h *doubleHost) closeRequest(t testing.TB, number int) {
	t.Helper()
	h.server.Change(t, number, func(q *forgetest.Request) { q.State = "closed" })
}

func (h *doubleHost) report(_ testing.TB, commit, context string, state forge.StatusState) {
	h.server.AddStatus(forgetest.Status{Commit: commit, Context: context, State: h.states[state], CreatedBy: reviewer,
		Description: string(state) + " of " + context})
}

// githubHost is the GitHub of githubtest.
type githubHost struct {
	memory
	server *githubtest.Server
	token  string
}

func newGitHubHost(t testing.TB) *githubHost {
	t.Helper()
	m := newMemory(t)
	server := githubtest.Start(t, m.repo)
	return &githubHost{m, server, server.AddToken("kalypso", true)}
}

func (h *githubHost) config() forge.Config {
	return forge.Config{URLPrefix: h.server.Address(), Kind: forge.GitHub, BaseURL: h.server.Address(), Token: h.token}
}

func (h *githubHost) url() string                 { return h.server.URL() }
func (h *githubHost) reviewer() string            { return reviewer }
func (h *githubHost) readToken(testing.TB) string { return h.server.AddToken("reader", false) }
func (h *githubHost) rename(testing.TB) string {
	return h.server.RenamedFrom(githubtest.Owner + "/fleet")
}

func (h *githubHost) archive(testing.TB) {
	h.server.Configure(func(s *githubtest.Settings) { s.Archived = true })
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

func (h *githubHost) report(_ testing.TB, commit, context string, state forge.StatusState) {
	h.server.AddStatuses(githubtest.Status{Commit: commit, Context: context, State: string(state), Creator: reviewer,
		Description: string(state) + " of " + context})
}

// naps counts time that would have been slept.
type naps struct {
	mu    sync.Mutex
	times []time.Duration
	// during is called at each nap.
	during func()
	// real naps let a real server work.
	real bool
}

// napsFor returns naps that a host needs.
func napsFor(h host) *naps {
	_, isReal := h.(*giteaHost)
	return &naps{real: isReal}
}

func (n *naps) sleep(ctx context.Context, d time.Duration) bool {
	n.mu.Lock()
	n.times = append(n.times, d)
	n.mu.Unlock()
	if n.during != nil {
		n.during()
	}
	if n.real {
		pause()
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
		Describe: func(limit int) string { return strings.Repeat("a description ", 10_000)[:limit] },
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
