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

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
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
// requests as long as it lives.
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
	config.App.InstallationID = 5678
	if _, err := connectAs(t, h, config, &naps{}).Request(t.Context(), q.Number); err != nil {
		t.Errorf("with the installation given: %v", err)
	}
}

// GitHub gives an App no token for the former name of a repository.
func TestAppOfRenamed(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	config := withApp(t, h, time.Hour)
	h.server.Fail(githubtest.Fault{Request: "POST /app/installations/", Status: http.StatusUnprocessableEntity, Body: `{"message": "There is ` +
		`at least one repository that does not exist or is not accessible to the parent installation."}`})
	if _, err := connectAs(t, h, config, &naps{}).Request(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "write its new URL") {
		t.Errorf("error %v", err)
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
	if got, err := r.Await(t.Context(), q.Number, ""); err != nil || got.State != forge.Merged || h.server.IssuedTokens() < before+3 {
		t.Errorf("%+v with %d tokens, error %v", got, h.server.IssuedTokens()-before, err)
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
			"did not find the object"},
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

// The same credentials push over HTTPS.
func TestLogin(t *testing.T) {
	t.Parallel()
	push := func(t *testing.T, h host, r *forge.Repository) {
		t.Helper()
		username, password, err := r.Login(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		client, err := git.NewClient(git.Options{Credentials: []git.Credential{{URLPrefix: h.url(), Username: username, Password: password}}})
		if err != nil {
			t.Fatal(err)
		}
		folder, err := tree.NewDir([]tree.Entry{tree.File("README.md", []byte("# drone\n"))})
		if err != nil {
			t.Fatal(err)
		}
		result, err := client.Apply(t.Context(), git.Branch{Repo: h.url(), Name: "main"}, git.Work{
			Decide: func(*git.Answer) (git.Change, error) {
				return git.Change{Edits: map[string]git.Edit{"drone": {Want: tree.Subdir("", folder)}}, Message: "pushed"}, nil
			}})
		if err != nil || h.head(t, "main") != result.Commit.String() {
			t.Errorf("pushed %s, main is %s, error %v", result.Commit, h.head(t, "main"), err)
		}
	}
	eachHost(t, func(t *testing.T, h host) { push(t, h, connect(t, h, &naps{})) })
	t.Run("GitHub App", func(t *testing.T) {
		t.Parallel()
		h := newGitHubHost(t)
		push(t, h, connectAs(t, h, withApp(t, h, time.Hour), &naps{}))
	})
}

// Under its former name, a repository has the same requests, and a proposal is completed.
func TestRenamed(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	first := propose(t, connect(t, h, &naps{}), proposal(t, h, "kalypso/dev/1"))
	r, err := forge.NewClient(forge.Options{Forges: []forge.Config{h.config()}}).Repository(t.Context(), h.server.RenamedFrom("acme/fleet"))
	if err != nil {
		t.Fatal(err)
	}
	p := proposal(t, h, "kalypso/dev/1")
	title := p.Title
	p.Title, p.Labels = "dev: another title", []string{"kalypso"}
	again := propose(t, r, p) // it has the request already, and adds only the missing label
	if got := h.requests(t); again.Number != first.Number || len(got) != 1 || got[0].title != title ||
		!slices.Equal(got[0].labels, p.Labels) {
		t.Errorf("proposed again: %+v; there are %+v", again, got)
	}
	if err := r.AutoMerge(t.Context(), again.Number, forge.Squash, again.HeadCommit, ""); err != nil {
		t.Error(err)
	}
	if got, err := r.Request(t.Context(), again.Number); err != nil || got.State != forge.Merged {
		t.Errorf("%+v, error %v", got, err)
	}
}
