// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// A resource that is created where another one of its environment has written, which
// may be gone from the state, takes over what is there; the other one keeps its hands off.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in      engine.Input
		commits int
	}{"as it is": {both("blue"), 2}, "with other content": {both("green"), 2}, "with more": {fleet("blue", "large", "medium", "small"), 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			one, two := &instance{server: s}, &instance{server: s}
			one.apply(t, s.settings(both("blue")))
			before := s.repo.TreeWithout(t, "prod", ".kalypso")
			plan, m := two.plan(t, s.settings(test.in))
			succeeded(t, m)
			says(t, m.Warnings, "Folders are taken over", `folders large, small belong to environment "prod", path "." (`+record(one)+")",
				"add a moved block")
			m = two.carryOut(t, s.settings(test.in), plan)
			succeeded(t, m)
			s.commits(t, "prod", test.commits)
			if after := s.repo.TreeWithout(t, "prod", ".kalypso"); (after == before) != (name == "as it is") {
				t.Errorf("the branch holds %v", s.repo.Files(t, "prod"))
			}
			two.standsStill(t, s.settings(test.in))
			held := s.repo.Files(t, "prod")
			one.loses(t, s.settings(both("red")))
			two.standsStill(t, s.settings(test.in))
			if len(s.repo.Files(t, "prod")) != len(held) {
				t.Errorf("the branch holds %v", s.repo.Files(t, "prod"))
			}
		})
	}
}

// Of an instance that loses some of its folders, the others stay its own.
func TestTakeOverInPart(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one, two := &instance{server: s}, &instance{server: s}
	one.apply(t, s.settings(promoting(both("blue"), promoted)))
	two.apply(t, s.settings(promoting(fleet("green", "large"), "")))
	s.owned(t, map[string]string{one.was.Instance: "small", two.was.Instance: "large"})
	one.fails(t, s.settings(promoting(both("blue"), promoted)), "Folders have another owner now", "folder large belongs")

	// Once it no longer wants them, it goes on with the rest.
	rest := s.settings(promoting(fleet("red", "small"), promoted))
	one.apply(t, rest)
	one.standsStill(t, rest)
	two.standsStill(t, s.settings(promoting(fleet("green", "large"), "")))
	succeeded(t, one.destroy(t))
	s.holds(t, "prod", fleetFiles[:4]...)
	s.owned(t, map[string]string{two.was.Instance: "large"})
}

// The promoted commit's file goes to the resource that takes the folders and writes it,
// whether the destroy of its former owner has seen that or not.
func TestTakeOverThePromotedCommit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		next      string
		refreshed bool
	}{
		"the same commit": {promoted, false}, "the same commit, seen": {promoted, true},
		"another one": {strings.Repeat("ab", 20), false}, "another one, seen": {strings.Repeat("ab", 20), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			one, two := &instance{server: s}, &instance{server: s}
			one.apply(t, s.settings(promoting(both("blue"), promoted)))
			two.apply(t, s.settings(promoting(both("blue"), test.next)))
			if test.refreshed {
				one.refresh(t)
			}
			succeeded(t, one.destroy(t))
			s.contains(t, engine.PromotedCommitFile, test.next)
			two.standsStill(t, s.settings(promoting(both("blue"), test.next)))
			succeeded(t, two.destroy(t))
			s.holds(t, "prod")
			s.owned(t, map[string]string{})
		})
	}
}

