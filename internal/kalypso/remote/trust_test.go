// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote_test

import (
	"context"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

func mustParse(t testing.TB, text string) remote.URL {
	t.Helper()
	u, err := remote.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// why is a part of the reason why a URL gets nothing.
type why string

const (
	gets      why = ""
	untrusted why = "the URL comes from manifests"
	overHTTP  why = "never sent over http"
)

func (w why) holds(t testing.TB, got, about string) {
	t.Helper()
	if (w == gets) != (got == "") || !strings.Contains(got, string(w)) {
		t.Errorf("%s: %q, want %q", about, got, w)
	}
}

func TestWithheld(t *testing.T) {
	t.Parallel()
	below := func(prefix string) remote.Trust { return remote.Trust{remote.ParsePrefix(prefix)} }
	entry := func(prefix string) remote.Trust { return remote.Hosts(remote.ParsePrefix(prefix)) }
	for name, test := range map[string]struct {
		trust remote.Trust
		repo  string // in the configuration
		url   string
		want  why
	}{
		"nobody is trusted":       {url: "https://github.com/octo/gitops", want: untrusted},
		"the repo itself":         {repo: "https://github.com/octo/gitops", url: "https://github.com/octo/gitops"},
		"another one on its host": {repo: "https://github.com/octo/gitops", url: "https://GitHub.com:443/hubot/app.git"},
		"another host": {repo: "https://github.com/octo/gitops", url: "https://github.com.example.com/octo/gitops",
			want: untrusted},
		"a host below it":              {repo: "https://github.com/octo/gitops", url: "https://api.github.com/octo/gitops", want: untrusted},
		"another port":                 {repo: "https://git.example.com/a", url: "https://git.example.com:8443/a", want: untrusted},
		"the port of another protocol": {repo: "ssh://git@git.example.com/a", url: "https://git.example.com/a", want: untrusted},
		"ssh by two spellings":         {repo: "git@git.example.com:a/b", url: "ssh://other@git.example.com:22/c"},
		"an address of version 6":      {repo: "https://[2001:db8::1]/a", url: "https://[2001:DB8::1]/b"},
		"a folder as repo":             {repo: "file:///srv/gitops", url: "https://github.com/octo/gitops", want: untrusted},
		"a path as repo":               {repo: "/srv/gitops", url: "ssh://git@github.com/octo/gitops", want: untrusted},
		"no URL as repo":               {repo: "https://", url: "https://github.com/octo/gitops", want: untrusted},

		"below a prefix":         {trust: below("https://github.com/octo/"), url: "https://github.com/octo/gitops"},
		"beside a prefix":        {trust: below("https://github.com/octo/"), url: "https://github.com/octocat/gitops", want: untrusted},
		"a prefix of every host": {trust: below("https://"), url: "https://github.com/octo/gitops"},
		"beside it, but on the host": {trust: below("https://github.com/octo/"), repo: "https://github.com/hubot/x",
			url: "https://github.com/octocat/gitops"},
		"an entry":                {trust: entry("https://github.com/octo/"), url: "https://github.com/octocat/gitops"},
		"an entry of ssh":         {trust: entry("git@github.com:octo/"), url: "git@github.com:octocat/gitops"},
		"beside an entry":         {trust: entry("https://github.com/octo/"), url: "https://gitlab.com/octo/gitops", want: untrusted},
		"an entry without a host": {trust: entry("https://"), url: "https://github.com/octo/gitops", want: untrusted},

		"http":                      {repo: "http://git.example.com/a", url: "http://git.example.com/a", want: overHTTP},
		"http below a prefix":       {trust: below("http://git.example.com"), url: "http://git.example.com/a", want: overHTTP},
		"http of an entry":          {trust: entry("http://git.example.com"), url: "http://git.example.com/a", want: overHTTP},
		"http that nobody trusts":   {url: "http://git.example.com/a", want: untrusted},
		"http to 127.0.0.1":         {repo: "http://127.0.0.1:3000/a", url: "http://127.0.0.1:3000/b"},
		"http to 127.9.9.9":         {repo: "http://127.9.9.9/a", url: "http://127.9.9.9/b"},
		"http to ::1":               {repo: "http://[::1]:3000/a", url: "http://[::1]:3000/b"},
		"http to localhost":         {repo: "http://LocalHost/a", url: "http://localhost/b"},
		"http to 128.0.0.1":         {repo: "http://128.0.0.1/a", url: "http://128.0.0.1/b", want: overHTTP},
		"http to a name that seems": {repo: "http://127.0.0.1.example.com/a", url: "http://127.0.0.1.example.com/a", want: overHTTP},
		"http to localhost's":       {repo: "http://localhost.example.com/a", url: "http://localhost.example.com/a", want: overHTTP},
	} {
		u := mustParse(t, test.url)
		test.want.holds(t, test.trust.Withheld(remote.Trusting(t.Context(), test.repo), u, u), name)
	}
}

// A forge gets them for the repositories that it has, and may be somewhere else.
func TestWithheldFromForge(t *testing.T) {
	t.Parallel()
	repo := mustParse(t, "http://git.example.com/octo/gitops")
	for at, want := range map[remote.URL]why{
		{Protocol: remote.HTTPS, Host: "forge.example.com"}: gets,
		{Protocol: remote.HTTP, Host: "forge.example.com"}:  overHTTP,
		{Protocol: remote.HTTP, Host: "127.0.0.1"}:          gets,
		{Protocol: remote.HTTP, Host: "::1"}:                gets,
	} {
		want.holds(t, remote.Trust{}.Withheld(remote.Trusting(t.Context(), repo.Written()), repo, at), at.Protocol+" "+at.Host)
	}
	forge := remote.URL{Protocol: remote.HTTPS, Host: "forge.example.com"}
	untrusted.holds(t, remote.Trust{}.Withheld(t.Context(), repo, forge), "a repository that nobody trusts")
}

// What one operation trusts, no other one does.
func TestTrustingIsOfOneOperation(t *testing.T) {
	t.Parallel()
	url := func(host string) string { return "https://" + host + ".example.com/a" }
	all := t.Context()
	one := remote.Trusting(all, url("one"))
	two := remote.Trusting(one, url("two"))
	three, four := remote.Trusting(two, url("three")), remote.Trusting(two, url("four"))
	for _, test := range []struct {
		operation context.Context
		trusts    string
	}{{all, ""}, {one, "one"}, {two, "one two"}, {three, "one two three"}, {four, "one two four"}} {
		var trusts []string
		for _, host := range []string{"one", "two", "three", "four"} {
			if u := mustParse(t, url(host)); (remote.Trust{}).Withheld(test.operation, u, u) == "" {
				trusts = append(trusts, host)
			}
		}
		if got := strings.Join(trusts, " "); got != test.trusts {
			t.Errorf("trusts %q, want %q", got, test.trusts)
		}
	}
}
