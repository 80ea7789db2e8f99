// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// emptying are settings that empty what is no longer wanted.
func emptying(settings publish.Settings) publish.Settings {
	settings.Removal = ownership.Empty
	return settings
}

// nobodys checks that all that is left of folders is a README.md that says so.
func (s server) nobodys(t testing.TB, folders ...string) {
	t.Helper()
	files := s.repo.Files(t, "prod")
	for _, folder := range folders {
		var there []string
		for path := range files {
			if strings.HasPrefix(path, folder+"/") {
				there = append(there, path)
			}
		}
		if readme := folder + "/README.md"; !slices.Equal(there, []string{readme}) ||
			!strings.HasPrefix(files[readme], "<!-- emptied by terraform-provider-kalypso -->\n") {
			t.Errorf("%s holds %q: %s", folder, there, files[readme])
		}
	}
}

// A cluster type that leaves the fleet leaves a README.md alone, its packages show as
// removed, and it can come again.
func TestEmptied(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	all, large := emptying(s.settings(both("blue"))), emptying(s.settings(fleet("blue", "large")))
	i.apply(t, all)
	for range 2 {
		plan := i.apply(t, large)
		changes(t, plan, "+0 ~0 -1 packages in 1 cluster type")
		packages(t, plan.Packages, "large/README.md", "large/web-live")
		s.nobodys(t, "small")
		s.owned(t, map[string]string{i.was.Instance: "large"})
		i.standsStill(t, large)
		changes(t, i.apply(t, all), "+1 ~0 -0 packages in 1 cluster type")
		s.holds(t, "prod", fleetFiles...)
		i.standsStill(t, all)
	}
	succeeded(t, i.destroy(t))
	s.nobodys(t, "large", "small")
	s.owned(t, map[string]string{})
}

// An emptied folder has no owner. Any resource may take it, and
// no import takes it over. If somebody has put something into it, it is guarded.
func TestEmptiedIsNobodys(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, emptying(s.settings(both("blue"))))
	succeeded(t, i.destroy(t))
	here := git.Location{Repo: s.url, Branch: "prod", Path: "."}
	_, m := s.Import(t.Context(), here, "")
	says(t, m.Errors, "Nothing to import")

	// Another version may have written it in other words.
	s.edit(t, "prod", map[string]string{"small/README.md": "<!-- emptied by terraform-provider-kalypso -->\nGone.\n"})
	s.nobodys(t, "large", "small")
	medium := s.settings(fleetOf("stage", "blue", "medium"))
	other := &instance{server: s}
	other.apply(t, medium)
	other.standsStill(t, medium)
	s.nobodys(t, "large", "small")
	medium.Fleet = fleetOf("stage", "blue", "medium", "small")
	changes(t, other.apply(t, medium), "+1 ~0 -0 packages in 1 cluster type")
	s.nobodys(t, "large")
	packages(t, imported(t, s, here).was.Packages, "medium/README.md", "medium/web-live", "small/README.md", "small/web-live")

	s.edit(t, "prod", map[string]string{"large/theirs": "x\n"})
	(&instance{server: s}).fails(t, s.settings(fleet("blue", "large")), "already has folder large")
}

// A person who empties a folder of ours by hand, in our words, changes it.
func TestEmptiedByHand(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	s.edit(t, "prod", map[string]string{
		"small/README.md": "<!-- emptied by terraform-provider-kalypso -->\n", "small/web-live/namespace.yaml": "",
		"small/web-live/platform-config.yaml": "", "small/web-live/reconciler.yaml": "",
	})
	i.refreshed(t, ownership.Drifted)
	packages(t, i.was.Packages, "large/README.md", "large/web-live")
	changes(t, i.apply(t, s.settings(both("blue"))), "+1 ~0 -0 packages in 1 cluster type")
	s.holds(t, "prod", fleetFiles...)
	i.standsStill(t, s.settings(both("blue")))
}

// The old place of a move is emptied, too.
func TestEmptiedByAMove(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, emptying(s.settings(both("blue"))))
	moved := emptying(inFolder(s.settings(both("blue")), "fleet"))
	i.apply(t, moved)
	s.nobodys(t, "large", "small")
	s.owned(t, map[string]string{i.was.Instance: "large small"})
	i.standsStill(t, moved)
	// And back.
	i.apply(t, emptying(s.settings(both("blue"))))
	s.nobodys(t, "fleet/large", "fleet/small")
	i.standsStill(t, emptying(s.settings(both("blue"))))
}

// A request proposes to empty a folder, and once it is merged nothing is left to do.
func TestEmptiedByARequest(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, emptying(s.proposing("blue")))
	s.merge(t, "squash")
	large := emptying(s.requesting(fleet("blue", "large"), request.Settings{}))
	changes(t, i.apply(t, large), "+0 ~0 -1 packages in 1 cluster type")
	if body := s.only(t).Body; !strings.Contains(body, "| `small` | `web-live` | removed | ") {
		t.Errorf("the body is\n%s", body)
	}
	i.standsStill(t, large)
	s.merge(t, "squash")
	i.refreshed(t, ownership.InSync)
	packages(t, i.was.Packages, "large/README.md", "large/web-live")
	i.standsStill(t, large)
	s.nobodys(t, "small")
	succeeded(t, i.destroy(t))
	s.merge(t, "merge")
	s.nobodys(t, "large", "small")
	s.owned(t, map[string]string{})
}
