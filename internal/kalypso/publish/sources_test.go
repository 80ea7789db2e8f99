// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

const appName, baseName = "https://git.example/app#main", "https://git.example/base#main"

// commitOf is a commit whose digits are all the same.
func commitOf(digit string) string { return strings.Repeat(digit, 40) }

// reading returns settings whose manifests were read from the two sources at these commits.
func reading(settings publish.Settings, app, base string) publish.Settings {
	settings.Sources = map[string]string{appName: commitOf(app), baseName: commitOf(base)}
	return settings
}

// sources are the lines of an instance's record about its sources.
func (i *instance) sources(t testing.TB) string {
	t.Helper()
	text := i.repo.Files(t, "prod")[record(i)]
	if r, ok := ownership.ParseRecord(i.was.Instance, []byte(text)); !ok || len(r.Sources) != strings.Count(text, "\nsource: ") {
		t.Errorf("the record is not valid:\n%s", text)
	}
	var lines []string
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, "source: "); ok {
			commit, name, _ := strings.Cut(strings.TrimSpace(value), " ")
			lines = append(lines, name+" "+commit[:1])
		}
	}
	return strings.Join(lines, ", ")
}

// A change of sources alone makes a commit, which changes only the record.
func TestSources(t *testing.T) {
	t.Parallel()
	for name, wave := range map[string]bool{"an environment": false, "a wave": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			settings := s.settings(promoting(both("blue"), promoted))
			if wave {
				settings.Fleet.ClusterTypes = []string{"large", "small"}
			}
			for n, step := range []struct {
				settings         publish.Settings
				summary, sources string
			}{
				{settings, "+2 ~0 -0 packages in 2 cluster types", ""},
				{reading(settings, "a", "b"), "no package changes; 2 of 2 sources changed", appName + " a, " + baseName + " b"},
				{reading(settings, "c", "b"), "no package changes; 1 of 2 sources changed", appName + " c, " + baseName + " b"},
				{settings, "no package changes; 2 of 2 sources changed", ""},
			} {
				changes(t, i.apply(t, step.settings), step.summary)
				if got := i.sources(t); got != step.sources {
					t.Errorf("the record has %q, want %q", got, step.sources)
				}
				i.standsStill(t, step.settings)
				s.commits(t, "prod", n+1)
				if log := s.repo.Log(t, "prod"); log[0] != "prod: "+step.summary {
					t.Errorf("the commit is %q", log[0])
				}
			}
		})
	}
}

// Summaries compare with the record, which a hold leaves unchanged.
func TestSources_afterHold(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	settings := s.settings(promoting(both("blue"), promoted))
	i.apply(t, reading(settings, "a", "b"))
	i.apply(t, onHold(reading(settings, "c", "b")))
	i.apply(t, reading(settings, "c", "b"))
	if log := s.repo.Log(t, "prod"); log[0] != "prod: no package changes; 1 of 2 sources changed" {
		t.Errorf("the commit is %q", log[0])
	}
}

// Nobody else's commit keeps the message of a commit from saying what moved.
func TestSources_afterOthers(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	settings := s.settings(both("blue"))
	i.apply(t, reading(settings, "a", "b"))
	plan, m := i.plan(t, reading(settings, "c", "b"))
	succeeded(t, m)
	s.edit(t, "prod", map[string]string{"docs/index.md": "# Docs"})
	succeeded(t, i.carryOut(t, reading(settings, "c", "b"), plan))
	if log := s.repo.Log(t, "prod"); log[0] != "prod: no package changes; 1 of 2 sources changed" {
		t.Errorf("the commit is %q", log[0])
	}
}

// The trailers name the first sources, and the record names all.
func TestSources_trailers(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	settings := s.settings(promoting(both("blue"), promoted))
	i.apply(t, reading(settings, "a", "b"))
	want := "Kalypso-Environment: prod\nKalypso-Promoted-Commit: " + promoted + "\nKalypso-Source: " + appName + " " + commitOf("a") +
		"\nKalypso-Source: " + baseName + " " + commitOf("b") + "\n"
	if diff := cmp.Diff(want, s.trailers(t, "prod")); diff != "" {
		t.Errorf("trailers (-want +got):\n%s", diff)
	}
	settings.Sources = map[string]string{}
	for n := range 60 {
		settings.Sources[fmt.Sprintf("https://git.example/%02d#main", n)] = commitOf("a")
	}
	i.apply(t, settings)
	if n := strings.Count(s.trailers(t, "prod"), "Kalypso-Source: "); n != 50 || !strings.Contains(i.sources(t), "/59#main") {
		t.Errorf("%d trailers, and the record has %s", n, i.sources(t))
	}
	succeeded(t, i.destroy(t))
	if got := s.trailers(t, "prod"); strings.Contains(got, "Kalypso-Source") {
		t.Errorf("trailers of the removal: %s", got)
	}
}

