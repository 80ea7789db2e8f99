// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Reading and writing never take a tag for the branch of its name, also when there is no
// such branch.
func TestTagsNamedLikeBranches(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, r origin) {
		tagged := r.repo.CommitFiles(t, "other", map[string][]byte{"fleet/drone/x": []byte("tagged"), "notes/tagged": []byte("x")}, "tagged")
		head := r.repo.CommitFiles(t, "dev", map[string][]byte{"fleet/drone/x": []byte("branch"), "notes/branch": []byte("x")}, "branch")
		for _, tag := range []string{"dev", "gone", "heads/dev"} {
			r.disk.Tag(t, tag, tagged)
		}
		c, branch, gone := r.client(t), r.branch("dev"), r.branch("gone")
		told := map[string]string{}
		note := func(what string, id tree.ID, err error) {
			t.Helper()
			if told[what] = id.String(); err != nil {
				told[what] = err.Error()
			}
		}
		first, err := c.Head(t.Context(), branch)
		note("Head", first, err)
		state, err := c.Read(t.Context(), branch, git.Query{Paths: map[string]tree.Entry{"fleet": {Mode: tree.ModeDir}}})
		if err != nil {
			t.Fatal(err)
		}
		note("Read", state.Head, nil)
		if state.ID("fleet").String() != r.repo.Tree(t, "dev", "fleet") {
			t.Errorf("read %+v", state)
		}
		runs := c.Snapshots()
		snapshot, err := runs.Open(t.Context(), git.Revision{Repo: r.url, Branch: "dev"}, "fleet")
		if err != nil {
			t.Fatal(err)
		}
		note("Open", snapshot.Commit(), nil)
		log, err := runs.Log(t.Context(), branch, 1)
		if err != nil {
			t.Fatal(err)
		}
		note("Log", newest(t, log, 1)[0].ID, nil)
		proposed, err := c.Propose(t.Context(), branch, draft(t, "one"))
		if err != nil {
			t.Fatal(err)
		}
		commits := r.repo.Commits(t, proposed.Branch)
		told["Propose"] = commits[len(commits)-2]
		want := map[string]string{"Head": head, "Read": head, "Open": head, "Log": head, "Propose": head}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}

		if none, err := c.Head(t.Context(), gone); err != nil || !none.IsZero() {
			t.Errorf("the branch that is gone is at %s, error %v", none, err)
		}
		if _, err := runs.Open(t.Context(), git.Revision{Repo: r.url, Branch: "gone"}); !remote.Is(err, remote.KindBranchNotFound) {
			t.Errorf("error %v", err)
		}
		old, err := tree.ParseID(tagged)
		if err != nil {
			t.Fatal(err)
		}
		if done, err := c.DeleteBranch(t.Context(), gone, old); err != nil || !done {
			t.Errorf("the branch that is gone is not: error %v", err)
		}
		result := apply(t, c, branch, "write", edits{"more": folder(drone(t, "one"))})
		if r.repo.Head(t, "dev") != result.Commit.String() || result.Commit.String() == tagged {
			t.Errorf("dev is at %s, written was %s", r.repo.Head(t, "dev"), result.Commit)
		}
		for _, tag := range []string{"dev", "gone", "heads/dev"} {
			if now := r.disk.TagCommit(t, tag); now != tagged {
				t.Errorf("the tag %s is at %q", tag, now)
			}
		}
	})
}

// A commit id names the commit, even if a branch and a tag have this id as their name.
func TestRefsNamedLikeCommits(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, r origin) {
		commit := r.repo.CommitFiles(t, "dev", map[string][]byte{"x": []byte("1")}, "one")
		other := r.repo.CommitFiles(t, "dev", map[string][]byte{"x": []byte("2")}, "two")
		r.repo.Branch(t, commit, other)
		r.disk.Tag(t, commit, other)
		for _, id := range []string{commit, commit[:12]} {
			snapshot, err := r.client(t).Snapshots().Open(t.Context(), git.Revision{Repo: r.url, Branch: "dev", Commit: id}, ".")
			if err != nil || snapshot.Commit().String() != commit {
				t.Errorf("%s: %+v, error %v", id, snapshot, err)
			}
		}
	})
}
