// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promote_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/recordtest"
)

// The newest commits count; with a folder, those that change it. A merge is one commit.
func TestSource(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	for i, path := range []string{"README.md", "teams/fleet/a.yaml", "README.md", "teams/other/a.yaml", "teams/fleet/a.yaml"} {
		repo.Commit(t, gittest.Revision{Branch: "main", Message: fmt.Sprintf("c%d\n\nbody", i), Author: "Ann", Time: recordtest.Start,
			Files: map[string][]byte{path: []byte(fmt.Sprint(i))}})
	}
	repo.Branch(t, "topic", repo.Head(t, "main"))
	topic := repo.Commit(t, gittest.Revision{Branch: "topic", Message: "topic", Files: map[string][]byte{"teams/fleet/b.yaml": []byte("1")}})
	repo.Commit(t, gittest.Revision{Branch: "main", Message: "merge", Author: "Ann", Time: recordtest.Start, Merged: []string{topic},
		Files: map[string][]byte{"teams/fleet/b.yaml": []byte("1")}})
	repo.CommitNothing(t, "main", 30)
	for name, test := range map[string]struct {
		path string
		most int
		want string
	}{
		"the folder":         {"teams/fleet", 1, "merge"},
		"several":            {"./teams/fleet/", 2, "merge c4"},
		"more than there is": {"teams/fleet", 50, "merge c4 c1"},
		"a folder above":     {"teams", 50, "merge c4 c3 c1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := promote.Source{Branch: git.Branch{Repo: repo.URL(), Name: "main"}, Path: test.path}
			commits, err := reader(t).Source(t.Context(), s, test.most)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range commits {
				got = append(got, c.Subject)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c := commits[0]; c.Author != "Ann" || !c.Time.Equal(recordtest.Start) {
				t.Errorf("the newest is %+v", c)
			}
		})
	}
	all, err := reader(t).Source(t.Context(), promote.Source{Branch: git.Branch{Repo: repo.URL(), Name: "main"}}, 1)
	if err != nil || len(all) != 1 || all[0].ID != repo.Head(t, "main") {
		t.Errorf("the head is %+v, error %v", all, err)
	}
}

func TestSourceErrors(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	repo.CommitFiles(t, "main", map[string][]byte{"fleet/a.yaml": []byte("x"), "file": []byte("x")}, "first")
	for name, test := range map[string]struct {
		change func(s *promote.Source)
		kind   remote.ErrorKind
		want   string
	}{
		"branch": {func(s *promote.Source) { s.Branch.Name = "mian" }, remote.KindBranchNotFound,
			`#mian does not exist. Did you mean "main"?`},
		"folder":     {func(s *promote.Source) { s.Path = "fleets" }, 0, `main has no folder "fleets". Correct the`},
		"file":       {func(s *promote.Source) { s.Path = "file" }, 0, `#main has no folder "file"`},
		"repository": {func(s *promote.Source) { s.Branch.Repo += "-gone" }, remote.KindNotFound, "does not exist, or"},
		"name":       {func(s *promote.Source) { s.Branch.Name = "a..b" }, 0, "a..b"},
	} {
		s := promote.Source{Branch: git.Branch{Repo: repo.URL(), Name: "main"}, Path: "fleet"}
		test.change(&s)
		_, err := reader(t).Source(t.Context(), s, 1)
		if err == nil || !strings.Contains(err.Error(), test.want) || test.kind != 0 && !remote.Is(err, test.kind) {
			t.Errorf("%s: error %v, want %s", name, err, test.want)
		}
	}
}

// The reports of the forge and those of the text are there together. Of the forge's reports with
// one time, the latest has the latest time.
func TestReports(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	commit := repo.CommitFiles(t, "dev", map[string][]byte{"f": []byte("x")}, "first")
	server := githubtest.Start(t, repo)
	r := reader(t)
	r.Forges = forge.NewClient(forge.Options{Forges: []forge.Config{{URLPrefix: server.Address(), Kind: forge.GitHub,
		BaseURL: server.Address(), Token: server.AddToken("kalypso", false)}}})
	for _, state := range []string{"failure", "success"} {
		server.AddStatuses(githubtest.Status{Commit: commit, Context: "flux", State: state, Creator: "bot", Time: recordtest.Start})
	}
	given := map[string][]decision.Report{commit: {{Context: "arc", State: decision.Pending, Time: recordtest.Start}}}
	reports, err := r.Reports(t.Context(), server.URL(), given)
	if err != nil {
		t.Fatal(err)
	}
	found, err := reports(commit)
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		found[i].Time = found[i].Time.UTC()
	}
	want := []decision.Report{given[commit][0], {Context: "flux", State: decision.Success, Creator: "bot", Time: recordtest.Start},
		{Context: "flux", State: decision.Failure, Creator: "bot", Time: recordtest.Start.Add(-time.Nanosecond)}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := reports(recordtest.ID("00")); err == nil || !strings.Contains(err.Error(), "has no commit") {
		t.Errorf("error %v", err)
	}
}

// Without a forge or a token, only the reports of the text count, and without both it is an error.
func TestReportsWithoutForge(t *testing.T) {
	t.Parallel()
	r := reader(t)
	for repo, cause := range map[string]error{
		"file:///srv/git/gitops.git": forge.ErrNoForge, "https://github.com/contoso/gitops": forge.ErrNoToken,
	} {
		if _, err := r.Reports(t.Context(), repo, nil); !errors.Is(err, cause) {
			t.Errorf("%s: error %v, want %v", repo, err, cause)
		}
		reports, err := r.Reports(t.Context(), repo, map[string][]decision.Report{recordtest.ID("c1"): {{Context: "arc"}}})
		if err != nil {
			t.Fatal(err)
		}
		if found, err := reports(recordtest.ID("c1")); err != nil || len(found) != 1 {
			t.Errorf("%s: reports %v, error %v", repo, found, err)
		}
	}
}
