// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

func TestLocate(t *testing.T) {
	t.Parallel()
	ghes := Config{URLPrefix: "https://ghe.example.com", Kind: GitHub, Token: "t"}
	for _, test := range []struct {
		url         string
		config      Config
		kind        Software
		rest, graph string // GitHub
		root        string // Gitea
		owner, name string
	}{
		{url: "https://github.com/octo/gitops", kind: GitHub, rest: "https://api.github.com/", graph: "https://api.github.com/graphql",
			owner: "octo", name: "gitops"},
		{url: "https://GitHub.com/octo/gitops.git", kind: GitHub, rest: "https://api.github.com/", graph: "https://api.github.com/graphql",
			owner: "octo", name: "gitops"},
		{url: "git@github.com:octo/gitops.git", kind: GitHub, rest: "https://api.github.com/", graph: "https://api.github.com/graphql",
			owner: "octo", name: "gitops"},
		{url: "ssh://git@ssh.github.com:443/octo/gitops.git", kind: GitHub, rest: "https://api.github.com/",
			graph: "https://api.github.com/graphql", owner: "octo", name: "gitops"},
		{url: "https://octo.ghe.com/octo/gitops", kind: GitHub, rest: "https://api.octo.ghe.com/", graph: "https://api.octo.ghe.com/graphql",
			owner: "octo", name: "gitops"},
		{url: "https://github.com/octo/gitops", config: Config{BaseURL: "https://api.github.com"}, kind: GitHub,
			rest: "https://api.github.com/", graph: "https://api.github.com/graphql", owner: "octo", name: "gitops"},
		{url: "https://ghe.example.com/octo/gitops", config: ghes, kind: GitHub, rest: "https://ghe.example.com/api/v3/",
			graph: "https://ghe.example.com/api/graphql", owner: "octo", name: "gitops"},
		{url: "https://ghe.example.com/octo/gitops", config: Config{Kind: GitHub, BaseURL: "https://GHE.example.com/api/v3/"}, kind: GitHub,
			rest: "https://ghe.example.com/api/v3/", graph: "https://ghe.example.com/api/graphql", owner: "octo", name: "gitops"},
		{url: "ssh://git@ghe.example.com:2222/octo/gitops", config: Config{Kind: GitHub}, kind: GitHub,
			rest: "https://ghe.example.com/api/v3/", graph: "https://ghe.example.com/api/graphql", owner: "octo", name: "gitops"},
		{url: "https://codeberg.org/octo/gitops", kind: Gitea, root: "https://codeberg.org", owner: "octo", name: "gitops"},
		{url: "git@gitea.com:octo/gitops", kind: Gitea, root: "https://gitea.com", owner: "octo", name: "gitops"},
		{url: "http://127.0.0.1:3000/octo/gitops", config: Config{Kind: Gitea}, kind: Gitea, root: "http://127.0.0.1:3000", owner: "octo",
			name: "gitops"},
		{url: "https://example.com/git/octo/gitops.git", config: Config{Kind: Gitea}, kind: Gitea, root: "https://example.com/git",
			owner: "octo", name: "gitops"},
		{url: "ssh://git@git.example.com/octo/gitops.git", config: Config{Kind: Gitea, BaseURL: "https://example.com/git/api/v1"},
			kind: Gitea, root: "https://example.com/git", owner: "octo", name: "gitops"},
	} {
		test.config.Token = "t"
		at, err := NewClient(Options{Forges: []Config{test.config}}).locate(t.Context(), test.url)
		if err != nil || at.kind != test.kind || at.owner != test.owner || at.name != test.name {
			t.Errorf("%s: %+v, error %v", test.url, at, err)
			continue
		}
		if rest, graph := at.githubURLs(); test.kind == GitHub && (rest != test.rest || graph != test.graph) {
			t.Errorf("%s: %s and %s, want %s and %s", test.url, rest, graph, test.rest, test.graph)
		}
		if test.kind == Gitea && at.root != test.root {
			t.Errorf("%s: %s, want %s", test.url, at.root, test.root)
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
		{"https://github.com/octo/gitops", Config{}, []string{"https://github.com/octo/gitops", "GitHub", "forges", "KALYPSO_FORGE_TOKEN"}},
		{"https://github.com/octo/gitops", Config{URLPrefix: "https://github.com/other", Token: "t"}, []string{"token"}},
		{"https://github.com/octo/gitops", Config{Token: "t", App: app}, []string{"Remove one of the two"}},
		{"https://codeberg.org/octo/gitops", Config{App: app}, []string{"GitHub App", "Gitea"}},
		{"https://example.com/octo/gitops", Config{Token: "t"}, []string{"does not show its kind of forge", `type = "github"`}},
		{"https://gitlab.com/octo/gitops", Config{Token: "t"}, []string{"GitLab, which is not supported"}},
		{"https://example.com/octo/gitops", Config{Token: "t", Kind: "gitlab"}, []string{`"gitlab"`, `"gitea"`}},
		{"https://github.com/gitops", Config{Token: "t"}, []string{"https://host/owner/name"}},
		{"https://github.com/octo/gitops/tree", Config{Token: "t"}, []string{"more parts than owner and name"}},
		{"file:///srv/gitops", Config{Token: "t"}, []string{"is a folder", "do without pull requests and statuses"}},
		{"/srv/gitops.git", Config{Token: "t"}, []string{"is a folder"}},
		{"https://user:secret@github.com/octo/gitops", Config{Token: "t"}, []string{"password"}},
		{"https://github.com/octo/gitops", Config{Token: "t", BaseURL: "ghe.example.com"}, []string{"base_url", "https://host"}},
		{"https://github.com/octo/gitops", Config{Token: "t", BaseURL: "https://u:secret@ghe.example.com"}, []string{"base_url"}},
		{"https://github.com/octo/gitops", Config{Token: "t", BaseURL: "https://ghe.example.com?x=1"}, []string{"base_url"}},
	} {
		_, err := NewClient(Options{Forges: []Config{test.config}}).locate(t.Context(), test.url)
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
func TestConfigFor(t *testing.T) {
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
		u, err := remote.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.configFor(u).Token; got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}
