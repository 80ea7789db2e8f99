// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"slices"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// imported is an instance as Terraform has it after an import.
func imported(t *testing.T, s server, at git.Location) *instance {
	t.Helper()
	inv, m := s.Import(t.Context(), at)
	succeeded(t, m)
	i := &instance{server: s, was: &publish.Applied{
		Settings: publish.Settings{Detail: engine.DetailPackage, MaxDiffLines: 400}, Location: at, Report: publish.Report{Packages: inv.Packages, Status: publish.InSync},
	}}
	i.note(t, inv)
	return i
}

// An import takes over the folders of cluster types, and no others.
func TestImport(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	first := &instance{server: s}
	promoted := "0123456789abcdef0123456789abcdef01234567"
	settings := inFolder(s.settings(both("blue")), "fleet")
	settings.Fleet.PromotedCommit = &promoted
	first.apply(t, settings)
	s.edit(t, "prod", map[string]string{"fleet/docs/README.md": "# Docs", "fleet/kalypso/README.md": "This folder contains deployment targets scheduled on the cluster type"})

	i := imported(t, s, git.Location{Repo: s.url, Branch: "prod", Path: "fleet"})
	for key, want := range map[string]bool{"large/web-live": true, "small/README.md": true, "docs/README.md": false, "kalypso/README.md": true, engine.TrackingFile: true} {
		if _, got := i.was.Packages[key]; got != want {
			t.Errorf("%s was taken over: %t", key, got)
		}
	}
	s.edit(t, "prod", map[string]string{"fleet/kalypso/README.md": ""})
	i.refresh(t)
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	if plan.Differs || !plan.KeepsImport {
		t.Errorf("the plan after an import in sync: %+v", plan)
	}
	// A change updates what was taken over; nothing else.
	settings.Fleet = both("green")
	i.apply(t, settings)
	s.holds(t, "prod", append(below("fleet", append(slices.Clone(fleetFiles), "docs/README.md")...), engine.TrackingFile)...)
	i.standsStill(t, settings)
}

func TestImportNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, m := s.Import(t.Context(), git.Location{Repo: s.url, Branch: "prod", Path: "."})
	says(t, m.Errors, "Nothing to import")
	_, m = s.Import(t.Context(), git.Location{Repo: s.url + "x", Branch: "prod", Path: "."})
	says(t, m.Errors, "The GitOps repository cannot be read")
}

// What was written by us and is destroyed without what we noted is known again by
// the folders' README.md.
func TestDestroyWithoutNotes(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	s.edit(t, "prod", map[string]string{"docs/README.md": "# Docs"})
	i.note(t, &publish.Inventory{})
	succeeded(t, i.destroy(t))
	s.holds(t, "prod", "docs/README.md")
}
