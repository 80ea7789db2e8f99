// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"maps"
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
	settings := inFolder(s.settings(with(both("blue"), baseRepo(promoted))), "fleet")
	first.apply(t, settings)
	s.edit(t, "prod", map[string]string{"fleet/docs/README.md": "# Docs", "fleet/kalypso/README.md": "This folder contains deployment targets scheduled on the cluster type"})

	i := imported(t, s, git.Location{Repo: s.url, Branch: "prod", Path: "fleet"})
	packages(t, i.was.Packages, engine.PromotedCommitFile, "kalypso/README.md", "large/README.md", "large/web-live", "small/README.md", "small/web-live")
	s.edit(t, "prod", map[string]string{"fleet/kalypso/README.md": ""})
	i.refresh(t)
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	if plan.Differs || !plan.KeepsImport || !maps.Equal(plan.Packages, first.was.Packages) {
		t.Errorf("the plan after an import in sync: %+v", plan)
	}
	// A setting alone can be changed.
	settings.Retain = true
	if plan := i.apply(t, settings); plan.Differs || plan.KeepsImport || !maps.Equal(plan.Packages, first.was.Packages) {
		t.Errorf("a setting changes %+v", plan)
	}
	s.commits(t, "prod", 3)
	// A change updates what was taken over; nothing else.
	settings.Fleet = with(both("green"), baseRepo(promoted))
	changes(t, i.apply(t, settings), "+0 ~2 -0 packages in 2 cluster types")
	s.holds(t, "prod", and(below("fleet", and(fleetFiles, "docs/README.md")...), engine.PromotedCommitFile)...)
	i.standsStill(t, settings)
}

// An import cannot know whose the promoted commit's file is: it is only changed
// where the fleet has such a commit.
func TestImportLeavesTheTrackingFile(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	(&instance{server: s}).apply(t, s.settings(with(both("blue"), baseRepo(promoted))))
	i := imported(t, s, git.Location{Repo: s.url, Branch: "prod", Path: "."})
	plan := i.apply(t, s.settings(both("blue")))
	packages(t, plan.Packages, "large/README.md", "large/web-live", "small/README.md", "small/web-live")
	s.contains(t, engine.PromotedCommitFile, promoted)
	s.commits(t, "prod", 1)
	succeeded(t, i.destroy(t))
	s.holds(t, "prod", engine.PromotedCommitFile)
	s.contains(t, engine.PromotedCommitFile, promoted)
}

func TestImportNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, m := s.Import(t.Context(), git.Location{Repo: s.url, Branch: "prod", Path: "."})
	says(t, m.Errors, "Nothing to import", "has no branch")
	s.edit(t, "prod", map[string]string{"docs/README.md": "# Docs"})
	_, m = s.Import(t.Context(), git.Location{Repo: s.url, Branch: "prod", Path: "."})
	says(t, m.Errors, "Nothing to import", "holds no folder of a cluster type")
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

// A state without notes, as of a tainted resource: the next look finds out anew.
func TestRefreshWithoutNotes(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	settings := s.settings(both("blue"))
	i.apply(t, settings)
	s.edit(t, "prod", map[string]string{"docs/README.md": "# Docs", "large/web-live/reconciler.yaml": "edited: true\n"})
	i.noted = nil
	changes(t, i.apply(t, settings), "+0 ~1 -0 packages in 1 cluster type")
	i.noted = nil
	settings.Fleet = fleet("blue", "large")
	changes(t, i.apply(t, settings), "+0 ~0 -1 packages in 1 cluster type")
	s.holds(t, "prod", and(fleetFiles[:4], "docs/README.md")...)
	i.standsStill(t, settings)
}
