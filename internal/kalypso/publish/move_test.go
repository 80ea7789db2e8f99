// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Packages move: the new place first, then the old one is cleaned.
func TestMove(t *testing.T) {
	t.Parallel()
	type change func(t *testing.T, s server, settings *publish.Settings)
	for name, test := range map[string]struct {
		change  change
		branch  string
		want    []string
		old     []string // what is left in prod, where that is another branch
		commits int      // of the branch
	}{
		"to a folder": {func(_ *testing.T, _ server, s *publish.Settings) { *s = inFolder(*s, "fleet") }, "prod",
			below("fleet", fleetFiles...), nil, 3},
		"to another branch": {func(_ *testing.T, _ server, s *publish.Settings) { s.Branch.Value = "next" }, "next", fleetFiles, []string{}, 1},
		"to a branch of the old one": {func(_ *testing.T, _ server, s *publish.Settings) {
			s.Branch.Value, s.StartFrom = "next", "prod"
		}, "next", fleetFiles, []string{}, 2},
		"and retain": {func(_ *testing.T, _ server, s *publish.Settings) {
			*s = inFolder(*s, "fleet")
			s.Removal = ownership.Retain
		}, "prod", and(below("fleet", fleetFiles...), fleetFiles...), nil, 2},
		"another spelling is not a move": {func(_ *testing.T, s server, settings *publish.Settings) {
			settings.Repo.Value, settings.Path.Value = s.repo.URL()+"/", "./"
		}, "prod", fleetFiles, nil, 1},
		"another URL of the repository is not a move": {func(t *testing.T, s server, settings *publish.Settings) {
			settings.Repo.Value = gittest.ServeHTTP(t, s.repo).URL()
		}, "prod", fleetFiles, nil, 1},
		"another name of the branch is not a move": {func(t *testing.T, s server, settings *publish.Settings) {
			s.repo.Alias(t, "alias", "prod")
			settings.Branch.Value = "alias"
		}, "prod", fleetFiles, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			i.apply(t, s.settings(both("blue")))
			moved := s.settings(both("blue"))
			test.change(t, s, &moved)
			plan := i.apply(t, moved)
			if packages(t, plan.Packages, "large/README.md", "large/web-live", "small/README.md",
				"small/web-live"); plan.Summary != "+2 ~0 -0 packages in 2 cluster types" {
				t.Errorf("summary %q", plan.Summary)
			}
			s.holds(t, test.branch, test.want...)
			s.commits(t, test.branch, test.commits)
			if test.old != nil {
				s.holds(t, "prod", test.old...)
			}
			i.standsStill(t, moved)
			// And with another fleet it works on.
			moved.Fleet = both("green")
			i.apply(t, moved)
			s.holds(t, test.branch, test.want...)
			s.commits(t, test.branch, test.commits+1)
		})
	}
}

// The promoted commit's file moves with the packages to another repository, and stays in
// its place within a branch. Foreign files stay in any case.
func TestMoveToAnotherRepository(t *testing.T) {
	t.Parallel()
	for name, retain := range map[string]bool{"remove": false, "retain": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := newServer(t), newServer(t)
			from.edit(t, "prod", map[string]string{"docs/index.md": "# Docs\n"})
			settings := func(s server, path string) publish.Settings {
				settings := inFolder(s.settings(promoting(both("blue"), promoted)), path)
				if retain {
					settings.Removal = ownership.Retain
				}
				return settings
			}
			i := &instance{server: from}
			i.apply(t, settings(from, "."))
			plan := i.apply(t, settings(to, "."))
			if changes(t, plan, "+2 ~0 -0 packages in 2 cluster types"); !plan.LocationKnown || plan.Location.String() != to.url+"#prod:." {
				t.Errorf("the plan is %+v", plan)
			}
			to.holds(t, "prod", and(fleetFiles, engine.PromotedCommitFile)...)
			left, stays := []string{"docs/index.md"}, []string(nil)
			if retain {
				left, stays = and(fleetFiles, engine.PromotedCommitFile, "docs/index.md"), fleetFiles
			}
			from.holds(t, "prod", left...)
			if plan := i.apply(t, settings(to, "fleet")); !plan.Differs {
				t.Errorf("the plan is %+v", plan)
			}
			to.holds(t, "prod", slices.Concat(below("fleet", fleetFiles...), []string{engine.PromotedCommitFile}, stays)...)
			i.standsStill(t, settings(to, "fleet"))
		})
	}
}

// A move back to where the packages are by another name takes a change with it; what a
// branch has one of stays where it goes by another name; and a branch that starts from
// a name of the old one is another one.
func TestMoveOnByAnotherName(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	served := s.settings(both("blue"))
	served.Repo.Value = gittest.ServeHTTP(t, s.repo).URL()
	i.apply(t, served)
	s.commits(t, "prod", 1)
	i.apply(t, s.settings(promoting(both("green"), promoted)))
	s.holds(t, "prod", and(fleetFiles, engine.PromotedCommitFile)...)
	s.commits(t, "prod", 2)

	s.repo.Alias(t, "alias", "prod")
	settings := inFolder(s.settings(promoting(both("green"), promoted)), "fleet")
	settings.Branch.Value = "alias"
	i.apply(t, settings)
	s.holds(t, "prod", and(below("fleet", fleetFiles...), engine.PromotedCommitFile)...)
	settings.Branch.Value, settings.StartFrom = "next", "alias"
	i.apply(t, settings)
	s.holds(t, "next", and(below("fleet", fleetFiles...), engine.PromotedCommitFile)...)
	s.holds(t, "prod")
}

// The old place is left alone as long as the new one cannot be written.
func TestMoveToATakenPlace(t *testing.T) {
	t.Parallel()
	for name, elsewhere := range map[string]bool{"of the branch": false, "in another repository": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := newServer(t)
			to := from
			if elsewhere {
				to = newServer(t)
			}
			i := &instance{server: from}
			i.apply(t, from.settings(both("blue")))
			to.edit(t, "prod", map[string]string{"fleet/small/theirs": "theirs\n"})
			before, there := from.repo.Files(t, "prod"), to.repo.Files(t, "prod")
			moved := inFolder(to.settings(both("blue")), "fleet")
			plan, m := i.plan(t, moved)
			succeeded(t, m)
			says(t, m.Warnings, "The packages move", "apply writes the new place first")
			m = i.carryOut(t, moved, plan)
			says(t, m.Errors, "already has folder small", "remove or rename them")
			if !maps.Equal(before, from.repo.Files(t, "prod")) || !maps.Equal(there, to.repo.Files(t, "prod")) {
				t.Errorf("something was written: %v, %v", from.repo.Files(t, "prod"), to.repo.Files(t, "prod"))
			}
			i.standsStill(t, from.settings(both("blue")))
		})
	}
}

func TestMoveIntoItself(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	i.fails(t, inFolder(s.settings(both("blue")), "large/sub"), "contains the other")
	i.apply(t, inFolder(s.settings(both("blue")), "sub/large"))
	s.holds(t, "prod", below("sub/large", fleetFiles...)...)
	i.fails(t, inFolder(s.settings(both("blue")), "sub"), "contains the other")
}

// A resource that takes a place over in a run keeps it, even if its former owner is
// destroyed in the same run.
func TestSuccessor(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one, two := &instance{server: s}, &instance{server: s}
	one.apply(t, s.settings(both("blue")))
	run := s.publisher(t)
	one.run, two.run = run, run
	two.apply(t, s.settings(both("blue")))
	succeeded(t, one.destroy(t))
	s.holds(t, "prod", fleetFiles...)
}
