// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// shown returns a fleet with an overview of that name.
func shown(in engine.Input, name string) engine.Input {
	in.Overview = name
	return in
}

// An overview comes, changes with what is assigned, is put right, gets another name, goes.
func TestOverview(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{".", "fleet"} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			at := func(paths []string, names ...string) []string {
				if paths = and(paths, names...); folder != "." {
					return below(folder, paths...)
				}
				return paths
			}
			large := fleetFiles[:4]
			for _, step := range []struct {
				name    string
				edited  string // FLEET.md, by hand, before
				fleet   engine.Input
				summary string
				want    []string
			}{
				{"without one", "", fleet("blue", "large"), "+1 ~0 -0 packages in 1 cluster type", large},
				{"it comes", "", shown(fleet("blue", "large"), "FLEET.md"), "no package changes; +1 ~0 -0 other files", and(large, "FLEET.md")},
				{"it changes with the fleet", "", shown(both("blue"), "FLEET.md"), "+1 ~0 -0 packages in 1 cluster type", and(fleetFiles, "FLEET.md")},
				{"an edit is drift", "edited", shown(both("blue"), "FLEET.md"), "no package changes; +0 ~1 -0 other files",
					and(fleetFiles, "FLEET.md")},
				{"another name", "", shown(both("blue"), "README.md"), "no package changes; +1 ~0 -1 other files", and(fleetFiles, "README.md")},
				{"with packages", "", shown(both("green"), "README.md"), "+0 ~2 -0 packages in 2 cluster types", and(fleetFiles, "README.md")},
				{"none any more", "", both("green"), "no package changes; +0 ~0 -1 other files", fleetFiles},
				{"again", "", shown(both("green"), "FLEET.md"), "no package changes; +1 ~0 -0 other files", and(fleetFiles, "FLEET.md")},
			} {
				if step.edited != "" {
					s.edit(t, "prod", map[string]string{strings.TrimPrefix(folder+"/FLEET.md", "./"): step.edited})
				}
				settings := inFolder(s.settings(step.fleet), folder)
				plan := i.apply(t, settings)
				changes(t, plan, step.summary)
				if step.fleet.Overview != "" && !strings.Contains(plan.Diff, step.fleet.Overview) && step.name != "with packages" {
					t.Errorf("%s: the diff is\n%s", step.name, plan.Diff)
				}
				s.holds(t, "prod", at(step.want)...)
				if i.standsStill(t, settings); t.Failed() {
					t.Fatal(step.name)
				}
			}
			succeeded(t, i.destroy(t))
			s.holds(t, "prod")
		})
	}
}

// A reviewer sees manifests first: README.md, the overview and the promoted commit come last,
// in one line each.
func TestOverviewIsFolded(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{".", "teams/x"} {
		s := newServer(t)
		i := &instance{server: s}
		i.apply(t, inFolder(s.settings(shown(promoting(both("blue"), promoted), "FLEET.md")), folder))
		next := with(fleet("green", "large"), batch)
		plan, m := i.plan(t, inFolder(s.settings(shown(promoting(next, strings.Repeat("b", 40)), "FLEET.md")), folder))
		succeeded(t, m)
		at := regexp.QuoteMeta(strings.TrimPrefix(folder+"/", "./"))
		want := `(?s)^- ` + at + `small/web-live \(3 files\)\ndiff --git a/` + at + `large/web-live/.*diff --git a/` + at +
			`large/batch-nightly/.*new file.*\n` +
			`\(folded: ` + at + `large/README.md, [^\n]*\)\n\(folded: ` + at + `small/README.md, [^\n]*\)\n\(folded: ` + at +
			`FLEET.md, [^\n]*\)\n\(folded: \.github/tracking/Promoted_Commit_Id, \+1 -1 lines\)\n$`
		if !regexp.MustCompile(want).MatchString(plan.Diff) {
			t.Errorf("%s: the diff is\n%s", folder, plan.Diff)
		}
	}
}

// It lists each assignment with its place.
func TestOverviewContent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(shown(with(both("blue"), batch), "FLEET.md")))
	got := s.repo.Files(t, "prod")["FLEET.md"]
	for _, want := range []string{"# Environment `prod`", "| [`large`](<large>) |", "| `web-live` |", "[✔](<small/web-live>)",
		"```mermaid"} {
		if !strings.Contains(got, want) {
			t.Errorf("the overview lacks %q:\n%s", want, got)
		}
	}
}

