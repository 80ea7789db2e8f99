// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// Users who copy our mark into a request of their own keep request and branch.
func TestRequestForged(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	ours := s.only(t)
	heads := map[int]string{}
	for _, head := range []string{"release-1.0", "kalypso/prod/0123456789ab"} {
		s.repo.Branch(t, head, "prod")
		s.edit(t, head, map[string]string{"docs/release.md": "x"})
		body := strings.NewReplacer(ours.Head, head, ours.HeadCommit, s.repo.Head(t, head)).Replace(ours.Body)
		heads[s.github.OpenPull("mallory", "prod", head, ours.Title, body)] = head
	}
	i.apply(t, s.proposing("green"))
	i.apply(t, s.proposing("red"))
	s.github.Merge(t, i.was.PullRequest, "squash")
	i.refreshed(t, ownership.InSync)
	i.apply(t, s.settings(both("blue")))
	succeeded(t, i.destroy(t))
	for number, head := range heads {
		if p := s.github.Pull(t, number); p.State != "open" || len(p.Comments) > 0 || s.repo.Head(t, head) == "" {
			t.Errorf("the forged request is %+v", p)
		}
	}
	if open := s.open(); len(open) != len(heads) {
		t.Errorf("open %+v", open)
	}
}

// If a reviewer pushes after the plan, in any folder, the apply stops: its plan has not
// shown the commit.
func TestRequestEditedAfterThePlan(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	q := s.only(t)
	for name, settings := range map[string]publish.Settings{
		"labels":  s.requesting(both("blue"), request.Settings{Labels: []string{"kalypso"}}),
		"content": s.proposing("green"),
	} {
		for _, file := range []string{"small/web-live/reconciler.yaml", ".github/workflows/evil.yml"} {
			plan, m := i.plan(t, settings)
			succeeded(t, m)
			s.edit(t, q.Head, map[string]string{file: name + ": true\n"})
			edited := s.repo.Head(t, q.Head)
			says(t, i.carryOut(t, settings, plan).Errors, "The change was not proposed", "pushed to "+q.Head, "Plan again")
			if s.repo.Head(t, q.Head) != edited || s.only(t).Number != q.Number {
				t.Errorf("%s: the request is %+v", name, s.only(t))
			}
		}
	}
}

// Two resources of one environment and place have a request each.
func TestRequestsOfTwoInstances(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	large, small := &instance{server: s}, &instance{server: s}
	of := func(clusterType, family string) publish.Settings {
		settings := s.proposing(family)
		settings.Fleet = fleetOf("prod", family, clusterType)
		return settings
	}
	for _, family := range []string{"blue", "green"} {
		large.apply(t, of("large", family))
		small.apply(t, of("small", family))
		if open := s.open(); len(open) != 2 || large.was.PullRequest == small.was.PullRequest {
			t.Fatalf("open %+v", open)
		}
		large.standsStill(t, of("large", family))
		small.standsStill(t, of("small", family))
	}
}

// A change that was merged and reverted is proposed once more, even if nobody may push by
// force.
func TestRequestAfterRevert(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	s.repo.RequireFastForward()
	i := &instance{server: s}
	before := s.repo.Head(t, "prod")
	i.apply(t, s.proposing("blue"))
	for range 2 {
		s.merge(t, "merge")
		i.refreshed(t, ownership.InSync)
		s.repo.CommitTree(t, "prod", before, "revert")
		i.refreshed(t, ownership.Drifted)
		i.apply(t, s.proposing("blue"))
		s.has(t, s.only(t).Head, "blue")
	}
}

// A request that does not exist any more counts as closed: it blocks nobody.
func TestRequestGone(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i, doomed := &instance{server: s}, &instance{server: s}
	i.apply(t, s.proposing("blue"))
	*doomed = *i
	s.github.Fail(githubtest.Fault{Request: "GET /repos/octo/gitops/pulls/1", Status: http.StatusNotFound})
	was, inv := i.applied(), i.inventory(t)
	_, m := i.publisher(t).Refresh(t.Context(), was, inv)
	succeeded(t, m)
	says(t, m.Warnings, "Pull request 1 of")
	if was.Status != ownership.Closed {
		t.Errorf("status %s", was.Status)
	}
	succeeded(t, doomed.destroy(t))
	changes(t, i.apply(t, s.proposing("blue")), "+2 ~0 -0 packages in 2 cluster types")
}