// A folder has one owner, whichever resource comes first. Folders of two owners can be
// beside each other.
func TestFoldersOfAnotherOwner(t *testing.T) {
	t.Parallel()
	dev := func(s server, path string, clusterTypes ...string) publish.Settings {
		return inFolder(s.settings(fleetOf("dev", "blue", clusterTypes...)), path)
	}
	prod := func(s server, path string, clusterTypes ...string) publish.Settings {
		return inFolder(s.settings(fleet("green", clusterTypes...)), path)
	}
	for name, test := range map[string]struct {
		first, second func(s server) publish.Settings
		// before is what the second one has written before; nil where it is new.
		before func(s server) publish.Settings
		words  []string
	}{
		"another environment": {
			first:  func(s server) publish.Settings { return dev(s, ".", "large") },
			second: func(s server) publish.Settings { return prod(s, ".", "large", "small") },
			words:  []string{`folder large belongs to environment "dev"`, "Write below another path", "remove its record"},
		},
		"another environment, by an update": {
			first:  func(s server) publish.Settings { return dev(s, ".", "large") },
			before: func(s server) publish.Settings { return prod(s, ".", "small") },
			second: func(s server) publish.Settings { return prod(s, ".", "large", "small") },
			words:  []string{`folder large belongs to environment "dev"`},
		},
		"another environment, by a move": {
			first:  func(s server) publish.Settings { return dev(s, "fleet", "large") },
			before: func(s server) publish.Settings { return prod(s, ".", "large") },
			second: func(s server) publish.Settings { return prod(s, "fleet", "large") },
			words:  []string{`folder large belongs to environment "dev"`},
		},
		"around theirs": {
			first:  func(s server) publish.Settings { return dev(s, "fleet/deep", "large") },
			second: func(s server) publish.Settings { return prod(s, ".", "fleet") },
			words:  []string{`folder fleet belongs to environment "dev", path "fleet/deep"`, "must not contain each other"},
		},
		"around theirs, of the same environment": {
			first:  func(s server) publish.Settings { return prod(s, "fleet", "large") },
			before: func(s server) publish.Settings { return prod(s, ".", "small") },
			second: func(s server) publish.Settings { return prod(s, ".", "fleet", "small") },
			words:  []string{`folder fleet belongs to environment "prod", path "fleet"`},
		},
		"in theirs": {
			first:  func(s server) publish.Settings { return dev(s, ".", "fleet") },
			second: func(s server) publish.Settings { return prod(s, "fleet/deep", "large") },
			words:  []string{`folder large belongs to environment "dev", path "."`},
		},
		"in theirs, by a move": {
			first:  func(s server) publish.Settings { return dev(s, ".", "fleet") },
			before: func(s server) publish.Settings { return prod(s, "teams", "large") },
			second: func(s server) publish.Settings { return prod(s, "fleet", "large") },
			words:  []string{`folder large belongs to environment "dev", path "."`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			one, two := &instance{server: s}, &instance{server: s}
			if test.before != nil {
				two.apply(t, test.before(s))
			}
			one.apply(t, test.first(s))
			two.fails(t, test.second(s), append(test.words, "Folders of another owner", "Nothing was written")...)
			one.standsStill(t, test.first(s))

			// Once the other one has gone, it is free.
			succeeded(t, one.destroy(t))
			two.apply(t, test.second(s))
			two.standsStill(t, test.second(s))
		})
	}
	t.Run("beside each other", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		all := []publish.Settings{dev(s, ".", "large"), prod(s, ".", "small"), dev(s, "teams/x", "large"), prod(s, "teams/x", "small"),
			prod(s, "teams", "xy")}
		var instances []*instance
		for _, settings := range all {
			i := &instance{server: s}
			i.apply(t, settings)
			instances = append(instances, i)
		}
		for n, i := range instances {
			i.standsStill(t, all[n])
			succeeded(t, i.destroy(t))
		}
		s.holds(t, "prod")
	})
}

// Between a plan and its apply others may have come: the apply decides anew, and what
// the plan could not say, it says.
func TestOwnersComeBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]bool{"stage": true, "prod": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			one, two := &instance{server: s}, &instance{server: s}
			plan, m := two.plan(t, s.settings(both("green")))
			succeeded(t, m)
			warnsOf(t, m)
			one.apply(t, s.settings(fleetOf(name, "blue", "large")))
			if m = two.carryOut(t, s.settings(both("green")), plan); refused {
				says(t, m.Errors, `folder large belongs to environment "stage"`)
				s.commits(t, "prod", 1)
				one.standsStill(t, s.settings(fleetOf(name, "blue", "large")))
				return
			}
			says(t, m.Errors, "plan has not shown that this apply would take over", "folder large belongs to", record(one))
			s.commits(t, "prod", 1)
			two.apply(t, s.settings(both("green")))
			two.standsStill(t, s.settings(both("green")))
			one.loses(t, s.settings(fleet("blue", "large")))
		})
	}
	t.Run("an update", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		one, two := &instance{server: s}, &instance{server: s}
		one.apply(t, s.settings(both("blue")))
		plan, m := one.plan(t, s.settings(both("green")))
		succeeded(t, m)
		two.apply(t, s.settings(both("blue")))
		says(t, one.carryOut(t, s.settings(both("green")), plan).Errors, "Another resource now owns folders", record(two))
		two.standsStill(t, s.settings(both("blue")))
	})
	t.Run("a destroy", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		one, two := &instance{server: s}, &instance{server: s}
		one.apply(t, s.settings(both("blue")))
		one.refresh(t)
		two.apply(t, s.settings(fleet("blue", "large"))) // small stays the first one's
		m := one.destroy(t)
		succeeded(t, m)
		says(t, m.Warnings, "Left to others", "folder large")
		s.holds(t, "prod", fleetFiles[:4]...)
		two.standsStill(t, s.settings(fleet("blue", "large")))
	})
}
