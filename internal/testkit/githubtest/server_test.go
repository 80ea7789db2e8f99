// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package githubtest_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/forgetest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// start serves a repository with a branch main and a branch change on top of it.
func start(t testing.TB) (*githubtest.Server, *gitmem.Repo) {
	t.Helper()
	repo := gitmem.New(t)
	repo.CommitFiles(t, "main", map[string][]byte{"a": []byte("main")}, "first")
	repo.Branch(t, "change", "main")
	repo.CommitFiles(t, "change", map[string][]byte{"b": []byte("1")}, "one")
	repo.CommitFiles(t, "change", map[string][]byte{"c": []byte("2")}, "two")
	repo.CommitFiles(t, "main", map[string][]byte{"d": []byte("main")}, "meanwhile")
	return githubtest.Start(t, repo), repo
}

// The methods of merging make the histories that GitHub's make.
func TestMerge(t *testing.T) {
	t.Parallel()
	for method, want := range map[string][]string{
		"merge":  {"Merge change", "meanwhile", "two", "first", "one"},
		"squash": {"Title", "meanwhile", "first"},
		"rebase": {"two", "one", "meanwhile", "first"},
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			s, repo := start(t)
			s.Configure(func(settings *githubtest.Settings) { settings.DeleteBranchOnMerge = true })
			number := s.OpenPull("hubot", "main", "change", "Title", "")
			s.Merge(t, number, method)
			if diff := cmp.Diff(want, repo.Log(t, "main")); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]string{"a": "main", "b": "1", "c": "2", "d": "main"}, repo.Files(t, "main")); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if got := s.Pull(t, number); !got.Merged || got.MergeCommit != repo.Head(t, "main") || repo.Head(t, "change") != "" {
				t.Errorf("the request is %+v, its branch at %q", got, repo.Head(t, "change"))
			}
			repo.Fsck(t)
		})
	}
}

// Requests follow their branches: pushes, and deletion, which closes them.
func TestBranches(t *testing.T) {
	t.Parallel()
	s, repo := start(t)
	number := s.OpenPull("hubot", "main", "change", "Title", "")
	pushed := repo.CommitFiles(t, "change", map[string][]byte{"e": []byte("3")}, "three")
	if got := s.Pull(t, number); got.HeadCommit != pushed {
		t.Errorf("after a push: %+v", got)
	}
	repo.DeleteBranch(t, "change")
	if got := s.Pull(t, number); got.State != "closed" || got.Merged || got.HeadCommit != pushed {
		t.Errorf("after the deletion: %+v", got)
	}
}

// The git command line clones and pushes with a token, as far as it may.
func TestGit(t *testing.T) {
	t.Parallel()
	s, repo := start(t)
	writer, reader := s.AddToken("writer", true), s.AddToken("reader", false)
	dir := filepath.Join(t.TempDir(), "clone")
	git := func(args ...string) (string, error) {
		out, err := gittest.Command(t.Context(), args...).CombinedOutput()
		return string(out), err
	}
	as := func(token string) string {
		u, err := url.Parse(s.URL())
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword("x-access-token", token)
		return u.String()
	}
	if out, err := git("clone", s.URL(), dir); err == nil {
		t.Errorf("git clones without a token: %s", out)
	}
	if out, err := git("clone", "--branch", "main", as(reader), dir); err != nil {
		t.Fatalf("git clone: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := git("-C", dir, "commit", "--all", "--message", "pushed"); err != nil {
		t.Fatalf("git commit: %v\n%s", err, out)
	}
	if out, err := git("-C", dir, "push", as(reader), "main"); err == nil || !strings.Contains(out, "403") {
		t.Errorf("git pushes with a token for reading: %v\n%s", err, out)
	}
	if out, err := git("-C", dir, "push", as(writer), "main"); err != nil || repo.Log(t, "main")[0] != "pushed" {
		t.Errorf("git push: %v\n%s", err, out)
	}
	s.Protect(t, "main")
	if out, err := git("-C", dir, "push", "--force", as(writer), "main~1:main"); err == nil || !strings.Contains(out, "GH006") {
		t.Errorf("git pushes to a protected branch: %v\n%s", err, out)
	}
	if out, err := git("-C", dir, "push", as(writer), "main:another"); err != nil {
		t.Errorf("git push to another branch: %v\n%s", err, out)
	}
}

// A request that GitHub's description does not know fails the test that makes it.
func TestRefuses(t *testing.T) {
	t.Parallel()
	const repo, graphql = "/api/v3/repos/octo/gitops", "/api/graphql"
	forgetest.Refuses(t, func(t testing.TB) *githubtest.Server { return githubtest.Start(t, gitmem.New(t)) },
		func(r *http.Request, token string) {
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", "application/json")
		},
		map[string]forgetest.Case{
			"a field of another type": {"POST", repo + "/pulls", `{"title": 1, "head": "change", "base": "main"}`, "title"},
			"a misspelled field": {"POST", repo + "/statuses/" + strings.Repeat("a", 40), `{"state": "success", "desciption": "d"}`,
				"desciption"},
			"a field that is missing": {"POST", repo + "/pulls", `{"title": "x", "head": "change"}`, "base"},
			"an unknown state":        {"GET", repo + "/pulls?state=merged", "", "state"},
			"an unknown operation":    {"DELETE", repo + "/pulls/1", "", "DELETE"},
			"an unknown mutation":     {"POST", graphql, `{"query": "mutation { mergeEverything { ok } }"}`, "mergeEverything"},
			"a variable of another type": {"POST", graphql,
				`{"query": "mutation($input: EnablePullRequestAutoMergeInput!) { enablePullRequestAutoMerge(input: $input) { clientMutationId } }",
			"variables": {"input": {"pullRequestId": "PR_1", "mergeMethod": "fast"}}}`, "fast"},
		})
}
