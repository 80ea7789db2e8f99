// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// Each guard of an environment prevents its destroy, and its message says how to go on.
func TestGuard(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings func(s *publish.Settings)
		summary  string
		words    []string
	}{
		"forbid": {func(s *publish.Settings) { s.Removal = ownership.Forbid }, "Removal is forbidden", []string{
			`Environment prod must not be %s: on_removal = "forbid"`, "set on_removal to empty, delete or retain, apply that first",
		}},
		"protect": {func(s *publish.Settings) { s.Limits.Protect = []string{"*/batch-*", "small/*"} }, "Protected packages would be removed",
			[]string{
				"Environment prod must not be %s: limits.protect keeps 2 packages.", "  - batch-nightly: 1 cluster type (large)\n  - web-live: 1 " +
					"cluster type (small)\n", "remove the pattern from protect, apply that first",
			}},
		"protect, one level up": {func(s *publish.Settings) {
			s.Limits.Protect, s.Detail = []string{"large/batch-*"}, engine.DetailClusterType
		}, "Protected packages would be removed", []string{"limits.protect keeps 1 package.", "batch-nightly: 1 cluster type (large)"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			settings := s.settings(with(both("blue"), batch))
			test.settings(&settings)
			i := &instance{server: s}
			i.apply(t, settings)
			check := func(m message.Messages, done string) {
				t.Helper()
				for _, words := range append(test.words, test.summary) {
					if strings.Contains(words, "%s") {
						words = fmt.Sprintf(words, done)
					}
					says(t, m.Errors, words)
				}
				if len(m.Errors) != 1 {
					t.Errorf("errors %+v", m.Errors)
				}
			}
			check(i.planDestroy(t), "destroyed")
			says(t, i.planDestroy(t).Errors, "If the resource was only renamed, add a moved block")

			// Once it is taken away and applied, nothing guards any more.
			i.apply(t, s.settings(with(both("blue"), batch)))
			succeeded(t, i.planDestroy(t))
		})
	}
}

// One plan reports all guards at once.
func TestGuardsTogether(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	settings := s.settings(both("blue"))
	settings.Removal, settings.Limits = ownership.Forbid, limits.Limits{Protect: []string{"*/*"}}
	i := &instance{server: s}
	i.apply(t, settings)
	settings.Hold = true
	i.apply(t, settings)
	if m := i.planDestroy(t); len(m.Errors) != 3 {
		t.Errorf("%+v", m.Errors)
	}
}

// A replacement cannot take packages to another place: nothing would know the old one.
func TestReplacementStays(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	for name, elsewhere := range map[string]publish.Settings{
		"path":   inFolder(s.settings(both("blue")), "fleet"),
		"branch": func() publish.Settings { e := s.settings(both("blue")); e.Branch.Value = "next"; return e }(),
	} {
		_, m := i.replacement(t).plan(t, elsewhere)
		says(t, m.Errors, "A replacement cannot move packages", "Apply only the move")
		if len(m.Errors) != 1 {
			t.Errorf("%s: %+v", name, m.Errors)
		}
	}
}

// A destroy's plan says what happens to each folder.
func TestPlanDestroy(t *testing.T) {
	t.Parallel()
	github, plain := newGitHub(t), newServer(t)
	on := func(settings publish.Settings, removal ownership.Removal) publish.Settings {
		settings.Removal = removal
		return settings
	}
	coarse := plain.settings(both("blue"))
	coarse.Detail = engine.DetailClusterType
	one := plain.settings(fleet("blue", "large"))
	for name, test := range map[string]struct {
		server
		settings publish.Settings
		summary  string
		words    []string
	}{
		"empty": {plain, on(plain.settings(both("blue")), ownership.Empty), "Removes 2 packages in 2 cluster types: prod in %s#prod",
			[]string{"only a README.md", "with one commit"}},
		"delete": {plain, plain.settings(with(both("blue"), batch)), "Removes 3 packages in 2 cluster types: prod in %s#prod",
			[]string{"Their folders are deleted", "clusters keep running"}},
		"one":    {plain, one, "Removes 1 package in 1 cluster type: prod in %s#prod", nil},
		"coarse": {plain, coarse, "Removes 2 cluster types: prod in %s#prod", nil},
		"retain": {plain, on(plain.settings(both("blue")), ownership.Retain), "Leaves 2 packages in 2 cluster types unchanged: " +
			"prod in %s#prod", []string{`on_removal = "retain"`, "No resource manages them then"}},
		"proposed": {github, on(github.proposing("blue"), ownership.Empty), "Proposes to remove 2 packages in 2 cluster types: prod " +
			"in %s#prod", []string{"opens a pull request", "only a README.md"}},
		"proposed, deleted": {github, on(github.proposing("blue"), ownership.Delete), "Proposes to remove",
			[]string{"Their folders are deleted"}},
		"proposed, retained": {github, on(github.proposing("blue"), ownership.Retain), "Leaves 2 packages", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.settings = inFolder(test.settings, strings.NewReplacer(" ", "-", ",", "").Replace(name))
			i := &instance{server: test.server}
			i.apply(t, test.settings)
			if test.github != nil {
				test.github.Merge(t, i.was.PullRequest, "merge")
				i.refresh(t)
			}
			m := i.planDestroy(t)
			succeeded(t, m)
			summary := test.summary
			if strings.Contains(summary, "%s") {
				summary = fmt.Sprintf(summary, test.url)
			}
			says(t, m.Warnings, append(test.words, summary)...)
			if len(m.Warnings) != 1 {
				t.Errorf("warnings %+v", m.Warnings)
			}
		})
	}
}
