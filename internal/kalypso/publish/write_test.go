// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// One resource from its first commit to its last, whatever else is in the branch.
func TestLifecycle(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.edit(t, "prod", map[string]string{"CODEOWNERS": "* @platform", "docs/index.md": "# Docs", ".github/workflows/ci.yml": "on: push"})
	foreign := []string{"CODEOWNERS", "docs/index.md", ".github/workflows/ci.yml"}
	i := &instance{server: s}

	create := i.apply(t, s.settings(both("blue")))
	s.holds(t, "prod", append(slices.Clone(fleetFiles), foreign...)...)
	if keys := slices.Sorted(maps.Keys(create.Packages)); create.Summary != "+2 ~0 -0 packages in 2 cluster types" || !slices.Equal(keys, []string{"large/README.md", "large/web-live", "small/README.md", "small/web-live"}) {
		t.Errorf("summary %q, packages %v", create.Summary, keys)
	}
	i.standsStill(t, s.settings(both("blue")))

	change := i.apply(t, s.settings(both("green")))
	if change.Summary != "+0 ~2 -0 packages in 2 cluster types" || !strings.Contains(change.Diff, "-{kind: ConfigMap, apiVersion: v1, metadata: {name: web-live, namespace: prod-large-web-live, labels: {family: blue}}}") {
		t.Errorf("summary %q, diff\n%s", change.Summary, change.Diff)
	}
	one := i.apply(t, s.settings(fleet("green", "large")))
	s.holds(t, "prod", append(slices.Clone(fleetFiles[:4]), foreign...)...)
	if one.Summary != "+0 ~0 -1 packages in 1 cluster type" {
		t.Errorf("summary %q", one.Summary)
	}
	succeeded(t, i.destroy(t))
	s.holds(t, "prod", foreign...)
	s.commits(t, "prod", 5)
	if log := s.repo.Log(t, "prod"); log[0] != "prod: remove all packages" || log[2] != "prod: +0 ~2 -0 packages in 2 cluster types" {
		t.Errorf("log %q", log)
	}
}

// Every kind of drift shows, with what puts it right, and is put right.
func TestDrift(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files         map[string]string
		summary, diff string
	}{
		"edited":            {map[string]string{"large/web-live/reconciler.yaml": "edited: true\n"}, "+0 ~1 -0 packages in 1 cluster type", "-edited: true"},
		"deleted":           {map[string]string{"large/web-live/reconciler.yaml": ""}, "+0 ~1 -0 packages in 1 cluster type", "new file mode 100644"},
		"a stray file":      {map[string]string{"large/web-live/stray": "stray\n"}, "+0 ~1 -0 packages in 1 cluster type", "deleted file mode 100644"},
		"a stray package":   {map[string]string{"large/stray/file": "stray\n"}, "+0 ~0 -1 packages in 1 cluster type", "-stray"},
		"README.md":         {map[string]string{"large/README.md": "# mine\n"}, "+0 ~1 -0 files beside the packages", "-# mine"},
		"a package gone":    {map[string]string{"large/web-live/reconciler.yaml": "", "large/web-live/namespace.yaml": "", "large/web-live/platform-config.yaml": ""}, "+1 ~0 -0 packages in 1 cluster type", "new file mode"},
		"a whole folder":    {map[string]string{"large/README.md": "", "large/web-live/reconciler.yaml": "", "large/web-live/namespace.yaml": "", "large/web-live/platform-config.yaml": ""}, "+1 ~0 -0 packages in 1 cluster type", "new file mode"},
		"the tracking file": {map[string]string{engine.TrackingFile: "another"}, "+0 ~1 -0 files beside the packages", "-another"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			settings := s.settings(both("blue"))
			promoted := "0123456789abcdef0123456789abcdef01234567"
			settings.Fleet.PromotedCommit = &promoted
			i := &instance{server: s}
			i.apply(t, settings)
			right := s.repo.Files(t, "prod")
			s.edit(t, "prod", test.files)

			plan := i.apply(t, settings)
			if plan.Summary != test.summary || !strings.Contains(plan.Diff, test.diff) {
				t.Errorf("summary %q, diff\n%s", plan.Summary, plan.Diff)
			}
			if !maps.Equal(right, s.repo.Files(t, "prod")) {
				t.Errorf("the branch holds %v", s.repo.Files(t, "prod"))
			}
			i.standsStill(t, settings)
		})
	}
}

