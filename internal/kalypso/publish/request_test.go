// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// An apply proposes a change. Once it is merged, by any method and with any fate of its
// branch, nothing is left to do until the next change.
func TestRequestMerged(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	merged := "" // what the base branch holds
	former := "" // the branch of the request before, which an apply deletes unless the forge has
	for n, step := range []struct {
		method  string
		deleted bool
		summary string
	}{
		{"merge", false, "+2 ~0 -0 packages in 2 cluster types"},
		{"squash", false, "+0 ~2 -0 packages in 2 cluster types"},
		{"rebase", false, "+0 ~2 -0 packages in 2 cluster types"},
		{"merge", true, "+0 ~2 -0 packages in 2 cluster types"},
		{"squash", true, "+0 ~2 -0 packages in 2 cluster types"},
		{"rebase", true, "+0 ~2 -0 packages in 2 cluster types"},
	} {
		family := fmt.Sprintf("%s-%t", step.method, step.deleted)
		s.github.Configure(func(s *githubtest.Settings) { s.DeleteBranchOnMerge = step.deleted })
		settings := s.proposing(family)
		settings.Request = &request.Settings{Labels: []string{"kalypso"}, Reviewers: []string{"octocat"}, TeamReviewers: []string{"platform"}}
		before := s.repo.Head(t, "prod")
		plan := i.apply(t, settings)
		if changes(t, plan, step.summary); !plan.RequestOpen || !plan.CommitOpen {
			t.Errorf("%s: %+v", family, plan)
		}
		q := s.only(t)
		if q.Head != fmt.Sprintf("kalypso/prod/%s-%d", i.was.Instance, n+1) || former != "" && s.repo.Head(t, former) != "" ||
			q.Base != "prod" || q.Title != "prod: "+step.summary || s.repo.Head(t, "prod") != before {
			t.Errorf("%s: the request is %+v", family, q)
		}
		if !slices.Equal(q.Labels, []string{"kalypso"}) || !slices.Equal(q.Users, []string{"octocat"}) ||
			!slices.Equal(q.Teams, []string{"platform"}) {
			t.Errorf("%s: the request is %+v", family, q)
		}
		if r := i.was.Attributes; r.PullRequest != q.Number || !strings.HasSuffix(r.PullRequestURL, fmt.Sprintf("/pull/%d", q.Number)) ||
			r.Commit != q.HeadCommit || r.MergedCommit != "" {
			t.Errorf("%s: the report is %+v, the request %+v", family, r, q)
		}
		s.has(t, q.Head, family)
		if merged != "" {
			s.has(t, "prod", merged)
		}
		i.status(t, ownership.Proposed)
		i.standsStill(t, settings)

		s.merge(t, step.method)
		i.refreshed(t, ownership.InSync)
		i.standsStill(t, settings)
		if s.has(t, "prod", family); i.was.MergedCommit != s.repo.Head(t, "prod") || i.was.PullRequest != q.Number ||
			(s.repo.Head(t, q.Head) == "") != step.deleted {
			t.Errorf("%s: %+v", family, i.was.Attributes)
		}
		merged, former = family, q.Head
	}
}

// A change that was closed without a merge is not proposed again, and a plan says so. This
// ends if another change is wanted, or the request is opened again. The following request
// has a branch of its own.
func TestRequestClosed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before  string // the family that the base branch holds; empty for nothing of ours
		summary string
	}{
		"before anything is merged": {"", "+2 ~0 -0 packages in 2 cluster types"},
		"after a merge":             {"blue", "+0 ~2 -0 packages in 2 cluster types"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			i := &instance{server: s}
			held := engine.Digests{}
			if test.before != "" {
				held = i.apply(t, s.settings(both(test.before))).Packages
			}
			green := s.proposing("green")
			i.apply(t, green)
			first := s.only(t)
			s.github.ClosePull(t, first.Number)
			if i.refreshed(t, ownership.Closed); !maps.Equal(i.was.Packages, held) {
				t.Errorf("packages %v, want those of the base branch: %v", i.was.Packages, held)
			}
			i.standsStill(t, green)
			i.hears(t, green, "A pull request was closed", i.was.PullRequestURL, "reopen the request")
			other := green
			other.Request = &request.Settings{Labels: []string{"kalypso"}}
			i.apply(t, other) // which changes nothing that is proposed
			i.status(t, ownership.Closed)
			s.edit(t, "prod", map[string]string{"docs/more.md": "more"})
			i.standsStill(t, other)
			if open := s.open(); len(open) > 0 {
				t.Errorf("open %+v", open)
			}

			s.github.Reopen(t, first.Number)
			i.refreshed(t, ownership.Proposed)
			i.standsStill(t, other)
			s.github.ClosePull(t, first.Number)
			i.refreshed(t, ownership.Closed)
			changes(t, i.apply(t, s.proposing("red")), test.summary)
			if now := s.only(t); now.Number == first.Number || now.Head != strings.TrimSuffix(first.Head, "1")+"2" ||
				s.repo.Head(t, first.Head) != "" {
				t.Errorf("first %+v, then %+v", first, now)
			}
			s.has(t, s.only(t).Head, "red")
			i.status(t, ownership.Proposed)
			i.standsStill(t, s.proposing("red"))
		})
	}
}

