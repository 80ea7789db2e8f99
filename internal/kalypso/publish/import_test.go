// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"maps"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// imported is an instance as Terraform has it after an import.
func imported(t *testing.T, s server, at git.Location) *instance {
	t.Helper()
	inv, m := s.Import(t.Context(), at, "")
	succeeded(t, m)
	i := &instance{server: s, was: &publish.Applied{
		Settings: publish.Settings{Detail: engine.DetailPackage, Removal: ownership.Delete}, Location: at, Instance: inv.Instance, Attributes: publish.Attributes{Packages: inv.Packages,
			Status: ownership.InSync},
	}}
	i.note(t, inv.Inventory)
	return i
}

// Without a record, an import takes over the folders that show that they are cluster
// types, and no others.
func TestImport(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	first := &instance{server: s}
	settings := inFolder(s.settings(with(both("blue"), baseRepo(promoted))), "fleet")
	first.apply(t, settings)
	s.edit(t, "prod", map[string]string{"fleet/docs/README.md": "# Docs", "fleet/kalypso/README.md": "This folder contains deployment " +
		"targets scheduled on the cluster type", record(first): ""})

	i := imported(t, s, git.Location{Repo: s.url, Branch: "prod", Path: "fleet"})
	packages(t, i.was.Packages, engine.PromotedCommitFile, "kalypso/README.md", "large/README.md", "large/web-live", "small/README.md",
		"small/web-live")
	s.edit(t, "prod", map[string]string{"fleet/kalypso/README.md": ""})
	i.refresh(t)
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	if plan.Differs || !plan.KeepsImport || !maps.Equal(plan.Packages, first.was.Packages) {
		t.Errorf("the plan after an import in sync: %+v", plan)
	}
	// A setting alone can be changed.
	settings.Removal = ownership.Retain
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

// An import cannot know the owner of the promoted commit's file. The file is only changed
// if the fleet has such a commit.
func TestImportLeavesTheTrackingFile(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	(&instance{server: s}).apply(t, s.settings(with(both("blue"), baseRepo(promoted))))
	i := imported(t, s, git.Location{Repo: s.url, Branch: "prod", Path: "."})
	plan := i.apply(t, s.settings(both("blue")))
	packages(t, plan.Packages, "large/README.md", "large/web-live", "small/README.md", "small/web-live")
	s.contains(t, engine.PromotedCommitFile, promoted)
	succeeded(t, i.destroy(t))
	s.holds(t, "prod", engine.PromotedCommitFile)
	s.contains(t, engine.PromotedCommitFile, promoted)
}

func TestImportNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, m := s.Import(t.Context(), git.Location{Repo: s.url, Branch: "prod", Path: "."}, "")
	says(t, m.Errors, "Nothing to import", "has no branch")
	s.edit(t, "prod", map[string]string{"docs/README.md": "# Docs"})
	_, m = s.Import(t.Context(), git.Location{Repo: s.url, Branch: "prod", Path: "."}, "")
	says(t, m.Errors, "Nothing to import", "has no folder to import")
	_, m = s.Import(t.Context(), git.Location{Repo: s.url + "x", Branch: "prod", Path: "."}, "")
	says(t, m.Errors, "The GitOps repository cannot be read")
}

