// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// newNamed is a repository behind a server that is reached by several names.
func newNamed(t testing.TB) (s server, otherName string) {
	t.Helper()
	repo := gitmem.New(t)
	address, err := url.Parse(repo.URL())
	if err != nil {
		t.Fatal(err)
	}
	s = server{repo: repo, url: address.String(), computed: new(atomic.Int64), waits: func() {}}
	address.Host = "localhost:" + address.Port()
	return s, address.String()
}

// One resource of a plan removes a folder that another one wants. The resource that is
// planned second is refused, and nothing changes.
func TestRemovedAndWanted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		// wants are the settings of the new resource; of the old one, what is removed by
		// a destroy, or else by its next settings.
		wants   func(s server, otherName string) publish.Settings
		removes func(s server) publish.Settings
		edit    func(t *testing.T, s server, old *instance)
	}{
		"the key is renamed":                        {wants: func(s server, _ string) publish.Settings { return s.settings(both("blue")) }},
		"the key is renamed, and the fleet changes": {wants: func(s server, _ string) publish.Settings { return s.settings(both("green")) }},
		"key and environment are renamed together": {wants: func(s server, _ string) publish.Settings {
			return s.settings(fleetOf("stage", "blue", "large", "small"))
		}},
		"the key is renamed, with another name of the server": {wants: func(s server, otherName string) publish.Settings {
			settings := s.settings(both("blue"))
			settings.Repo.Value = otherName
			return settings
		}},
		"both": {wants: func(s server, otherName string) publish.Settings {
			settings := s.settings(fleetOf("stage", "blue", "large", "small"))
			settings.Repo.Value = otherName
			return settings
		}},
		"with another name, and the record is gone": {
			wants: func(s server, otherName string) publish.Settings {
				settings := s.settings(both("blue"))
				settings.Repo.Value = otherName
				return settings
			},
			edit: func(t *testing.T, s server, old *instance) {
				t.Helper()
				s.edit(t, "prod", map[string]string{record(old): ""})
				old.refresh(t)
			},
		},
		"a cluster type leaves one environment for another one": {
			wants: func(s server, _ string) publish.Settings { return s.settings(fleetOf("stage", "blue", "small")) },
			removes: func(s server) publish.Settings {
				return s.settings(fleet("blue", "large"))
			},
		},
		"one moves away, and another one comes": {
			wants:   func(s server, _ string) publish.Settings { return s.settings(both("green")) },
			removes: func(s server) publish.Settings { return inFolder(s.settings(both("blue")), "fleet") },
		},
		"it is one folder of many": {wants: func(s server, _ string) publish.Settings {
			return s.settings(fleetOf("stage", "blue", "medium", "small"))
		}},
	} {
		for _, order := range []string{"the new one is planned first", "the new one is planned last"} {
			t.Run(name+", "+order, func(t *testing.T) {
				t.Parallel()
				s, otherName := newNamed(t)
				old, fresh := &instance{server: s}, &instance{server: s}
				old.apply(t, s.settings(both("blue")))
				if test.edit != nil {
					test.edit(t, s, old)
				}
				s.sameRun(t, old, fresh)
				plans := []func() message.Messages{
					func() message.Messages {
						_, m := fresh.plan(t, test.wants(s, otherName))
						return m
					},
					func() message.Messages {
						if test.removes == nil {
							return old.planDestroy(t)
						}
						_, m := old.plan(t, test.removes(s))
						return m
					},
				}
				if strings.HasSuffix(order, "last") {
					plans[0], plans[1] = plans[1], plans[0]
				}
				for _, m := range plans[0]().Errors { // a folder of another environment is refused at once
					if m.Summary != "Folders of another owner" {
						t.Errorf("the first plan fails: %+v", m)
					}
				}
				says(t, plans[1]().Errors, "Removed and wanted in one plan", "small", "the same place", record(old), "moved {", "-target",
					"cluster_types")
			})
		}
	}
}

