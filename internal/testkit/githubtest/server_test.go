// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package githubtest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/forgetest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
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
