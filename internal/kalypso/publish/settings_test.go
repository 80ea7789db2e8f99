// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/elided"
)

// commit_message is the message of each commit, with the environment and the summary.
func TestCommitMessage(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	settings := s.settings(both("blue"))
	for _, step := range []struct{ message, family, commit, want string }{
		{"", "blue", "", "prod: +2 ~0 -0 packages in 2 cluster types\n\nWritten by a test.\n\nKalypso-Environment: prod\n"},
		{"OPS-7 {environment}: {summary} [skip ci]", "green", "", "OPS-7 prod: +0 ~2 -0 packages in 2 cluster types [skip ci]\n"},
		{"OPS-8 {summary}", "green", promoted, "OPS-8 no package changes"},
	} {
		settings.CommitMessage, settings.Fleet = step.message, both(step.family)
		if step.commit != "" {
			settings.Fleet = with(settings.Fleet, baseRepo(step.commit))
		}
		r.apply(t, settings)
		if got := s.repo.Message(t, "prod"); !strings.HasPrefix(got, step.want) {
			t.Errorf("the message is %q, want %q", got, step.want)
		}
	}
	settings.CommitMessage = "another text"
	heads := s.repo.Branches(t)
	r.apply(t, settings) // a message alone makes no commit
	if now := s.repo.Branches(t); now["prod"] != heads["prod"] {
		t.Errorf("branches %v, before %v", now, heads)
	}
}

// The branch has the name of a branch, and not of a reference.
func TestNameOfAReference(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	settings := s.settings(both("blue"))
	settings.Branch = given("refs/heads/main")
	_, m := s.resource().plan(t, settings)
	says(t, m.Errors, `name of the branch: "main"`)
}

// create_branch_from starts the branch with the content of another one.
func TestStartFrom(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.repo.CommitFiles(t, "main", map[string][]byte{"README.md": []byte("x")}, "beside")
	settings := s.settings(both("blue"))
	settings.StartFrom = "main"
	_, m := s.resource().apply(t, settings)
	says(t, m.Warnings, "The apply creates it, from main")
	s.holds(t, "prod", and(fleetFiles, "README.md")...)

	settings.Branch, settings.StartFrom = given("test"), "absent"
	s.resource().fails(t, settings, `no branch "absent"`)
}

// codesPattern matches the codes of refusals, and codePattern one of them.
var codesPattern, codePattern = regexp.MustCompile(`acknowledge = \[[^]]*\]`), regexp.MustCompile(`[0-9a-f]{32}`)

// codeOf returns the code that the errors print.
func codeOf(t *testing.T, m message.Messages) string {
	t.Helper()
	codes := codesOf(m)
	if len(codes) == 0 {
		t.Fatalf("no code in %+v", m)
	}
	return codes[0]
}

// codesOf returns the codes that messages print.
func codesOf(m message.Messages) (codes []string) {
	for _, one := range slices.Concat(m.Errors, m.Warnings) {
		for _, found := range codesPattern.FindAllString(one.Detail, -1) {
			codes = append(codes, codePattern.FindAllString(found, -1)...)
		}
	}
	return codes
}

// The code that acknowledges a change is for the changed packages, and for nothing else.
func TestAcknowledge(t *testing.T) {
	t.Parallel()
	frozen := []calendar.Period{{Reason: "holiday season", Begins: time.Unix(1000, 0), Ends: time.Unix(3000, 0)}}
	one, err := limits.ParseAmount("1")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		set  func(settings *publish.Settings)
		want string
	}{
		"limits": {func(settings *publish.Settings) { settings.Limits.MaxChanged = one }, "max_changed"},
		"freeze": {func(settings *publish.Settings) { settings.Freezes = frozen }, "holiday season"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			s.now = func() time.Time { return time.Unix(2000, 0) }
			r := s.resource()
			r.apply(t, s.settings(both("blue")))
			refused := func(settings publish.Settings) string {
				test.set(&settings)
				_, m := r.plan(t, settings)
				says(t, m.Errors, test.want)
				return codeOf(t, m)
			}
			code := refused(s.settings(both("green")))
			s.edit(t, map[string]string{"docs/index.md": "x"})
			s.version = "2.0.0"
			same := s.settings(with(both("green"), baseRepo(promoted)))
			same.Release = record.Release{Commit: promoted, Sources: map[string]string{"https://git.example/web#main": promoted}}
			if again := refused(same); again != code {
				t.Errorf("the code is %s, before %s", again, code)
			}
			if other := refused(s.settings(both("red"))); other == code {
				t.Error("another change has the same code")
			}
			wrong := s.settings(both("green"))
			wrong.Acknowledge = []string{strings.Repeat("0", 32)}
			refused(wrong)
			right := s.settings(both("green"))
			right.Acknowledge = []string{"", strings.Repeat("0", 32), code}
			test.set(&right)
			r.apply(t, right)
			r.isQuiet(t, right)
			if !strings.Contains(s.repo.Files(t, "prod")["small/web-live/reconciler.yaml"], "green") {
				t.Error("the change was not written")
			}
		})
	}
}

