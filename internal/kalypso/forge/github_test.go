// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// withApp installs a GitHub App, whose tokens live that long, and returns the
// configuration for it.
func withApp(t testing.TB, h *githubHost, lifetime time.Duration) forge.Config {
	t.Helper()
	app := h.server.InstallApp(t, lifetime)
	config := h.config()
	config.Token, config.App = "", &forge.App{ID: app.ID, PrivateKey: app.PrivateKey}
	return config
}

// The App's installation is found from the repository, and its token serves all
// requests and git as long as it lives.
func TestApp(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	config := withApp(t, h, time.Hour)
	r := connectAs(t, h, config, &naps{})
	q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
	if got := h.server.Pull(t, q.Number); got.Author != "kalypso[bot]" {
		t.Errorf("the request is %+v", got)
	}
	if _, err := r.Request(t.Context(), q.Number); err != nil || h.server.IssuedTokens() != 1 {
		t.Errorf("%d tokens, error %v", h.server.IssuedTokens(), err)
	}
	push(t, h, r)
	config.App.InstallationID = 5678
	if _, err := connectAs(t, h, config, &naps{}).Request(t.Context(), q.Number); err != nil {
		t.Errorf("with the installation given: %v", err)
	}
}

// A token that is about to expire is renewed, also while a merge is waited for.
func TestAppRenewsTokens(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	n := &naps{}
	r := connectAs(t, h, withApp(t, h, 30*time.Second), n)
	q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
	before := h.server.IssuedTokens()
	n.during = func() {
		if len(n.times) == 3 {
			h.merge(t, q.Number, forge.Squash)
		}
	}
	if got, err := r.Await(t.Context(), q.Number, "", q.HeadCommit); err != nil || got.State != forge.Merged ||
		h.server.IssuedTokens() < before+3 {
		t.Errorf("%+v with %d tokens, error %v", got, h.server.IssuedTokens()-before, err)
	}
}

func TestAppFailures(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	config := withApp(t, h, time.Hour)
	other := withApp(t, newGitHubHost(t), time.Hour).App.PrivateKey
	for name, test := range map[string]struct {
		app  forge.App
		url  string
		says string
	}{
		"a key of another App": {forge.App{ID: config.App.ID, PrivateKey: other}, h.url(), "refuses the GitHub App"},
		"another id":           {forge.App{ID: 99, PrivateKey: config.App.PrivateKey}, h.url(), "the GitHub App 99 is not installed"},
		"another repository":   {*config.App, h.server.Address() + "/octo/elsewhere", "is not installed in octo/elsewhere"},
		"another installation": {forge.App{ID: config.App.ID, InstallationID: 1, PrivateKey: config.App.PrivateKey}, h.url(),
			"did not find the"},
	} {
		config.App = &test.app
		r, err := forge.NewClient(forge.Options{Forges: []forge.Config{config}}).Repository(t.Context(), test.url)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Request(t.Context(), 1); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	config.App = &forge.App{ID: 1, PrivateKey: "secret-text"}
	if _, err := forge.NewClient(forge.Options{Forges: []forge.Config{config}}).Repository(t.Context(), h.url()); err == nil ||
		strings.Contains(err.Error(), "secret-text") || !strings.Contains(err.Error(), "private key") {
		t.Errorf("an invalid key: %v", err)
	}
}

// A forge that repeats a token, also in base64, does not bring it into a message: neither
// one of the configuration nor one that an App was given. All that share the masker know it.
func TestTokenRepeatedByForge(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]func(h *githubHost) forge.Config{
		"token": func(h *githubHost) forge.Config { return h.config() },
		"App":   func(h *githubHost) forge.Config { return withApp(t, h, time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, masker := newGitHubHost(t), remote.NewMasker()
			r, err := forge.NewClient(forge.Options{Forges: []forge.Config{config(h)}, Masker: masker}).Repository(t.Context(), h.url())
			if err != nil {
				t.Fatal(err)
			}
			_, token, err := r.Login(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.FindByHead(t.Context(), "main", "kalypso/dev/1"); err != nil { // the token is used
				t.Fatal(err)
			}
			encoded := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token))
			h.server.Fail(githubtest.Fault{Request: "GET /repos/octo/gitops/pulls", Status: http.StatusBadRequest,
				Body: fmt.Sprintf(`{"message": "%s, %s, Basic %s"}`, token, base64.StdEncoding.EncodeToString([]byte(token)), encoded)})
			_, err = r.FindByHead(t.Context(), "main", "kalypso/dev/1")
			if err == nil || strings.Contains(err.Error(), token) || strings.Contains(err.Error(), encoded[24:]) ||
				strings.Count(err.Error(), "***") != 3 {
				t.Errorf("the error is %v", err)
			}
			if masked := masker.Mask("git: " + token); masked != "git: ***" {
				t.Errorf("others show %s", masked)
			}
		})
	}
}

