// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
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
		{"https://github.com/contoso/Fleet", "https://github.com/Contoso/fleet.git", true},
		{"file:///srv/git", "file:///srv/Git/fleet.git", false},
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
		{"file://C:/repositories", "file:///C:/repositories/fleet.git", true},
	} {
		u, err := remote.Parse(test.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := remote.ParsePrefix(test.prefix).Matches(u); got != test.want {
			t.Errorf("%q matches %q: %v, want %v", test.prefix, test.url, got, test.want)
		}
	}
}

func TestLongest(t *testing.T) {
	t.Parallel()
	u, err := remote.Parse("https://github.com/octo/gitops")
	if err != nil {
		t.Fatal(err)
	}
	var prefixes []remote.Prefix
	for _, text := range []string{"", "https://github.com", "https://github.com/octo", "https://github.com/oct", "https://github.com/octo/"} {
		prefixes = append(prefixes, remote.ParsePrefix(text))
	}
	same := func(p remote.Prefix) remote.Prefix { return p }
	if got, ok := remote.Longest(u, prefixes, same); !ok || got != prefixes[2] {
		t.Errorf("Longest = %+v", got)
	}
	if got, ok := remote.Longest(u, prefixes[3:4], same); ok {
		t.Errorf("a prefix that ends within a path segment matches: %+v", got)
	}
	if prefixes[2] != prefixes[4] || remote.ParsePrefix("https://GitHub.com:443/octo") != prefixes[2] {
		t.Error("prefixes that mean the same are not equal")
	}
}
