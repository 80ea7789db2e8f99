// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Many folders come with one fetch, for every kind of server. Missing folders are empty.
func TestLogFolders(t *testing.T) {
	t.Parallel()
	test := func(t *testing.T, r origin) {
		history(t, r.repo)
		l := openLog(t, r, 2)
		commits := newest(t, l, 6)
		found, err := l.Folders(t.Context(), commits, []string{"deep/er", "large/package", "records", "", "no/where", "large/package/file"})
		if err != nil {
			t.Fatal(err)
		}
		for folder, want := range map[string][]int{
			"": {3, 3, 3, 3, 3, 3}, "records": {2, 2, 2, 2, 1, 1}, "deep/er": {1, 1, 1, 1, 1, 1}, "large/package": {1, 1, 1, 1, 1, 1},
			"no/where": {0, 0, 0, 0, 0, 0}, "large/package/file": {0, 0, 0, 0, 0, 0},
		} {
			var got []int
			for _, dir := range found[folder] {
				got = append(got, len(dir.Entries))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", folder, diff)
			}
		}
	}
	eachLimit(t, test)
	eachServer(t, test)
}

// However many folders there are, they cost one fetch for each level of trees that did not
// come with the commits.
func TestLogFolders_fetches(t *testing.T) {
	t.Parallel()
	repo := gittest.NewBare(t)
	server := gittest.ServeHTTP(t, repo)
	var folders []string
	files := map[string][]byte{}
	for i := range 50 {
		folders = append(folders, fmt.Sprintf("teams/type-%d", i))
		files[folders[i]+"/app/file"] = fmt.Append(nil, i)
	}
	repo.CommitFiles(t, "dev", files, "all")
	run := newClient(t).Snapshots()
	l, err := run.Log(t.Context(), git.Branch{Repo: server.URL(), Name: "dev"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	commits := newest(t, l, 20)
	before := server.Requests()
	if _, err := l.Folders(t.Context(), commits, folders); err != nil || server.Requests()-before != 3 {
		t.Errorf("%d requests, error %v", server.Requests()-before, err)
	}
}