// Each reason is an error of its own, which lists its packages, and has its own code. No code lifts protect.
func TestRefusals(t *testing.T) {
	t.Parallel()
	none, err := limits.ParseAmount("0")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t)
	s.now = func() time.Time { return time.Unix(2000, 0) }
	r := s.resource()
	r.apply(t, s.settings(with(both("blue"), batch)))
	settings := s.settings(fleet("green", "small"))
	settings.Limits = limits.Limits{MaxRemoved: none, MaxChanged: none, Protect: []string{"*/batch-*"}}
	settings.Freezes = []calendar.Period{
		{Reason: "holidays", Begins: time.Unix(1000, 0), Ends: time.Unix(3000, 0).UTC()},
		{Reason: "audit", Begins: time.Unix(1500, 0), Ends: time.Unix(2500, 0).UTC()},
	}
	const destroy = "…terraform destroy…-refresh…"
	const protected = "1 package would be removed, … \"*/batch-*\". ….\n - batch-nightly on large" + destroy
	const removed = "2 of 3 packages would be removed; max_removed = \"0\" allows 0.\n - batch-nightly on large\n - web-live on large" +
		destroy + "…you want this change…"
	const changed = "1 of 3 packages would change; max_changed = \"0\" allows 0.\n ~ web-live on small" + destroy +
		"…you want this change…"
	const frozen = "…: the freeze %q … Thu 1970-01-01 00:%s +00:00 (UTC). … 3 packages:\n - batch-nightly on large\n - web-live on large\n " +
		"~ web-live on small\n…"
	_, m := r.plan(t, settings)
	codes := codesOf(m)
	if len(codes) != 4 || len(wording.Sorted(codes)) != 4 {
		t.Fatalf("want 4 different codes, got %v", codes)
	}
	want := []string{
		protected, removed, changed, fmt.Sprintf(frozen, "holidays", "50"), fmt.Sprintf(frozen, "audit", "41"),
	}
	for i := range 5 { // with the first codes
		settings.Acknowledge = codes[:i]
		_, m := r.plan(t, settings)
		var got []string
		for _, one := range m.Errors {
			got = append(got, one.Detail)
		}
		left := slices.Concat(want[:1], want[1+i:])
		for n := 1; n < len(left); n++ { // all codes are in the last message
			if n < len(left)-1 {
				left[n] += "…set acknowledge = the codes…"
				continue
			}
			left[n] += "set this in limits, or in the call of the module:\n  acknowledge = [\"" + strings.Join(codes[i:], `", "`) + "…only for this change…" +
				"…these packages from their…"
		}
		if diff := cmp.Diff(left, got, elided.Texts); diff != "" {
			t.Errorf("with %d codes (-want +got):\n%s", i, diff)
		}
	}
	settings.Limits.Protect = nil
	r.apply(t, settings)
}

