// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// A resource writes its fleet, and a second apply has nothing to do.
func TestWrite(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	plan, m := r.apply(t, s.settings(both("blue")))
	if plan.Summary != "+2 ~0 -0 packages in 2 cluster types" || plan.Status != publish.InSync {
		t.Errorf("the plan is %+v", plan)
	}
	says(t, m.Warnings, "Planned change", "New branch", "The apply creates it")
	s.holds(t, "prod", fleetFiles...)
	r.isQuiet(t, s.settings(both("blue")))
	if got := r.record(t); got.Environment != "prod" ||
		!cmp.Equal(got.Folders, map[string]record.Line{"large": "owned", "small": "owned"}) {
		t.Errorf("the record is %+v", got)
	}
	r.apply(t, s.settings(both("green")))
	if !strings.Contains(s.repo.Files(t, "prod")["small/web-live/reconciler.yaml"], "green") {
		t.Error("the change was not written")
	}
}

// A second resource cannot write to the folders of the first, and destroying it changes nothing.
func TestTwoWorkspacesWithOnePlace(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	first, second := s.resource(), s.resource()
	first.apply(t, s.settings(both("blue")))
	_, m := second.plan(t, s.settings(both("green")))
	says(t, m.Warnings, "Folders exist already", ".kalypso/"+first.was.Instance, "terraform import")
	second.fails(t, s.settings(both("green")), "has folders large, small as owned", "import")
	first.isQuiet(t, s.settings(both("blue")))
}

// A destroy releases the folders unless on_destroy says otherwise, and any resource of the
// environment takes them over.
func TestDestroy(t *testing.T) {
	t.Parallel()
	for removal, want := range map[ownership.Removal][]string{
		ownership.Retain: fleetFiles, ownership.Empty: {"large/README.md", "small/README.md"}, ownership.Delete: nil,
	} {
		t.Run(string(removal), func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			r := s.resource()
			settings := s.settings(both("blue"))
			settings.OnDestroy = removal
			r.apply(t, settings)
			m := r.destroy(t)
			succeeded(t, m)
			says(t, m.Warnings, "2 packages", "on_destroy")
			s.holds(t, "prod", want...)
			next := s.resource()
			next.apply(t, settings)
			s.holds(t, "prod", fleetFiles...)
			isOther := func(path string) bool { return !strings.HasPrefix(path, ".kalypso/") }
			if records := slices.DeleteFunc(s.repo.Paths(t, "prod"), isOther); len(records) != 1 {
				t.Errorf("the records are %v", records)
			}
			next.isQuiet(t, settings)
		})
	}
}

func TestForbiddenDestroy(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	settings := s.settings(both("blue"))
	settings.OnDestroy = ownership.Forbid
	r.apply(t, settings)
	says(t, r.destroy(t).Errors, "on_destroy = \"forbid\"")
	succeeded(t, r.remove(t, false)) // half of a replacement releases
	s.holds(t, "prod", fleetFiles...)
}

// A repository that was written by hand is refused, until it is imported.
func TestImportByHand(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.edit(t, map[string]string{"large/store.yaml": "by hand\n", "store/app.yaml": "by hand\n", "README.md": "by hand\n"})
	r := s.resource()
	r.fails(t, s.settings(both("blue")), "no record lists them", "terraform import")
	succeeded(t, r.imports(t, s.settings(both("blue")), ""))
	plan, m := r.plan(t, s.settings(both("blue")))
	succeeded(t, m)
	says(t, m.Warnings, "store.yaml", "Planned change")
	succeeded(t, r.carryOut(t, s.settings(both("blue")), plan))
	s.holds(t, "prod", append(slices.Clone(fleetFiles), "store/app.yaml", "README.md")...)
	r.isQuiet(t, s.settings(both("blue")))
}

