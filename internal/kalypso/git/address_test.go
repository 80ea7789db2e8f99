// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for repo, want := range map[string]git.Address{
		"https://github.com/octo/gitops":            {Protocol: "https", Host: "github.com", Path: "octo/gitops"},
		"https://GitHub.com:443/octo/gitops.git/":   {Protocol: "https", Host: "github.com", Path: "octo/gitops"},
		"http://127.0.0.1:3000/git/octo/gitops.git": {Protocol: "http", Host: "127.0.0.1:3000", Path: "git/octo/gitops"},
		"git@codeberg.org:octo/gitops.git":          {Protocol: "ssh", Host: "codeberg.org", Path: "octo/gitops"},
		"ssh://git@forge.example:2222/octo/gitops":  {Protocol: "ssh", Host: "forge.example:2222", Path: "octo/gitops"},
		"https://ghe.example.com/octo/a.b.c":        {Protocol: "https", Host: "ghe.example.com", Path: "octo/a.b.c"},
	} {
		if got, err := git.ParseAddress(repo); err != nil || got != want {
			t.Errorf("%s: %+v, error %v, want %+v", repo, got, err, want)
		}
	}
	if _, err := git.ParseAddress("https://user:secret@github.com/a/b"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a password in the URL: %v", err)
	}
}

func TestMatchPrefix(t *testing.T) {
	t.Parallel()
	long, ok := git.MatchPrefix("https://github.com/octo", "https://github.com/octo/gitops")
	short, okToo := git.MatchPrefix("https://github.com", "https://github.com/octo/gitops")
	if !ok || !okToo || long <= short {
		t.Errorf("lengths %d, %d, matches %v, %v", long, short, ok, okToo)
	}
	if _, ok := git.MatchPrefix("https://github.com/oct", "https://github.com/octo/gitops"); ok {
		t.Error("a prefix that ends within a path segment matches")
	}
}
