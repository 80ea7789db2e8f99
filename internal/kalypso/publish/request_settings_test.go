// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// requesting are settings whose changes are proposed in a certain way.
func (s server) requesting(in engine.Input, request request.Settings) publish.Settings {
	settings := s.settings(in)
	settings.Request = &request
	return settings
}

// The body shows a reviewer the changes against the base branch, and their source.
func TestRequestBody(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	for _, step := range []struct {
		before func()
		fleet  engine.Input
		said   []string
	}{
		{func() {}, with(both("blue"), batch, config("Europe")), []string{
			"+3 ~0 -0 packages in 2 cluster types", "| `large` | `batch-nightly` | added | `batch-on-large` |", "| `small` | `web-live` | added | " +
				"`everywhere` |", "```mermaid", "|added|",
		}},
		{func() { s.merge(t, "squash") }, with(both("blue"), batch, config("Asia")), []string{
			"| `large` | `web-live` | changed | `everywhere` |", "| `small` | `web-live` | changed | `everywhere` |",
		}},
		// The same before, although a request is open, and when another one is proposed.
		{func() {}, with(both("blue"), batch, config("Africa")), []string{"| `small` | `web-live` | changed | `everywhere` |"}},
		{func() { s.github.ClosePull(t, s.only(t).Number) }, with(both("blue"), batch, config("America")),
			[]string{"| `small` | `web-live` | changed | `everywhere` |"}},
		{func() {}, with(both("blue"), config("Europe")), []string{"| `large` | `batch-nightly` | removed | "}},
	} {
		step.before()
		i.apply(t, s.requesting(step.fleet, request.Settings{}))
		body := s.only(t).Body
		for _, want := range step.said {
			if !strings.Contains(body, want) {
				t.Errorf("the body does not say %q:\n%s", want, body)
			}
		}
	}
}

// Settings are brought up to date in the request that is open.
func TestRequestSettings(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	in := promoting(both("blue"), promoted)
	i := &instance{server: s}
	i.apply(t, s.requesting(in, request.Settings{Draft: true, BranchPrefix: "proposals/"}))
	first := s.only(t)
	if !first.Draft || !slices.Equal(first.Labels, []string{"promoted"}) || !strings.HasPrefix(first.Head, "proposals/prod/") {
		t.Errorf("the request is %+v", first)
	}
	after := s.requesting(in, request.Settings{Title: "Please merge", Labels: []string{"fleet"}, BranchPrefix: "other-"})
	if plan := i.apply(t, after); !plan.RequestOpen || plan.Differs {
		t.Errorf("the plan is %+v", plan)
	}
	i.status(t, ownership.Proposed)
	if q := s.only(t); q.Number != first.Number || q.Title != "Please merge" || !slices.Contains(q.Labels, "fleet") {
		t.Errorf("the request is %+v", q)
	}
	i.standsStill(t, after)
}

// A plan reports the missing parts of a request, and the next apply tries them again.
func TestRequestIncomplete(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	s.github.Fail(githubtest.Fault{Request: "POST /repos/" + githubtest.Owner + "/" + githubtest.Name + "/issues/1/labels",
		Status: http.StatusForbidden, Times: 1})
	settings := s.requesting(both("blue"), request.Settings{Labels: []string{"kalypso"}})
	i := &instance{server: s}
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	m = i.carryOut(t, settings, plan)
	succeeded(t, m)
	says(t, m.Warnings, "The pull request is not complete")
	i.status(t, ownership.Proposed)
	if plan = i.apply(t, settings); !plan.RequestOpen {
		t.Errorf("the plan is %+v", plan)
	}
	i.status(t, ownership.Proposed)
	if q := s.only(t); !slices.Equal(q.Labels, []string{"kalypso"}) {
		t.Errorf("the request is %+v", q)
	}
	i.standsStill(t, settings)
}