// A change that somebody has pushed to the base branch by hand needs no request any more.
func TestRequestDoneByHand(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	q := s.only(t)
	s.edit(t, "prod", s.repo.Files(t, q.Head)) // the record included
	i.refreshed(t, ownership.Proposed)
	i.apply(t, s.proposing("blue"))
	if open := s.open(); len(open) > 0 || s.repo.Head(t, q.Head) != "" || !strings.Contains(s.github.Pull(t, q.Number).Comments[0],
		"nothing to propose any more") {
		t.Errorf("open %+v", open)
	}
	i.status(t, ownership.InSync)
	i.standsStill(t, s.proposing("blue"))
}

// If the settings no longer ask for automatic merging, the apply turns it off. If a person
// has turned it on, it stays on.
func TestRequestKeptOpen(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	s.github.Protect(t, "prod")
	i := &instance{server: s}
	i.apply(t, s.requesting(both("blue"), request.Settings{AutoMerge: "squash"}))
	if q := s.only(t); q.AutoMerge != "squash" {
		t.Fatalf("the request is %+v", q)
	}
	i.apply(t, s.requesting(both("blue"), request.Settings{}))
	if q := s.only(t); q.AutoMerge != "" {
		t.Errorf("the request is %+v", q)
	}
	s.github.EnableAutoMerge(t, s.only(t).Number, "rebase")
	i.apply(t, s.requesting(both("blue"), request.Settings{Labels: []string{"kalypso"}}))
	if q := s.only(t); q.AutoMerge != "rebase" {
		t.Errorf("the request is %+v", q)
	}
}

// Who leaves the packages to others proposes nothing more.
func TestRequestRetained(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	settings := s.proposing("blue")
	settings.Removal = ownership.Retain
	i.apply(t, settings)
	q := s.only(t)
	succeeded(t, i.destroy(t))
	if open := s.open(); len(open) > 0 || s.repo.Head(t, q.Head) != "" {
		t.Errorf("open %+v", open)
	}
}

// A commit that somebody pushes to the branch of our request is never proposed as ours,
// never merged and never lost, even if the apply puts our packages right.
func TestRequestAutoMergesNoEdits(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	q := s.only(t)
	s.edit(t, q.Head, map[string]string{".github/workflows/evil.yml": "x", "small/web-live/reconciler.yaml": "edited: true\n"})
	edited := s.repo.Head(t, q.Head)
	i.refreshed(t, ownership.Drifted)
	i.apply(t, s.requesting(both("blue"), request.Settings{AutoMerge: "squash"}))
	i.refreshed(t, ownership.InSync)
	s.holds(t, "prod", and(fleetFiles, "docs/index.md")...)
	i.apply(t, s.proposing("green"))
	if old := s.github.Pull(t, q.Number); old.State != "closed" || s.repo.Head(t, q.Head) != edited ||
		!strings.Contains(old.Comments[0], "The branch is kept") {
		t.Errorf("the edited request is %+v", old)
	}
}

// A forged request for the same place keeps nobody from destroying what is theirs.
func TestRequestForgedAgainstADestroy(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	ours := s.only(t)
	s.merge(t, "squash")
	i.refreshed(t, ownership.InSync)
	s.repo.Branch(t, "mallory", "prod")
	s.edit(t, "mallory", map[string]string{"docs/x.md": "x"})
	forged := strings.NewReplacer(ours.Head, "mallory", i.was.Instance, "ffffffffffffffff").Replace(ours.Body)
	number := s.github.OpenPull("mallory", "prod", "mallory", "Mine", forged)
	succeeded(t, i.destroy(t))
	if open := s.open(); len(open) != 2 || s.github.Pull(t, number).State != "open" {
		t.Errorf("open %+v", open)
	}
}

// Two resources that one run makes with the same configuration are two, and the plan of the
// second is refused.
func TestTwoResourcesOfOneRun(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	one, two := &instance{server: s}, &instance{server: s}
	s.sameRun(t, one, two)
	_, m := one.plan(t, s.proposing("blue"))
	succeeded(t, m)
	two.fails(t, s.proposing("blue"), "Two resources name one folder", "large, small", "a new resource")
}