// An import needs a record or a folder.
func TestImportNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.edit(t, map[string]string{"fleet/large/store.yaml": "by hand\n"})
	for at, want := range map[[2]string]string{
		{"absent", "."}: `no branch "absent"`, {"prod", "fleets"}: "no folder fleets", {"prod", "fleet/large/store.yaml"}: "no folder",
		{"prod", "fleet"}: "", {"prod", "."}: "",
	} {
		settings := s.settings(both("blue"))
		settings.Branch, settings.Path = given(at[0]), given(at[1])
		m := s.resource().imports(t, settings, "prod")
		if m.Failed() != (want != "") {
			t.Errorf("%s: %+v", at, m)
		}
		if want != "" {
			says(t, m.Errors, "Nothing to import", want)
		}
	}
	r := s.resource() // a record is enough
	settings := s.settings(both("blue"))
	settings.Path = given("next")
	r.apply(t, settings)
	s.edit(t, map[string]string{"next": ""})
	succeeded(t, s.resource().imports(t, settings, ""))
}

// If another state has imported the folders, the plan of the first one fails.
func TestImportedByAnotherState(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	first, second := s.resource(), s.resource()
	settings := s.settings(both("blue"))
	first.apply(t, settings)
	succeeded(t, second.imports(t, settings, ""))
	second.apply(t, settings)
	_, m := first.plan(t, settings)
	says(t, m.Errors, "Folders exist already", ".kalypso/"+second.was.Instance)
}

// An import of one place does not permit the next apply to take over another one.
func TestImportOfAnotherPlace(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	elsewhere := s.settings(both("blue"))
	elsewhere.Branch = given("stage")
	s.resource().apply(t, elsewhere)
	s.resource().apply(t, s.settings(both("blue")))
	r := s.resource()
	succeeded(t, r.imports(t, s.settings(both("blue")), ""))
	_, m := r.plan(t, elsewhere)
	says(t, m.Warnings, "Folders exist already")
	for _, w := range m.Warnings {
		if w.Summary == "Folders of another resource" {
			t.Errorf("the plan takes folders over: %+v", w)
		}
	}
}

// Cluster types change their wave in one apply or in two, in either order, and each package is
// in every commit.
func TestRegroupWaves(t *testing.T) {
	t.Parallel()
	wave := func(s *server, types ...string) publish.Settings {
		settings := s.settings(both("blue"))
		settings.Fleet.ClusterTypes = types
		if types == nil {
			settings.Fleet.ClusterTypes = []string{}
		}
		return settings
	}
	for name, order := range map[string][]int{"taker first": {1, 0}, "giver first": {0, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			waves := []*resource{s.resource(), s.resource()}
			waves[0].apply(t, wave(s, "large", "small"))
			waves[1].apply(t, wave(s))
			after := []publish.Settings{wave(s, "large"), wave(s, "small")}
			for _, i := range order {
				waves[i].apply(t, after[i])
			}
			for i := range waves {
				waves[i].isQuiet(t, after[i])
			}
			for _, commit := range s.repo.Commits(t, "prod") {
				if paths := s.repo.Paths(t, commit); !slices.Contains(paths, "small/web-live/namespace.yaml") ||
					!slices.Contains(paths, "large/web-live/namespace.yaml") {
					t.Errorf("commit %s has %v", commit, paths)
				}
			}
		})
	}
}

// A cluster type that leaves the fleet is treated as on_removal says.
func TestRemoval(t *testing.T) {
	t.Parallel()
	for removal, want := range map[ownership.Removal][]string{
		ownership.Empty: {"small/README.md"}, ownership.Delete: nil, ownership.Retain: fleetFiles[4:],
	} {
		t.Run(string(removal), func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			r := s.resource()
			settings := s.settings(both("blue"))
			settings.OnRemoval = removal
			r.apply(t, settings)
			settings.Fleet = fleet("blue", "large")
			plan, _ := r.apply(t, settings)
			if plan.Summary != "+0 ~0 -1 packages in 1 cluster type" {
				t.Errorf("the summary is %q", plan.Summary)
			}
			s.holds(t, "prod", append(slices.Clone(want), fleetFiles[:4]...)...)
			if removal != ownership.Retain {
				r.isQuiet(t, settings)
			}
		})
	}
	s := newServer(t)
	r := s.resource()
	settings := s.settings(both("blue"))
	settings.OnRemoval = ownership.Forbid
	r.apply(t, settings)
	settings.Fleet = fleet("blue", "large")
	r.fails(t, settings, "on_removal")
}

