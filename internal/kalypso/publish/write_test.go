// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// One resource from its first commit to its last, whatever else is in the branch.
func TestLifecycle(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.edit(t, "prod", map[string]string{"CODEOWNERS": "* @platform", "docs/index.md": "# Docs", ".github/workflows/ci.yml": "on: push"})
	foreign := []string{"CODEOWNERS", "docs/index.md", ".github/workflows/ci.yml"}
	i := &instance{server: s}

	create := i.apply(t, s.settings(both("blue")))
	changes(t, create, "+2 ~0 -0 packages in 2 cluster types")
	packages(t, create.Packages, "large/README.md", "large/web-live", "small/README.md", "small/web-live")
	s.holds(t, "prod", and(fleetFiles, foreign...)...)
	i.standsStill(t, s.settings(both("blue")))

	change := i.apply(t, s.settings(both("green")))
	changes(t, change, "+0 ~2 -0 packages in 2 cluster types")
	if !strings.Contains(change.Diff, "-{kind: ConfigMap, apiVersion: v1, metadata: {name: web-live, namespace: prod-large-web-live, labels: "+
		"{family: blue}}}") {
		t.Errorf("diff\n%s", change.Diff)
	}
	changes(t, i.apply(t, s.settings(fleet("green", "large"))), "+0 ~0 -1 packages in 1 cluster type")
	s.holds(t, "prod", and(fleetFiles[:4], foreign...)...)
	succeeded(t, i.destroy(t))
	s.holds(t, "prod", foreign...)
	s.commits(t, "prod", 5)
	if log := s.repo.Log(t, "prod"); log[0] != "prod: remove all packages" || log[2] != "prod: +0 ~2 -0 packages in 2 cluster types" {
		t.Errorf("log %q", log)
	}
}

// If somebody changes our folders between plan and apply, the apply stops. A change
// elsewhere does not stop it.
func TestConflict(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	green := s.settings(both("green"))
	plan, m := i.plan(t, green)
	succeeded(t, m)
	s.edit(t, "prod", map[string]string{"large/web-live/reconciler.yaml": "edited: true\n", "large/stray/x": "x"})
	head := s.repo.Head(t, "prod")
	m = i.carryOut(t, green, plan)
	says(t, m.Errors, "Somebody else changed folder large in "+s.url+"#prod:. after the plan was made", ": packages large/stray, "+
		"large/web-live. Nothing was written", "Plan again")
	if s.repo.Head(t, "prod") != head {
		t.Error("something was written")
	}
	plan, m = i.plan(t, green)
	succeeded(t, m)
	s.edit(t, "prod", map[string]string{"docs/index.md": "# Docs\n"})
	succeeded(t, i.carryOut(t, green, plan))
	s.holds(t, "prod", and(fleetFiles, "docs/index.md")...)
	s.has(t, "prod", "green")
}

// Folders of others are never overwritten.
func TestCreateWhereSomethingIs(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.edit(t, "prod", map[string]string{"small/theirs": "theirs"})
	(&instance{server: s}).fails(t, s.settings(both("blue")), "already has folder small", "import with the id "+s.url+"#prod:.")
	s.holds(t, "prod", "small/theirs")
	s.contains(t, "small/theirs", "theirs")
}

// Retained folders stay in the record, and the next resource of the environment takes them
// over: only the records change.
func TestCreateWhatIsThere(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	retained := s.settings(both("blue"))
	retained.Removal = ownership.Retain
	i := &instance{server: s}
	i.apply(t, retained)
	succeeded(t, i.destroy(t))
	s.holds(t, "prod", fleetFiles...)
	changes(t, i.apply(t, retained), "+2 ~0 -0 packages in 2 cluster types")
	s.commits(t, "prod", 2) // the fleet, and the takeover
	i.standsStill(t, retained)
}

func inFolder(settings publish.Settings, path string) publish.Settings {
	settings.Path = publish.Text{Value: path, Given: true}
	return settings
}

func TestDetailByClusterType(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	coarse := s.settings(both("blue"))
	coarse.Detail = engine.DetailClusterType
	i := &instance{server: s}
	create := i.apply(t, coarse)
	changes(t, create, "+2 ~0 -0 cluster types")
	packages(t, create.Packages, "large", "small")
	i.standsStill(t, coarse)
	s.edit(t, "prod", map[string]string{"small/web-live/reconciler.yaml": "edited: true\n"})
	changes(t, i.apply(t, coarse), "+0 ~1 -0 cluster types")
	// Another level of detail does not change the repository.
	fine := s.settings(both("blue"))
	plan := i.apply(t, fine)
	packages(t, plan.Packages, "large/README.md", "large/web-live", "small/README.md", "small/web-live")
	if plan.Differs || plan.Summary != "no file changes, only the keys of packages" {
		t.Errorf("%+v", plan)
	}
	s.commits(t, "prod", 3)
	i.standsStill(t, fine)
	// A change of the repository beside it is reported as such.
	coarse.Fleet = both("green")
	changes(t, i.apply(t, coarse), "+0 ~2 -0 cluster types")
}

// A plan runs the engine once, also where something has drifted; an apply once more. Without
// changes it does not run at all.
func TestEngineRuns(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	runs := func(settings publish.Settings, want int) {
		t.Helper()
		s.computed.Store(0)
		if plan, m := i.plan(t, settings); m.Failed() || s.computed.Load() != int64(want) {
			t.Errorf("the plan %+v ran the engine %d times, want %d", plan, s.computed.Load(), want)
		}
	}
	runs(s.settings(both("blue")), 1)
	i.apply(t, s.settings(both("blue")))
	runs(s.settings(both("blue")), 0)
	changed := s.settings(both("green"))
	runs(changed, 1)
	s.edit(t, "prod", map[string]string{"small/web-live/reconciler.yaml": "edited: true\n"})
	runs(changed, 1)
	plan, m := i.plan(t, changed)
	succeeded(t, m)
	s.computed.Store(0)
	if succeeded(t, i.carryOut(t, changed, plan)); s.computed.Load() != 1 {
		t.Errorf("the apply ran the engine %d times", s.computed.Load())
	}
}

// Terraform may know packages only at apply: then limits and findings count there.
func TestApplyWithoutAPlan(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	guarded := s.settings(fleet("blue", "large"))
	guarded.Limits = limits.Limits{Protect: []string{"small/*"}}
	_, m := i.Apply(t.Context(), i.job(t, guarded), publish.Planned{})
	says(t, m.Errors, "The change exceeds the limits")
	out, m := i.Apply(t.Context(), i.job(t, s.settings(both("green"))), publish.Planned{})
	succeeded(t, m)
	if !strings.Contains(out.Diff, "family: green") || out.Summary != "+0 ~2 -0 packages in 2 cluster types" {
		t.Errorf("%+v", out)
	}
	_, m = i.Apply(t.Context(), i.job(t, s.settings(both("red"))), publish.Planned{Location: out.Location, Packages: out.Packages})
	says(t, m.Errors, "The fleet came out differently than planned")
}

// A foreign folder whose name differs from ours only in case is in the way. On a file
// system that treats the two names as one, a checkout would lose one of them.
func TestNamesThatDifferInCase(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.edit(t, "prod", map[string]string{"Large/notes.txt": "x\n"})
	(&instance{server: s}).fails(t, s.settings(both("blue")), "arge exists in", "and large cannot be written beside it",
		"Rename or remove one of them")
}
