// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
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

// The plan of a new resource only warns where the same run may free the folders: a record of the same environment
// lists them. No run frees what no record lists, or what another environment has.
func TestNewResource(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		environment, file string
		warns             bool
	}{
		"of the same environment": {environment: "prod", warns: true}, "of another environment": {environment: "dev"},
		"without a record": {environment: "prod", file: "small/hand.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			s.resource().apply(t, s.settings(fleetOf(test.environment, "blue", "large")))
			if test.file != "" {
				s.edit(t, map[string]string{test.file: "x: y\n"})
			}
			_, m := s.resource().plan(t, s.settings(both("green")))
			if m.Failed() == test.warns {
				t.Errorf("the plan says %+v", m)
			}
			says(t, slices.Concat(m.Warnings, m.Errors), "Folders exist already")
			s.resource().fails(t, s.settings(both("green")), "import")
		})
	}
}

// A message about an entry of files says file.
func TestFileOfAnother(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.edit(t, map[string]string{"FLEET.md": "by hand\n"})
	settings := s.settings(both("blue"))
	settings.Files = map[string]string{"FLEET.md": "# Fleet\n"}
	_, m := s.resource().plan(t, settings)
	says(t, m.Errors, "already has file FLEET.md, with other content")
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
	subject, _, _ := strings.Cut(s.repo.Message(t, "prod"), "\n")
	if !strings.HasSuffix(subject, "+2 ~0 -1 packages in 2 cluster types") {
		t.Errorf("the commit does not compare with the branch: %s", subject)
	}
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

// wave is a wave of the fleet with the cluster types large and small.
func (s *server) wave(family string, types ...string) publish.Settings {
	settings := s.settings(both(family))
	settings.Fleet.ClusterTypes = append([]string{}, types...)
	return settings
}

// Cluster types change their wave in one apply or in two, in either order, and each package is
// in every commit. A wave that owns something needs no code.
func TestRegroupWaves(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][]int{"taker first": {1, 0}, "giver first": {0, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			wave := func(types ...string) publish.Settings {
				settings := s.settings(fleet("blue", "large", "medium", "small"))
				settings.Fleet.ClusterTypes = types
				return settings
			}
			waves := []*resource{s.resource(), s.resource()}
			waves[0].apply(t, wave("large", "small"))
			waves[1].apply(t, wave("medium"))
			after := []publish.Settings{wave("large"), wave("medium", "small")}
			for _, i := range order {
				_, m := waves[i].apply(t, after[i])
				if name == "taker first" && i == 1 {
					says(t, m.Warnings, "takes over 1 package, content unchanged", "Folders of another resource")
				}
			}
			for i := range waves {
				waves[i].isQuiet(t, after[i])
			}
			for _, commit := range s.repo.Commits(t, "prod")[:2] {
				if paths := s.repo.Paths(t, commit); !slices.Contains(paths, "small/web-live/namespace.yaml") ||
					!slices.Contains(paths, "large/web-live/namespace.yaml") {
					t.Errorf("commit %s has %v", commit, paths)
				}
			}
		})
	}
}

// A wave that owns nothing yet looks like a second state, so it takes from another wave only with the code that
// its plan prints. The plan says what it takes over, and has no diff. If the other wave has released the folder,
// no code is needed.
func TestNewWave(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	first, second := s.resource(), s.resource()
	first.apply(t, s.wave("blue", "large", "small"))
	settings := s.wave("blue", "small")
	_, m := second.plan(t, settings)
	says(t, m.Warnings, "Folders of another wave", "and takes over 1 package, content unchanged")
	if text := change(t, m); !strings.HasPrefix(text, "takes over 1 package, content unchanged") || strings.Contains(text, "diff --git") {
		t.Errorf("the plan shows %s", text)
	}
	second.fails(t, settings, "acknowledge")
	settings.Acknowledge = codesOf(m)
	second.apply(t, settings)
	first.apply(t, s.wave("blue", "large"))
	second.isQuiet(t, s.wave("blue", "small"))
	third := s.resource()
	third.fails(t, s.wave("blue", "large"), "acknowledge")
	first.apply(t, s.wave("blue"))
	third.apply(t, s.wave("blue", "large"))
}