// Independent changes are not refused: other folders, another branch or path, a repository
// with the same names, and retained folders.
func TestRemovedAndNotWanted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		wants   func(t *testing.T, s server) publish.Settings
		removal ownership.Removal
	}{
		"other folders": {wants: func(_ *testing.T, s server) publish.Settings { return s.settings(fleetOf("stage", "blue", "medium")) }},
		"another branch": {wants: func(_ *testing.T, s server) publish.Settings {
			settings := s.settings(both("blue"))
			settings.Branch.Value = "next"
			return settings
		}},
		"another path": {wants: func(_ *testing.T, s server) publish.Settings { return inFolder(s.settings(both("blue")), "fleet") }},
		"another repository": {wants: func(t *testing.T, s server) publish.Settings {
			t.Helper()
			settings := s.settings(both("blue"))
			settings.Repo.Value = gitmem.New(t).URL()
			return settings
		}},
		"retained": {wants: func(_ *testing.T, s server) publish.Settings { return s.settings(both("green")) }, removal: ownership.Retain},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newNamed(t)
			old, fresh := &instance{server: s}, &instance{server: s}
			settings := s.settings(both("blue"))
			if test.removal != "" {
				settings.Removal = test.removal
			}
			old.apply(t, settings)
			s.sameRun(t, old, fresh)
			_, m := fresh.plan(t, test.wants(t, s))
			succeeded(t, m)
			succeeded(t, old.planDestroy(t))
		})
	}
}

// A fleet that is not known yet counts as wanting every folder of its place.
func TestRemovedAndPerhapsWanted(t *testing.T) {
	t.Parallel()
	for name, clusterTypes := range map[string][]string{"all": nil, "some": {"small"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newNamed(t)
			old := &instance{server: s}
			old.apply(t, s.settings(both("blue")))
			s.sameRun(t, old)
			m := old.run.PlanUnknown(&ownership.Inventory{}, "stage", old.was.Location, clusterTypes, true)
			succeeded(t, m)
			says(t, old.planDestroy(t).Errors, "Removed and wanted in one plan", "small", `environment "stage"`, "a new resource")
		})
	}
}

// Of two that are not known yet, nobody can say that they want the same.
func TestTwoAreNotKnown(t *testing.T) {
	t.Parallel()
	s, _ := newNamed(t)
	old := &instance{server: s}
	old.apply(t, s.settings(fleet("blue", "large")))
	s.sameRun(t, old)
	for _, instance := range []string{"0123456789abcdef", "fedcba9876543210"} {
		inv := old.inventory(t)
		inv.Instance = instance
		succeeded(t, old.run.PlanUnknown(inv, "prod", old.was.Location, nil, false))
	}
}

// A resource whose fleet is not known yet may remove its folders, so no other resource may
// name them.
func TestPerhapsRemovedAndWanted(t *testing.T) {
	t.Parallel()
	s, _ := newNamed(t)
	old, fresh := &instance{server: s}, &instance{server: s}
	old.apply(t, s.settings(both("blue")))
	s.sameRun(t, old, fresh)
	succeeded(t, old.run.PlanUnknown(old.inventory(t), "prod", old.was.Location, []string{"large"}, true))
	_, m := fresh.plan(t, s.settings(fleet("blue", "small")))
	says(t, m.Errors, "Removed and wanted in one plan", "may remove (its fleet or its list is not known yet) cluster type small")
}

// A copied state whose configuration names another environment and place would move the
// original away.
func TestCopiedState(t *testing.T) {
	t.Parallel()
	elsewhere := map[string]func(settings *publish.Settings){
		"branch": func(settings *publish.Settings) { settings.Branch.Value = "stage" },
		"path":   func(settings *publish.Settings) { settings.Path.Value = "stage" },
	}
	for name, change := range elsewhere {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			i.apply(t, s.settings(both("blue")))
			other := stateOf(i)
			settings := s.settings(fleetOf("stage", "blue", "large", "small"))
			change(&settings)
			other.fails(t, settings, "Another environment at another place", `environment "prod"`, `becomes "stage"`, "terraform state rm")
			i.standsStill(t, s.settings(both("blue")))
			// One change after the other is a renaming and a move.
			renamed := s.settings(fleetOf("stage", "blue", "large", "small"))
			i.apply(t, renamed)
			i.apply(t, settings)
			i.standsStill(t, settings)
		})
	}
}

// If the plan does not know the place, the apply refuses.
func TestCopiedStateFoundByApply(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	settings := s.settings(fleetOf("stage", "blue", "large", "small"))
	settings.Branch.Unknown = true
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	settings.Branch = publish.Text{Value: "stage", Given: true}
	says(t, i.carryOut(t, settings, &publish.Plan{Attributes: publish.Attributes{Packages: plan.Packages}}).Errors,
		"Another environment at another place")
	s.holds(t, "prod", fleetFiles...)
}
