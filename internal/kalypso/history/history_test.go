// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// main is the source's branch of a repository.
func mainOf(repo located, path string) history.Source {
	return history.Source{Branch: git.Branch{Repo: repo.URL(), Name: "main"}, Path: path, Most: history.DefaultSource}
}

// A merge counts as one commit, with the merged head.
func TestSource(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	first := repo.Commit(t, gittest.Revision{Branch: "main", Message: "first", Files: map[string][]byte{"fleet/a.yaml": []byte("1")}})
	repo.Branch(t, "topic", first)
	repo.Commit(t, gittest.Revision{Branch: "topic", Message: "wip", Files: map[string][]byte{"fleet/b.yaml": []byte("0")}})
	head := repo.Commit(t, gittest.Revision{Branch: "topic", Message: "topic", Files: map[string][]byte{"fleet/b.yaml": []byte("1")}})
	squashed := repo.Commit(t, gittest.Revision{Branch: "main", Message: "squashed (#1)\n\n* one\n* two", Author: "Ann", Time: start,
		Files: map[string][]byte{"fleet/c.yaml": []byte("1")}})
	merge := repo.Commit(t, gittest.Revision{Branch: "main", Message: "merge", Merged: []string{head},
		Files: map[string][]byte{"fleet/b.yaml": []byte("1")}})
	source, err := reader(t).Source(t.Context(), mainOf(repo, "."))
	if err != nil {
		t.Fatal(err)
	}
	newest, _, err := source(0)
	if err != nil || newest.ID != merge || !cmp.Equal(newest.Parents, []string{squashed, head}) {
		t.Errorf("the newest is %+v, error %v", newest, err)
	}
	next, _, err := source(1)
	if err != nil || next.Author != "Ann" || next.Subject != "squashed (#1)" || !next.Time.Equal(start) {
		t.Errorf("the next is %+v, error %v", next, err)
	}
	if diff := cmp.Diff([]string{"merge", "squashed (#1)", "first"}, subjects(t, source)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Commits that leave the folder of a control plane unchanged are marked as unchanged.
func TestSourceInAFolder(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	for i, files := range []map[string]string{
		{"README.md": "1"},
		{"teams/fleet/a.yaml": "1"},
		{"README.md": "2"},
		{"teams/other/a.yaml": "1"},
		{"teams/fleet/a.yaml": "2"},
		{"README.md": "3"},
	} {
		changes := map[string][]byte{}
		for path, text := range files {
			changes[path] = []byte(text)
		}
		repo.Commit(t, gittest.Revision{Branch: "main", Message: fmt.Sprint("c", i), Files: changes})
	}
	for path, want := range map[string][]string{
		"":            {"c5", "c4", "c3", "c2", "c1", "c0"},
		"./":          {"c5", "c4", "c3", "c2", "c1", "c0"},
		"teams":       {"c5=", "c4", "c3", "c2=", "c1", "c0="},
		"teams/fleet": {"c5=", "c4", "c3=", "c2=", "c1", "c0="},
	} {
		source, err := reader(t).Source(t.Context(), mainOf(repo, path))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, subjects(t, source)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", path, diff)
		}
	}
	short := mainOf(repo, "teams/fleet")
	short.Most = 3
	source, err := reader(t).Source(t.Context(), short)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c5=", "c4", "c3="}, subjects(t, source)); diff != "" {
		t.Errorf("three of them (-want +got):\n%s", diff)
	}
}

// However much there is, as much is read as is asked for.
func TestSourceInPieces(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	server := gittest.ServeHTTP(t, repo)
	repo.CommitNothing(t, "main", 500)
	s := mainOf(repo, "")
	s.Branch.Repo = server.URL()
	source, err := reader(t).Source(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	read := func(upTo int) (requests, bytes int64) {
		t.Helper()
		requests, bytes = server.Requests(), server.Sent()
		if _, ok, err := source(upTo); !ok || err != nil {
			t.Fatalf("commit %d: %v, %v", upTo, ok, err)
		}
		return server.Requests() - requests, server.Sent() - bytes
	}
	if requests, bytes := read(19); requests != 2 || bytes > 6_000 { // the references, and 21 commits
		t.Errorf("%d requests, %d bytes for 20 commits", requests, bytes)
	}
	if requests, _ := read(10); requests > 0 {
		t.Errorf("%d requests for what is there", requests)
	}
	if requests, bytes := read(199); requests != 1 || bytes > 40_000 {
		t.Errorf("%d requests, %d bytes for 180 commits more", requests, bytes)
	}
	if got := subjects(t, source); len(got) != 500 {
		t.Errorf("%d commits", len(got))
	}
}

func TestSourceErrors(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	repo.CommitFiles(t, "main", map[string][]byte{"fleet/a.yaml": []byte("x"), "file": []byte("x")}, "first")
	for name, test := range map[string]struct {
		change func(s *history.Source)
		kind   remote.ErrorKind
		want   string
	}{
		"branch":     {func(s *history.Source) { s.Branch.Name = "mian" }, remote.KindBranchNotFound, "#mian does not exist. Check the names"},
		"folder":     {func(s *history.Source) { s.Path = "fleets" }, 0, `#main has no folder "fleets". Correct the path, or remove it`},
		"file":       {func(s *history.Source) { s.Path = "file" }, 0, `#main has no folder "file"`},
		"repository": {func(s *history.Source) { s.Branch.Repo += "-gone" }, remote.KindNotFound, "does not exist, or is hidden"},
	} {
		s := mainOf(repo, "fleet")
		test.change(&s)
		source, err := reader(t).Source(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = source(0)
		if err == nil || !strings.Contains(err.Error(), test.want) || test.kind != 0 && !remote.Is(err, test.kind) {
			t.Errorf("%s: error %v, want %s", name, err, test.want)
		}
	}
	wrong := mainOf(repo, "")
	wrong.Branch.Name = "a..b"
	if _, err := reader(t).Source(t.Context(), wrong); err == nil {
		t.Error("no error for a branch that cannot be")
	}
}