// The way back after a second state has taken a whole environment over: the code in the error of the first
// state, in the first state.
func TestTakenOverByAnotherState(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var states [2][2]*resource
	settings := []publish.Settings{s.wave("blue", "large"), s.wave("blue", "small")}
	for i := range states {
		for j := range states[i] {
			states[i][j] = s.resource()
			wave := settings[j]
			if i == 1 {
				_, m := states[1][j].plan(t, wave)
				wave.Acknowledge = codesOf(m)
			}
			states[i][j].apply(t, wave)
		}
	}
	for j, r := range states[0] {
		wave := settings[j]
		_, m := r.plan(t, wave)
		says(t, m.Warnings, "This resource had them", "take them back")
		r.fails(t, wave, "acknowledge")
		wave.Acknowledge = codesOf(m)
		r.apply(t, wave)
		r.isQuiet(t, wave)
		states[1][j].fails(t, settings[j], "take them back")
	}
}

// A replaced wave needs no code: its own old instance releases the folders.
func TestReplacedWave(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r, created := s.resource(), s.resource()
	r.apply(t, s.wave("blue", "large"))
	plan, m := created.plan(t, s.wave("blue", "large"))
	succeeded(t, m)
	succeeded(t, r.remove(t, false))
	succeeded(t, created.carryOut(t, s.wave("blue", "large"), plan))
	created.isQuiet(t, s.wave("blue", "large"))
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
	settings := s.settings(with(both("blue"), baseRepo(promoted)))
	r.apply(t, settings)
	s.edit(t, map[string]string{"large/web-live/namespace.yaml": "edited\n"})
	plan, m := r.plan(t, settings)
	succeeded(t, m)
	if r.was.Status != publish.Drifted || plan.Summary != "+0 ~1 -0 packages in 1 cluster type" {
		t.Errorf("the state is %+v, the plan %+v", r.was.Attributes, plan)
	}
	says(t, m.Warnings, "Drift: prod", "by hand", "-edited")
	succeeded(t, r.carryOut(t, settings, plan))
	r.isQuiet(t, settings)

	s.edit(t, map[string]string{record.Path(r.was.Instance): ""})
	if succeeded(t, r.refresh(t)); r.was.Status != publish.Drifted {
		t.Errorf("the state without a record is %+v", r.was.Attributes)
	}
	_, m = r.apply(t, settings)
	says(t, m.Warnings, "somebody has changed the record: .kalypso/"+r.was.Instance)
	r.isQuiet(t, settings)
	if len(r.record(t).Folders) != 3 {
		t.Error("the record was not repaired")
	}
}