// What drifted and was put right by hand is no drift any more.
func TestDriftPutRightByHand(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	path := "large/web-live/reconciler.yaml"
	right := s.repo.Files(t, "prod")[path]
	s.edit(t, "prod", map[string]string{path: "edited: true\n"})
	if i.refresh(t); i.was.Status != publish.Drifted {
		t.Errorf("status %q", i.was.Status)
	}
	s.edit(t, "prod", map[string]string{path: right})
	if i.refresh(t); i.was.Status != publish.InSync {
		t.Errorf("status %q", i.was.Status)
	}
	i.standsStill(t, s.settings(both("blue")))
}

// The branch, or the repository's history, may be another one altogether.
func TestDriftOfTheBranch(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	s.repo.DeleteBranch(t, "prod")
	if plan := i.apply(t, s.settings(both("blue"))); plan.Summary != "+2 ~0 -0 packages in 2 cluster types" {
		t.Errorf("summary %q", plan.Summary)
	}
	s.repo.DeleteBranch(t, "prod")
	s.edit(t, "prod", map[string]string{"unrelated": "x", "large/web-live/reconciler.yaml": "other: history\n"})
	i.apply(t, s.settings(both("blue")))
	s.holds(t, "prod", append(slices.Clone(fleetFiles), "unrelated")...)
	i.standsStill(t, s.settings(both("blue")))
}

// What changes between plan and apply in our folders stops the apply; elsewhere
// it does not.
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
	says(t, m.Errors, "Somebody else changed folder large in "+s.url+"#prod:. after the plan was made", "packages large/stray, large/web-live", "Plan again")
	if s.repo.Head(t, "prod") != head {
		t.Error("something was written")
	}
	plan, m = i.plan(t, green)
	succeeded(t, m)
	s.edit(t, "prod", map[string]string{"docs/index.md": "# Docs"})
	succeeded(t, i.carryOut(t, green, plan))
	s.holds(t, "prod", append(slices.Clone(fleetFiles), "docs/index.md")...)
}

// Folders of others are never overwritten; what is the same already is taken over.
func TestCreateWhereSomethingIs(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.edit(t, "prod", map[string]string{"small/theirs": "theirs"})
	i := &instance{server: s}
	plan, m := i.plan(t, s.settings(both("blue")))
	succeeded(t, m)
	m = i.carryOut(t, s.settings(both("blue")), plan)
	says(t, m.Errors, "already holds folder small", "import with the id "+s.url+"#prod:.")
	s.holds(t, "prod", "small/theirs")

	(&instance{server: s}).apply(t, inFolder(s.settings(both("blue")), "apart"))
	again := &instance{server: s}
	again.apply(t, inFolder(s.settings(both("blue")), "apart"))
	s.commits(t, "prod", 2)
}

func inFolder(settings publish.Settings, path string) publish.Settings {
	settings.Path = publish.Text{Value: path, Given: true}
	return settings
}

func TestExclusive(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	foreign := map[string]string{"old/README.md": "x", "root.txt": "x", ".github/keep": "x"}
	s.edit(t, "prod", foreign)
	kept := append(slices.Clone(fleetFiles), "root.txt", ".github/keep")
	settings := s.settings(both("blue"))
	settings.Exclusive = true
	i := &instance{server: s}
	i.apply(t, settings) // no plan has shown the foreign folder yet
	s.holds(t, "prod", append(slices.Clone(kept), "old/README.md")...)
	if plan := i.apply(t, settings); plan.Summary != "+0 ~0 -0 packages in 0 cluster types" && !strings.Contains(plan.Diff, "old/README.md") {
		t.Errorf("summary %q, diff\n%s", plan.Summary, plan.Diff)
	}
	s.holds(t, "prod", kept...)
	i.standsStill(t, settings)

	s.edit(t, "prod", foreign)
	if i.refresh(t); i.was.Packages["old/README.md"] == "" {
		t.Errorf("the foreign folder is not watched: %v", i.was.Packages)
	}
	settings.Exclusive = false
	plan, m := i.plan(t, settings)
	says(t, m.Warnings, "no longer this resource's: old.")
	if plan.Differs {
		t.Errorf("letting go of a folder changes something:\n%s", plan.Diff)
	}
	succeeded(t, i.carryOut(t, settings, plan))
	i.standsStill(t, settings)
	s.holds(t, "prod", append(slices.Clone(kept), "old/README.md")...)
}

