// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// A plan shows every kind of drift and its remedy, and an apply puts it right. Foreign
// files are not drift and stay.
func TestDrift(t *testing.T) {
	t.Parallel()
	foreign := map[string]string{"CODEOWNERS": "* @platform\n", "docs/index.md": "# Docs\n", ".github/workflows/ci.yml": "on: push\n"}
	mixed := map[string]string{"large/web-live/reconciler.yaml": "edited: true\n", "small/web-live/namespace.yaml": "",
		"small/stray/file": "stray\n"}
	maps.Copy(mixed, foreign)
	for name, test := range map[string]struct {
		files         map[string]string
		summary, diff string // of what puts it right; empty where nothing has to
	}{
		"foreign files": {foreign, "", ""},
		"edited": {map[string]string{"large/web-live/reconciler.yaml": "edited: true\n"}, "+0 ~1 -0 packages in 1 cluster type",
			"-edited: true"},
		"deleted": {map[string]string{"large/web-live/reconciler.yaml": ""}, "+0 ~1 -0 packages in 1 cluster type",
			"new file mode 100644"},
		"a stray file": {map[string]string{"large/web-live/stray": "stray\n"}, "+0 ~1 -0 packages in 1 cluster type",
			"deleted file mode 100644"},
		"a stray package": {map[string]string{"large/stray/file": "stray\n"}, "+0 ~0 -1 packages in 1 cluster type", "- large/stray (1 file)"},
		"all at once":     {mixed, "+0 ~2 -1 packages in 2 cluster types", "-edited: true"},
		"README.md":       {map[string]string{"large/README.md": "# mine\n"}, "no package changes; +0 ~1 -0 other files", "-# mine"},
		"a package gone": {map[string]string{"large/web-live/reconciler.yaml": "", "large/web-live/namespace.yaml": "",
			"large/web-live/platform-config.yaml": ""}, "+1 ~0 -0 packages in 1 cluster type", "new file mode"},
		"a whole folder": {map[string]string{"large/README.md": "", "large/web-live/reconciler.yaml": "", "large/web-live/namespace.yaml": "",
			"large/web-live/platform-config.yaml": ""}, "+1 ~0 -0 packages in 1 cluster type", "new file mode"},
		"the tracking file": {map[string]string{engine.PromotedCommitFile: "another"}, "no package changes; +0 ~1 -0 other files", "-another"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			settings := s.settings(promoting(both("blue"), promoted))
			i := &instance{server: s}
			i.apply(t, settings)
			right := s.repo.Files(t, "prod")
			s.edit(t, "prod", test.files)
			if test.summary == "" {
				i.standsStill(t, settings)
				return
			}
			plan := i.apply(t, settings)
			changes(t, plan, test.summary)
			packages(t, plan.Packages, engine.PromotedCommitFile, "large/README.md", "large/web-live", "small/README.md", "small/web-live")
			if !strings.Contains(plan.Diff, test.diff) {
				t.Errorf("diff\n%s", plan.Diff)
			}
			for path, content := range test.files {
				if foreign[path] != "" {
					right[path] = content
				}
			}
			if diff := cmp.Diff(right, s.repo.Files(t, "prod")); diff != "" {
				t.Errorf("the branch (-want +got):\n%s", diff)
			}
			i.standsStill(t, settings)
		})
	}
}

// If a file of ours becomes something else than a plain file, this is drift, though its
// content is the same. The promoted commit's file is right if its content is right.
func TestDriftOfModes(t *testing.T) {
	t.Parallel()
	for path, commits := range map[string]int{"small/README.md": 3, "small/web-live/reconciler.yaml": 3, engine.PromotedCommitFile: 2} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			settings := s.settings(promoting(both("blue"), promoted))
			i := &instance{server: s}
			i.apply(t, settings)
			s.repo.CommitExecutable(t, "prod", path)
			settings.Removal = ownership.Retain // so that there is an apply in any case
			plan := i.apply(t, settings)
			if drifted := commits > 2; plan.Differs != drifted || plan.CommitOpen != drifted {
				t.Errorf("%+v", plan)
			}
			packages(t, plan.Packages, engine.PromotedCommitFile, "large/README.md", "large/web-live", "small/README.md", "small/web-live")
			s.commits(t, "prod", commits)
			i.standsStill(t, settings)
		})
	}
}

// Drift that somebody put right by hand does not count any more.
func TestDriftPutRightByHand(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	path := "large/web-live/reconciler.yaml"
	right := s.repo.Files(t, "prod")[path]
	s.edit(t, "prod", map[string]string{path: "edited: true\n"})
	i.refreshed(t, ownership.Drifted)
	s.edit(t, "prod", map[string]string{path: right})
	i.refreshed(t, ownership.InSync)
	i.standsStill(t, s.settings(both("blue")))
}

// The branch, or the repository's history, may be another one altogether.
func TestDriftOfTheBranch(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	s.repo.DeleteBranch(t, "prod")
	changes(t, i.apply(t, s.settings(both("blue"))), "+2 ~0 -0 packages in 2 cluster types")
	s.holds(t, "prod", fleetFiles...)
	s.commits(t, "prod", 1)
	s.repo.DeleteBranch(t, "prod")
	s.edit(t, "prod", map[string]string{"unrelated": "x", "large/web-live/reconciler.yaml": "other: history\n"})
	i.fails(t, s.settings(both("blue")), "Folders without a known owner", "No record lists folder large", record(i))
	s.edit(t, "prod", map[string]string{"large": ""})
	changes(t, i.apply(t, s.settings(both("blue"))), "+2 ~0 -0 packages in 2 cluster types")
	s.holds(t, "prod", and(fleetFiles, "unrelated")...)
	i.standsStill(t, s.settings(both("blue")))
}
