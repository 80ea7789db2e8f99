// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// limited are settings with limits, for a fleet of three packages: web-live on large
// and small, batch-nightly on large.
func (s server) limited(in engine.Input, l limits.Limits) publish.Settings {
	settings := s.settings(in)
	settings.Limits = l
	return settings
}

// amount is a limit as it is written: "25" or "10%".
func amount(t testing.TB, text string) *limits.Amount {
	t.Helper()
	a, err := limits.ParseAmount(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// code is what errors say to acknowledge; empty where nothing.
func code(m message.Messages) string {
	for _, message := range m.Errors {
		if found := regexp.MustCompile(`set acknowledge = "([0-9a-f]{32})"`).FindStringSubmatch(message.Detail); found != nil {
			return found[1]
		}
	}
	return ""
}

// A change beyond the limits is refused, and the code that the error gives lifts them
// for that change alone.
func TestLimits(t *testing.T) {
	t.Parallel()
	three, green := with(both("blue"), batch), with(both("green"), batch)
	withoutBatch, withoutSmall := both("blue"), with(fleet("blue", "large"), batch)
	moved := with(both("blue"), strings.Replace(batch, "{size: large}", "{size: small}", 1))
	for name, test := range map[string]struct {
		limits limits.Limits
		change engine.Input
		// want matches the error; empty where the change is within the limits.
		want string
		// final is true if no code lifts it.
		final bool
	}{
		"removed, count": {limits.Limits{MaxRemoved: amount(t, "0")}, withoutSmall,
			`1 of 3 packages would be removed.*web-live: 1 cluster type \(small\)`, false},
		"removed, share":  {limits.Limits{MaxRemoved: amount(t, "33%")}, withoutSmall, `max_removed = "33%" allows 0`, false},
		"removed, within": {limits.Limits{MaxRemoved: amount(t, "34%")}, withoutSmall, "", false},
		"changed": {limits.Limits{MaxChanged: amount(t, "50%")}, green,
			`2 of 3 packages would change.*web-live: 2 cluster types \(large, small\)`, false},
		"changed, within": {limits.Limits{MaxChanged: amount(t, "2")}, green, "", false},
		"moved": {limits.Limits{MaxRemoved: amount(t, "0")}, moved,
			`1 of 3 packages would be removed; max_removed = "0" allows 0.*- batch-nightly: 1 cluster type \(large\)`, false},
		"moved from where it stays": {limits.Limits{Protect: []string{"large/batch-*"}}, moved, `protect forbids`, true},
		"moved, within":             {limits.Limits{MaxRemoved: amount(t, "1"), Protect: []string{"*/batch-*"}}, moved, "", false},
		"protected": {limits.Limits{Protect: []string{"*/batch-*"}}, withoutBatch,
			`protect forbids.*batch-nightly: 1 cluster type \(large\)`, true},
		"not protected": {limits.Limits{Protect: []string{"*/batch-*"}}, withoutSmall, "", false},
		"several, told at once": {limits.Limits{MaxRemoved: amount(t, "0"), MaxChanged: amount(t, "0")},
			with(fleet("green", "large"), batch), `max_removed.*max_changed`, false},
		"nothing changes":             {limits.Limits{MaxRemoved: amount(t, "0")}, three, "", false},
		"what is beside the packages": {limits.Limits{MaxChanged: amount(t, "0")}, promoting(three, promoted), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			i.apply(t, s.limited(three, test.limits)) // the first creation is exempt
			change := s.limited(test.change, test.limits)
			if test.want == "" {
				i.apply(t, change)
				return
			}
			_, m := i.plan(t, change)
			if says(t, m.Errors, "The change exceeds the limits"); !m.Failed() ||
				!regexp.MustCompile("(?s)"+test.want).MatchString(m.Errors[0].Detail) {
				t.Fatalf("want %q in %+v", test.want, m.Errors)
			}
			acknowledge := code(m)
			if (acknowledge == "") != test.final {
				t.Fatalf("code %q in %+v", acknowledge, m.Errors)
			}
			if test.final {
				return
			}
			change.Acknowledge = acknowledge
			s.edit(t, "prod", map[string]string{"large/README.md": "# Edited\n"})
			_, m = i.plan(t, change)
			says(t, m.Errors, "The change exceeds the limits", "acknowledge has another code")
			change.Acknowledge = code(m)
			i.apply(t, change)
			acknowledge = change.Acknowledge

			// The code is good for that change of that content alone.
			other := s.limited(both("red"), limits.Limits{MaxChanged: amount(t, "0")})
			other.Acknowledge = acknowledge
			i.fails(t, other, "The change exceeds the limits")
		})
	}
}

// A folder that stays in the repository is not removed, so no limit prevents leaving it to
// others.
func TestLimitsRetain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	settings := func(in engine.Input) publish.Settings {
		settings := s.limited(in, limits.Limits{MaxRemoved: amount(t, "0"), Protect: []string{"small/*"}})
		settings.Removal = ownership.Retain
		return settings
	}
	i.apply(t, settings(both("blue")))
	i.apply(t, settings(fleet("blue", "large")))
	s.holds(t, "prod", fleetFiles...)
	i.standsStill(t, settings(fleet("blue", "large")))
}