// Another place is another resource: the new place is written, and the old one is released.
func TestMove(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	r.apply(t, s.settings(both("blue")))
	moved := s.settings(both("blue"))
	moved.Path = given("fleet")
	plan, m := r.plan(t, moved)
	succeeded(t, m)
	if !slices.Equal(plan.Replaces, []string{"path"}) {
		t.Errorf("the plan replaces %v", plan.Replaces)
	}
	says(t, m.Warnings, "Planned change", "fleet/large/web-live", "2 packages of environment prod stay in "+s.url+"#prod:.")
	succeeded(t, r.carryOut(t, moved, plan))
	s.holds(t, "prod", append(below("fleet", fleetFiles...), fleetFiles...)...)
	r.isQuiet(t, moved)
}

// A part of the place that the configuration itself leaves unknown is planned as a replacement.
func TestUnknownPlace(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	settings := s.settings(both("blue"))
	r.apply(t, settings)
	settings.Path = publish.Text{Given: true, Unknown: true}
	plan, m := r.plan(t, settings)
	succeeded(t, m)
	if !slices.Equal(plan.Replaces, []string{"path"}) || plan.Location.Path != "" {
		t.Errorf("the plan is %+v", plan)
	}
}

// The plan of a move says what on_destroy does with the old place.
func TestMoveWithOnDestroy(t *testing.T) {
	t.Parallel()
	for removal, want := range map[ownership.Removal]string{
		ownership.Retain: "stay in", ownership.Empty: "With create_before_destroy", ownership.Delete: "With create_before_destroy",
		ownership.Forbid: "forbids another place",
	} {
		t.Run(string(removal), func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			r := s.resource()
			settings := s.settings(both("blue"))
			settings.OnDestroy = removal
			r.apply(t, settings)
			settings.Branch = given("next")
			_, m := r.plan(t, settings)
			if says(t, append(m.Warnings, m.Errors...), want); m.Failed() != (removal == ownership.Forbid) {
				t.Errorf("the plan says %+v", m)
			}
		})
	}
}

// Drift is named and repaired. A record that somebody removed is repaired too.
func TestDrift(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	settings := s.settings(both("blue"))
	r.apply(t, settings)
	s.edit(t, map[string]string{"large/web-live/namespace.yaml": "edited\n"})
	plan, m := r.plan(t, settings)
	succeeded(t, m)
	if r.was.Status != publish.Drifted || plan.Summary != "+0 ~1 -0 packages in 1 cluster type" {
		t.Errorf("the state is %+v, the plan %+v", r.was.Attributes, plan)
	}
	says(t, m.Warnings, "by hand", "-edited")
	succeeded(t, r.carryOut(t, settings, plan))
	r.isQuiet(t, settings)

	s.edit(t, map[string]string{record.RecordPath(r.was.Instance): ""})
	if succeeded(t, r.refresh(t)); r.was.Status != publish.Drifted {
		t.Errorf("the state without a record is %+v", r.was.Attributes)
	}
	_, m = r.apply(t, settings)
	says(t, m.Warnings, "somebody has changed the record: .kalypso/"+r.was.Instance)
	r.isQuiet(t, settings)
	if len(r.record(t).Folders) != 2 {
		t.Error("the record was not repaired")
	}
}

// Without the ids of the private state, the next plan, apply and destroy work.
func TestLostMemory(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	settings := s.settings(both("blue"))
	r.apply(t, settings)
	r.memory = publish.Memory{}
	r.isQuiet(t, settings)
	r.memory = publish.Memory{}
	r.apply(t, s.settings(both("green")))
	r.memory = publish.Memory{}
	succeeded(t, r.destroy(t))
	s.holds(t, "prod", fleetFiles...)
}

