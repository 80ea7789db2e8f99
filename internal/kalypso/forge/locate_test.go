// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"net/http"
	"strings"
	"testing"
)

// root returns the URL of a repository in its forge's interface.
func root(t *testing.T, s site) string {
	t.Helper()
	f, err := s.kind.connect(s, http.DefaultClient)
	if err != nil {
		t.Error(err)
		return ""
	}
	switch f := f.(type) {
	case *gitHub:
		return f.client.BaseURL() + f.owner + "/" + f.name + " " + f.graphql
	case *gitea:
		return f.root
	case *gitLab:
		return f.client.BaseURL().String() + " " + f.project
	case *azure:
		return f.root
	}
	return ""
}

func TestLocate(t *testing.T) {
	t.Parallel()
	const onGitHub = "https://api.github.com/octo/gitops https://api.github.com/graphql"
	const onServer = "https://ghe.example.com/api/v3/octo/gitops https://ghe.example.com/api/graphql"
	const onAzure = "https://dev.azure.com/octo/Platform%20Team/_apis/git/repositories/gitops"
	for _, test := range []struct {
		url    string
		config Config
		kind   Software
		want   string
	}{
		{"https://github.com/octo/gitops", Config{}, GitHub, onGitHub},
		{"https://GitHub.com/octo/gitops.git", Config{}, GitHub, onGitHub},
		{"git@github.com:octo/gitops.git", Config{}, GitHub, onGitHub},
		{"ssh://git@ssh.github.com:443/octo/gitops.git", Config{}, GitHub, onGitHub},
		{"https://github.com/octo/gitops", Config{BaseURL: "https://api.github.com"}, GitHub, onGitHub},
		{"https://octo.ghe.com/octo/gitops", Config{}, GitHub, "https://api.octo.ghe.com/octo/gitops https://api.octo.ghe.com/graphql"},
		{"https://ghe.example.com/octo/gitops", Config{Kind: GitHub}, GitHub, onServer},
		{"https://ghe.example.com/octo/gitops", Config{Kind: GitHub, BaseURL: "https://GHE.example.com/api/v3/"}, GitHub, onServer},
		{"ssh://git@ghe.example.com:2222/octo/gitops", Config{Kind: GitHub}, GitHub, onServer},
		{"https://codeberg.org/octo/gitops", Config{}, Gitea, "https://codeberg.org/api/v1/repos/octo/gitops"},
		{"git@gitea.com:octo/gitops", Config{}, Gitea, "https://gitea.com/api/v1/repos/octo/gitops"},
		{"http://127.0.0.1:3000/octo/gitops", Config{Kind: Gitea}, Gitea, "http://127.0.0.1:3000/api/v1/repos/octo/gitops"},
		{"https://example.com/git/octo/gitops.git", Config{Kind: Gitea}, Gitea, "https://example.com/git/api/v1/repos/octo/gitops"},
		{"ssh://git@git.example.com/octo/gitops.git", Config{Kind: Gitea, BaseURL: "https://example.com/git/api/v1"}, Gitea,
			"https://example.com/git/api/v1/repos/octo/gitops"},
		{"https://gitlab.com/octo/platform/gitops.git", Config{}, GitLab, "https://gitlab.com/api/v4/ octo/platform/gitops"},
		{"git@gitlab.com:octo/gitops.git", Config{}, GitLab, "https://gitlab.com/api/v4/ octo/gitops"},
		{"ssh://git@altssh.gitlab.com:443/octo/gitops.git", Config{}, GitLab, "https://gitlab.com/api/v4/ octo/gitops"},
		{"https://example.com/gitlab/octo/gitops", Config{Kind: GitLab, BaseURL: "https://example.com/gitlab/api/v4"}, GitLab,
			"https://example.com/gitlab/api/v4/ octo/gitops"},
		{"https://dev.azure.com/octo/Platform%20Team/_git/gitops", Config{}, Azure, onAzure},
		{"https://octo@dev.azure.com/octo/Platform%20Team/_git/gitops", Config{}, Azure, onAzure},
		{"git@ssh.dev.azure.com:v3/octo/Platform%20Team/gitops", Config{}, Azure, onAzure},
		{"octo@vs-ssh.visualstudio.com:v3/octo/gitops/gitops", Config{}, Azure,
			"https://dev.azure.com/octo/gitops/_apis/git/repositories/gitops"},
		{"https://dev.azure.com/octo/_git/gitops", Config{}, Azure, "https://dev.azure.com/octo/gitops/_apis/git/repositories/gitops"},
		{"https://octo.visualstudio.com/_git/gitops.git", Config{}, Azure, "https://octo.visualstudio.com/gitops/_apis/git/repositories/gitops"},
		{"https://octo.visualstudio.com/platform/_git/gitops", Config{}, Azure,
			"https://octo.visualstudio.com/platform/_apis/git/repositories/gitops"},
		{"https://octo.visualstudio.com/DefaultCollection/platform/_git/gitops", Config{}, Azure,
			"https://octo.visualstudio.com/DefaultCollection/platform/_apis/git/repositories/gitops"},
		{"https://azure.example.com/tfs/octo/platform/_git/gitops", Config{Kind: Azure}, Azure,
			"https://azure.example.com/tfs/octo/platform/_apis/git/repositories/gitops"},
	} {
		test.config.Token = "t"
		at, err := NewClient(Options{Forges: []Config{test.config}}).locate(t.Context(), test.url)
		if err != nil || at.kind.software != test.kind {
			t.Errorf("%s: %+v, error %v", test.url, at, err)
			continue
		}
		if got := root(t, at); got != test.want {
			t.Errorf("%s: %s, want %s", test.url, got, test.want)
		}
	}
}