// A freeze refuses changes of packages while it lasts, also if it begins after the plan. A code that was
// printed before it does not lift it, and its own code lifts nothing else.
func TestFreeze(t *testing.T) {
	t.Parallel()
	none, err := limits.ParseAmount("0")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t)
	now := time.Unix(500, 0)
	s.now = func() time.Time { return now }
	r := s.resource()
	settings := s.settings(both("blue"))
	settings.Freezes = []calendar.Period{{Reason: "holiday season", Begins: time.Unix(1000, 0), Ends: time.Unix(3000, 0)}}
	settings.Limits.MaxChanged = none
	r.apply(t, settings)
	changed := settings
	changed.Fleet = both("green")
	_, m := r.plan(t, changed)
	limit := codeOf(t, m)
	changed.Acknowledge = []string{limit}
	plan, m := r.plan(t, changed)
	succeeded(t, m)
	now = time.Unix(1000, 0)
	m = r.carryOut(t, changed, plan)
	says(t, m.Errors, "holiday season")
	changed.Acknowledge = []string{codeOf(t, m)}
	r.fails(t, changed, "max_changed")
	r.isQuiet(t, settings)
	files := settings
	files.Files = map[string]string{"docs/fleet.md": "x"}
	r.apply(t, files) // no package changes
	changed.Acknowledge = append(changed.Acknowledge, limit)
	r.apply(t, changed)
	changed.Fleet = both("red")
	changed.Limits = limits.Limits{}
	r.fails(t, changed, "holiday season")
	now = time.Unix(3000, 0)
	r.apply(t, changed)
}

// Each attempt to write asks again what can stop it: here a freeze begins, and the first attempt loses a race.
func TestFreezeAfterLostRace(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	r.apply(t, s.settings(both("blue")))
	settings := s.settings(both("green"))
	settings.Freezes = []calendar.Period{{Reason: "holiday season", Begins: time.Unix(1000, 0), Ends: time.Unix(3000, 0)}}
	plan, m := r.plan(t, settings)
	succeeded(t, m)
	attempts := 0
	s.now = func() time.Time {
		if attempts++; attempts == 1 {
			s.edit(t, map[string]string{"docs/index.md": "x"})
		}
		return time.Unix(int64(500*attempts), 0)
	}
	says(t, r.carryOut(t, settings, plan).Errors, "holiday season")
	if attempts != 2 || strings.Contains(s.repo.Files(t, "prod")["small/web-live/reconciler.yaml"], "green") {
		t.Errorf("%d attempts, the branch has %v", attempts, s.repo.Files(t, "prod"))
	}
}

// Limits bind every change that they name, and the first packages of a place exceed none.
func TestLimits(t *testing.T) {
	t.Parallel()
	none, err := limits.ParseAmount("0")
	if err != nil {
		t.Fatal(err)
	}
	blue := with(both("blue"), batch)
	for name, test := range map[string]struct {
		limits limits.Limits
		fleet  engine.Input
		want   string
	}{
		"max_removed":            {limits.Limits{MaxRemoved: none}, both("blue"), "max_removed"},
		"max_changed":            {limits.Limits{MaxChanged: none}, with(both("green"), batch), "max_changed"},
		"protect":                {limits.Limits{Protect: []string{"*/batch-*"}}, both("blue"), "protect"},
		"the last packages":      {limits.Limits{}, fleet("blue"), "allow_empty"},
		"nothing is removed":     {limits.Limits{MaxRemoved: none}, with(both("green"), batch), ""},
		"others are protected":   {limits.Limits{Protect: []string{"*/web-*"}}, both("blue"), ""},
		"allow_empty permits":    {limits.Limits{AllowEmpty: true}, fleet("blue"), ""},
		"nothing changes at all": {limits.Limits{MaxRemoved: none, MaxChanged: none}, blue, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			r := s.resource()
			settings := s.settings(blue)
			settings.Limits = test.limits
			r.apply(t, settings)
			settings.Fleet = test.fleet
			if test.want != "" {
				r.fails(t, settings, test.want)
				return
			}
			r.apply(t, settings)
		})
	}
}

// brokenBatch is batch without the label that the template needs.
var brokenBatch = strings.Replace(batch, ", family: none", "", 1)

// brokenNote says that the file of the team of batch cannot be read.
func brokenNote() manifest.Text {
	note := &manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: "batch-team"}, Workspace: "batch-team",
		Problems: problem.List{{Summary: "Invalid YAML", Detail: "The file is broken."}}}
	return manifest.Text{Name: "note", Text: note.Text()}
}

