// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// reporting are settings that report on the first commit of the repository, as if the
// control plane were in it.
func (s server) reporting(t testing.TB, in engine.Input) publish.Settings {
	t.Helper()
	settings := s.settings(promoting(in, s.source(t)))
	settings.StatusRepo = publish.Text{Value: s.github.Address() + "/octo/gitops", Given: true}
	return settings
}

// source is the commit that reports are about.
func (s server) source(t testing.TB) string {
	t.Helper()
	return s.repo.Commits(t, "prod")[0]
}

// reports checks what was reported so far: states and descriptions.
func (s server) reports(t testing.TB, want ...string) {
	t.Helper()
	var got []string
	for _, status := range s.github.Statuses() {
		got = append(got, status.State+": "+status.Description)
		if status.Context != "kalypso/prod" || status.Commit != s.source(t) || status.Creator != "kalypso" {
			t.Errorf("the status is %+v", status)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

// written is the report of an apply that has ended at a commit.
func written(commit string) string {
	return "success: written to prod of octo/gitops, commit " + commit[:12]
}

// An apply reports its written content once. It also reports content that already is as it
// has to be.
func TestStatus(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	s.variables = jenkins("7")
	i := &instance{server: s}
	i.apply(t, s.settings(promoting(both("blue"), s.source(t))))
	s.reports(t)
	before := s.repo.Head(t, "prod")
	if plan := i.apply(t, s.reporting(t, both("blue"))); plan.Differs || s.repo.Head(t, "prod") != before {
		t.Errorf("the branch was written: %+v", plan)
	}
	s.reports(t, written(before))
	if url := s.github.Statuses()[0].TargetURL; url != "https://ci.example.com/job/fleet/7/" {
		t.Errorf("the status leads to %q", url)
	}
	i.standsStill(t, s.reporting(t, both("blue")))

	again := s.reporting(t, both("blue"))
	again.MaxDiffLines = 7
	i.apply(t, again)
	s.reports(t, written(before))
	i.apply(t, s.reporting(t, both("green")))
	after := s.repo.Head(t, "prod")
	s.reports(t, written(before), written(after))
	succeeded(t, i.destroy(t))
	s.reports(t, written(before), written(after))
}

// A failed apply sets a status that says so, and the next apply sets one that says that it
// is fixed.
func TestStatus_failure(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.reporting(t, both("blue")))
	first := written(s.repo.Head(t, "prod"))
	plan, m := i.plan(t, s.reporting(t, both("green")))
	succeeded(t, m)
	s.edit(t, "prod", map[string]string{"small/web-live/reconciler.yaml": "password: secret\n"})
	if m := i.carryOut(t, s.reporting(t, both("green")), plan); !m.Failed() || len(m.Warnings) > 0 {
		t.Errorf("the messages are %+v", m)
	}
	const failure = "failure: prod of octo/gitops: The GitOps repository was not changed"
	s.reports(t, first, failure)
	i.apply(t, s.reporting(t, both("green")))
	s.reports(t, first, failure, written(s.repo.Head(t, "prod")))
}

// If changes are proposed, the apply reports the merge that it waits for.
func TestStatus_request(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	in := func(family string, request request.Settings) publish.Settings {
		settings := s.reporting(t, both(family))
		settings.Request = &request
		return settings
	}
	i.apply(t, in("blue", request.Settings{}))
	i.status(t, ownership.Proposed)
	s.reports(t)
	i.waits = func() { // the request before is still open then
		open := s.open()
		s.github.Merge(t, open[len(open)-1].Number, "squash")
	}
	i.apply(t, in("green", request.Settings{Wait: true}))
	i.status(t, ownership.InSync)
	merged := written(s.repo.Head(t, "prod"))
	s.reports(t, merged)

	i.late, i.waits = true, func() {}
	i.apply(t, in("red", request.Settings{Wait: true}))
	i.status(t, ownership.Proposed)
	s.reports(t, merged)
}

// Whatever the forge makes of the report, the branch is written, and stays.
func TestStatus_refused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		breaks func(s server, settings *publish.Settings)
		says   string
	}{
		"no right": {func(s server, _ *publish.Settings) {
			s.github.Fail(githubtest.Fault{Request: "POST /repos/octo/gitops/statuses/", Status: http.StatusForbidden,
				Header: map[string]string{"X-Accepted-Github-Permissions": "statuses=write"}})
		}, "lacks a permission: statuses=write"},
		"another repository's commit": {func(_ server, settings *publish.Settings) { settings.Fleet = promoting(settings.Fleet, promoted) },
			"has no commit " + promoted},
		"a rate limit": {func(s server, _ *publish.Settings) { s.github.LimitSecondary(1, 3600) }, "accepts no more requests"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			i := &instance{server: s}
			settings := s.reporting(t, both("blue"))
			plan, m := i.plan(t, settings)
			succeeded(t, m)
			test.breaks(s, &settings)
			plan.Packages = nil // the promoted commit is another one
			m = i.carryOut(t, settings, plan)
			succeeded(t, m)
			says(t, m.Warnings, "The commit status was not set: prod in ", "The apply has written the branch", test.says)
			s.has(t, "prod", "blue")
		})
	}
}

