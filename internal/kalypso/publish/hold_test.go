// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

func onHold(settings publish.Settings) publish.Settings {
	settings.Hold = true
	return settings
}

// On hold nothing is written, whatever is wanted, and drift is not repaired; afterwards
// everything is.
func TestHold(t *testing.T) {
	t.Parallel()
	broken := with(both("green"), "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Nonsense\n")
	for name, change := range map[string]engine.Input{
		"as it was": both("blue"), "another fleet": both("green"), "a fleet that loses a cluster type": fleet("blue", "large"),
		"a fleet that cannot be computed": broken, "another environment": fleetOf("stage", "blue", "large"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			i.apply(t, s.settings(both("blue")))
			s.edit(t, "prod", map[string]string{"large/web-live/reconciler.yaml": "by hand: true\n", "small/more": "x\n"})
			held, before := onHold(s.settings(change)), s.repo.Files(t, "prod")

			plan, m := i.plan(t, held)
			succeeded(t, m)
			says(t, m.Warnings, "is on hold", "the apply writes nothing to "+s.url+"#prod:.", "does not repair drift")
			if plan.Differs || plan.CommitOpen || plan.RequestOpen || plan.SummaryOpen || !maps.Equal(plan.Packages, i.was.Packages) {
				t.Errorf("the plan is %+v", plan)
			}
			i.status(t, ownership.Drifted)
			succeeded(t, i.carryOut(t, held, plan))
			i.standsStill(t, held)
			s.edit(t, "prod", map[string]string{"small/more": "y\n"})
			i.refreshed(t, ownership.Drifted)
			i.standsStill(t, held)
			before["small/more"] = "y\n"
			if after := s.repo.Files(t, "prod"); !maps.Equal(before, after) {
				t.Errorf("the branch holds %v", after)
			}

			for _, family := range []string{"blue", "green"} { // also what was last applied, and never written
				released := s.settings(both(family))
				if plan := i.apply(t, released); !plan.Differs {
					t.Errorf("%s: the plan is %+v", family, plan)
				}
				s.holds(t, "prod", fleetFiles...)
				if text := s.repo.Files(t, "prod")["large/web-live/reconciler.yaml"]; !strings.Contains(text, "family: "+family) {
					t.Errorf("the branch holds %s", text)
				}
				i.standsStill(t, released)
			}
		})
	}
}

// A change that a hold cannot keep back is refused.
func TestHoldKeepsThePlace(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	for name, change := range map[string]func(s *publish.Settings){
		"repo":           func(s *publish.Settings) { s.Repo.Value += "x" },
		"branch":         func(s *publish.Settings) { s.Branch.Value = "next" },
		"path":           func(s *publish.Settings) { s.Path.Value = "fleet" },
		"a path unknown": func(s *publish.Settings) { s.Path = publish.Text{Given: true, Unknown: true} },
		"detail":         func(s *publish.Settings) { s.Detail = engine.DetailClusterType },
	} {
		settings := onHold(s.settings(both("blue")))
		change(&settings)
		_, m := i.plan(t, settings)
		if says(t, m.Errors, "The environment is on hold", "remove hold"); len(m.Errors) != 1 {
			t.Errorf("%s: %+v", name, m.Errors)
		}
	}
	i.apply(t, onHold(s.settings(both("blue"))))
	says(t, i.planDestroy(t).Errors, "The environment is on hold", "must not be destroyed", "Remove hold, apply that change first")
	s.commits(t, "prod", 1)
}

// A repository that does not exist any more is written to on hold as little as any other one.
func TestHoldWithoutRepository(t *testing.T) {
	t.Parallel()
	for hold, want := range map[bool]string{false: "-refresh=false: that writes the packages", true: "The environment is on hold, " +
		"so an apply writes nothing. To plan without the repository, add -refresh=false."} {
		s := newServer(t)
		i := &instance{server: s}
		i.apply(t, s.settings(both("blue")))
		was := i.applied()
		was.Location.Repo, was.Hold = was.Location.Repo+"-gone", hold
		_, m := i.publisher(t).Refresh(t.Context(), was, i.inventory(t))
		says(t, m.Errors, want, "terraform state rm")
		if hold && strings.Contains(m.Errors[0].Detail, "writes the packages") {
			t.Errorf("%+v", m.Errors)
		}
	}
}

