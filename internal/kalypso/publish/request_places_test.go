// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// Turning requests on or off ends with the same packages. Without pull_request, the open
// request is withdrawn and the change written, even if there is nothing to write.
func TestRequestsOnAndOff(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	direct := func(family string) publish.Settings { return s.settings(both(family)) }
	withdrawn := func(change string) {
		t.Helper()
		q := s.only(t)
		plan := i.apply(t, direct("green"))
		if change != "" {
			changes(t, plan, change)
		}
		if old := s.github.Pull(t, q.Number); old.State != "closed" || s.repo.Head(t, q.Head) != "" || len(s.open()) > 0 {
			t.Errorf("the request is %+v", old)
		}
		if r := i.was.Attributes; r.Status != ownership.InSync || r.PullRequest != 0 || r.PullRequestURL != "" || r.MergedCommit != "" {
			t.Errorf("the report is %+v", r)
		}
		s.has(t, "prod", "green")
		i.standsStill(t, direct("green"))
	}
	i.apply(t, direct("blue"))
	i.status(t, ownership.InSync)
	i.apply(t, s.proposing("blue"))
	if i.status(t, ownership.InSync); len(s.open()) > 0 {
		t.Errorf("there was nothing to propose, but %+v is open", s.open())
	}
	i.apply(t, s.proposing("green"))
	i.status(t, ownership.Proposed)
	withdrawn("+0 ~2 -0 packages in 2 cluster types")
	i.apply(t, s.proposing("red"))
	i.status(t, ownership.Proposed)
	withdrawn("")
}

// A destroy closes the request for packages that are not merged, and proposes the removal
// of merged ones.
func TestRequestDestroyed(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	succeeded(t, i.destroy(t))
	if open := s.open(); len(open) > 0 {
		t.Errorf("there was nothing to remove, but %+v is open", open)
	}
	i.apply(t, s.proposing("blue"))
	s.merge(t, "squash")
	i.apply(t, s.proposing("green"))
	change := s.only(t)
	m := i.destroy(t)
	succeeded(t, m)
	says(t, m.Warnings, "The removal is proposed")
	removal := s.only(t)
	if removal.Number == change.Number || removal.Title != "prod: remove all packages" ||
		!strings.Contains(removal.Body, "| `small` | `web-live` | removed | ") {
		t.Errorf("the request is %+v", removal)
	}
	s.holds(t, removal.Head, "docs/index.md")
	s.has(t, "prod", "blue")
}

// A move is proposed in both places.
func TestRequestMoves(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	moved := inFolder(s.proposing("blue"), "new")
	i.apply(t, inFolder(s.proposing("blue"), "old"))
	s.merge(t, "squash")
	i.apply(t, moved)
	i.status(t, ownership.Proposed)
	for _, q := range s.open() {
		s.github.Merge(t, q.Number, "squash")
	}
	i.refreshed(t, ownership.InSync)
	i.standsStill(t, moved)
	s.holds(t, "prod", and(below("new", fleetFiles...), "docs/index.md")...)
}

// Two environments propose at once into one repository; each has its own request.
func TestRequestsOfTwoEnvironments(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	all := map[string]*instance{"prod": {server: s}, "dev": {server: s}}
	settings := func(environment, family string) publish.Settings {
		settings := inFolder(s.proposing(family), environment)
		settings.Fleet = fleetOf(environment, family, "large", "small")
		return settings
	}
	for _, family := range []string{"blue", "green"} {
		run := s.publisher(t)
		var together sync.WaitGroup
		for environment, i := range all {
			i.run = run
			together.Go(func() { i.apply(t, settings(environment, family)) })
		}
		together.Wait()
		open := s.open()
		if len(open) != 2 || strings.HasPrefix(open[0].Head, "kalypso/dev/") == strings.HasPrefix(open[1].Head, "kalypso/dev/") {
			t.Fatalf("open: %+v", open)
		}
	}
	for _, q := range s.open() {
		s.github.Merge(t, q.Number, "merge")
	}
	for environment, i := range all {
		i.run = nil
		i.refreshed(t, ownership.InSync)
		i.standsStill(t, settings(environment, "green"))
	}
	s.holds(t, "prod", and(and(below("prod", fleetFiles...), below("dev", fleetFiles...)...), "docs/index.md")...)
}

// A protected branch without pull_request says to add it.
func TestRequestForAProtectedBranch(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	s.github.Protect(t, "prod")
	i := &instance{server: s}
	i.fails(t, s.settings(both("blue")), "add a pull_request block")
	i.apply(t, s.proposing("blue"))
	i.status(t, ownership.Proposed)
}

// A resource that moves back without a request closes its request that would remove what it
// has written. Requests of others stay open, whatever they say.
func TestRemovalIsNotWantedAnyMore(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.requesting(both("blue"), request.Settings{BranchPrefix: "proposals/"}))
	s.merge(t, "squash")
	i.refreshed(t, ownership.InSync)
	i.apply(t, inFolder(s.proposing("blue"), "elsewhere"))
	s.github.Merge(t, i.was.PullRequest, "squash")
	i.refreshed(t, ownership.InSync)
	removal := s.only(t)
	forged := s.github.OpenPull("mallory", "prod", removal.Head, removal.Title, removal.Body)

	i.apply(t, s.settings(both("blue")))
	if now := s.github.Pull(t, removal.Number); now.State != "closed" || len(now.Comments) != 1 ||
		!strings.Contains(now.Comments[0], "written the packages again") || s.repo.Head(t, removal.Head) == "" {
		t.Errorf("the request that removes the packages is %+v", now)
	}
	if s.github.Pull(t, forged).State != "open" {
		t.Error("the request of somebody else is closed")
	}
	s.contains(t, "docs/index.md", "# Docs\n")
	i.standsStill(t, s.settings(both("blue")))
}
