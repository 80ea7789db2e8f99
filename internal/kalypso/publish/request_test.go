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
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// A change is proposed, and once it is merged, by whatever method and whatever
// becomes of its branch, nothing is left to do until the next one.
func TestRequestMerged(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	merged := "" // what the base branch holds
	former := "" // the branch of the request before, which an apply deletes unless the forge has
	for _, step := range []struct {
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
		settings.Request = &publish.RequestSettings{Labels: []string{"kalypso"}, Reviewers: []string{"octocat"}, TeamReviewers: []string{"platform"}}
		before := s.repo.Head(t, "prod")
		plan := i.apply(t, settings)
		if changes(t, plan, step.summary); !plan.RequestOpen || !plan.CommitOpen {
			t.Errorf("%s: %+v", family, plan)
		}
		q := s.only(t)
		if !regexp.MustCompile(`^kalypso/prod/[0-9a-f]{12}$`).MatchString(q.Head) || former != "" && s.repo.Head(t, former) != "" ||
			q.Base != "prod" || q.Title != "prod: "+step.summary || s.repo.Head(t, "prod") != before {
			t.Errorf("%s: the request is %+v", family, q)
		}
		if !slices.Equal(q.Labels, []string{"kalypso"}) || !slices.Equal(q.Users, []string{"octocat"}) || !slices.Equal(q.Teams, []string{"platform"}) {
			t.Errorf("%s: the request is %+v", family, q)
		}
		if r := i.was.Report; r.PullRequest != q.Number || !strings.HasSuffix(r.PullRequestURL, fmt.Sprintf("/pull/%d", q.Number)) || r.Commit != q.HeadCommit || r.MergedCommit != "" {
			t.Errorf("%s: the report is %+v, the request %+v", family, r, q)
		}
		s.has(t, q.Head, family)
		if merged != "" {
			s.has(t, "prod", merged)
		}
		i.status(t, publish.Proposed)
		i.standsStill(t, settings)

		s.merge(t, step.method)
		i.refreshed(t, publish.InSync)
		i.standsStill(t, settings)
		if s.has(t, "prod", family); i.was.MergedCommit != s.repo.Head(t, "prod") || i.was.PullRequest != q.Number || (s.repo.Head(t, q.Head) == "") != step.deleted {
			t.Errorf("%s: %+v", family, i.was.Report)
		}
		merged, former = family, q.Head
	}
}

// A request that is closed without a merge shows as a change, which is proposed again: as
// a request of its own, from the same branch.
func TestRequestClosed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before  string // the family that the base branch holds; empty for nothing of ours
		deleted bool   // the request's branch
		summary string
	}{
		"before anything is merged":                 {"", false, "+2 ~0 -0 packages in 2 cluster types"},
		"before anything is merged, branch deleted": {"", true, "+2 ~0 -0 packages in 2 cluster types"},
		"after a merge":                             {"blue", false, "+0 ~2 -0 packages in 2 cluster types"},
		"after a merge, branch deleted":             {"blue", true, "+0 ~2 -0 packages in 2 cluster types"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			i := &instance{server: s}
			held := engine.Digests{}
			if test.before != "" {
				held = i.apply(t, s.settings(both(test.before))).Packages
			}
			i.apply(t, s.proposing("green"))
			first := s.only(t)
			s.github.ClosePull(t, first.Number)
			if test.deleted {
				s.repo.DeleteBranch(t, first.Head)
			}
			if i.refreshed(t, publish.Closed); !maps.Equal(i.was.Packages, held) {
				t.Errorf("packages %v, want those of the base branch: %v", i.was.Packages, held)
			}
			changes(t, i.apply(t, s.proposing("green")), test.summary)
			now := s.only(t)
			if now.Number == first.Number || now.Head != first.Head {
				t.Errorf("first %+v, then %+v", first, now)
			}
			s.has(t, now.Head, "green")
			i.status(t, publish.Proposed)
			i.standsStill(t, s.proposing("green"))
		})
	}
}