// noted returns a fleet with the note.
func noted(in engine.Input) engine.Input {
	in.Manifests = append(slices.Clone(in.Manifests), brokenNote())
	return in
}

// With on_error = "keep", what cannot be rendered stays as it is, and all the rest goes on. What
// only a team with a broken file could have removed stays too.
func TestKeepBroken(t *testing.T) {
	t.Parallel()
	workload, policy, _ := strings.Cut(batch, "---\n")
	another := noted(both("green"))
	another.Manifests[len(another.Manifests)-1].Text = strings.ReplaceAll(brokenNote().Text, "batch-team", "other-team")
	for name, test := range map[string]struct {
		fleet engine.Input
		// isKept says that the package of batch stays. error is the error without keep.
		isKept bool
		error  string
	}{
		"a template fails":                       {with(both("green"), brokenBatch), true, "batch-nightly"},
		"a broken file":                          {noted(both("green")), true, "The file is broken"},
		"a broken file, and its policy is there": {noted(with(both("green"), policy)), true, "The file is broken"},
		"a broken file, but somebody else has removed the policy": {noted(with(both("green"), workload)), false, "The file is broken"},
		"a broken file of another team":                           {another, false, "The file is broken"},
		"removed":                                                 {both("green"), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			r := s.resource()
			r.apply(t, s.settings(with(both("blue"), batch)))
			settings := s.settings(test.fleet)
			if test.error != "" {
				r.fails(t, settings, test.error)
			}
			settings.KeepBroken = true
			_, m := r.apply(t, settings)
			want, kept := fleetFiles, []string(nil)
			if test.isKept {
				want, kept = and(fleetFiles, batchFiles...), []string{"large/batch-nightly"}
				says(t, m.Warnings, "These packages stay as", "large/batch-nightly")
			}
			if !slices.Equal(r.was.Kept, kept) {
				t.Errorf("kept %q, want %q", r.was.Kept, kept)
			}
			s.holds(t, "prod", want...)
			if !strings.Contains(s.repo.Files(t, "prod")["large/web-live/reconciler.yaml"], "green") {
				t.Error("the other packages were not written")
			}
			if test.isKept {
				s.edit(t, map[string]string{batchFiles[0]: "edited"})
				r.memory = publish.Memory{}
				r.apply(t, s.settings(with(both("green"), batch)))
				s.holds(t, "prod", want...)
			}
		})
	}
}

// With on_error = "keep", a finding that fail_on names keeps the packages of the application that it is about, and a
// finding about an object of the platform fails the plan.
func TestKeepOnFinding(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	settings := s.settings(with(both("blue"), batch))
	settings.KeepBroken, settings.Findings.FailOn = true, []string{findings.TargetUnassigned, findings.PolicyIdle}
	r.apply(t, settings)
	misspelled := strings.Replace(batch, "workspace: batch-team,", "workspace: bacth-team,", 1)
	settings.Fleet = with(both("green"), misspelled)
	r.fails(t, settings, "POLICY_IDLE SchedulingPolicy/batch-on-large")

	settings.Findings.FailOn = settings.Findings.FailOn[:1]
	_, m := r.apply(t, settings)
	says(t, m.Warnings, "These packages stay as they are", "large/batch-nightly", "TARGET_UNASSIGNED DeploymentTarget/batch-nightly")
	r.isKept(t, "large/batch-nightly")
	s.holds(t, "prod", and(fleetFiles, batchFiles...)...)
	if !strings.Contains(s.repo.Files(t, "prod")["large/web-live/reconciler.yaml"], "green") {
		t.Error("the other packages were not written")
	}

	settings.Fleet.Assignments = map[string][]string{"large/web-live": nil, "small/web-live": nil}
	r.fails(t, settings, "TARGET_UNASSIGNED")
	settings.Fleet.Assignments, settings.KeepBroken = nil, false
	r.fails(t, settings, "TARGET_UNASSIGNED")
}

