// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// What a resource has goes to the one that comes to its place in the same run.
func TestBequest(t *testing.T) {
	t.Parallel()
	destroy := func(t *testing.T, i *instance, followed bool) publish.Messages {
		return i.run.Destroy(t.Context(), publish.Job{Settings: &i.was.Settings, Was: i.applied(), Inventory: i.inventory(t), Followed: followed}, true)
	}
	for name, test := range map[string]func(t *testing.T, s server, from, to *instance){
		"one that is created later": func(t *testing.T, s server, from, to *instance) {
			succeeded(t, destroy(t, from, true))
			to.apply(t, s.settings(both("blue")))
			s.holds(t, "prod", fleetFiles...)
			s.commits(t, "prod", 1)
			if to.was.Instance != from.was.Instance {
				t.Error("it goes on as another instance")
			}
		},
		"and wants less": func(t *testing.T, s server, from, to *instance) {
			succeeded(t, destroy(t, from, true))
			to.apply(t, s.settings(fleet("blue", "large")))
			s.holds(t, "prod", fleetFiles[:4]...)
			s.commits(t, "prod", 2)
		},
		"one that was created already": func(t *testing.T, s server, from, to *instance) {
			to.apply(t, s.settings(fleet("blue", "large")))
			succeeded(t, destroy(t, from, false))
			s.holds(t, "prod", fleetFiles[:4]...)
			s.commits(t, "prod", 3)
		},
		"one that could not be created": func(t *testing.T, s server, from, to *instance) {
			settings := s.settings(fleet("blue", "large", "medium", "small"))
			plan, m := to.plan(t, settings)
			succeeded(t, m)
			s.edit(t, "prod", map[string]string{"medium/theirs": "x"})
			if m := to.carryOut(t, settings, plan); !m.Failed() {
				t.Error("it was created")
			}
			says(t, destroy(t, from, true).Errors, "was not created. Nothing was removed")
		},
		"nobody": func(t *testing.T, s server, from, _ *instance) {
			succeeded(t, destroy(t, from, false))
			s.holds(t, "prod")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			from := &instance{server: s}
			from.apply(t, s.settings(both("blue")))
			run := s.publisher(t)
			from.run = run
			test(t, s, from, &instance{server: s, run: run})
		})
	}
}