// An empty fleet empties the repository only if that is allowed.
func TestAllowEmpty(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	nowhere := s.settings(both("blue"))
	nowhere.Fleet.Environment = "moon"
	i.fails(t, nowhere, "No package would be left", "allow_empty = true", "To give the environment up, destroy the resource.")
	nowhere.Limits.AllowEmpty = true
	i.apply(t, nowhere)
	s.holds(t, "prod", "large/README.md", "small/README.md")
	i.apply(t, s.settings(both("blue")))
	s.holds(t, "prod", fleetFiles...)
	succeeded(t, i.destroy(t)) // that is explicit
	s.holds(t, "prod")
}

// Limits count from the present content: a plan does not remove packages that drifted
// away.
func TestLimitsAfterDrift(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	in := with(both("blue"), batch)
	settings := s.limited(in, limits.Limits{MaxRemoved: amount(t, "0"), MaxChanged: amount(t, "0")})
	i.apply(t, settings)
	s.repo.DeleteBranch(t, "prod")
	i.apply(t, settings)
	s.holds(t, "prod", and(fleetFiles, batchFiles...)...)
	// Packages that somebody added by hand count too.
	s.edit(t, "prod", map[string]string{"small/stray/file": "stray\n", "large/notes.txt": "notes\n"})
	i.fails(t, settings, "2 of 5 packages would be removed")
	i.apply(t, s.settings(in))
	s.holds(t, "prod", and(fleetFiles, batchFiles...)...)
	// An edit that is put right changes a package.
	s.edit(t, "prod", map[string]string{"small/web-live/reconciler.yaml": "edited: x\n"})
	i.fails(t, settings, "1 of 3 packages would change")
	i.apply(t, s.settings(in))
	s.holds(t, "prod", and(fleetFiles, batchFiles...)...)
}

// While a request is open, limits count from the content of the base branch.
func TestLimitsWhileARequestIsOpen(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.settings(with(both("blue"), batch)))
	settings := s.proposing("green")
	settings.Fleet = with(both("green"), batch)
	i.apply(t, settings)
	settings.Limits = limits.Limits{MaxChanged: amount(t, "1")}
	settings.Fleet = with(both("red"), batch)
	i.fails(t, settings, "2 of 3 packages would change")
	settings.Fleet = with(both("blue"), batch)
	if i.apply(t, settings); len(s.open()) > 0 {
		t.Errorf("open %+v", s.open())
	}
}

// Limits count packages even if digests are those of cluster types. If the packages of a
// cluster type are not known, the limits do not count as kept.
func TestLimitsByClusterType(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	settings := s.limited(with(both("blue"), batch), limits.Limits{Protect: []string{"*/batch-*"}})
	settings.Detail = engine.DetailClusterType
	i.apply(t, settings)
	settings.Fleet = both("blue")
	_, m := i.plan(t, settings)
	if says(t, m.Errors, "The change exceeds the limits", "batch-nightly: 1 cluster type (large)"); code(m) != "" {
		t.Errorf("what is protected can be acknowledged: %+v", m.Errors)
	}
	settings.Limits.Protect = []string{"*/web-*"}
	_, m = i.fetching(t, 1).Plan(t.Context(), i.job(t, settings))
	says(t, m.Errors, "The limits cannot be checked", "in these cluster types: large.")
	settings.Acknowledge = code(m)
	plan, m := i.fetching(t, 1).Plan(t.Context(), i.job(t, settings))
	succeeded(t, m)
	succeeded(t, i.carryOut(t, settings, plan))
	s.holds(t, "prod", fleetFiles...)
	i.standsStill(t, settings)
}

