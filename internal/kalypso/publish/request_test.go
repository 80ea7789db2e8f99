// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// A change is proposed, and once it is merged by whatever method, nothing is left to do.
func TestRequestMerged(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"merge", "squash", "rebase"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			i := &instance{server: s}
			before := s.repo.Head(t, "prod")
			plan := i.apply(t, s.proposing("blue"))
			if !plan.RequestOpen || !plan.CommitOpen || plan.Summary != "+2 ~0 -0 packages in 2 cluster types" {
				t.Errorf("%+v", plan)
			}
			q := s.only(t)
			if s.repo.Head(t, "prod") != before || q.Base != "prod" || !strings.HasPrefix(q.Head, "kalypso/prod/") || q.Title != "prod: "+plan.Summary || i.was.PullRequest != q.Number {
				t.Errorf("the request is %+v, the report %+v", q, i.was.Report)
			}
			s.has(t, q.Head, "blue")
			i.refreshed(t, publish.Proposed)
			i.standsStill(t, s.proposing("blue"))

			s.github.Merge(t, q.Number, method)
			i.refreshed(t, publish.InSync)
			i.standsStill(t, s.proposing("blue"))
			if s.has(t, "prod", "blue"); i.was.MergedCommit == "" {
				t.Errorf("%+v", i.was.Report)
			}
			if next := i.apply(t, s.proposing("green")); next.Summary != "+0 ~2 -0 packages in 2 cluster types" {
				t.Errorf("summary %q", next.Summary)
			}
			s.has(t, s.only(t).Head, "green")
			s.has(t, "prod", "blue")
		})
	}
}

// What others do to a request shows, and the next apply goes on from there.
func TestRequestStatuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		happens func(t *testing.T, s server, q githubtest.Pull)
		status  publish.Status
		again   bool // another request is opened
		stays   bool // nothing is to do
	}{
		"closed": {func(t *testing.T, s server, q githubtest.Pull) { s.github.ClosePull(t, q.Number) }, publish.Closed, true, false},
		"closed, branch deleted": {func(t *testing.T, s server, q githubtest.Pull) {
			s.github.ClosePull(t, q.Number)
			s.repo.DeleteBranch(t, q.Head)
		}, publish.Closed, true, false},
		"edited in our folders": {func(t *testing.T, s server, q githubtest.Pull) {
			s.edit(t, q.Head, map[string]string{"small/web-live/reconciler.yaml": "x"})
		}, publish.Drifted, false, false},
		"edited elsewhere": {func(t *testing.T, s server, q githubtest.Pull) {
			s.edit(t, q.Head, map[string]string{"docs/more.md": "x"})
		}, publish.Proposed, false, true},
		"the base moved elsewhere": {func(t *testing.T, s server, _ githubtest.Pull) {
			s.edit(t, "prod", map[string]string{"docs/more.md": "x"})
		}, publish.Proposed, false, true},
		"the base moved in ours": {func(t *testing.T, s server, _ githubtest.Pull) {
			s.edit(t, "prod", map[string]string{"small/web-live/reconciler.yaml": "x"})
		}, publish.Drifted, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			i := &instance{server: s}
			i.apply(t, s.proposing("blue"))
			s.github.Merge(t, s.only(t).Number, "merge")
			i.apply(t, s.proposing("green"))
			q := s.only(t)
			test.happens(t, s, q)
			i.refreshed(t, test.status)
			if test.stays {
				i.standsStill(t, s.proposing("green"))
				return
			}
			if plan := i.apply(t, s.proposing("green")); plan.Summary != "+0 ~2 -0 packages in 2 cluster types" && plan.Summary != "+0 ~1 -0 packages in 1 cluster type" {
				t.Errorf("summary %q", plan.Summary)
			}
			if now := s.only(t); (now.Number != q.Number) != test.again {
				t.Errorf("first %+v, now %+v", q, now)
			}
			s.has(t, s.only(t).Head, "green")
			i.refreshed(t, publish.Proposed)
			i.standsStill(t, s.proposing("green"))
		})
	}
}