// If our folders are destroyed without our notes, the folders' README.md shows that they
// are ours.
func TestDestroyWithoutNotes(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	s.edit(t, "prod", map[string]string{"docs/README.md": "# Docs"})
	i.note(t, &ownership.Inventory{})
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

// With records, an import follows one of them: the record of the place, or the one of the
// environment. It is a new instance, which takes the folders over with its next apply.
func TestImportByRecord(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	dev := s.settings(promoting(fleetOf("dev", "blue", "large"), promoted))
	prod := s.settings(promoting(fleet("blue", "small"), ""))
	one, two := &instance{server: s}, &instance{server: s}
	one.apply(t, dev)
	s.edit(t, "prod", map[string]string{"kalypso/README.md": "This folder contains deployment targets scheduled on the cluster type",
		"large/more": "x"})
	here := git.Location{Repo: s.url, Branch: "prod", Path: "./"}

	i := imported(t, s, here)
	if packages(t, i.was.Packages, engine.PromotedCommitFile, "large/README.md", "large/more",
		"large/web-live"); i.was.Instance == one.was.Instance || !ownership.IsInstance(i.was.Instance) {
		t.Errorf("%s is imported as %s", one.was.Instance, i.was.Instance)
	}
	changes(t, i.apply(t, dev), "+0 ~0 -1 packages in 1 cluster type")
	s.owned(t, map[string]string{i.was.Instance: "large"})
	i.standsStill(t, dev)
	one.loses(t, dev)

	two.apply(t, prod)
	_, m := s.Import(t.Context(), here, "")
	says(t, m.Errors, "Several instances", s.url+"#prod:./:dev for ", s.url+"#prod:./:prod for ", record(i), record(two))
	for environment, want := range map[string]*instance{"dev": i, "prod": two} {
		inv, m := s.Import(t.Context(), here, environment)
		succeeded(t, m)
		if inv.Instance == want.was.Instance || inv.Environment != environment || !maps.Equal(inv.Packages, want.was.Packages) {
			t.Errorf("%s is imported as %s with %v", environment, inv.Instance, inv.Packages)
		}
	}
	// Another environment has only the folders there that nobody has recorded.
	inv, m := s.Import(t.Context(), here, "stage")
	succeeded(t, m)
	packages(t, inv.Packages, "kalypso/README.md")
	_, m = s.Import(t.Context(), git.Location{Repo: s.url, Branch: "prod", Path: "large"}, "")
	says(t, m.Errors, "Nothing to import")
}

// Of two instances of one environment in one place, a person has to say which one.
func TestImportOneOfTwo(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one, two := &instance{server: s}, &instance{server: s}
	one.apply(t, s.settings(fleet("blue", "large")))
	two.apply(t, s.settings(fleet("blue", "small")))
	here := git.Location{Repo: s.url, Branch: "prod", Path: "."}
	_, m := s.Import(t.Context(), here, "prod")
	says(t, m.Errors, "Several instances", "remove its record first")
	s.edit(t, "prod", map[string]string{record(two): ""})
	i := imported(t, s, here)
	packages(t, i.was.Packages, "large/README.md", "large/web-live")
	i.apply(t, s.settings(fleet("blue", "large")))
	two.standsStill(t, s.settings(fleet("blue", "small")))
}

// An imported folder that was never applied belongs to the new instance if no record names
// it. A folder that another instance has recorded does not yet: a destroy leaves it, and
// its plan says so.
func TestImportAndDestroy(t *testing.T) {
	t.Parallel()
	for name, recorded := range map[string]bool{"by record": true, "by marks": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			first := &instance{server: s}
			first.apply(t, s.settings(both("blue")))
			s.edit(t, "prod", map[string]string{"docs/README.md": "# Docs"})
			if !recorded {
				s.edit(t, "prod", map[string]string{record(first): ""})
			}
			i := imported(t, s, git.Location{Repo: s.url, Branch: "prod", Path: "."})
			m := i.planDestroy(t)
			succeeded(t, i.destroy(t))
			if !recorded {
				says(t, m.Warnings, "Removes 2 packages in 2 cluster types")
				s.holds(t, "prod", "docs/README.md")
				s.owned(t, map[string]string{})
				return
			}
			says(t, m.Warnings, "Removes nothing", "folders large, small belong to", record(first))
			s.holds(t, "prod", and(fleetFiles, "docs/README.md")...)
			first.standsStill(t, s.settings(both("blue")))
		})
	}
}

// If another state still holds the imported folders, the import takes them over with its
// next apply, whether anything else changes or not. After that, the other resource removes
// nothing, whatever happens to it.
func TestImportTakesOver(t *testing.T) {
	t.Parallel()
	for name, family := range map[string]string{"in sync": "blue", "with a change": "green"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			old := &instance{server: s}
			old.apply(t, s.settings(both("blue")))
			i := imported(t, s, git.Location{Repo: s.url, Branch: "prod", Path: "."})
			settings := s.settings(both(family))
			plan, m := i.plan(t, settings)
			succeeded(t, m)
			says(t, m.Warnings, "Folders are taken over", record(old))
			if !plan.Differs || plan.KeepsImport {
				t.Errorf("the plan takes nothing over: %+v", plan)
			}
			old.standsStill(t, s.settings(both("blue"))) // until then
			i.apply(t, settings)
			s.owned(t, map[string]string{i.was.Instance: "large small"})
			i.standsStill(t, settings)

			old.fails(t, s.settings(fleet("blue", "large")), "Folders have another owner now", record(i))
			says(t, old.planDestroy(t).Warnings, "Removes nothing", record(i))
			succeeded(t, old.destroy(t))
			s.holds(t, "prod", fleetFiles...)
			i.standsStill(t, settings)
		})
	}
}