// Requests work the same at the level of cluster types, with a promoted commit.
func TestRequestWithOtherSettings(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	s.edit(t, "prod", map[string]string{"foreign/file": "x"})
	settings := func(family, commit string) publish.Settings {
		settings := s.requesting(promoting(both(family), commit), request.Settings{})
		settings.Detail = engine.DetailClusterType
		return settings
	}
	i := &instance{server: s}
	merged := func(settings publish.Settings) {
		t.Helper()
		s.merge(t, "rebase")
		i.refreshed(t, ownership.InSync)
		i.standsStill(t, settings)
	}
	blue, green := settings("blue", promoted), settings("green", strings.Repeat("ab", 20))
	i.apply(t, blue)
	i.status(t, ownership.Proposed)
	files := s.repo.Files(t, s.only(t).Head)
	if _, there := files["foreign/file"]; !there || files[engine.PromotedCommitFile] != promoted {
		t.Errorf("the branch holds %v", files)
	}
	i.standsStill(t, blue)
	merged(blue)
	i.apply(t, green)
	i.status(t, ownership.Proposed)
	if q := s.only(t); !slices.Contains(q.Labels, "promoted") {
		t.Errorf("the request is %+v", q)
	}
	i.standsStill(t, green)
	merged(green)
	s.holds(t, "prod", and(fleetFiles, engine.PromotedCommitFile, "docs/index.md", "foreign/file")...)
}

// A setting that does not belong to requests leaves the open request as it is.
func TestRequestWithSettingsBesideIt(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	settings := s.proposing("blue")
	i.apply(t, settings)
	settings.Limits.AllowEmpty = true
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	if plan.RequestOpen || plan.CommitOpen || plan.PullRequest != s.only(t).Number || plan.Status != ownership.Proposed {
		t.Errorf("the plan is %+v", plan)
	}
	settings.Request = &request.Settings{Title: "another"}
	if plan, _ := i.plan(t, settings); !plan.RequestOpen {
		t.Errorf("the plan is %+v", plan)
	}
}

// An apply can be ended between any two of its steps: the next one goes on from there.
func TestRequestInterrupted(t *testing.T) {
	t.Parallel()
	repository := "/repos/" + githubtest.Owner + "/" + githubtest.Name
	for _, fault := range []string{
		"POST " + repository + "/pulls", "POST " + repository + "/issues/2/labels", "POST " + repository + "/issues/1/comments",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			i := &instance{server: s}
			settings := func(family string) publish.Settings {
				return s.requesting(both(family), request.Settings{Labels: []string{"kalypso"}})
			}
			i.apply(t, s.settings(both("blue")))
			i.apply(t, settings("green"))
			s.edit(t, s.only(t).Head, map[string]string{"docs/more.md": "more"}) // so that a second request is made

			s.github.Fail(githubtest.Fault{Request: fault, Status: 400, Times: 1})
			plan, m := i.plan(t, settings("red"))
			succeeded(t, m)
			if m = i.carryOut(t, settings("red"), plan); len(m.Errors)+len(m.Warnings) == 0 {
				t.Error("the interruption was not told")
			}
			i.apply(t, settings("red"))
			if q := s.only(t); !slices.Equal(q.Labels, []string{"kalypso"}) {
				t.Errorf("the request is %+v", q)
			}
			s.has(t, s.only(t).Head, "red")
			i.standsStill(t, settings("red"))
		})
	}
}

