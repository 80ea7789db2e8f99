// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Packages move: the new place first, then the old one is cleaned.
func TestMove(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(t *testing.T, s server, settings *publish.Settings)
		branch string
		want   []string
		old    []string // what is left in prod, where that is another branch
	}{
		"to a folder":       {func(_ *testing.T, _ server, s *publish.Settings) { *s = inFolder(*s, "fleet") }, "prod", below("fleet", fleetFiles...), nil},
		"to another branch": {func(_ *testing.T, _ server, s *publish.Settings) { s.Branch.Value = "next" }, "next", fleetFiles, []string{}},
		"to a branch of the old one": {func(_ *testing.T, _ server, s *publish.Settings) {
			s.Branch.Value, s.StartFrom = "next", "prod"
		}, "next", fleetFiles, []string{}},
		"and retain": {func(_ *testing.T, _ server, s *publish.Settings) { *s = inFolder(*s, "fleet"); s.Retain = true }, "prod", append(below("fleet", fleetFiles...), fleetFiles...), nil},
		"another spelling is none": {func(_ *testing.T, s server, settings *publish.Settings) {
			settings.Repo.Value, settings.Path.Value = s.repo.Path()+"/", "./"
		}, "prod", fleetFiles, nil},
		"another URL of the repository is none": {func(t *testing.T, s server, settings *publish.Settings) {
			settings.Repo.Value = gittest.ServeHTTP(t, s.repo).URL()
		}, "prod", fleetFiles, nil},
		"another name of the branch is none": {func(t *testing.T, s server, settings *publish.Settings) {
			s.repo.Git(t, "symbolic-ref", "refs/heads/alias", "refs/heads/prod")
			settings.Branch.Value = "alias"
		}, "prod", fleetFiles, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			i.apply(t, s.settings(both("blue")))
			moved := s.settings(both("blue"))
			test.change(t, s, &moved)
			i.apply(t, moved)
			s.holds(t, test.branch, test.want...)
			if test.old != nil {
				s.holds(t, "prod", test.old...)
			}
			i.standsStill(t, moved)
			// And with another fleet it works on.
			moved.Fleet = both("green")
			i.apply(t, moved)
			s.holds(t, test.branch, test.want...)
		})
	}
}

// The old place is left alone as long as the new one cannot be written.
func TestMoveToATakenPlace(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	s.edit(t, "prod", map[string]string{"fleet/small/theirs": "x"})
	moved := inFolder(s.settings(both("blue")), "fleet")
	plan, m := i.plan(t, moved)
	succeeded(t, m)
	says(t, m.Warnings, "The packages move", "apply writes the new place first")
	m = i.carryOut(t, moved, plan)
	says(t, m.Errors, "already holds folder small", "remove or rename them")
	s.holds(t, "prod", append(slices.Clone(fleetFiles), "fleet/small/theirs")...)
	i.standsStill(t, s.settings(both("blue")))
}

func TestMoveIntoItself(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	_, m := i.plan(t, inFolder(s.settings(both("blue")), "large/sub"))
	says(t, m.Errors, "lie in each other")
	_, m = i.plan(t, inFolder(s.settings(both("blue")), "sub/large"))
	succeeded(t, m)
}

// Whoever takes a place over in a run keeps it, also where its former owner is
// destroyed or moves away in the same run.
func TestSuccessor(t *testing.T) {
	t.Parallel()
	t.Run("one is created, the other destroyed", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		one, two := &instance{server: s}, &instance{server: s}
		one.apply(t, s.settings(both("blue")))
		run := s.publisher(t)
		one.run, two.run = run, run
		two.apply(t, s.settings(both("blue")))
		succeeded(t, one.destroy(t))
		s.holds(t, "prod", fleetFiles...)
	})
	t.Run("two change places", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		a, b := inFolder(s.settings(both("blue")), "a"), inFolder(s.settings(both("blue")), "b")
		one, two := &instance{server: s}, &instance{server: s}
		one.apply(t, a)
		two.apply(t, b)
		run := s.publisher(t)
		one.run, two.run = run, run
		var both sync.WaitGroup
		both.Go(func() { one.apply(t, b) })
		both.Go(func() { two.apply(t, a) })
		both.Wait()
		s.holds(t, "prod", append(below("a", fleetFiles...), below("b", fleetFiles...)...)...)
	})
}