// Somebody else owns the file in its place.
func TestOverviewInTheWay(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.edit(t, "prod", map[string]string{"README.md": "# Ours"})
	i := &instance{server: s}
	i.fails(t, s.settings(shown(both("blue"), "README.md")), "already has the file README.md", "Give the overview another name")
	i.apply(t, s.settings(both("blue")))
	i.fails(t, s.settings(shown(both("blue"), "README.md")), "already has the file README.md", "Give the overview another name")
	i.apply(t, s.settings(shown(both("blue"), "FLEET.md")))
	// Between plan and apply it is guarded as folders are.
	next := s.settings(shown(both("green"), "FLEET.md"))
	plan, m := i.plan(t, next)
	succeeded(t, m)
	s.edit(t, "prod", map[string]string{"FLEET.md": "in between"})
	says(t, i.carryOut(t, next, plan).Errors, "Somebody else changed the file FLEET.md", "Plan again")
	s.contains(t, "FLEET.md", "in between")
	s.contains(t, "README.md", "# Ours")
}

// Two resources of one place have overviews of their own names.
func TestOverviewsOfTwo(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]engine.Input{
		"of two environments": fleetOf("dev", "blue", "small"), "of one environment": fleet("blue", "small"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			one, two := &instance{server: s}, &instance{server: s}
			one.apply(t, s.settings(shown(fleet("blue", "large"), "FLEET.md")))
			words := []string{`the file FLEET.md belongs to environment "prod"`, "give the overview another name"}
			two.fails(t, s.settings(shown(second, "FLEET.md")), words...)
			two.apply(t, s.settings(second))
			two.fails(t, s.settings(shown(second, "FLEET.md")), words...)
			two.apply(t, s.settings(shown(second, "SMALL.md")))
			one.standsStill(t, s.settings(shown(fleet("blue", "large"), "FLEET.md")))
			two.standsStill(t, s.settings(shown(second, "SMALL.md")))
			succeeded(t, one.destroy(t))
			s.holds(t, "prod", and(fleetFiles[4:], "SMALL.md")...)
		})
	}
}

// A resource that takes the folders over takes the overview with them. If its overview has
// another name, the other resource keeps its own until it goes.
func TestTakeOverTheOverview(t *testing.T) {
	t.Parallel()
	for _, overview := range []string{"FLEET.md", "README.md"} {
		t.Run(overview, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			one, two := &instance{server: s}, &instance{server: s}
			one.apply(t, s.settings(shown(both("blue"), "FLEET.md")))
			two.apply(t, s.settings(shown(both("green"), overview)))
			one.fails(t, s.settings(shown(both("blue"), "FLEET.md")), "Folders have another owner now", "belong")
			succeeded(t, one.destroy(t))
			two.standsStill(t, s.settings(shown(both("green"), overview)))
			s.holds(t, "prod", and(fleetFiles, overview)...)
			succeeded(t, two.destroy(t))
			s.holds(t, "prod")
			s.owned(t, map[string]string{})
		})
	}
}

// A move takes the overview along, within the branch too. With retain, it stays.
func TestOverviewMoves(t *testing.T) {
	t.Parallel()
	for name, removal := range map[string]ownership.Removal{"delete": ownership.Delete, "empty": ownership.Empty, "retain": ownership.Retain} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			settings := s.settings(shown(both("blue"), "FLEET.md"))
			settings.Removal = removal
			i.apply(t, settings)
			settings = inFolder(settings, "fleet")
			i.apply(t, settings)
			left := map[ownership.Removal][]string{ownership.Empty: {"large/README.md", "small/README.md"},
				ownership.Retain: and(fleetFiles, "FLEET.md")}[removal]
			s.holds(t, "prod", and(below("fleet", and(fleetFiles, "FLEET.md")...), left...)...)
			i.standsStill(t, settings)
			if removal == ownership.Retain {
				instance := i.was.Instance
				succeeded(t, i.destroy(t))
				s.holds(t, "prod", and(below("fleet", and(fleetFiles, "FLEET.md")...), left...)...)
				s.owned(t, map[string]string{instance: "large small"})
			}
		})
	}
}

// The record tells an import of it.
func TestImportTheOverview(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	first := &instance{server: s}
	settings := inFolder(s.settings(shown(both("blue"), "README.md")), "fleet")
	first.apply(t, settings)
	there := git.Location{Repo: s.url, Branch: "prod", Path: "fleet"}
	i := imported(t, s, there)
	packages(t, i.was.Packages, "./README.md", "large/README.md", "large/web-live", "small/README.md", "small/web-live")
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	if !maps.Equal(plan.Packages, first.was.Packages) {
		t.Errorf("the plan after an import in sync: %+v", plan)
	}
	without := inFolder(s.settings(both("blue")), "fleet")
	_, m = i.plan(t, without)
	succeeded(t, m)
	says(t, m.Warnings, "No longer watched", "README.md")
	// One that is gone is missed.
	s.edit(t, "prod", map[string]string{"fleet/README.md": ""})
	i = imported(t, s, there)
	changes(t, i.apply(t, settings), "no package changes; +1 ~0 -0 other files")
	succeeded(t, i.destroy(t))
	s.holds(t, "prod")
}

