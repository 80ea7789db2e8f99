// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

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
		u, err := remote.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := c.accessFor(t.Context(), u)
		got[url] = a.Password
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Credentials from environment variables go only to trusted hosts, and over plain HTTP only
// to this machine. Settings that are not secret go to all hosts.
func TestAccessFromEnvironment(t *testing.T) {
	t.Parallel()
	c, err := NewClient(Options{Credentials: []Credential{
		{FromEnvironment: true, Username: "u", Password: "environment"},
		{URLPrefix: "http://plain.example.com", Username: "u", Password: "written beside it"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ trusted, url, password, withheld string }{
		{"https://git.example.com/a", "https://git.example.com/b", "environment", ""},
		{"https://git.example.com/a", "https://example.com/b", "", "comes from manifests"},
		{"http://git.example.com/a", "http://git.example.com/b", "", "never sent over http"},
		{"http://127.0.0.1/a", "http://127.0.0.1/b", "environment", ""},
		{"", "http://plain.example.com/b", "written beside it", ""},
		{"", "git@git.example.com:a/b", "environment", ""}, // which SSH does not ask for
	} {
		u, err := remote.Parse(test.url)
		if err != nil {
			t.Fatal(err)
		}
		a, withheld := c.accessFor(remote.Trusting(t.Context(), test.trusted), u)
		if a.Password != test.password || (withheld == "") != (test.withheld == "") || !strings.Contains(withheld, test.withheld) {
			t.Errorf("%s while %q is trusted: password %q, withheld %q", test.url, test.trusted, a.Password, withheld)
		}
	}
}

// Who logs in finds the credential by the URL, of which a prefix may hold the user.
func TestLoginGetsTheURLAsWritten(t *testing.T) {
	t.Parallel()
	const url = "https://git@github.com/contoso/fleet"
	u, err := remote.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	asked := ""
	a, err := newAccess(Credential{Login: func(_ context.Context, repo string) (username, password string, err error) {
		asked = repo
		return "user", "password", nil
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = a.transport(t.Context(), u, u.Endpoint()); err != nil || asked != url {
		t.Errorf("asked for %q, error %v", asked, err)
	}
}

// A user name in a URL is not a credential, but it completes one.
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
		a, err := newAccess(test.credential, nil)
		if err != nil {
			t.Fatal(err)
		}
		u, err := remote.Parse("https://me@dev.azure.com/me/project/_git/fleet")
		if err != nil {
			t.Fatal(err)
		}
		ep := u.Endpoint()
		_, auth, err := a.transport(t.Context(), u, ep)
		if err != nil || ep.User != "" {
			t.Fatalf("user %q is left in the endpoint, error %v", ep.User, err)
		}
		if (auth == nil) != (test.want == "") {
			t.Errorf("%+v: authentication %v", test.credential, auth)
		}
	}
}
