// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"https://github.com/microsoft/kalypso-gitops", "http://localhost:3000/a/b.git", "https://me@dev.azure.com/me/p/_git/r",
		"ssh://git@github.com/a/b", "ssh://git@host:2222/~/b.git", "git@github.com:a/b.git", "file:///srv/git/a.git", "/srv/git/a.git",
		"https://[::1]:8080/a",
		"https://host/a%25b.git", "https://host/a%3Fb%23c.git", "ssh://git@host/a%20b", "git@host:a%b.git",
	} {
		if err := remote.Check(url); err != nil {
			t.Errorf("Check(%q): %v", url, err)
		}
	}
	for url, word := range map[string]string{
		"":                                     "empty",
		"fleet":                                "not a Git repository URL",
		"./fleet":                              "not a Git repository URL",
		"ftp://host/a":                         "protocol",
		"git://host/a":                         "protocol",
		"https://github.com":                   "no path of a repository",
		"https:///a":                           "no host",
		"https://user:s3cret@host/a":           "Remove the",
		"https://user:s3/cret@host/a":          "malformed",
		"user:s3cret@host:a":                   "Remove the",
		"https://host/a b":                     "white space",
		"https://host/a\x00":                   "control character",
		"https://host/contoso/../other/a":      `".."`,
		"https://host/contoso/%2e%2e/other/a":  `".."`,
		"https://host/a?service=x":             `"?"`,
		"https://host/a#dev":                   `"?"`,
		"https://host/a?":                      "write %3F or %23",
		"https://host/a%0Ab":                   "control character",
		"file:///a%00b":                        "control character",
		"https://host/a%ffb":                   "UTF-8",
		"https://host/a%2":                     "malformed",
		"file://relative/path":                 "absolute",
		"git@host:-oProxyCommand=x":            "no path of a repository",
		"ssh://-oProxyCommand=x/a":             "no host",
		"https://host/" + string([]byte{0xff}): "UTF-8",
	} {
		err := remote.Check(url)
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("Check(%q) = %v, want %q", url, err, word)
		}
		if err != nil && (strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "s3/cret")) {
			t.Errorf("the error holds a password: %v", err)
		}
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://user:secret@host/a":   "https://host/a",
		"https://token@host/a":         "https://host/a",
		"ssh://git:secret@host/a":      "ssh://git@host/a",
		"git@host:a":                   "git@host:a",
		"/srv/git/a@b:c":               "/srv/git/a@b:c",
		"https://host/path/with@in/it": "https://host/path/with@in/it",
		"https://user:s3/cret@host/a":  "https://user:s3/cret@host/a", // no URL: Check refuses it without showing it
	} {
		if got := remote.Redact(url); got != want {
			t.Errorf("Redact(%q) = %q, want %q", url, got, want)
		}
	}
}

// Two URLs have the same key if people write them for one repository.
func TestKey(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"https://host/a/b", "http://HOST:80/a/b.git/", true},
		{"https://host/a/b", "https://HOST:443/a/b/", true},
		{"https://host/a/b", "git@host:a/b.git", true},
		{"ssh://git@host/a/b", "ssh://other@host:22/a/b/", true},
		{"https://a@host/a/b", "https://host/a/b", true},
		{"https://host/a%20b", "https://host/%61%20b", true},
		{"file:///a/b", "/a/b/", true},
		{"file:///a%25b", "/a%b", true},
		{"file://C:/a/b", "file:///C:/a/b", true},
		{"/a/b", "/a/b.git", true},
		{"https://host/a%25b", "https://host/a%2525b", false},
		{"git@host:a%25b", "git@host:a%b", false},
		{"https://host/a/b", "https://host:8443/a/b", false},
		{"https://host/a/b", "https://other/a/b", false},
		{"https://host/a/b", "git@HOST:A/B.git", true},
		{"/a/b", "/a/B", false},
		{"/host/a", "https://host/a", false},
		{"", "https://host/a/b", false},
	} {
		if got := remote.Key(test.a) == remote.Key(test.b); got != test.same {
			t.Errorf("%s and %s: same is %v", test.a, test.b, got)
		}
	}
}

// go-git makes a URL from an endpoint's path without escapes, and puts a slash after it.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://host/a/b.git": "https://host/a/b.git", "https://host/a/b.git//": "https://host/a/b.git",
		"https://host/%C3%BC":    "https://host/%C3%BC",
		"https://host/a%25b.git": "https://host/a%25b.git", "http://host:8080/a%20b/c%3Fd": "http://host:8080/a%20b/c%3Fd",
		"ssh://git@host/a/b.git/": "ssh://git@host/a/b.git/", "ssh://git@host/a%25b.git": "ssh://git@host/a%b.git",
		"file:///a%25b": "file:///a%b", "/a/b/": "file:///a/b/", "/a%25b": "file:///a%25b",
	} {
		u, err := remote.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Endpoint().String(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][3]string{
		"https://github.com/octo/gitops":            {"https", "github.com", "octo/gitops"},
		"https://GitHub.com:443/octo/gitops.git/":   {"https", "github.com", "octo/gitops"},
		"http://127.0.0.1:3000/git/octo/gitops.git": {"http", "127.0.0.1:3000", "git/octo/gitops"},
		"git@codeberg.org:octo/gitops.git":          {"ssh", "codeberg.org", "octo/gitops"},
		"ssh://git@forge.example:2222/octo/gitops":  {"ssh", "forge.example:2222", "octo/gitops"},
		"https://ghe.example.com/octo/a.b.c":        {"https", "ghe.example.com", "octo/a.b.c"},
	} {
		u, err := remote.Parse(text)
		if got := [3]string{u.Protocol, u.Address(), u.Name()}; err != nil || got != want {
			t.Errorf("%s: %v, error %v, want %v", text, got, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, url := range []string{"https://host/a", "git@host:a", "ssh://u:p@h:1/x", "/abs", "file:///a", "https://[::1", "://", "a@b@c:d",
		"https://host/%zz", "ssh://[fe80::1%25eth0]/a"} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := remote.Parse(text)
		if err == nil && (u.Key() != remote.Key(text) || u.String() != remote.Redact(text) || !remote.ParsePrefix("").Matches(u)) {
			t.Errorf("%q: key %q, text %q", text, u.Key(), u)
		}
	})
}
