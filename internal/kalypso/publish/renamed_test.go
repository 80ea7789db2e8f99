// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"strings"
	"testing"
)

// In another process, a rename without a moved block is decided by the records: the new
// resource takes the folders over, and the old one finds that they have another owner.
func TestRenamedInTwoProcesses(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one, two := &instance{server: s}, &instance{server: s}
	one.apply(t, s.settings(both("blue")))
	two.apply(t, s.settings(both("green")))
	says(t, one.planDestroy(t).Warnings, "Removes 2 packages") // as its last refresh knows
	one.refresh(t)
	says(t, one.planDestroy(t).Warnings, "Removes nothing", record(two))
	succeeded(t, one.destroy(t))
	two.standsStill(t, s.settings(both("green")))
}

// A replacement removes nothing, whichever half comes first, and where only one comes.
func TestReplacement(t *testing.T) {
	t.Parallel()
	for name, destroyedFirst := range map[string]bool{"destroyed first": true, "created first": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			old := &instance{server: s}
			old.apply(t, s.settings(both("blue")))
			fresh, before := old.replacement(t), record(old)
			plan, m := fresh.plan(t, s.settings(both("green")))
			succeeded(t, m)
			isOld := func(folder string) bool { return strings.HasPrefix(plan.TakenOver[folder], before+" ") }
			if len(plan.TakenOver) != 2 || !isOld("large") || !isOld("small") || len(m.Warnings) != 1 {
				t.Errorf("the plan takes over %q, and warns %+v", plan.TakenOver, m.Warnings)
			}
			if destroyedFirst {
				succeeded(t, old.remove(t, false))
				s.owned(t, map[string]string{strings.TrimPrefix(before, ".kalypso/"): "large small"})
			}
			succeeded(t, fresh.carryOut(t, s.settings(both("green")), plan))
			if !destroyedFirst {
				succeeded(t, old.remove(t, false))
			}
			fresh.replaces = nil
			s.owned(t, map[string]string{fresh.was.Instance: "large small"})
			if text := s.repo.Files(t, "prod")["large/web-live/reconciler.yaml"]; !strings.Contains(text, "family: green") {
				t.Errorf("the branch holds %s", text)
			}
			fresh.standsStill(t, s.settings(both("green")))
			if log := s.repo.Log(t, "prod"); len(log) != 2 {
				t.Errorf("commits %q", log)
			}
		})
	}
}