// A plan says what would keep the apply from reporting, where there is one to come.
func TestStatus_plan(t *testing.T) {
	t.Parallel()
	const noSource = "No commit to report a status on"
	s := newGitHub(t)
	for name, test := range map[string]struct {
		change  func(settings *publish.Settings)
		says    []string
		refuses string
	}{
		"all is there": {change: func(*publish.Settings) {}},
		"no commit":    {change: func(settings *publish.Settings) { settings.Fleet.PromotedCommit = nil }, says: []string{noSource}},
		"the file left alone": {change: func(settings *publish.Settings) { settings.Fleet = promoting(settings.Fleet, "") },
			says: []string{noSource}},
		"an abbreviated commit": {change: func(settings *publish.Settings) { settings.Fleet = promoting(settings.Fleet, "0a1b2c3") },
			says: []string{noSource}},
		"a commit in capitals": {change: func(settings *publish.Settings) {
			settings.Fleet = promoting(settings.Fleet, strings.ToUpper(promoted))
		}},
		"not known yet": {change: func(settings *publish.Settings) { settings.StatusRepo = publish.Text{Given: true, Unknown: true} }},
		"on hold": {change: func(settings *publish.Settings) { settings.Hold, settings.Fleet.PromotedCommit = true, nil },
			says: []string{"The environment is on hold"}},
		"no forge": {change: func(settings *publish.Settings) {
			settings.StatusRepo.Value = "https://git.example.com/octo/control-plane"
		}, refuses: "does not show its kind of forge"},
		"no forge, on hold": {change: func(settings *publish.Settings) {
			settings.Hold, settings.StatusRepo.Value = true, "https://git.example.com/octo/control-plane"
		}, says: []string{"The environment is on hold"}},
		"a folder": {change: func(settings *publish.Settings) { settings.StatusRepo.Value = "file:///srv/git/gitops.git" },
			refuses: "not a forge with pull requests and commit statuses"},
	} {
		settings := s.reporting(t, both("blue"))
		test.change(&settings)
		plan, m := (&instance{server: s}).plan(t, settings)
		if test.refuses != "" {
			says(t, m.Errors, "No commit status can be set", test.refuses)
			if m.Errors[0].Setting != "report_status" {
				t.Errorf("%s: %+v", name, m.Errors)
			}
			continue
		}
		succeeded(t, m)
		if warnsOf(t, m, test.says...); t.Failed() {
			t.Fatalf("%s: %+v", name, plan)
		}
	}

	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	silent := s.reporting(t, both("blue"))
	silent.Fleet.PromotedCommit = nil
	plan, m := i.plan(t, silent)
	warnsOf(t, m, noSource)
	warnsOf(t, i.carryOut(t, silent, plan))
	i.standsStill(t, silent)
	plan.Packages = nil // as if the plan did not know them
	warnsOf(t, i.carryOut(t, silent, plan), noSource)
	s.reports(t)
}

// The repository of the report is written into the configuration, so its forge gets the
// token of the environment; and it alone.
func TestStatus_trust(t *testing.T) {
	t.Parallel()
	host := newGitHub(t)
	s := newServer(t)
	s.github, s.fromEnvironment = host.github, true
	settings := host.reporting(t, both("blue"))
	settings.Repo.Value = s.url
	i := &instance{server: s}
	i.apply(t, settings)
	if all := host.github.Statuses(); len(all) != 1 || all[0].State != "success" ||
		!strings.HasPrefix(all[0].Description, "written to prod of ") {
		t.Errorf("statuses %+v", all)
	}

	host.fromEnvironment = true
	byManifest := host.byManifest(host.reporting(t, both("blue")))
	other := &instance{server: host}
	plan, m := other.plan(t, byManifest)
	succeeded(t, m)
	m = other.carryOut(t, byManifest, plan)
	says(t, m.Errors, withheld...)
}

// No environment has a name by which an apply speaks for a cluster.
func TestStatusSpeaksForNoCluster(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	settings := s.reporting(t, both("blue"))
	settings.Fleet.Environment, settings.Limits.AllowEmpty = "prod/large/cluster-1", true
	(&instance{server: s}).apply(t, settings)
	if all := s.github.Statuses(); len(all) != 1 || all[0].Context != "kalypso/prod_large_cluster-1" {
		t.Errorf("statuses %+v", all)
	}
}
