// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
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
		got[url] = c.accessFor(u).login.Password
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
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
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = a.transport(t.Context(), u, u.Endpoint()); err != nil || asked != url {
		t.Errorf("asked for %q, error %v", asked, err)
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