// A request shows which sources it moves. A closed request is not made again until a source
// moves once more, although it would change no package.
func TestSources_request(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	settings := s.settings(promoting(both("blue"), promoted))
	settings.Request = &request.Settings{}
	i.apply(t, reading(settings, "a", "b"))
	s.merge(t, "squash")
	i.refreshed(t, ownership.InSync)
	i.standsStill(t, reading(settings, "a", "b"))

	plan, m := i.plan(t, reading(settings, "c", "b"))
	succeeded(t, m)
	s.edit(t, "prod", map[string]string{"docs/more.md": "# More"})
	succeeded(t, i.carryOut(t, reading(settings, "c", "b"), plan))
	changes(t, plan, "no package changes; 1 of 2 sources changed")
	q := s.only(t)
	row := fmt.Sprintf("| `%s` | `%.12s` | `%.12s` |", appName, commitOf("a"), commitOf("c"))
	if q.Title != "prod: no package changes; 1 of 2 sources changed" || !strings.Contains(q.Body, row) || strings.Contains(q.Body, baseName) {
		t.Errorf("the request is %+v", q)
	}
	i.standsStill(t, reading(settings, "c", "b"))

	changes(t, i.apply(t, reading(settings, "d", "b")), "no package changes; 1 of 2 sources changed") // in the same request
	if more := s.only(t); more.Number != q.Number || !strings.Contains(more.Body, fmt.Sprintf("`%.12s`", commitOf("d"))) {
		t.Errorf("the request is %+v", more)
	}
	i.standsStill(t, reading(settings, "d", "b"))
	changes(t, i.apply(t, reading(settings, "d", "e")), "no package changes; 2 of 2 sources changed") // compared with the base branch
	i.apply(t, reading(settings, "d", "b"))
	s.github.ClosePull(t, q.Number)
	i.refreshed(t, ownership.Closed)
	plan, m = i.plan(t, reading(settings, "d", "b"))
	if succeeded(t, m); plan.Differs || len(s.open()) > 0 {
		t.Errorf("a closed request comes again: %+v", plan)
	}
	says(t, m.Warnings, "was closed without a merge")
	i.apply(t, reading(settings, "e", "b"))
	s.merge(t, "merge")
	i.refreshed(t, ownership.InSync)
	if got := i.sources(t); got != appName+" e, "+baseName+" b" {
		t.Errorf("the record has %s", got)
	}
	i.standsStill(t, reading(settings, "e", "b"))
}

// While files are broken, the record keeps the commits of sources that cannot be read: the last
// texts come from them. So a later environment gets the release that this one runs.
func TestSources_brokenFile(t *testing.T) {
	t.Parallel()
	for name, proposes := range map[string]bool{"commit": false, "request": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			i := &instance{server: s}
			files := func(family string) publish.Settings {
				settings := s.keepingFiles(ofTeams(map[string]team{"app": {"one.yaml": {"one", family}}}))
				if proposes {
					settings.Request = &request.Settings{}
				}
				return settings
			}
			written := func(want string) {
				t.Helper()
				if proposes && len(s.open()) > 0 {
					s.merge(t, "merge")
					i.refreshed(t, ownership.InSync)
				}
				if got := i.sources(t); got != want {
					t.Errorf("the record has %q, want %q", got, want)
				}
			}
			readable := reading(files("red"), "a", "b")
			i.apply(t, readable)
			written(appName + " a, " + baseName + " b")

			unread := files("broken")
			unread.Sources = map[string]string{baseName: commitOf("b")}
			if plan := i.apply(t, unread); plan.Differs {
				t.Errorf("nothing that can be read has changed: %+v", plan)
			}
			written(appName + " a, " + baseName + " b")
			held := unread
			held.Hold = true
			i.apply(t, held)
			for _, spelled := range []string{baseName, "https://GIT.example/base#main"} {
				unread.Sources = map[string]string{spelled: commitOf("c")} // the source of the other team moves
				i.apply(t, unread)
				lines := []string{appName + " a", spelled + " c"}
				slices.Sort(lines)
				written(strings.Join(lines, ", "))
				i.standsStill(t, unread)
			}

			fixed := files("red")
			fixed.Sources = map[string]string{baseName: commitOf("c")} // and the platform team has removed the source
			i.apply(t, fixed)
			written(baseName + " c")
		})
	}
}