func TestLocateProblems(t *testing.T) {
	t.Parallel()
	app := &App{ID: 1, PrivateKey: "k"}
	for _, test := range []struct {
		url    string
		config Config
		says   []string
	}{
		{"https://github.com/octo/gitops", Config{}, []string{"https://github.com/octo/gitops", "GitHub", "forge", "KALYPSO_FORGE_TOKEN"}},
		{"https://github.com/octo/gitops", Config{URLPrefix: "https://github.com/other", Token: "tok-1"}, []string{"token"}},
		{"https://github.com/octo/gitops", Config{Token: "tok-1", App: app}, []string{"Remove one of the"}},
		{"https://codeberg.org/octo/gitops", Config{App: app}, []string{"GitHub App", "Gitea"}},
		{"https://codeberg.org/octo/gitops", Config{App: app, FromEnvironment: true}, []string{"need a token of Gitea"}},
		{"https://example.com/octo/gitops", Config{Token: "tok-1"},
			[]string{"does not show its", "github (also GitHub Enterprise Server), gitea (also Forgejo)",
				"without pull_request"}},
		{"https://example.com/octo/gitops", Config{Token: "tok-1", Kind: "bitbucket"}, []string{"gitlab, azure (also"}},
		{"https://github.com/gitops", Config{Token: "tok-1"}, []string{"https://host/owner/name"}},
		{"https://github.com/octo/gitops/tree", Config{Token: "tok-1"}, []string{"its owner and its"}},
		{"https://dev.azure.com/octo/platform/gitops", Config{Token: "tok-1"}, []string{"organization>/<project>/_git/"}},
		{"https://dev.azure.com/_git/gitops", Config{Token: "tok-1"}, []string{"organization>/<project>/_git/"}},
		{"git@ssh.dev.azure.com:v3/octo/gitops", Config{Token: "tok-1"}, []string{"organization>/<project>/_git/"}},
		{"git@ssh.dev.azure.com:v3/octo/%zz/gitops", Config{Token: "tok-1"}, []string{"%zz"}},
		{"file:///srv/gitops", Config{Token: "tok-1"}, []string{"is a folder", "do without pull requests"}},
		{"/srv/gitops.git", Config{Token: "tok-1"}, []string{"is a folder"}},
		{"https://user:secret@github.com/octo/gitops", Config{Token: "tok-1"}, []string{"password"}},
		{"https://github.com/octo/gitops", Config{Token: "tok-1", BaseURL: "ghe.example.com"}, []string{"base_url", "https://host"}},
		{"https://github.com/octo/gitops", Config{Token: "tok-1", BaseURL: "https://u:secret@ghe.example.com"}, []string{"base_url"}},
		{"https://github.com/octo/gitops", Config{Token: "tok-1", BaseURL: "https://ghe.example.com?x=1"}, []string{"base_url"}},
	} {
		_, err := NewClient(Options{Forges: []Config{test.config}}).Repository(t.Context(), test.url)
		if err == nil {
			t.Errorf("%s with %+v: no error", test.url, test.config)
			continue
		}
		for _, want := range test.says {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the error does not say %q: %v", test.url, want, err)
			}
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error gives away too much: %v", test.url, err)
		}
	}
}

// The longest prefix wins, alone.
func TestLongestPrefix(t *testing.T) {
	t.Parallel()
	c := NewClient(Options{Forges: []Config{
		{URLPrefix: "https://github.com", Token: "all"},
		{URLPrefix: "https://github.com/octo", Token: "octo"},
		{URLPrefix: "https://github.com/octocat", Token: "octocat"},
		{Token: "any"},
	}})
	for url, want := range map[string]string{
		"https://github.com/octo/gitops": "octo", "https://github.com/octocat/x": "octocat",
		"https://github.com/other/x": "all", "https://codeberg.org/octo/x": "any",
	} {
		at, err := c.locate(t.Context(), url)
		if err != nil || at.config.Token != want {
			t.Errorf("%s: %s, want %s, error %v", url, at.config.Token, want, err)
		}
	}
}