// If somebody reverts the last commit of an environment with waves, the plan says that one wave went back, and what the
// other has.
func TestWaveWentBack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	canary, rest := s.resource(), s.resource()
	of := func(release, family, clusterType string) publish.Settings {
		settings := s.wave(family, clusterType)
		settings.Release.Commit = release
		return settings
	}
	canary.apply(t, of("v1", "blue", "large"))
	rest.apply(t, of("v1", "blue", "small"))
	canary.apply(t, of("v2", "green", "large"))
	before := s.repo.Files(t, "prod")
	rest.apply(t, of("v2", "green", "small"))
	s.edit(t, before)
	_, m := rest.apply(t, of("v1", "blue", "small"))
	says(t, m.Warnings, "Went back: prod", "from release v2 to v1", "The wave of large is at v2", "set pin to a GitOps commit", "by hand")
	rest.isQuiet(t, of("v1", "blue", "small"))
	s.holds(t, "prod", fleetFiles...)
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
	t.Run("another wave", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		r, other := s.resource(), s.resource()
		r.apply(t, s.wave("blue", "large"))
		plan, m := r.plan(t, s.wave("blue", "large", "small"))
		succeeded(t, m)
		other.apply(t, s.wave("green", "small"))
		says(t, r.carryOut(t, s.wave("blue", "large", "small"), plan).Errors, "Somebody else changed folder small", "Plan again")
		r.apply(t, s.wave("blue", "large", "small"))
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

// A destroy checks the branch at the attempt to write: what its plan could not read, or what came after it.
func TestDestroyIsCheckedAtTheAttempt(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	now := time.Unix(500, 0)
	s.now = func() time.Time { return now }
	r := s.resource()
	settings := s.settings(both("blue"))
	settings.OnDestroy, settings.Limits.Protect = ownership.Empty, []string{"small/*"}
	r.apply(t, settings)
	says(t, r.remove(t, true).Errors, "which protect forbids by", "on_destroy = \"retain\"")
	settings.Limits.Protect = nil
	settings.Freezes = []calendar.Period{{Reason: "holiday season", Begins: time.Unix(1000, 0), Ends: time.Unix(3000, 0)}}
	r.apply(t, settings)
	memory, m := r.publisher(t).PlanDestroy(t.Context(), r.job(settings))
	succeeded(t, m)
	r.memory, now = memory, time.Unix(1000, 0)
	says(t, r.remove(t, true).Errors, "package of environment prod may be removed", "holiday season")
	s.holds(t, "prod", fleetFiles...)
	succeeded(t, r.remove(t, false)) // half of a replacement removes nothing
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
		r.fails(t, s.settings(in), "must not contain each")
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
	plan, m := r.plan(t, held)
	succeeded(t, m)
	if !cmp.Equal(plan.Attributes, r.was.Attributes) {
		t.Errorf("the plan on hold is %+v", plan.Attributes)
	}
	succeeded(t, r.carryOut(t, held, plan))
	if !maps.Equal(before, s.repo.Branches(t)) {
		t.Error("something was written on hold")
	}
	says(t, r.destroy(t).Errors, "hold")
	s.edit(t, map[string]string{"large/store.yaml": "by hand\n"})
	r.apply(t, held)
	s.holds(t, "prod", append([]string{"large/store.yaml"}, fleetFiles...)...)
	r.apply(t, settings)
	s.holds(t, "prod", fleetFiles...)
	if subject, _, _ := strings.Cut(s.repo.Message(t, "prod"), "\n"); subject != "prod: +0 ~0 -1 packages in 1 cluster type" {
		t.Errorf("the commit that ends the hold is %q", subject)
	}
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

// On hold of the provider, the refresh reads nothing. So the plan looks at the branch, also if the settings are those of the last apply.
func TestHoldOfTheProvider(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r, settings := s.resource(), s.settings(both("blue"))
	r.apply(t, settings)
	s.edit(t, map[string]string{"large/store.yaml": "by hand\n"})
	s.hold = true
	_, m := r.plan(t, settings)
	succeeded(t, m)
	says(t, m.Warnings, "on hold", "large/store.yaml")
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
	says(t, m.Warnings, "No release is verified")
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

// Two records that list a folder stop the resource, with the lines to delete. So does a record that lists a folder in it or around it, also
// if nothing else has changed.
func TestDoubled(t *testing.T) {
	t.Parallel()
	for at, words := range map[string][]string{
		"a/b": {"large", "Two records list the", "large: owned"}, "a/b/large": {"web-live", "contain each other"},
		".": {"a", "contain each other"},
	} {
		s := newServer(t)
		r, settings := s.resource(), s.settings(both("blue"))
		settings.Path = given("a/b")
		r.apply(t, settings)
		own := r.record(t)
		own.Instance, own.Path, own.Folders = "00000000000000aa", at, map[string]record.Line{words[0]: record.Owned}
		s.edit(t, map[string]string{record.Path(own.Instance): string(own.Content())})
		r.fails(t, settings, append(words, ".kalypso/00000000000000aa")...)
		settings.Fleet = both("green")
		r.fails(t, settings, append(words, ".kalypso/00000000000000aa")...)
	}
}

// A record that somebody changed is drift, also if the folders are as the apply left them: a revert of a release
// that changed no file, or a second record that lists the same folders.
func TestChangedRecord(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	settings := s.settings(both("blue"))
	settings.Release = record.Release{Commit: "v1"}
	r.apply(t, settings)
	settings.Release = record.Release{Commit: "v2"}
	r.apply(t, settings)
	own := r.record(t)
	own.Release.Commit = "v1"
	s.edit(t, map[string]string{record.Path(own.Instance): string(own.Content())})
	if r.refresh(t); r.was.Status != publish.Drifted {
		t.Errorf("the status is %s", r.was.Status)
	}
	r.apply(t, settings)
	if got := r.record(t).Release.Commit; got != "v2" {
		t.Errorf("the record has the release %s", got)
	}
	r.isQuiet(t, settings)
	own = r.record(t)
	own.Instance = "00000000000000aa"
	s.edit(t, map[string]string{record.Path(own.Instance): string(own.Content())})
	r.refresh(t)
	r.fails(t, settings, "Two records list the")
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
	settings = s.settings(both("blue"))
	settings.Path = publish.Text{Value: ".kalypso/x", Given: true}
	r.fails(t, settings, "Invalid path")
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
