// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// merging are settings whose changes are merged once somebody has approved them.
func (s server) merging(t testing.TB, family string) publish.Settings {
	t.Helper()
	s.github.Protect(t, "prod")
	return s.requesting(both(family), request.Settings{AutoMerge: "squash"})
}

// replaced checks that an apply has left a request and its branch behind, and returns the
// one that is open now.
func (s server) replaced(t testing.TB, old githubtest.Pull) githubtest.Pull {
	t.Helper()
	now, was := s.only(t), s.github.Pull(t, old.Number)
	if now.Number == old.Number || now.Head == old.Head || was.State != "closed" || s.repo.Head(t, old.Head) == "" ||
		len(was.Comments) != 1 || !strings.Contains(was.Comments[0], "The branch is kept") {
		t.Errorf("open is %+v, the older one is %+v", now, was)
	}
	return now
}

// Any commit that somebody else pushes to the request's branch is a change of the plan. It
// is not merged automatically, and the change is proposed again without it.
func TestRequestPushedTo(t *testing.T) {
	t.Parallel()
	for name, push := range map[string]func(t *testing.T, s server, head string){
		"beside our folders": func(t *testing.T, s server, head string) {
			s.edit(t, head, map[string]string{".github/workflows/evil.yml": "x"})
		},
		"in our folders": func(t *testing.T, s server, head string) {
			s.edit(t, head, map[string]string{"small/web-live/reconciler.yaml": "edited: true\n"})
		},
		"in a record": func(t *testing.T, s server, head string) {
			s.edit(t, head, map[string]string{".kalypso/0123456789abcdef": "{}"})
		},
		"no file": func(t *testing.T, s server, head string) { s.repo.CommitNothing(t, head, 1) },
		"a merge of the base branch": func(t *testing.T, s server, head string) {
			s.edit(t, "prod", map[string]string{"docs/more.md": "more"})
			s.repo.Merge(t, head, "prod")
		},
		"beside our folders, while they change in the base branch": func(t *testing.T, s server, head string) {
			s.edit(t, head, map[string]string{".github/workflows/evil.yml": "x"})
			s.edit(t, "prod", map[string]string{"small/web-live/reconciler.yaml": "edited: true\n"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			i := &instance{server: s}
			i.apply(t, s.settings(both("blue")))
			settings := s.merging(t, "green")
			i.apply(t, settings)
			first := s.only(t)
			if first.AutoMerge != "squash" {
				t.Fatalf("the request is %+v", first)
			}
			push(t, s, first.Head)

			plan, m := i.plan(t, settings)
			succeeded(t, m)
			says(t, m.Warnings, "Somebody has pushed to the branch of a pull request", s.repo.Head(t, first.Head), `"Test"`)
			if changes(t, plan, "+0 ~2 -0 packages in 2 cluster types"); !plan.RequestOpen {
				t.Errorf("the plan is %+v", plan)
			}
			s.github.Approve(t, first.Number, "octocat")
			if q := s.only(t); q.Number != first.Number || q.AutoMerge != "" {
				t.Errorf("after the plan and a review, the request is %+v", q)
			}

			succeeded(t, i.carryOut(t, settings, plan))
			now := s.replaced(t, first)
			i.status(t, ownership.Proposed)
			i.standsStill(t, settings)
			s.github.Approve(t, now.Number, "octocat")
			i.refreshed(t, ownership.InSync)
			s.has(t, "prod", "green")
			for _, file := range []string{".github/workflows/evil.yml", ".kalypso/0123456789abcdef"} {
				s.contains(t, file, "")
			}
		})
	}
}

// A branch that others bring up to date again and again is reported each time, and each
// apply ends with nothing to do.
func TestRequestUpdatedByTheForge(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	for _, text := range []string{"one", "two"} {
		old := s.only(t)
		s.edit(t, "prod", map[string]string{"docs/more.md": text})
		s.repo.Merge(t, old.Head, "prod")
		if plan := i.apply(t, s.proposing("blue")); !plan.Differs {
			t.Errorf("the plan is %+v", plan)
		}
		if now := s.replaced(t, old); s.repo.Files(t, now.Head)["docs/more.md"] != text {
			t.Errorf("the request does not start from what the base branch is: %+v", now)
		}
		i.standsStill(t, s.proposing("blue"))
	}
}

// newPushedTo is a resource whose request, which is merged automatically, somebody else has
// pushed to.
func newPushedTo(t testing.TB) (i *instance, settings publish.Settings, q githubtest.Pull) {
	t.Helper()
	s := newGitHub(t)
	i, settings = &instance{server: s}, s.merging(t, "blue")
	i.apply(t, settings)
	q = s.only(t)
	s.edit(t, q.Head, map[string]string{"docs/more.md": "more"})
	return i, settings, q
}

// A branch that is deleted or reset to our pushed commit needs no further look.
func TestRequestPushedToAndTakenBack(t *testing.T) {
	t.Parallel()
	i, settings, q := newPushedTo(t)
	s := i.server
	i.refreshed(t, ownership.Drifted)
	s.repo.Branch(t, q.Head, q.HeadCommit)
	i.refreshed(t, ownership.Proposed)
	if plan, m := i.plan(t, settings); m.Failed() || plan.Differs {
		t.Errorf("something is to do: %+v, %+v", plan, m)
	}
	s.repo.Branch(t, q.Head, s.repo.Head(t, "prod"))
	i.refreshed(t, ownership.Drifted)
	i.apply(t, settings)
	s.replaced(t, q)
	i.standsStill(t, settings)
}

// A commit that somebody pushes between the plan of another change and its apply is not
// merged automatically. The apply fails, and turns automatic merging off.
func TestRequestPushedToBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.merging(t, "blue"))
	q := s.only(t)
	plan, m := i.plan(t, s.merging(t, "green"))
	succeeded(t, m)
	s.edit(t, q.Head, map[string]string{".github/workflows/evil.yml": "x"})
	says(t, i.carryOut(t, s.merging(t, "green"), plan).Errors, "The change was not proposed", "pushed to "+q.Head)
	s.github.Approve(t, q.Number, "octocat")
	if now := s.only(t); now.Number != q.Number || now.AutoMerge != "" {
		t.Errorf("after a review, the request is %+v", now)
	}
	s.contains(t, ".github/workflows/evil.yml", "")
}