// A new resource has nothing to keep: the package is left out.
func TestKeepBrokenOfNewResource(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	settings := s.settings(with(both("blue"), brokenBatch))
	settings.KeepBroken = true
	_, m := s.resource().apply(t, settings)
	says(t, m.Warnings, "Left out", "large/batch-nightly")
	s.holds(t, "prod", fleetFiles...)
}

// A new resource that takes a folder over does not remove from it what it cannot render, or what
// only a team with a broken file could have removed.
func TestKeepBrokenTakesNothingAway(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]engine.Input{"a template fails": with(both("blue"), brokenBatch), "a broken file": noted(both("blue"))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			first := s.resource()
			first.apply(t, s.settings(with(both("blue"), batch)))
			succeeded(t, first.destroy(t))
			settings := s.settings(in)
			settings.KeepBroken = true
			second := s.resource()
			second.fails(t, settings, "large/batch-nightly", "import")
			s.holds(t, "prod", and(fleetFiles, batchFiles...)...)

			succeeded(t, second.imports(t, settings, "prod"))
			second.apply(t, settings)
			s.holds(t, "prod", and(fleetFiles, batchFiles...)...)
		})
	}
}

// With digests of cluster types alone, what only a team with a broken file could have removed stays
// too.
func TestKeepBrokenByClusterType(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	settings := s.settings(with(both("blue"), batch))
	settings.Detail = engine.DetailClusterType
	r.apply(t, settings)
	settings.Fleet, settings.KeepBroken = noted(both("green")), true
	r.apply(t, settings)
	s.holds(t, "prod", and(fleetFiles, batchFiles...)...)
	r.isKept(t, "large/batch-nightly")
	settings.Fleet = both("green")
	r.apply(t, settings)
	s.holds(t, "prod", fleetFiles...)
}

// The workspace that had a name at the last apply keeps it, in every later apply.
func TestKeepNameOfTeam(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := s.resource()
	of := func(team, text string) string {
		return strings.Replace(text, "labels: {", "labels: {kustomize.toolkit.fluxcd.io/name: prod-"+team+", ", 1)
	}
	teams := ""
	for _, team := range []string{"batch-team", "other-team"} {
		teams += fmt.Sprintf("---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: WorkloadRegistration\nmetadata: {name: %s}\n"+
			"spec: {workload: {repo: https://git.example/%[1]s}, workspace: %[1]s}\n", team)
	}
	settings := s.settings(with(both("blue"), of("batch-team", batch)+teams))
	settings.KeepBroken = true
	r.apply(t, settings)
	workload, _, _ := strings.Cut(batch, "---\n")
	for _, family := range []string{"green", "red", "red"} {
		changed := strings.Replace(batch, "family: none", "family: "+family, 1)
		settings.Fleet = with(both(family), of("batch-team", changed)+teams+"---\n"+of("other-team", workload))
		_, m := r.apply(t, settings)
		says(t, m.Warnings, "Duplicate object: ", "Workload/batch")
		if text := s.repo.Files(t, "prod")["large/batch-nightly/reconciler.yaml"]; !strings.Contains(text, family) {
			t.Errorf("the older application did not get its change: %s", text)
		}
		r.isKept(t)
	}
}

func (r *resource) isKept(t *testing.T, keys ...string) {
	t.Helper()
	if !slices.Equal(r.was.Kept, keys) {
		t.Errorf("kept %q, want %q", r.was.Kept, keys)
	}
}

// A wave that takes a folder over does not remove from it what only a team with a broken file could
// have removed.
func TestKeepBrokenInAnotherWave(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	first, second := s.resource(), s.resource()
	wave := func(in engine.Input, types ...string) publish.Settings {
		in.ClusterTypes = types
		settings := s.settings(in)
		settings.KeepBroken = true
		return settings
	}
	in := with(both("blue"), batch)
	first.apply(t, wave(in, "large"))
	second.apply(t, wave(in, "small"))
	second.fails(t, wave(noted(both("blue")), "large", "small"), "large/batch-nightly", "import")
	s.holds(t, "prod", and(fleetFiles, batchFiles...)...)
	second.apply(t, wave(in, "large", "small"))
	s.holds(t, "prod", and(fleetFiles, batchFiles...)...)
}