// An apply that is killed before it notes what it has done leaves a state as it was: the
// next one takes the same commit for its own, and else leaves the branch alone and closes
// the request.
func TestRequestKilled(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, killed, next string // families: what was proposed, by the apply that is killed, and by the next one
		requests             int    // that there are in the end
		branch               string // of the open one
	}{
		"a first request, and the same again": {"", "green", "green", 1, "-1"},
		"a first request, and another change": {"", "green", "red", 2, "-2"},
		"a newer commit, and the same again":  {"green", "red", "red", 1, "-1"},
		"a newer commit, and another change":  {"green", "red", "black", 2, "-2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			i := &instance{server: s}
			settings := func(family string) publish.Settings {
				return s.requesting(both(family), request.Settings{AutoMerge: "squash"})
			}
			i.apply(t, s.settings(both("blue")))
			s.github.Protect(t, "prod")
			if test.before != "" {
				i.apply(t, settings(test.before))
			}
			killed := *i
			killed.apply(t, settings(test.killed))
			i.apply(t, settings(test.next))
			q := s.only(t)
			if all := s.github.Pulls(); len(all) != test.requests || !strings.HasSuffix(q.Head, test.branch) || q.AutoMerge != "squash" {
				t.Errorf("the requests are %+v", all)
			}
			s.has(t, q.Head, test.next)
			i.standsStill(t, settings(test.next))
		})
	}
}

// An apply that waits ends with the merge, or says why there is none.
func TestRequestWaits(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	settings := s.requesting(both("blue"), request.Settings{Wait: true})
	i.waits = func() { s.merge(t, "squash") }
	i.apply(t, settings)
	s.has(t, "prod", "blue")
	if i.was.Status != ownership.InSync || i.was.MergedCommit == "" {
		t.Errorf("%+v", i.was.Attributes)
	}
	i.standsStill(t, settings)
	settings.Fleet = both("red")
	i.waits = func() { s.github.ClosePull(t, s.only(t).Number) }
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	says(t, i.carryOut(t, settings, plan).Errors, "was closed without a merge")
}

// If an apply stops waiting before the end, its request is open and noted. A destroy
// closes it, and the next apply continues with it.
func TestRequestWaitsInVain(t *testing.T) {
	t.Parallel()
	for _, interrupted := range []bool{true, false} {
		t.Run(fmt.Sprintf("interrupted %t", interrupted), func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			i := &instance{server: s}
			settings := s.requesting(both("blue"), request.Settings{Wait: true})
			plan, m := i.plan(t, settings)
			succeeded(t, m)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			reason := "was not merged before the operation's time was up"
			if i.late = !interrupted; interrupted {
				i.waits, reason = cancel, "The apply was interrupted while it waited for"
			}
			m = i.carryOutUntil(ctx, t, settings, plan)
			succeeded(t, m)
			says(t, m.Warnings, "The pull request is not merged yet", reason)
			i.status(t, ownership.Proposed)
			q := s.only(t)

			destroyed := *i
			i.waits, i.late = func() { s.merge(t, "squash") }, false
			if interrupted {
				succeeded(t, destroyed.destroy(t))
				if open := s.open(); len(open) > 0 || s.repo.Head(t, q.Head) != "" {
					t.Errorf("open %+v", open)
				}
				return
			}
			settings.Request = &request.Settings{Wait: true, Labels: []string{"kalypso"}}
			i.apply(t, settings)
			if all := s.github.Pulls(); len(all) != 1 || all[0].State != "closed" || i.was.Status != ownership.InSync {
				t.Errorf("%+v, requests %+v", i.was.Attributes, all)
			}
		})
	}
}

// If the forge merges a request at once, the resource is in sync at once. If a rule
// prevents the merge, it is in sync once the rule is met.
func TestRequestAutoMerge(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	settings := s.requesting(both("blue"), request.Settings{AutoMerge: "squash"})
	i.apply(t, settings)
	s.has(t, "prod", "blue")
	if i.was.Status != ownership.InSync || i.was.MergedCommit == "" {
		t.Errorf("%+v", i.was.Attributes)
	}
	i.standsStill(t, settings)
	s.github.Protect(t, "prod")
	settings = s.requesting(both("green"), request.Settings{AutoMerge: "rebase"})
	i.apply(t, settings)
	i.status(t, ownership.Proposed)
	s.github.Approve(t, s.only(t).Number, "octocat")
	i.refreshed(t, ownership.InSync)
	i.standsStill(t, settings)
	s.has(t, "prod", "green")
}