// A request that is opened again and merged, or merged while a newer change is planned, is
// followed.
func TestRequestMergedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	first := s.only(t)
	s.github.ClosePull(t, first.Number)
	i.refreshed(t, ownership.Closed)
	s.github.Reopen(t, first.Number)
	s.merge(t, "squash")
	i.refreshed(t, ownership.InSync)
	i.apply(t, s.proposing("green"))
	second := s.only(t)
	plan, m := i.plan(t, s.proposing("red"))
	succeeded(t, m)
	s.merge(t, "squash")
	says(t, i.carryOut(t, s.proposing("red"), plan).Errors, "was not proposed") // since our folders are not as planned
	i.apply(t, s.proposing("red"))
	if third := s.only(t); third.Head == second.Head || s.repo.Head(t, second.Head) != "" {
		t.Errorf("the request is %+v", third)
	}
	s.has(t, s.only(t).Head, "red")
}

// Commits of others in our folders are drift, which the next apply puts right. Those in the
// base branch are merged into the request's branch; those in that branch lead to another
// request. In the base branch, others may change what is not ours.
func TestRequestEdited(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before  string // the family that the base branch holds; empty for nothing of ours
		base    bool   // the edit is in the base branch
		summary string
	}{
		"in its branch": {"blue", false, "+0 ~2 -0 packages in 2 cluster types"},
		"in its branch, before anything is merged": {"", false, "+2 ~0 -0 packages in 2 cluster types"},
		"in the base branch":                       {"blue", true, "+0 ~2 -0 packages in 2 cluster types"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			i := &instance{server: s}
			if test.before != "" {
				i.apply(t, s.settings(both(test.before)))
			}
			i.apply(t, s.proposing("green"))
			first := s.only(t)
			branch := first.Head
			if test.base {
				branch = "prod"
			}
			if test.base {
				s.edit(t, branch, map[string]string{"docs/more.md": "more"})
				i.refreshed(t, ownership.Proposed)
				i.standsStill(t, s.proposing("green"))
			}
			s.edit(t, branch, map[string]string{"small/web-live/reconciler.yaml": "edited: true\n"})
			i.refreshed(t, ownership.Drifted)
			changes(t, i.apply(t, s.proposing("green")), test.summary)
			now := s.only(t)
			if same := now.Number == first.Number && now.Head == first.Head; same != test.base || test.base &&
				len(s.repo.Ahead(now.HeadCommit, "prod")) > 0 {
				t.Errorf("first %+v, then %+v", first, now)
			}
			s.has(t, now.Head, "green")
			i.status(t, ownership.Proposed)
			i.standsStill(t, s.proposing("green"))
			s.merge(t, "squash")
			i.refreshed(t, ownership.InSync)
			i.standsStill(t, s.proposing("green"))
			s.has(t, "prod", "green")
			if test.base {
				s.contains(t, "docs/more.md", "more")
			}
		})
	}
}

// A closed request does not count as a change any more if the fleet goes back to the
// present content.
func TestRequestClosedAndDropped(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	s.merge(t, "squash")
	i.apply(t, s.proposing("green"))
	s.github.ClosePull(t, s.only(t).Number)
	i.apply(t, s.proposing("blue"))
	i.status(t, ownership.InSync)
	i.standsStill(t, s.proposing("blue"))
	if open := s.open(); len(open) > 0 {
		t.Errorf("open %+v", open)
	}
}