// Limits bind a creation for the folders that it finds in the branch: one that it takes
// over, and one without an owner. The code is good for this content alone.
func TestLimitsOfACreation(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	(&instance{server: s}).apply(t, s.settings(with(both("blue"), batch)))
	i := &instance{server: s}
	settings := s.limited(both("blue"), limits.Limits{MaxRemoved: amount(t, "0")})
	_, m := i.plan(t, settings)
	says(t, m.Errors, "1 of 3 packages would be removed", "batch-nightly: 1 cluster type (large)")
	settings.Acknowledge = code(m)
	s.edit(t, "prod", map[string]string{"small/stray/file": "stray\n"})
	_, m = i.plan(t, settings)
	says(t, m.Errors, "2 of 4 packages would be removed")
	settings.Acknowledge = code(m)
	i.apply(t, settings)
	s.holds(t, "prod", fleetFiles...)
	i.standsStill(t, settings)
}

// A proposal that is not merged has changed nothing in the branch yet. So removals that
// follow each other add up, and packages whose removal a reviewer has refused can be
// protected.
func TestLimitsCountFromTheBranch(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		closes bool
		limits limits.Limits
		fleet  engine.Input
		words  []string
	}{
		"a request is open": {false, limits.Limits{MaxRemoved: amount(t, "1")}, fleet("blue", "large"),
			[]string{"2 of 3 packages would be removed", "web-live: 1 cluster type (small)", "batch-nightly: 1 cluster type (large)"}},
		"another limit": {false, limits.Limits{MaxRemoved: amount(t, "0")}, both("blue"), []string{"1 of 3 packages would be removed"}},
		"it was closed": {true, limits.Limits{Protect: []string{"*/batch-*"}}, both("blue"),
			[]string{"protect forbids", "batch-nightly: 1 cluster type (large)"}},
		"it was closed, too": {true, limits.Limits{MaxRemoved: amount(t, "1")}, fleet("blue", "large"),
			[]string{"2 of 3 packages would be removed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			i := &instance{server: s}
			i.apply(t, s.settings(with(both("blue"), batch)))
			i.apply(t, s.proposing("blue"))
			if test.closes {
				s.github.ClosePull(t, s.only(t).Number)
			}
			settings := s.limited(test.fleet, test.limits)
			settings.Request = &request.Settings{}
			i.fails(t, settings, test.words...)
		})
	}
}

// The code of an open request need not stay: it was given for the plan that proposed.
func TestLimitsOfAnOpenRequestStayAcknowledged(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.settings(with(both("blue"), batch)))
	settings := s.limited(both("blue"), limits.Limits{MaxRemoved: amount(t, "0")})
	settings.Request = &request.Settings{}
	_, m := i.plan(t, settings)
	settings.Acknowledge = code(m)
	i.apply(t, settings)
	settings.Acknowledge = ""
	plan, m := i.plan(t, settings)
	if succeeded(t, m); plan.Differs || plan.RequestOpen {
		t.Errorf("something is to do: %+v", plan)
	}
	s.github.ClosePull(t, s.only(t).Number)
	settings.Fleet = both("green") // which is proposed anew, and looked at
	i.fails(t, settings, "The change exceeds the limits")
}

// A plan reports a pattern that protects nothing, when a resource is created and later.
// Codes of several resources may be beside each other.
func TestLimitsProtectNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	settings := s.limited(both("blue"), limits.Limits{Protect: []string{"*/web-*", "*/wbe-*"}, MaxRemoved: amount(t, "0")})
	_, m := i.plan(t, settings)
	warnsOf(t, m, "A pattern protects nothing")
	says(t, m.Warnings, "the pattern */wbe-*, and no package matches")
	i.apply(t, settings)
	settings = s.limited(fleet("blue", "large"), limits.Limits{Protect: []string{"*/batch-*"}, MaxRemoved: amount(t, "0")})
	_, m = i.plan(t, settings)
	warnsOf(t, m, "A pattern protects nothing")
	settings.Acknowledge = "00000000000000000000000000000000 " + code(m)
	i.apply(t, settings)
}
