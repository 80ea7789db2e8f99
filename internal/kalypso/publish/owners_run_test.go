// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// sameRun has instances be of one run.
func (s server) sameRun(t testing.TB, instances ...*instance) {
	t.Helper()
	run := s.publisher(t)
	for _, i := range instances {
		i.run = run
	}
}

// A resource that got another name: its destroy and the other one's creation are one
// run, in any order, and nothing is ever gone from the branch.
func TestRenamedInOneRun(t *testing.T) {
	t.Parallel()
	const planned, created, destroyed = "plan", "create", "destroy"
	for name, test := range map[string]struct {
		// order is that of what Terraform calls; a destroy that comes first goes on
		// while the others are made.
		order []string
		fleet string
	}{
		"the creation first":           {[]string{planned, created, destroyed}, "blue"},
		"the destroy in between":       {[]string{planned, destroyed, created}, "blue"},
		"and another fleet":            {[]string{planned, destroyed, created}, "green"},
		"another fleet, created first": {[]string{planned, created, destroyed}, "green"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			one, two := &instance{server: s}, &instance{server: s}
			one.apply(t, s.settings(promoting(both("blue"), promoted)))
			s.sameRun(t, one, two)
			settings := s.settings(promoting(both(test.fleet), promoted))
			var plan *publish.Plan
			var waiting sync.WaitGroup
			for _, step := range test.order {
				switch step {
				case planned:
					var m publish.Messages
					plan, m = two.plan(t, settings)
					succeeded(t, m)
				case created:
					succeeded(t, two.carryOut(t, settings, plan))
				case destroyed:
					waiting.Go(func() {
						if m := one.destroy(t); m.Failed() || len(m.Warnings) > 0 {
							t.Errorf("%+v", m)
						}
					})
				}
			}
			waiting.Wait()
			s.owned(t, map[string]string{two.was.Instance: "large small"})
			two.standsStill(t, settings)
			if log := s.repo.Log(t, "prod"); len(log) > 2 || slices.ContainsFunc(log, func(subject string) bool { return strings.Contains(subject, "remove all") }) {
				t.Errorf("log %q", log)
			}
		})
	}
}

// Where the creation fails, nothing is removed for it.
func TestRenamedAndNotCreated(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one, two := &instance{server: s}, &instance{server: s}
	one.apply(t, s.settings(both("blue")))
	s.edit(t, "prod", map[string]string{"medium/theirs": "x"})
	s.sameRun(t, one, two)
	settings := s.settings(fleet("blue", "large", "medium", "small"))
	plan, m := two.plan(t, settings)
	succeeded(t, m)
	var destroying sync.WaitGroup
	destroying.Go(func() {
		m := one.destroy(t)
		says(t, m.Errors, "The packages were not removed", "was not created. Nothing was removed; apply again")
	})
	says(t, two.carryOut(t, settings, plan).Errors, "already holds folder medium")
	destroying.Wait()
	s.holds(t, "prod", and(fleetFiles, "medium/theirs")...)
	s.owned(t, map[string]string{one.was.Instance: "large small"})

	// The next run ends right.
	s.edit(t, "prod", map[string]string{"medium/theirs": ""})
	s.sameRun(t, one, two)
	two.apply(t, settings)
	succeeded(t, one.destroy(t))
	two.standsStill(t, settings)
}

// A destroy whose place another resource takes is no destroy: its plan says nothing.
func TestPlanDestroyOfWhatIsFollowed(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one, two := &instance{server: s}, &instance{server: s}
	settings := s.settings(both("blue"))
	settings.Removal = publish.Forbid
	one.apply(t, settings)
	s.sameRun(t, one, two)
	says(t, one.planDestroy(t).Errors, "Removal is forbidden")
	two.apply(t, settings)
	if m := one.planDestroy(t); m.Failed() || len(m.Warnings) > 0 {
		t.Errorf("%+v", m)
	}
}

// A replacement goes on with what there is: nothing is removed, in whatever order.
func TestReplacement(t *testing.T) {
	t.Parallel()
	for name, destroyFirst := range map[string]bool{"destroyed first": true, "created first": false} {
		for family, commits := range map[string]int{"blue": 1, "green": 2} {
			t.Run(name+", "+family, func(t *testing.T) {
				t.Parallel()
				s := newServer(t)
				settings := s.settings(promoting(both("blue"), promoted))
				one := &instance{server: s}
				one.apply(t, settings)
				was := one.was.Instance
				s.sameRun(t, one)
				two := one.replacement(t)
				settings.Fleet = promoting(both(family), promoted)
				plan, m := two.plan(t, settings)
				succeeded(t, m)
				if destroyFirst {
					succeeded(t, one.remove(t, false))
					s.commits(t, "prod", 1)
				}
				succeeded(t, two.carryOut(t, settings, plan))
				if !destroyFirst {
					succeeded(t, one.remove(t, false))
					commits = 2 // at least the record is another one
				}
				if s.commits(t, "prod", commits); (two.was.Instance == was) != destroyFirst {
					t.Errorf("%s becomes %s", was, two.was.Instance)
				}
				s.owned(t, map[string]string{two.was.Instance: "large small"})
				two.standsStill(t, settings)
				succeeded(t, two.destroy(t))
				s.holds(t, "prod")
			})
		}
	}
}

// A replacement that ends after its first half has lost nothing: the next run takes over.
func TestReplacementInterrupted(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	settings := s.settings(both("blue"))
	one := &instance{server: s}
	one.apply(t, settings)
	succeeded(t, one.remove(t, false))
	s.holds(t, "prod", fleetFiles...)
	two := &instance{server: s}
	two.apply(t, settings)
	s.owned(t, map[string]string{two.was.Instance: "large small"})
	two.standsStill(t, settings)
}

// Two resources of one run never take over from each other.
func TestTwoResourcesOfOneRun(t *testing.T) {
	t.Parallel()
	for name, clusterTypes := range map[string][]string{"the same": {"large", "small"}, "in part": {"small", "medium"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			one, two := &instance{server: s}, &instance{server: s}
			s.sameRun(t, one, two)
			second := s.settings(fleet("green", clusterTypes...))
			plan, m := two.plan(t, second)
			succeeded(t, m)
			one.apply(t, s.settings(both("blue")))
			m = two.carryOut(t, second, plan)
			says(t, m.Errors, "is not this resource's to write", record(one))
			_, m = two.plan(t, second)
			says(t, m.Warnings, "Folders of another owner", record(one))
			s.commits(t, "prod", 1)
			one.standsStill(t, s.settings(both("blue")))
		})
	}
	t.Run("beside each other", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		one, two := &instance{server: s}, &instance{server: s}
		s.sameRun(t, one, two)
		var all sync.WaitGroup
		all.Go(func() { one.apply(t, s.settings(fleet("blue", "large"))) })
		all.Go(func() { two.apply(t, s.settings(fleet("blue", "small"))) })
		all.Wait()
		s.holds(t, "prod", fleetFiles...)
		s.owned(t, map[string]string{one.was.Instance: "large", two.was.Instance: "small"})
		one.standsStill(t, s.settings(fleet("blue", "large")))
		two.standsStill(t, s.settings(fleet("blue", "small")))
	})
}
