// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

func TestSame(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"https://host/a/b", "https://HOST:443/a/b/", true},
		{"https://host/a/b", "https://git@host/a/b", true},
		{"ssh://git@host/a/b", "ssh://git@host:22/a/b/", true},
		{"git@host:a/b", "ssh://git@host/a/b", false}, // a path below the home folder
		{"https://host/a/b", "https://host/a/b.git", false},
		{"file:///a/b", "/a/b/", true},
		{"https://host/a/b", "https://host/a/B", false},
		{"https://host/a/b", "http://host/a/b", false},
		{"https://host/a/b", "https://host:8443/a/b", false},
		{"ssh://git@host/a", "ssh://other@host/a", false},
		{"/a/b", "/a/b.git", false},
	} {
		a, b := git.Location{Repo: test.a, Branch: "dev", Path: "fleet"}, git.Location{Repo: test.b, Branch: "dev", Path: "./fleet/"}
		if got := a.Same(b); got != test.same {
			t.Errorf("%s and %s: same is %v", test.a, test.b, got)
		}
		b.Path = "fleets"
		if a.Same(b) {
			t.Errorf("%s: paths fleet and fleets are the same", test.a)
		}
		b.Path, b.Branch = a.Path, "Dev"
		if a.Same(b) {
			t.Errorf("%s: branches dev and Dev are the same", test.a)
		}
	}
}

// One branch behind two names is found out by where it points.
func TestRelate(t *testing.T) {
	t.Parallel()
	repo, other := gittest.NewBare(t), gittest.NewBare(t)
	repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	repo.CommitFiles(t, "prod", bytesOf(foreign), "foreign in prod")
	repo.Git(t, "symbolic-ref", "refs/heads/alias", "refs/heads/dev")
	other.CommitFiles(t, "dev", map[string][]byte{"other": nil}, "other")
	server := gittest.ServeHTTP(t, repo)
	c := newClient(t)
	at := func(url, branch string) git.Location {
		return git.Location{Repo: url, Branch: branch, Path: "."}
	}
	for name, test := range map[string]struct {
		a, b git.Location
		want git.Relation
	}{
		"one repository, two protocols": {at(repo.FileURL(), "dev"), at(server.URL(), "dev"), git.Alike},
		"one branch, two names":         {at(repo.FileURL(), "dev"), at(repo.FileURL(), "alias"), git.Alike},
		"one URL":                       {at("https://nowhere.invalid/a", "dev"), at("https://nowhere.invalid/a/", "dev"), git.One},
		"another branch":                {at(repo.FileURL(), "dev"), at(server.URL(), "prod"), git.Apart},
		"a new branch":                  {at(repo.FileURL(), "dev"), at(server.URL(), "new"), git.Apart},
		"another repository":            {at(other.FileURL(), "dev"), at(server.URL(), "dev"), git.Apart},
		"no branch in either":           {at(other.FileURL(), "none"), at(server.URL(), "none"), git.Absent},
	} {
		if got, err := c.Relate(t.Context(), test.a, test.b); err != nil || got != test.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := c.Relate(t.Context(), at(repo.FileURL()+"x", "dev"), at(repo.FileURL(), "dev")); err == nil {
		t.Error("a repository that cannot be read tells nothing, but there is no error")
	}
}