// An error that prevents the plan says once how to go on meanwhile.
func TestBrokenFleetSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	const meanwhile = "Nothing was written. To keep the branch unchanged until the errors are fixed, set KALYPSO_HOLD=1."
	broken := s.settings(with(both("green"), "kind: [\n", "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Nonsense\n"))
	_, m := i.plan(t, broken)
	if len(m.Errors) != 2 || strings.Contains(m.Errors[1].Detail, meanwhile) {
		t.Errorf("nothing is there yet: %+v", m.Errors)
	}
	i.apply(t, s.settings(both("blue")))
	_, m = i.plan(t, broken)
	if len(m.Errors) != 2 || strings.Contains(m.Errors[0].Detail, meanwhile) || !strings.Contains(m.Errors[1].Detail, meanwhile) {
		t.Errorf("%+v", m.Errors)
	}
}

// During a hold, the control plane may not be readable at all. A file that is broken afterwards
// still has its last text.
func TestHoldWithoutControlPlane(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.keepingFiles(ofTeams(map[string]team{"a": {"one.yaml": {"one", "red"}}})))
	before := rendered(t, s)
	nothing := fleet("blue")
	nothing.Manifests = []manifest.Text{{Name: "manifest", Text: "# Nothing could be read.\n"}}
	for range 2 {
		i.apply(t, onHold(s.keepingFiles(nothing)))
	}
	i.apply(t, s.keepingFiles(ofTeams(map[string]team{"a": {"one.yaml": {"one", "broken"}}})))
	if diff := cmp.Diff(before, rendered(t, s)); diff != "" {
		t.Errorf("branch (-before +after):\n%s", diff)
	}
	i.apply(t, s.keepingFiles(ofTeams(map[string]team{"a": {}}))) // what is gone when the control plane is read is removed
	if _, there := rendered(t, s)["large/one-live/reconciler.yaml"]; there || strings.Contains(string(i.noted), "name: one") {
		t.Errorf("the removed workload is there: %t, noted: %s", there, i.noted)
	}
}

// A resource that is new on hold writes nothing until it is let go.
func TestCreateOnHold(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	held := onHold(s.settings(both("blue")))
	plan, m := i.plan(t, held)
	succeeded(t, m)
	says(t, m.Warnings, "The environment is on hold: prod in "+s.url, "writes nothing to "+s.url+"#prod:. while hold is true. The first plan")
	packages(t, plan.Packages)
	succeeded(t, i.carryOut(t, held, plan))
	if s.repo.Head(t, "prod") != "" || i.was.Instance == "" {
		t.Errorf("%+v", i.was)
	}
	i.standsStill(t, held)
	changes(t, i.apply(t, s.settings(both("blue"))), "+2 ~0 -0 packages in 2 cluster types")
	s.holds(t, "prod", fleetFiles...)
	i.standsStill(t, s.settings(both("blue")))
}

// A request that was open stays as it is, and is followed.
func TestHoldARequest(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	first := s.only(t)
	i.apply(t, onHold(s.proposing("green")))
	if now := s.only(t); now.Number != first.Number || now.HeadCommit != first.HeadCommit {
		t.Errorf("first %+v, then %+v", first, now)
	}
	i.standsStill(t, onHold(s.proposing("green")))
	s.merge(t, "squash")
	i.refreshed(t, ownership.InSync)
	i.standsStill(t, onHold(s.proposing("green")))
	s.has(t, "prod", "blue")
	changes(t, i.apply(t, s.proposing("green")), "+0 ~2 -0 packages in 2 cluster types")
	s.has(t, s.only(t).Head, "green")
}

// An apply on hold takes values into the state that were never written. So limits and
// protection use the content that was written before it, whatever the detail.
func TestLimitsAfterHold(t *testing.T) {
	t.Parallel()
	for _, detail := range []engine.Detail{engine.DetailPackage, engine.DetailClusterType} {
		t.Run(string(detail), func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			settings := func(in engine.Input) publish.Settings {
				settings := s.limited(in, limits.Limits{MaxRemoved: amount(t, "0"), Protect: []string{"*/*"}})
				settings.Detail = detail
				return settings
			}
			i.apply(t, settings(both("blue")))
			emptied := both("blue")
			emptied.Environment = "moon"
			i.apply(t, onHold(settings(emptied)))
			i.refreshed(t, ownership.InSync)
			i.fails(t, settings(emptied), "the limits")
			i.fails(t, settings(fleet("blue", "large")), "the limits")
			s.holds(t, "prod", fleetFiles...)
		})
	}
}