// GitHub's own words are explained.
func TestGitHubRefusals(t *testing.T) {
	t.Parallel()
	propose := func(t *testing.T, h *githubHost, r *forge.Repository) error {
		t.Helper()
		p := proposal(t, h, "kalypso/dev/1")
		p.Draft, p.Reviewers, p.TeamReviewers = true, []string{reviewer}, []string{team}
		_, err := r.Propose(t.Context(), p)
		return err
	}
	merge := func(t *testing.T, h *githubHost, r *forge.Repository) error {
		t.Helper()
		q, err := r.Propose(t.Context(), proposal(t, h, "kalypso/dev/1"))
		if err != nil {
			return err
		}
		return r.AutoMerge(t.Context(), q.Number, forge.Squash, q.HeadCommit)
	}
	forbids := func(header, value string) func(h *githubHost) {
		return func(h *githubHost) {
			h.server.Fail(githubtest.Fault{Status: http.StatusForbidden, Header: map[string]string{header: value}})
		}
	}
	for name, test := range map[string]struct {
		change func(h *githubHost)
		do     func(t *testing.T, h *githubHost, r *forge.Repository) error
		kind   remote.ErrorKind
		says   string
	}{
		"a right that GitHub names": {forbids("X-Accepted-Github-Permissions", "issues=write"), propose, remote.KindForbidden,
			"lacks a permission: issues=write"},
		"a scope that GitHub names": {forbids("X-Accepted-Oauth-Scopes", "repo"), propose, remote.KindForbidden, `"repo" is needed`},
		"single sign-on": {forbids("X-Github-Sso", "required; url=https://github.com/orgs/octo/sso"), propose, remote.KindForbidden,
			"requires single sign-on"},
		"no drafts": {func(h *githubHost) { h.server.Configure(func(s *githubtest.Settings) { s.NoDrafts = true }) }, propose,
			remote.KindNoDraft, "draft"},
		"unknown users": {func(h *githubHost) { h.server.Configure(func(s *githubtest.Settings) { s.Users = nil }) }, propose,
			remote.KindRefused, "labels and reviewers of pull request 1"},
		"unknown teams": {func(h *githubHost) { h.server.Configure(func(s *githubtest.Settings) { s.Teams = nil }) }, propose,
			remote.KindRefused, "not a collaborator"},
		"no automatic merging": {func(h *githubHost) { h.server.Configure(func(s *githubtest.Settings) { s.AllowAutoMerge = false }) }, merge,
			remote.KindNoAutoMerge, "Allow auto-merge"},
		"no squash": {func(h *githubHost) {
			h.server.Configure(func(s *githubtest.Settings) { s.Forbidden = []string{"squash"} })
		}, merge,
			remote.KindNoMethod, "does not allow this"},
		"a base that does not exist": {func(*githubHost) {}, func(t *testing.T, h *githubHost, r *forge.Repository) error {
			t.Helper()
			p := proposal(t, h, "kalypso/dev/1")
			p.Base = "missing"
			_, err := r.Propose(t.Context(), p)
			return err
		}, remote.KindBaseNotFound, "the base branch does"},
		"nothing to propose": {func(*githubHost) {}, func(t *testing.T, h *githubHost, r *forge.Repository) error {
			t.Helper()
			h.repo.Branch(t, "kalypso/dev/1", "main")
			_, err := r.Propose(t.Context(), forge.NewRequest{Base: "main", Head: "kalypso/dev/1", Title: "dev"})
			return err
		}, remote.KindRefused, "No commits between"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newGitHubHost(t)
			test.change(h)
			if err := test.do(t, h, connect(t, h, &naps{})); !remote.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// A request from a fork is not ours, even if its branch has the name of ours.
func TestForks(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	r := connect(t, h, &naps{})
	p := proposal(t, h, "kalypso/dev/1")
	fork := h.server.OpenFork("mallory", "main", p.Head, p.Title, "")
	q := propose(t, r, p)
	found, err := r.FindByHead(t.Context(), "main", p.Head)
	if err != nil || len(found) != 1 || found[0].Number != q.Number || q.Number == fork {
		t.Errorf("got %+v, error %v", found, err)
	}
}

// GitHub's check runs are reports too. Of those of one name the last run comes first, also in several suites.
func TestCheckRuns(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	commit := h.head(t, "main")
	run := func(suite int, name, conclusion string) githubtest.CheckRun {
		return githubtest.CheckRun{Commit: commit, App: "github-actions", Suite: suite, Name: name, Conclusion: conclusion}
	}
	queued := run(5, "queued", "")
	queued.Queued = true
	h.server.AddCheckRuns(
		run(1, "again", "failure"), run(1, "again", "success"), run(2, "two suites", "failure"), run(3, "two suites", "success"),
		run(4, "under way", "success"), run(4, "under way", ""), run(5, "queued", "success"), queued,
	)
	for i := range 100 {
		h.server.AddCheckRuns(run(1, fmt.Sprint("z", 100+i), "neutral"))
	}
	h.server.AddStatuses(githubtest.Status{Commit: commit, Context: "ci", State: "failure", Creator: "old", Description: "x",
		TargetURL: "javascript:alert(1)"})
	h.report(t, commit, "ci", "success")
	r := connect(t, h, &naps{})
	reports, err := r.Reports(t.Context(), commit)
	var got []string
	for _, s := range latest(reports) {
		got = append(got, fmt.Sprintf("%s %s %s", s.Context, s.State, s.Creator))
	}
	want := []string{
		"again success github-actions", "ci success octocat", "queued pending github-actions", "two suites success github-actions",
		"under way pending github-actions", "z100 success github-actions",
	}
	if diff := cmp.Diff(want, got[:min(6, len(got))]); diff != "" || len(got) != 105 || err != nil {
		t.Errorf("%d statuses, error %v (-want +got):\n%s", len(got), err, diff)
	}
	i := slices.IndexFunc(reports, func(s forge.Status) bool { return s.Context == "queued" })
	if err != nil || i < 0 || reports[i].Time.IsZero() {
		t.Errorf("the queued run: %d, error %v", i, err)
	}
	for _, s := range reports {
		if strings.Contains(s.URL, "javascript") {
			t.Errorf("the link of %+v does not lead to a web page", s)
		}
	}
}
