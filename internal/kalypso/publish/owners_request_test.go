// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// A takeover is proposed as any change is: until it is merged, the folders are their
// owner's. One that changes no package says so, and nobody waits for it.
func TestTakeOverByARequest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ family, title string }{
		"as it is":           {"blue", "prod: take over unchanged packages"},
		"with other content": {"green", "prod: +2 ~0 -0 packages in 2 cluster types"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			one, two := &instance{server: s}, &instance{server: s}
			one.apply(t, s.proposing("blue"))
			s.merge(t, "squash")
			one.refreshed(t, ownership.InSync)
			s.owned(t, map[string]string{one.was.Instance: "large small"})

			settings := s.requesting(both(test.family), request.Settings{Wait: test.family == "blue"})
			plan, m := two.plan(t, settings)
			succeeded(t, m)
			says(t, m.Warnings, "Folders are taken over", record(one))
			m = two.carryOut(t, settings, plan)
			succeeded(t, m)
			if q := s.only(t); q.Title != test.title {
				t.Errorf("the request is %+v", q)
			}
			s.has(t, s.only(t).Head, test.family)
			two.status(t, ownership.Proposed)
			two.standsStill(t, settings)
			one.standsStill(t, s.proposing("blue"))

			// As long as it is open, it can become another one.
			two.apply(t, s.proposing("red"))
			s.has(t, s.only(t).Head, "red")
			two.standsStill(t, s.proposing("red"))
			two.apply(t, settings)

			s.merge(t, "squash")
			two.refreshed(t, ownership.InSync)
			two.standsStill(t, settings)
			s.owned(t, map[string]string{two.was.Instance: "large small"})
			one.loses(t, s.proposing("black"))
			if open := s.open(); len(open) > 0 {
				t.Errorf("open %+v", open)
			}
			two.standsStill(t, settings)
			s.has(t, "prod", test.family)
		})
	}
}

// A takeover that is refused in review changes nothing for the owner, and is proposed
// again with the next change.
func TestTakeOverRefusedInReview(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	one, two := &instance{server: s}, &instance{server: s}
	one.apply(t, s.settings(both("blue")))
	two.apply(t, s.proposing("green"))
	s.github.ClosePull(t, s.only(t).Number)
	two.refreshed(t, ownership.Closed)
	one.standsStill(t, s.settings(both("blue")))
	two.standsStill(t, s.proposing("green"))
	plan, m := two.plan(t, s.proposing("red"))
	succeeded(t, m)
	says(t, m.Warnings, "Folders are taken over")
	succeeded(t, two.carryOut(t, s.proposing("red"), plan))
	two.standsStill(t, s.proposing("red"))
	s.github.ClosePull(t, s.only(t).Number)
	two.refreshed(t, ownership.Closed)
	succeeded(t, two.destroy(t))
	one.standsStill(t, s.settings(both("blue")))
	s.has(t, "prod", "blue")
	s.owned(t, map[string]string{one.was.Instance: "large small"})
}

// Another environment's folders are refused before anything is proposed; and what came
// in while a request was open is refused by the next apply.
func TestFoldersOfAnotherOwnerAreNotProposed(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	dev, prod := &instance{server: s}, &instance{server: s}
	dev.apply(t, s.settings(fleetOf("dev", "blue", "large")))
	prod.fails(t, s.proposing("blue"), "Folders of another owner", `folder large belongs to environment "dev"`)
	small := s.requesting(fleet("blue", "small"), request.Settings{})
	prod.apply(t, small)
	dev.apply(t, s.settings(fleetOf("dev", "blue", "large", "small")))
	prod.refresh(t)
	dev.standsStill(t, s.settings(fleetOf("dev", "blue", "large", "small")))
	prod.fails(t, small, `folder small belongs to environment "dev"`)
	succeeded(t, prod.destroy(t))
	if open := s.open(); len(open) > 0 {
		t.Errorf("open %+v", open)
	}
	dev.standsStill(t, s.settings(fleetOf("dev", "blue", "large", "small")))
}

// A record that is missing is nothing to propose: it comes with the next change.
func TestRecordAloneIsNotProposed(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	s.merge(t, "squash")
	i.refreshed(t, ownership.InSync)
	s.edit(t, "prod", map[string]string{record(i): ""})
	i.standsStill(t, s.proposing("blue"))
	retained := s.proposing("blue")
	retained.Removal = ownership.Retain
	i.apply(t, retained) // a setting alone
	if open := s.open(); len(open) > 0 {
		t.Errorf("open %+v", open)
	}
	i.apply(t, s.proposing("green"))
	s.merge(t, "squash")
	i.refreshed(t, ownership.InSync)
	s.owned(t, map[string]string{i.was.Instance: "large small"})
	i.standsStill(t, s.proposing("green"))
}
