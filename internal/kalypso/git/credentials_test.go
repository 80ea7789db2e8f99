// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrefixMatches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		prefix, url string
		want        bool
	}{
		{"", "https://github.com/contoso/fleet", true},
		{"https://", "https://github.com/contoso/fleet", true},
		{"https://", "http://github.com/contoso/fleet", false},
		{"https://github.com", "https://github.com/contoso/fleet", true},
		{"https://GitHub.com/", "https://github.com/contoso/fleet", true},
		{"https://github.com:443/", "https://github.com/contoso/fleet", true},
		{"https://github.com:8443/", "https://github.com/contoso/fleet", false},
		{"https://github.com", "https://github.com.evil.example/contoso/fleet", false},
		{"https://github.com/contoso", "https://github.com/contoso/fleet", true},
		{"https://github.com/contoso/", "https://github.com/contoso/fleet", true},
		{"https://github.com/contoso", "https://github.com/contoso-evil/fleet", false},
		{"https://github.com/contoso/fleet", "https://github.com/contoso/fleet.git", true},
		{"https://github.com/contoso/fl", "https://github.com/contoso/fleet", false},
		{"https://dev.azure.com/contoso", "https://contoso@dev.azure.com/contoso/fleet", true},
		{"ssh://you@github.com/contoso", "ssh://me@github.com/contoso/fleet", false},
		{"git@github.com", "git@github.com:contoso/fleet.git", true},
		{"git@github.com:contoso/", "git@github.com:contoso/fleet.git", true},
		{"git@github.com:contoso/", "git@github.com:other/fleet.git", false},
		{"ssh://git@github.com/contoso", "git@github.com:contoso/fleet.git", true},
		{"ssh://github.com:22", "ssh://git@github.com/contoso/fleet.git", true},
		{"ssh://github.com", "https://github.com/contoso/fleet.git", false},
		{"http://[::1]:8080/", "http://[::1]:8080/fleet", true},
	} {
		ep, err := parseURL(test.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := parsePrefix(test.prefix).matches(ep); got != test.want {
			t.Errorf("%q matches %q: %v, want %v", test.prefix, test.url, got, test.want)
		}
	}
}

func TestLongestPrefixWins(t *testing.T) {
	t.Parallel()
	c, err := NewClient(Options{Credentials: []Credential{
		{Password: "everywhere"},
		{URLPrefix: "https://github.com/contoso/fleet", Password: "fleet"},
		{URLPrefix: "https://github.com/", Password: "github"},
		{URLPrefix: "https://github.com/contoso", Password: "contoso"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	want := map[string]string{
		"https://example.com/x":                "everywhere",
		"https://github.com/other/x":           "github",
		"https://github.com/contoso/x":         "contoso",
		"https://github.com/contoso/fleet.git": "fleet",
	}
	for url := range want {
		ep, err := parseURL(url)
		if err != nil {
			t.Fatal(err)
		}
		got[url] = c.accessFor(ep).login.Password
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A user name in a URL is no credential by itself, but completes one.
func TestUserOfURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		credential Credential
		want       string
	}{
		{Credential{}, ""},
		{Credential{Password: "p"}, "me"},
		{Credential{Username: "other", Password: "p"}, "other"},
	} {
		a, err := newAccess(test.credential)
		if err != nil {
			t.Fatal(err)
		}
		ep, err := parseURL("https://me@dev.azure.com/me/project/_git/fleet")
		if err != nil {
			t.Fatal(err)
		}
		_, auth, err := a.transport(t.Context(), "", ep)
		if err != nil || ep.User != "" {
			t.Fatalf("user %q is left in the endpoint, error %v", ep.User, err)
		}
		if (auth == nil) != (test.want == "") {
			t.Errorf("%+v: authentication %v", test.credential, auth)
		}
	}
}