// An apply stops if somebody changed one of our folders after the plan.
func TestChangedAfterPlan(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	r.apply(t, s.settings(both("blue")))
	plan, m := r.plan(t, s.settings(both("green")))
	succeeded(t, m)
	s.edit(t, map[string]string{"small/web-live/namespace.yaml": "edited\n"})
	says(t, r.carryOut(t, s.settings(both("green")), plan).Errors, "Somebody else changed folder small", "Plan again")
}

// An apply does not take over what appeared after its plan.
func TestAppearedAfterPlan(t *testing.T) {
	t.Parallel()
	wave := func(s *server, family string, types ...string) publish.Settings {
		settings := s.settings(both(family))
		settings.Fleet.ClusterTypes = types
		return settings
	}
	t.Run("another wave", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		r, other := s.resource(), s.resource()
		r.apply(t, wave(s, "blue", "large"))
		plan, m := r.plan(t, wave(s, "blue", "large", "small"))
		succeeded(t, m)
		other.apply(t, wave(s, "green", "small"))
		says(t, r.carryOut(t, wave(s, "blue", "large", "small"), plan).Errors, "Somebody else changed folder small", "Plan again")
		r.apply(t, wave(s, "blue", "large", "small"))
	})
	t.Run("an import", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		s.edit(t, map[string]string{"large/by-hand.yaml": "a: b\n"})
		r := s.resource()
		succeeded(t, r.imports(t, s.settings(both("blue")), "prod"))
		plan, m := r.plan(t, s.settings(both("blue")))
		succeeded(t, m)
		s.edit(t, map[string]string{"small/by-hand.yaml": "a: b\n"})
		says(t, r.carryOut(t, s.settings(both("blue")), plan).Errors, "Somebody else changed folder small", "Plan again")
		r.apply(t, s.settings(both("blue")))
	})
}

// The summary of a plan with another detail is that of its apply, also if the plan finds content
// that the refresh did not look for.
func TestDetailWithFoundFolder(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r, other := s.resource(), s.resource()
	settings := s.settings(both("blue"))
	settings.Fleet.ClusterTypes = []string{"large"}
	r.apply(t, settings)
	wave := s.settings(both("green"))
	wave.Fleet.ClusterTypes = []string{"small"}
	other.apply(t, wave)
	succeeded(t, other.destroy(t))
	settings.Fleet.ClusterTypes, settings.Detail = []string{"large", "small"}, engine.DetailClusterType
	plan, _ := r.apply(t, settings)
	if plan.Summary != r.was.Summary {
		t.Errorf("planned %q, applied %q", plan.Summary, r.was.Summary)
	}
}

// A destroy that could not look at the branch does not remove what limits protect.
func TestDestroyWithoutLook(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	settings := s.settings(both("blue"))
	settings.OnDestroy, settings.Limits.Protect = ownership.Empty, []string{"small/*"}
	r.apply(t, settings)
	job := r.job(settings)
	job.Memory.Destroys = true
	const broken = ".kalypso/0123456789abcdef"
	s.edit(t, map[string]string{broken: "broken"})
	s.logger = func(_ context.Context, _ string, fields map[string]any) {
		if fields["step"] == "decide" { // after the look
			s.edit(t, map[string]string{broken: ""})
		}
	}
	says(t, r.publisher(t).Destroy(t.Context(), job).Errors, "cannot be read")
	s.holds(t, "prod", fleetFiles...)
}

// A folder with a folder of another owner in it, as after a merge, is neither written nor removed.
func TestFolderOfAnotherInOurs(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	r.apply(t, s.settings(both("blue")))
	s.edit(t, map[string]string{"small/edge/x.yaml": "a: b\n",
		".kalypso/0123456789abcdef": "environment: dev\nbranch: prod\npath: small\nfolders:\n  edge: owned\n"})
	for _, in := range []engine.Input{both("green"), fleet("blue", "large")} {
		r.fails(t, s.settings(in), "must not contain each other")
	}
}