// A request that was closed in between leaves no branch behind if requests are no longer
// wanted.
func TestRequestClosedBeforeItIsWithdrawn(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	head := s.only(t).Head
	plan, m := i.plan(t, s.settings(both("blue")))
	succeeded(t, m)
	s.github.ClosePull(t, s.only(t).Number)
	succeeded(t, i.carryOut(t, s.settings(both("blue")), plan))
	s.holds(t, "prod", and(fleetFiles, "docs/index.md")...)
	if left := s.repo.Head(t, head); left != "" {
		t.Errorf("the branch %s stays", head)
	}
}

// A newer change is one more commit on the branch of the open request, whatever its text
// says, and even if the environment gets another name. If a reviewer has pushed to the
// branch, the commit stays and a new request follows. Requests of others stay. Our request
// is closed if the fleet goes back to the content of the branch.
func TestRequestGrows(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	s.repo.Branch(t, "feature", "prod")
	s.edit(t, "feature", map[string]string{"docs/feature.md": "x"})
	others := s.github.OpenPull("hubot", "prod", "feature", "Another change", "")
	ours := func() githubtest.Pull {
		t.Helper()
		open := slices.DeleteFunc(s.open(), func(p githubtest.Pull) bool { return p.Number == others })
		if len(open) != 1 {
			t.Fatalf("open %+v", open)
		}
		return open[0]
	}
	i := &instance{server: s}
	grows := func(settings publish.Settings, family string) {
		t.Helper()
		old := ours()
		i.apply(t, settings)
		now := ours()
		if ahead := s.repo.Ahead(old.HeadCommit, now.HeadCommit); now.Number != old.Number || len(now.Comments) > 0 || len(ahead) == 0 ||
			len(s.repo.Ahead(now.HeadCommit, old.HeadCommit)) > 0 {
			t.Errorf("first %+v, then %+v", old, now)
		}
		s.has(t, now.Head, family)
		i.standsStill(t, settings)
	}
	i.apply(t, s.proposing("blue"))
	grows(s.proposing("green"), "green")
	s.edit(t, "prod", map[string]string{"docs/more.md": "more"})
	grows(s.proposing("red"), "red")
	stage := s.proposing("blue")
	stage.Fleet = fleetOf("stage", "blue", "large", "small")
	grows(stage, "blue")
	grows(s.proposing("red"), "red")

	reviewed := ours()
	s.edit(t, reviewed.Head, map[string]string{"docs/review.md": "x"})
	i.apply(t, s.proposing("black"))
	now, old := ours(), s.github.Pull(t, reviewed.Number)
	if now.Number == old.Number || old.State != "closed" || s.repo.Head(t, old.Head) == "" || len(old.Comments) != 1 ||
		!strings.Contains(old.Comments[0], "The branch is kept") ||
		!strings.Contains(old.Comments[0], fmt.Sprintf("Replaced by #%d, which proposes the newer state of the environment", now.Number)) {
		t.Errorf("open %+v, the older %+v", now, old)
	}
	s.github.Merge(t, now.Number, "squash")
	i.apply(t, s.proposing("blue"))
	i.status(t, ownership.Proposed)
	last := ours()
	i.apply(t, s.proposing("black"))
	i.status(t, ownership.InSync)
	if open := s.open(); len(open) != 1 || open[0].Number != others || len(open[0].Comments) > 0 || s.repo.Head(t, "feature") == "" ||
		s.repo.Head(t, last.Head) != "" {
		t.Errorf("open %+v", open)
	}
	i.standsStill(t, s.proposing("black"))
}

// While a request is open, diff and summary of the next change are still those of the
// base branch.
func TestPreviewWhileARequestIsOpen(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	i.apply(t, s.proposing("green"))
	for _, family := range []string{"red", "black"} {
		plan := i.apply(t, s.proposing(family))
		changes(t, plan, "+0 ~2 -0 packages in 2 cluster types")
		if from := regexp.MustCompile(`\n-.*family: blue.*\n(\\.*\n)?\+.*family: ` + family); len(from.FindAllString(plan.Diff, -1)) != 2 {
			t.Errorf("diff\n%s", plan.Diff)
		}
		i.standsStill(t, s.proposing(family))
	}
}