func TestDetailByClusterType(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	coarse := s.settings(both("blue"))
	coarse.Detail = engine.DetailClusterType
	i := &instance{server: s}
	if plan := i.apply(t, coarse); plan.Summary != "+2 ~0 -0 cluster types" || len(plan.Packages) != 2 {
		t.Errorf("summary %q, packages %v", plan.Summary, plan.Packages)
	}
	i.standsStill(t, coarse)
	s.edit(t, "prod", map[string]string{"small/web-live/reconciler.yaml": "edited: true\n"})
	if plan := i.apply(t, coarse); plan.Summary != "+0 ~1 -0 cluster types" {
		t.Errorf("summary %q", plan.Summary)
	}
	// Limits count packages nevertheless.
	coarse.Limits, coarse.Limited = limits.Limits{Protect: []string{"small/*"}}, true
	coarse.Fleet = fleet("blue", "large")
	_, m := i.plan(t, coarse)
	says(t, m.Errors, "small/web-live")
	// Another level of detail is no change of the repository.
	fine := s.settings(both("blue"))
	if plan := i.apply(t, fine); plan.Differs || len(plan.Packages) != 4 {
		t.Errorf("%+v", plan)
	}
	s.commits(t, "prod", 3)
}

// A plan runs the engine once for what is wanted and once for what was written
// last, an apply once more; without changes it does not run at all.
func TestEngineRuns(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	runs := func(settings publish.Settings, want int) {
		t.Helper()
		*s.computed = 0
		if plan, m := i.plan(t, settings); m.Failed() || *s.computed != want {
			t.Errorf("the plan %+v ran the engine %d times, want %d", plan, *s.computed, want)
		}
	}
	runs(s.settings(both("blue")), 1)
	i.apply(t, s.settings(both("blue")))
	runs(s.settings(both("blue")), 0)
	changed := s.settings(both("green"))
	changed.Limits, changed.Limited = limits.Limits{MinPackagesPerTarget: 1, Protect: []string{"*/other"}}, true
	runs(changed, 2)
	s.edit(t, "prod", map[string]string{"small/web-live/reconciler.yaml": "edited: true\n"})
	runs(changed, 3) // one of them is the refresh's, which compares what drifted
	plan, m := i.plan(t, changed)
	succeeded(t, m)
	*s.computed = 0
	if succeeded(t, i.carryOut(t, changed, plan)); *s.computed != 1 {
		t.Errorf("the apply ran the engine %d times", *s.computed)
	}
}

// Terraform may know packages only at apply: then limits and findings count there.
func TestApplyWithoutAPlan(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	guarded := s.settings(fleet("blue", "large"))
	guarded.Limits, guarded.Limited = limits.Limits{Protect: []string{"small/*"}}, true
	_, m := i.Apply(t.Context(), i.job(t, guarded), publish.Planned{})
	says(t, m.Errors, "The change exceeds the limits")
	out, m := i.Apply(t.Context(), i.job(t, s.settings(both("green"))), publish.Planned{})
	succeeded(t, m)
	if !strings.Contains(out.Diff, "family: green") || out.Summary != "+0 ~2 -0 packages in 2 cluster types" {
		t.Errorf("%+v", out)
	}
	_, m = i.Apply(t.Context(), i.job(t, s.settings(both("red"))), publish.Planned{Location: out.Location, Packages: out.Packages, Diff: true})
	says(t, m.Errors, "The fleet came out differently than planned")
}
