// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// Times before, in and after the freeze of frozen.
var (
	before = time.Date(2026, 12, 17, 12, 0, 0, 0, time.UTC)
	during = before.AddDate(0, 0, 5)
	after  = before.AddDate(0, 1, 0)
)

// frozen returns settings with a freeze, and the server with a clock that shows a time.
func frozen(t *testing.T, s server, now *time.Time) (server, func(engine.Input) publish.Settings) {
	t.Helper()
	s.now = func() time.Time { return *now }
	return s, func(in engine.Input) publish.Settings {
		settings := s.settings(in)
		settings.Freezes = []calendar.Period{{Reason: "holidays", Begins: before.AddDate(0, 0, 1), Ends: before.AddDate(0, 0, 17)}}
		return settings
	}
}

const isFrozen = "A freeze is in force"

// A freeze refuses each change of packages, and its code permits only that change.
func TestFreeze(t *testing.T) {
	t.Parallel()
	three := with(both("blue"), batch)
	for name, test := range map[string]struct {
		change func(t *testing.T, i *instance, settings *publish.Settings)
		// free is true if the change changes no package.
		free bool
		want string
	}{
		"a new config": {func(_ *testing.T, _ *instance, s *publish.Settings) { s.Fleet = with(both("green"), batch) }, false,
			"No package may change: the freeze \"holidays\" is in force until Sun 2027-01-03 12:00 +00:00 (UTC). The apply would change " +
				"2 packages:\n" +
				"  - web-live: 2 cluster types (large, small)\n"},
		"a removal": {func(_ *testing.T, _ *instance, s *publish.Settings) { s.Fleet = both("blue") }, false, "change 1 package:"},
		"by cluster type": {func(_ *testing.T, _ *instance, s *publish.Settings) {
			s.Fleet, s.Detail = with(both("green"), batch), engine.DetailClusterType
		}, false, "change 2 packages:"},
		"drift": {func(t *testing.T, i *instance, _ *publish.Settings) {
			i.edit(t, "prod", map[string]string{"small/web-live/extra.yaml": "a: b\n"})
		}, false, "change 1 package:"},
		"a move": {func(_ *testing.T, _ *instance, s *publish.Settings) { s.Path.Value = "fleet" }, false, "change 3 packages:"},
		"a move and a change, by cluster type": {func(t *testing.T, i *instance, s *publish.Settings) {
			*s = coarse(s)
			i.apply(t, *s)
			s.Path.Value, s.Fleet = "fleet", with(both("green"), batch)
		}, false, "small/web-live"},
		"a move that removes all packages": {func(_ *testing.T, _ *instance, s *publish.Settings) {
			s.Path.Value, s.Limits.AllowEmpty = "fleet", true
			s.Fleet.Assignments = map[string][]string{}
		}, false, "change 3 packages:"},
		"a cluster type that is left to others": {func(_ *testing.T, _ *instance, s *publish.Settings) {
			s.Removal, s.Fleet = ownership.Retain, with(fleet("blue", "large"), batch)
		}, true, ""},
		"nothing":       {func(*testing.T, *instance, *publish.Settings) {}, true, ""},
		"only a record": {func(_ *testing.T, _ *instance, s *publish.Settings) { s.Fleet = promoting(three, promoted) }, true, ""},
		"the file of a package's cluster type": {func(t *testing.T, i *instance, _ *publish.Settings) {
			i.edit(t, "prod", map[string]string{"small/README.md": "# Edited\n"})
		}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := before
			s, settings := frozen(t, newServer(t), &now)
			i := &instance{server: s}
			i.apply(t, settings(three))
			changed := settings(three)
			test.change(t, i, &changed)
			now = during
			if test.free {
				i.apply(t, changed)
				return
			}
			i.fails(t, changed, isFrozen, test.want)
			_, m := i.plan(t, changed)
			changed.Acknowledge = "0123456789abcdef0123456789abcdef"
			i.fails(t, changed, isFrozen, "acknowledge has another code")
			changed.Acknowledge = code(m)
			i.apply(t, changed)
			if changed.Path.Value != "." {
				return
			}
			back := settings(three)
			back.Acknowledge = changed.Acknowledge
			s.edit(t, "prod", map[string]string{"large/web-live/extra.yaml": "a: b\n"})
			i.fails(t, back, isFrozen, "acknowledge has another code")
			now = after
			i.apply(t, back)
		})
	}
}

