// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"os"
	"slices"
	"testing"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
)

func TestMain(m *testing.M) {
	os.Exit(giteatest.Run(m.Run))
}

// giteaHost is a repository on a real Gitea.
type giteaHost struct{ repo *giteatest.Repo }

func newGiteaHost(t testing.TB) *giteaHost {
	t.Helper()
	return &giteaHost{giteatest.NewRepo(t)}
}

func (h *giteaHost) config() forge.Config {
	return forge.Config{URLPrefix: h.repo.Address(), Kind: forge.Gitea, Token: h.repo.Token(giteatest.Writer)}
}

func (h *giteaHost) url() string { return h.repo.URL() }

func (h *giteaHost) commit(t testing.TB, branch, content string) string {
	t.Helper()
	return h.repo.Commit(t, branch, content)
}

func (h *giteaHost) head(t testing.TB, branch string) string {
	t.Helper()
	return h.repo.Head(t, branch)
}

func (h *giteaHost) reviewer() string { return giteatest.Reviewer }

func (h *giteaHost) readToken(t testing.TB) string {
	t.Helper()
	return h.repo.ReadToken(t, giteatest.Writer)
}

func (h *giteaHost) archive(t testing.TB) {
	t.Helper()
	archived := true
	h.repo.Configure(t, gitea.EditRepoOption{Archived: &archived})
}

func (h *giteaHost) rename(t testing.TB) string {
	t.Helper()
	former, name := h.repo.URL(), h.repo.Name()+"-renamed"
	h.repo.Configure(t, gitea.EditRepoOption{Name: &name})
	return former
}

func (h *giteaHost) requests(t testing.TB) []seen {
	t.Helper()
	pulls, _, err := h.repo.As(t, giteatest.Other).ListRepoPullRequests(giteatest.Owner, h.repo.Name(),
		gitea.ListPullRequestsOptions{State: gitea.StateAll})
	if err != nil {
		t.Fatal(err)
	}
	var all []seen
	for _, listed := range slices.Backward(pulls) {
		pull, _, err := h.repo.As(t, giteatest.Other).GetPullRequest(giteatest.Owner, h.repo.Name(), listed.Index) // lists lack teams
		if err != nil {
			t.Fatal(err)
		}
		s := seen{number: int(pull.Index), title: pull.Title, body: pull.Body, open: pull.State == gitea.StateOpen,
			comments: h.comments(t, pull.Index)}
		for _, label := range pull.Labels {
			s.labels = append(s.labels, label.Name)
		}
		for _, user := range pull.RequestedReviewers {
			s.reviewers = append(s.reviewers, user.UserName)
		}
		for _, team := range pull.RequestedReviewersTeams {
			s.teams = append(s.teams, team.Name)
		}
		all = append(all, s)
	}
	return all
}

func (h *giteaHost) comments(t testing.TB, number int64) []string {
	t.Helper()
	comments, _, err := h.repo.As(t, giteatest.Other).ListIssueComments(giteatest.Owner, h.repo.Name(), number,
		gitea.ListIssueCommentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, comment := range comments {
		texts = append(texts, comment.Body)
	}
	return texts
}

func (h *giteaHost) protect(t testing.TB) {
	t.Helper()
	h.repo.Protect(t, "main")
}

func (h *giteaHost) approve(t testing.TB, number int) {
	t.Helper()
	_, _, err := h.repo.As(t, giteatest.Reviewer).CreatePullReview(giteatest.Owner, h.repo.Name(), int64(number),
		gitea.CreatePullReviewOptions{State: gitea.ReviewStateApproved, Body: "Good."})
	if err != nil {
		t.Fatal(err)
	}
}

func (h *giteaHost) merge(t testing.TB, number int, method forge.Method) {
	t.Helper()
	for range 50 { // Gitea looks for conflicts in the background
		if done, _, err := h.repo.As(t, giteatest.Reviewer).MergePullRequest(giteatest.Owner, h.repo.Name(), int64(number),
			gitea.MergePullRequestOption{Style: gitea.MergeStyle(method)}); err == nil && done {
			return
		}
		pause()
	}
	t.Fatalf("Gitea does not merge request %d", number)
}

func (h *giteaHost) closeRequest(t testing.TB, number int) {
	t.Helper()
	closed := gitea.StateClosed
	_, _, err := h.repo.As(t, giteatest.Reviewer).EditPullRequest(giteatest.Owner, h.repo.Name(), int64(number),
		gitea.EditPullRequestOption{State: &closed})
	if err != nil {
		t.Fatal(err)
	}
}

func (h *giteaHost) report(t testing.TB, commit, context string, state forge.StatusState) {
	t.Helper()
	_, _, err := h.repo.As(t, giteatest.Reviewer).CreateStatus(giteatest.Owner, h.repo.Name(), commit, gitea.CreateStatusOption{
		State: gitea.StatusState(state), Context: context, Description: string(state) + " of " + context,
	})
	if err != nil {
		t.Fatal(err)
	}
}