// Without notes, as of a tainted resource, it is known again.
func TestOverviewWithoutNotes(t *testing.T) {
	t.Parallel()
	for _, detail := range []engine.Detail{engine.DetailPackage, engine.DetailClusterType} {
		t.Run(string(detail), func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			settings := s.settings(shown(both("blue"), "FLEET.md"))
			settings.Detail = detail
			i.apply(t, settings)
			i.noted = nil
			if plan, m := i.plan(t, settings); m.Failed() || plan.Differs {
				t.Errorf("something is to do: %+v, %v", plan, m)
			}
			s.edit(t, "prod", map[string]string{"FLEET.md": "edited"})
			i.noted = nil
			changes(t, i.apply(t, settings), "no package changes; +0 ~1 -0 other files")
			i.note(t, &ownership.Inventory{})
			succeeded(t, i.destroy(t))
			s.holds(t, "prod")
		})
	}
}

// By cluster types, it is counted as no cluster type.
func TestOverviewByClusterType(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	settings := s.settings(shown(both("blue"), "FLEET.md"))
	settings.Detail = engine.DetailClusterType
	changes(t, i.apply(t, settings), "+2 ~0 -0 cluster types")
	packages(t, i.was.Packages, "./FLEET.md", "large", "small")
	settings.Fleet = shown(fleet("blue", "large"), "FLEET.md")
	changes(t, i.apply(t, settings), "+0 ~0 -1 cluster types")
	i.standsStill(t, settings)
}

// It is proposed and merged with the packages.
func TestOverviewProposed(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	settings := s.proposing("blue")
	settings.Fleet.Overview = "FLEET.md"
	i.apply(t, settings)
	if files := s.repo.Files(t, s.only(t).Head); files["FLEET.md"] == "" {
		t.Errorf("the request holds %q", slices.Sorted(maps.Keys(files)))
	}
	s.merge(t, "squash")
	i.refreshed(t, ownership.InSync)
	i.standsStill(t, settings)
	settings.Fleet.Overview = ""
	changes(t, i.apply(t, settings), "no package changes; +0 ~0 -1 other files")
	s.merge(t, "merge")
	i.refreshed(t, ownership.InSync)
	s.holds(t, "prod", and(fleetFiles, "docs/index.md")...)
}

// A resource that writes below the place of a foreign overview gets a message about that
// file.
func TestBelowAnOverview(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one, two := &instance{server: s}, &instance{server: s}
	one.apply(t, s.settings(shown(fleet("blue", "large"), "FLEET.md")))
	below := s.settings(fleetOf("dev", "blue", "small", "large"))
	below.Path.Value = "FLEET.md"
	two.fails(t, below, `: the file FLEET.md belongs to environment "prod", path "." (`, "Write below another path, rename the cluster "+
		"types, or let")
}

// A cluster type that is called as a file is told as the folder that it is.
func TestClusterTypeCalledAsAFileIsAFolder(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one, two, three, four := &instance{server: s}, &instance{server: s}, &instance{server: s}, &instance{server: s}
	ours := s.settings(fleet("blue", "large.md"))
	one.apply(t, ours)
	two.fails(t, s.settings(fleetOf("dev", "blue", "large.md")), `folder large.md belongs to environment "prod"`,
		"Write below another path, rename the cluster types, or let")
	three.fails(t, s.settings(shown(fleetOf("dev", "blue", "small"), "large.md")), `folder large.md belongs to environment "prod"`,
		"give the overview another name")
	s.edit(t, "prod", map[string]string{"small.md/x.yaml": "a: b"})
	four.fails(t, s.settings(fleetOf("dev", "blue", "small.md")), "already has folder small.md, with", "take them over by an import")
	next := s.settings(fleet("green", "large.md"))
	plan, m := one.plan(t, next)
	succeeded(t, m)
	s.edit(t, "prod", map[string]string{"large.md/web-live/reconciler.yaml": "in between"})
	says(t, one.carryOut(t, next, plan).Errors, "Somebody else changed folder large.md", "Plan again")
}

// A cluster type may be called as a file: it is one, with overviews beside it and without.
func TestClusterTypeCalledAsAFile(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	settings := s.settings(fleet("blue", "large.md"))
	settings.Detail = engine.DetailClusterType
	changes(t, i.apply(t, settings), "+1 ~0 -0 cluster types")
	packages(t, i.was.Packages, "large.md")
	i.noted = nil // as of a tainted resource
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	if plan.Differs {
		t.Errorf("after lost notes: %+v", plan)
	}
	settings.Fleet = shown(fleet("green", "large.md"), "FLEET.md")
	changes(t, i.apply(t, settings), "+0 ~1 -0 cluster types")
	packages(t, i.was.Packages, "./FLEET.md", "large.md")
	succeeded(t, i.destroy(t))
	for path := range s.repo.Files(t, "prod") {
		if strings.HasPrefix(path, "large.md/") && path != "large.md/README.md" {
			t.Errorf("%s is left", path)
		}
	}
}