// Commits of others in our folders are drift, which the next apply puts right: in a
// request that starts from what the base branch is. In the base branch, others may change
// what is not ours.
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
				i.refreshed(t, publish.Proposed)
				i.standsStill(t, s.proposing("green"))
			}
			s.edit(t, branch, map[string]string{"small/web-live/reconciler.yaml": "edited: true\n"})
			i.refreshed(t, publish.Drifted)
			changes(t, i.apply(t, s.proposing("green")), test.summary)
			now := s.only(t)
			if now.Number == first.Number || now.Head == first.Head {
				t.Errorf("first %+v, then %+v", first, now)
			}
			s.has(t, now.Head, "green")
			i.status(t, publish.Proposed)
			i.standsStill(t, s.proposing("green"))
			s.merge(t, "rebase")
			i.refreshed(t, publish.InSync)
			i.standsStill(t, s.proposing("green"))
			s.has(t, "prod", "green")
			if test.base {
				s.contains(t, "docs/more.md", "more")
			}
		})
	}
}

// A closed request is no change any more where the fleet goes back to what is there.
func TestRequestClosedAndDropped(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	s.merge(t, "squash")
	i.apply(t, s.proposing("green"))
	s.github.ClosePull(t, s.only(t).Number)
	i.apply(t, s.proposing("blue"))
	i.status(t, publish.InSync)
	i.standsStill(t, s.proposing("blue"))
	if open := s.open(); len(open) > 0 {
		t.Errorf("open %+v", open)
	}
}

// A request that was closed in between leaves no branch behind where requests are no
// longer wanted.
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

// A newer change closes the older request with a link and deletes its branch, but
// keeps what a reviewer has pushed. What others have opened stays. Going back to
// what the branch holds closes all of ours.
func TestRequestOvertaken(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	s.repo.Branch(t, "feature", "prod")
	s.edit(t, "feature", map[string]string{"docs/feature.md": "x"})
	others := s.github.OpenPull("hubot", "prod", "feature", "Another change", "")
	ours := func() []githubtest.Pull {
		return slices.DeleteFunc(s.open(), func(p githubtest.Pull) bool { return p.Number == others })
	}
	i := &instance{server: s}
	overtakes := func(family, summary string) (old, now githubtest.Pull) {
		t.Helper()
		old = ours()[0]
		changes(t, i.apply(t, s.proposing(family)), summary)
		now, old = ours()[0], s.github.Pull(t, old.Number)
		if len(ours()) != 1 || now.Number == old.Number || old.State != "closed" || len(old.Comments) != 1 ||
			!strings.Contains(old.Comments[0], fmt.Sprintf("Overtaken by #%d, which proposes the newer state of the environment", now.Number)) {
			t.Errorf("open %+v, the older %+v", ours(), old)
		}
		return old, now
	}
	i.apply(t, s.proposing("blue"))
	if old, _ := overtakes("green", "+2 ~0 -0 packages in 2 cluster types"); s.repo.Head(t, old.Head) != "" {
		t.Errorf("the branch %s is still there", old.Head)
	}
	s.github.Merge(t, ours()[0].Number, "squash")
	changes(t, i.apply(t, s.proposing("blue")), "+0 ~2 -0 packages in 2 cluster types")
	i.status(t, publish.Proposed)
	if old, now := overtakes("red", "+0 ~2 -0 packages in 2 cluster types"); s.repo.Head(t, old.Head) != "" {
		t.Errorf("the branch %s is still there", old.Head)
	} else {
		s.edit(t, now.Head, map[string]string{"docs/review.md": "x"})
	}
	if old, _ := overtakes("black", "+0 ~2 -0 packages in 2 cluster types"); s.repo.Head(t, old.Head) == "" || !strings.Contains(old.Comments[0], "That branch is kept") {
		t.Errorf("what a reviewer has pushed is not kept: %+v", old)
	}
	i.apply(t, s.proposing("green"))
	i.status(t, publish.InSync)
	if open := s.open(); len(open) != 1 || open[0].Number != others || len(open[0].Comments) > 0 || s.repo.Head(t, "feature") == "" {
		t.Errorf("open %+v", open)
	}
	i.standsStill(t, s.proposing("green"))
}

// A request is overtaken whoever has rewritten its text, and whatever changes beside
// the fleet.
func TestRequestOvertakenByNumber(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	stage := s.proposing("blue")
	stage.Fleet = fleetOf("stage", "blue", "large", "small")
	i.apply(t, stage)
	if head := s.only(t).Head; !strings.HasPrefix(head, "kalypso/stage/") {
		t.Errorf("the open request is that of %s", head)
	}
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