// A newer change closes the older request with a link and deletes its branch, but
// keeps what a reviewer has pushed. What others have opened stays. Going back to
// what the branch holds closes all of ours.
func TestRequestOvertaken(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	s.repo.Git(t, "branch", "feature", "prod")
	s.edit(t, "feature", map[string]string{"docs/feature.md": "x"})
	others := s.github.OpenPull("hubot", "prod", "feature", "Another change", "")
	ours := func() []githubtest.Pull {
		return slices.DeleteFunc(s.open(), func(p githubtest.Pull) bool { return p.Number == others })
	}
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	s.github.Merge(t, ours()[0].Number, "merge")
	i.apply(t, s.proposing("green"))
	first := ours()[0]
	i.apply(t, s.proposing("red"))
	second, old := ours()[0], s.github.Pull(t, first.Number)
	if len(ours()) != 1 || second.Number == first.Number || old.State != "closed" || s.repo.Head(t, first.Head) != "" {
		t.Errorf("open %+v, the first %+v", ours(), old)
	}
	if len(old.Comments) != 1 || !strings.Contains(old.Comments[0], "which proposes the newer state of the environment") {
		t.Errorf("comments %q", old.Comments)
	}
	s.edit(t, second.Head, map[string]string{"docs/review.md": "x"})
	i.apply(t, s.proposing("black"))
	old = s.github.Pull(t, second.Number)
	if old.State != "closed" || s.repo.Head(t, second.Head) == "" || !strings.Contains(old.Comments[0], "That branch is kept") {
		t.Errorf("the second %+v", old)
	}
	i.apply(t, s.proposing("blue"))
	i.refreshed(t, publish.InSync)
	if open := s.open(); len(open) != 1 || open[0].Number != others || len(open[0].Comments) > 0 || s.repo.Head(t, "feature") == "" {
		t.Errorf("open %+v", open)
	}
	i.standsStill(t, s.proposing("blue"))
}

// Without pull_request, the open request is withdrawn and the change written.
func TestRequestWithdrawn(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	q := s.only(t)
	i.apply(t, s.settings(both("blue")))
	if old := s.github.Pull(t, q.Number); old.State != "closed" || s.repo.Head(t, q.Head) != "" || len(s.open()) > 0 {
		t.Errorf("the request is %+v", old)
	}
	s.has(t, "prod", "blue")
	i.standsStill(t, s.settings(both("blue")))
}

// A destroy proposes the removal, and closes the request of the last change.
func TestRequestDestroyed(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	s.github.Merge(t, s.only(t).Number, "merge")
	i.apply(t, s.proposing("green"))
	change := s.only(t)
	m := i.destroy(t)
	succeeded(t, m)
	says(t, m.Warnings, "The removal is proposed")
	removal := s.only(t)
	if removal.Number == change.Number || removal.Title != "prod: remove all packages" {
		t.Errorf("the request is %+v", removal)
	}
	s.holds(t, removal.Head, "docs/index.md")
	s.has(t, "prod", "blue")
}

// An apply can be ended between any two of its steps: the next one goes on from there.
func TestRequestInterrupted(t *testing.T) {
	t.Parallel()
	repository := "/repos/" + githubtest.Owner + "/" + githubtest.Name
	for _, request := range []string{
		"POST " + repository + "/pulls", "POST " + repository + "/issues/1/labels", "POST " + repository + "/issues/2/comments",
	} {
		t.Run(request, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			i := &instance{server: s}
			settings := func(family string) publish.Settings {
				settings := s.proposing(family)
				settings.Request.Labels = []string{"kalypso"}
				return settings
			}
			i.apply(t, settings("blue"))
			s.github.Merge(t, s.only(t).Number, "merge")
			i.apply(t, settings("green"))

			s.github.Fail(githubtest.Fault{Request: request, Status: 400, Times: 1})
			plan, m := i.plan(t, settings("red"))
			succeeded(t, m)
			if m = i.carryOut(t, settings("red"), plan); len(m.Errors)+len(m.Warnings) == 0 && !strings.HasSuffix(request, "/labels") {
				t.Error("the interruption was not told")
			}
			i.apply(t, settings("red"))
			if q := s.only(t); !slices.Equal(q.Labels, []string{"kalypso"}) {
				t.Errorf("the request is %+v", q)
			}
			s.has(t, s.only(t).Head, "red")
			i.standsStill(t, settings("red"))
		})
	}
}

// An apply that waits ends with the merge, and says that it was interrupted.
func TestRequestWaits(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	settings := s.proposing("blue")
	settings.Request.Wait = true
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	ctx, cancel := context.WithCancel(t.Context())
	s.github.Fail(githubtest.Fault{Request: "POST /repos/octo/gitops/pulls", Lost: true, Times: 1, Then: cancel})
	_, m = i.publisher(t).Apply(ctx, i.job(t, settings), publish.Planned{Location: plan.Location, Packages: plan.Packages, Diff: true})
	says(t, m.Errors, "The change was not proposed", "interrupted")
	settings.Request.Wait, settings.Request.AutoMerge = false, "squash"
	i.apply(t, settings)
	s.has(t, "prod", "blue")
	if i.was.Status != publish.InSync || i.was.MergedCommit == "" {
		t.Errorf("%+v", i.was.Report)
	}
	i.standsStill(t, settings)
}
