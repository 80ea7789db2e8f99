// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// Foreign folders are claimed, removed once a plan has shown them, and let go.
func TestExclusive(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	foreign := map[string]string{"old/README.md": "x\n", "root.txt": "x\n", ".github/keep": "x\n"}
	s.edit(t, "prod", foreign)
	kept := and(fleetFiles, "root.txt", ".github/keep")
	settings := s.settings(both("blue"))
	settings.Exclusive = true
	i := &instance{server: s}
	i.apply(t, settings) // no plan has shown the foreign folder yet
	s.holds(t, "prod", and(kept, "old/README.md")...)
	plan := i.apply(t, settings)
	changes(t, plan, "no package changes; +0 ~0 -1 other files")
	if !strings.Contains(plan.Diff, "old/README.md") {
		t.Errorf("diff\n%s", plan.Diff)
	}
	s.holds(t, "prod", kept...)
	i.standsStill(t, settings)

	s.edit(t, "prod", foreign)
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	if i.was.Packages["old/README.md"] == "" || !plan.Differs {
		t.Errorf("the foreign folder is not watched: %v, %+v", i.was.Packages, plan)
	}
	settings.Exclusive = false
	plan, m = i.plan(t, settings)
	says(t, m.Warnings, "no longer owns them: old.")
	packages(t, plan.Packages, "large/README.md", "large/web-live", "small/README.md", "small/web-live")
	if plan.Differs {
		t.Errorf("letting go of a folder changes something:\n%s", plan.Diff)
	}
	succeeded(t, i.carryOut(t, settings, plan))
	i.standsStill(t, settings)
	s.holds(t, "prod", and(kept, "old/README.md")...)
	s.commits(t, "prod", 4)
}

// A folder that is retained stays in the record, so that exclusive does not take it for a
// foreign one.
func TestExclusiveRetains(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	wants := func(clusterTypes ...string) publish.Settings {
		settings := s.settings(fleet("blue", clusterTypes...))
		settings.Exclusive, settings.Removal = true, ownership.Retain
		return settings
	}
	i.apply(t, wants("large", "small"))
	i.apply(t, wants("large"))
	i.hears(t, wants("large"), "The configuration no longer names cluster type small")
	s.holds(t, "prod", fleetFiles...)
	s.owned(t, map[string]string{i.was.Instance: "large small"})
}