// On hold, nothing is read or written, and every value stays.
func TestHold(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	settings := s.settings(both("blue"))
	r.apply(t, settings)
	before := maps.Clone(s.repo.Branches(t))
	held := s.settings(both("green"))
	held.Hold = true
	held.Fleet.Manifests = nil
	plan, m := r.publisher(t).Plan(t.Context(), r.job(held))
	succeeded(t, m)
	if !cmp.Equal(plan.Attributes, r.was.Attributes) {
		t.Errorf("the plan on hold is %+v", plan.Attributes)
	}
	succeeded(t, r.carryOut(t, held, plan))
	if !maps.Equal(before, s.repo.Branches(t)) {
		t.Error("something was written on hold")
	}
	says(t, r.destroy(t).Errors, "hold")
	created := s.resource()
	held.Path = given("new")
	createdPlan, m := created.plan(t, held)
	succeeded(t, m)
	if succeeded(t, created.carryOut(t, held, createdPlan)); created.was.Status != publish.Held {
		t.Errorf("the new resource is %+v", created.was.Attributes)
	}
	held.Hold, held.Fleet = false, both("blue")
	created.apply(t, held)
	created.isQuiet(t, held)
}

// A resource without a release is on hold, and says why. It has nothing to give up, so its destroy succeeds.
func TestHoldWithoutRelease(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	settings := s.settings(both("blue"))
	settings.Hold, settings.IsUnverified = true, true
	plan, m := r.plan(t, settings)
	succeeded(t, m)
	says(t, m.Warnings, "No release is verified yet")
	succeeded(t, r.carryOut(t, settings, plan))
	succeeded(t, r.destroy(t))
	if branches := s.repo.Branches(t); len(branches) > 0 {
		t.Errorf("something was written: %v", branches)
	}
}

// An import that does not know its environment may be on hold.
func TestHoldAfterImport(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.edit(t, map[string]string{"large/store.yaml": "by hand\n"})
	r := s.resource()
	settings := s.settings(both("blue"))
	settings.Hold = true
	succeeded(t, r.imports(t, settings, ""))
	r.apply(t, settings)
	s.holds(t, "prod", "large/store.yaml")
	settings.Hold = false
	r.apply(t, settings)
	s.holds(t, "prod", fleetFiles...)
	r.isQuiet(t, settings)
}

// Two records that list a folder stop the resource, with the lines to delete.
func TestDoubled(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	r.apply(t, s.settings(both("blue")))
	own := r.record(t)
	own.Instance = "00000000000000aa"
	s.edit(t, map[string]string{record.RecordPath(own.Instance): string(own.Content())})
	r.fails(t, s.settings(both("green")), "Two records list the same folders", ".kalypso/00000000000000aa", "large: owned")
}

// files are written, owned, compared and removed like packages.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	settings := s.settings(both("blue"))
	settings.Files = map[string]string{"FLEET.md": "# Fleet\n", "charts/web/Chart.yaml": "name: web\n"}
	plan, _ := r.apply(t, settings)
	if plan.Packages["./FLEET.md"] == "" || plan.Summary != "+2 ~0 -0 packages in 2 cluster types" {
		t.Errorf("the plan is %+v", plan)
	}
	s.holds(t, "prod", append(slices.Clone(fleetFiles), "FLEET.md", "charts/web/Chart.yaml")...)
	r.isQuiet(t, settings)
	s.edit(t, map[string]string{"FLEET.md": "edited\n"})
	if r.refresh(t); r.was.Status != publish.Drifted {
		t.Errorf("the state is %+v", r.was.Attributes)
	}
	settings.Files = map[string]string{"charts/web/Chart.yaml": "name: web\n"}
	r.apply(t, settings)
	s.holds(t, "prod", append(slices.Clone(fleetFiles), "charts/web/Chart.yaml")...)
	for _, name := range []string{"large/x", ".kalypso/x", "../x", ".github/tracking/x", "a//b"} {
		settings.Files = map[string]string{name: "x"}
		r.fails(t, settings, "Invalid file")
	}
}

// The plan finds paths of a resource that lie in each other.
func TestPathsInEachOther(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	settings := s.settings(both("blue"))
	settings.Files = map[string]string{"docs": "x", "docs/fleet.md": "x"}
	_, m := s.resource().plan(t, settings)
	says(t, m.Errors, "docs/fleet.md lies in docs")
}