// A commit that somebody pushes between our own push and the forge's answer is not merged
// automatically either.
func TestRequestPushedToWhileItIsOpened(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	settings := s.requesting(both("blue"), request.Settings{AutoMerge: "squash"}) // at once
	s.github.Fail(githubtest.Fault{Request: "POST /repos/octo/gitops/pulls", Lost: true, Times: 1, Then: func() {
		for branch := range s.repo.Branches(t) {
			if strings.HasPrefix(branch, "kalypso/") {
				s.edit(t, branch, map[string]string{".github/workflows/evil.yml": "x"})
			}
		}
	}})
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	m = i.carryOut(t, settings, plan)
	succeeded(t, m)
	says(t, m.Warnings, "The pull request is not complete", "somebody has pushed to its branch")
	first := s.only(t)
	if s.holds(t, "prod", "docs/index.md"); first.AutoMerge != "" {
		t.Errorf("the request is %+v", first)
	}
	i.apply(t, settings)
	i.standsStill(t, settings)
	s.holds(t, "prod", and(fleetFiles, "docs/index.md")...)
	if old := s.github.Pull(t, first.Number); old.State != "closed" || old.Merged {
		t.Errorf("the request that was pushed to is %+v", old)
	}
}

// A run that may only read says that it could not turn automatic merging off.
func TestRequestPushedToAndRead(t *testing.T) {
	t.Parallel()
	i, settings, q := newPushedTo(t)
	i.reads = true
	was, inv := i.applied(), i.inventory(t)
	_, m := i.publisher(t).Refresh(t.Context(), was, inv)
	succeeded(t, m)
	says(t, m.Warnings, "Automatic merging was not turned off", q.Head, "by hand")
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	changes(t, plan, "+2 ~0 -0 packages in 2 cluster types")
}