// coarse returns settings with the keys of cluster types.
func coarse(s *publish.Settings) publish.Settings {
	changed := *s
	changed.Detail = engine.DetailClusterType
	return changed
}

// A new resource is bound as well, and its code is the same at the apply.
func TestFreezeOfNewResource(t *testing.T) {
	t.Parallel()
	now := during
	s, settings := frozen(t, newServer(t), &now)
	i := &instance{server: s}
	wanted := settings(both("blue"))
	i.fails(t, wanted, isFrozen)
	_, m := i.plan(t, wanted)
	wanted.Acknowledge = code(m)
	i.apply(t, wanted)
	s.commits(t, "prod", 1)
}

// An apply in a freeze is refused, although its plan is older than the freeze.
func TestFreezeAtApply(t *testing.T) {
	t.Parallel()
	for _, isKnown := range []bool{true, false} {
		now := before
		s, settings := frozen(t, newServer(t), &now)
		i := &instance{server: s}
		i.apply(t, settings(both("blue")))
		plan, m := i.plan(t, settings(both("green")))
		succeeded(t, m)
		if !isKnown {
			plan.Packages = nil
		}
		now = during
		m = i.carryOut(t, settings(both("green")), plan)
		says(t, m.Errors, isFrozen, `set acknowledge = "`)
		s.commits(t, "prod", 1)
		acknowledged := settings(both("green"))
		acknowledged.Acknowledge = code(m)
		succeeded(t, i.carryOut(t, acknowledged, plan))
		s.commits(t, "prod", 2)
	}
}

func TestFreezeOfDestroy(t *testing.T) {
	t.Parallel()
	for _, removal := range []ownership.Removal{ownership.Delete, ownership.Empty} {
		now := before
		s, settings := frozen(t, newServer(t), &now)
		i := &instance{server: s}
		wanted := settings(both("blue"))
		wanted.Removal = removal
		i.apply(t, wanted)
		succeeded(t, i.planDestroy(t))
		now = during
		says(t, i.planDestroy(t).Errors, isFrozen, "remove the block freeze, apply, and then destroy")
		says(t, i.destroy(t).Errors, isFrozen)
		s.commits(t, "prod", 1)
		wanted.Removal = ownership.Retain
		i.apply(t, wanted)
		succeeded(t, i.planDestroy(t))
		succeeded(t, i.destroy(t))
	}
}

// An open request outlives the beginning of a freeze. A new commit in its branch is refused, and its
// withdrawal is not, because that changes no package.
func TestFreezeOfRequest(t *testing.T) {
	t.Parallel()
	now := before
	s, settings := frozen(t, newGitHub(t), &now)
	proposing := func(in engine.Input) publish.Settings {
		proposed := settings(in)
		proposed.Request = &request.Settings{}
		return proposed
	}
	i := &instance{server: s}
	i.apply(t, settings(both("blue")))
	i.apply(t, proposing(both("green")))
	i.status(t, ownership.Proposed)
	now = during
	i.standsStill(t, proposing(both("green")))
	_, m := i.plan(t, proposing(both("green")))
	says(t, m.Warnings, isFrozen, "/pull/", "A merge would change packages")
	merging := proposing(both("green"))
	merging.Request.AutoMerge = forge.Squash
	i.fails(t, merging, isFrozen, "change 2 packages:")
	ignoring := proposing(both("green"))
	ignoring.Findings.Ignore = []string{"POLICY_IDLE"}
	i.apply(t, ignoring)
	i.fails(t, proposing(both("red")), isFrozen)
	i.apply(t, proposing(both("blue")))
	i.status(t, ownership.InSync)
	s.commits(t, "prod", 2)
}

// The code of a limit does not permit the same change in a freeze: the person who approved it did not know
// of the freeze. Both codes together do.
func TestFreezeAndLimits(t *testing.T) {
	t.Parallel()
	now := before
	s, settings := frozen(t, newServer(t), &now)
	i := &instance{server: s}
	i.apply(t, settings(both("blue")))
	changed := settings(both("green"))
	changed.Limits.MaxChanged = amount(t, "0")
	_, m := i.plan(t, changed)
	changed.Acknowledge = code(m)
	now = during
	i.fails(t, changed, isFrozen)
	_, m = i.plan(t, changed)
	changed.Acknowledge += " " + code(m)
	i.apply(t, changed)
}
