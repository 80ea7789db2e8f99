// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// ruled adds a ruleset for the branch prod.
func (s server) ruled(bypass string, kinds ...string) {
	rules := map[string]map[string]any{}
	for _, kind := range kinds {
		rules[kind] = nil
	}
	s.github.AddRuleset(githubtest.Ruleset{Name: "fences", Branches: []string{"prod"}, Rules: rules, Bypass: bypass})
}

// A plan fails if a rule will refuse its apply, and says which setting helps. It only warns if
// the apply may have other rights.
func TestForgeRules(t *testing.T) {
	t.Parallel()
	const refuses = "A rule of GitHub refuses the change"
	repository := "/repos/" + githubtest.Owner + "/" + githubtest.Name
	push := func(s server) publish.Settings { return s.settings(both("green")) }
	proposing := func(settings request.Settings) func(s server) publish.Settings {
		return func(s server) publish.Settings { return s.requesting(both("green"), settings) }
	}
	for name, test := range map[string]struct {
		rules    []string
		prepare  func(s *server)
		settings func(s server) publish.Settings
		fails    bool
		words    string // of the error or the warning; empty for neither
	}{
		"a push":             {[]string{"pull_request"}, nil, push, true, "add a pull_request block"},
		"a push past checks": {[]string{"required_status_checks"}, nil, push, true, `"Require status checks to pass"`},
		"a request": {[]string{"pull_request", "required_status_checks", "merge_queue", "update"}, nil, proposing(request.Settings{}),
			false, ""},
		"a merge": {[]string{"required_linear_history"}, nil, proposing(request.Settings{AutoMerge: "merge"}), true,
			"Or set another auto_merge"},
		"unsigned":             {[]string{"required_signatures"}, nil, proposing(request.Settings{}), true, "Set commit_signing"},
		"signed":               {[]string{"required_signatures"}, func(s *server) { s.signing(t) }, push, false, ""},
		"a push of a reader":   {[]string{"pull_request"}, func(s *server) { s.reads = true }, push, false, "may bypass"},
		"a push of a deployer": {[]string{"pull_request"}, func(s *server) { s.deploys = true }, push, false, "may bypass"},
		"unreadable rules": {[]string{"pull_request"}, func(s *server) {
			s.github.Fail(githubtest.Fault{Request: "GET " + repository + "/rules/", Status: http.StatusNotFound})
		}, push, false, ""},
		"a head that may not be made": {nil, func(s *server) {
			s.github.AddRuleset(githubtest.Ruleset{Name: "names", Branches: []string{"kalypso/prod/*"},
				Rules: map[string]map[string]any{"creation": nil}})
		}, proposing(request.Settings{}), true, "The branches of pull requests must not have this rule"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			s.ruled("", test.rules...)
			if test.prepare != nil {
				test.prepare(&s)
			}
			plan, m := (&instance{server: s}).plan(t, test.settings(s))
			if m.Failed() != test.fails || plan == nil || !plan.Differs {
				t.Errorf("the plan is %+v, errors %+v", plan, m.Errors)
			}
			if test.words != "" {
				says(t, slices.Concat(m.Errors, m.Warnings), refuses, test.words, "the ruleset \"")
			}
			for _, w := range m.Warnings {
				if strings.HasPrefix(w.Summary, refuses) && (test.fails || test.words == "") {
					t.Errorf("the plan warns: %+v", w)
				}
			}
		})
	}
}

// Only a plan that changes something asks for the rules.
func TestForgeRulesLater(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	s.ruled("", "pull_request")
	asked := len(s.github.Requests())
	i.standsStill(t, s.settings(both("blue")))
	if more := s.github.Requests()[asked:]; len(more) > 0 {
		t.Errorf("a plan without a change asks %v", more)
	}
	plan, m := i.plan(t, s.settings(both("green")))
	says(t, m.Errors, "A rule of GitHub refuses the change")
	says(t, i.carryOut(t, s.settings(both("green")), plan).Errors, "Changes must be made through a pull request", "add a pull_request block")
}

// An open request has its branch, so a rule about new branches does not matter yet. Nobody asks
// for a queue if a person merges.
func TestForgeRulesGrow(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.proposing("blue"))
	s.github.AddRuleset(githubtest.Ruleset{Name: "names", Branches: []string{"kalypso/prod/*"},
		Rules: map[string]map[string]any{"creation": nil}})
	i.apply(t, s.proposing("green"))
	asked := len(s.github.Requests())
	i.refreshed(t, ownership.Proposed)
	if more := s.github.Requests()[asked:]; slices.Contains(more, "POST /api/graphql") {
		t.Errorf("the refresh asks %v", more)
	}
}

// A push that GitHub refuses says what the rule wants.
func TestForgeRefuses(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string][]string{
		"required_signatures":    {"Commits must have verified signatures", "Set commit_signing"},
		"commit_message_pattern": {"Commit message must match a given regex pattern: ^OPS-"},
		"required_status_checks": {`Required status check "ci" is expected`, "add a pull_request block"},
	} {
		s := newGitHub(t)
		i := &instance{server: s}
		plan, m := i.plan(t, s.settings(both("blue")))
		succeeded(t, m)
		s.ruled("", rule)
		m = i.carryOut(t, s.settings(both("blue")), plan)
		says(t, m.Errors, want...)
		if helps := strings.Contains(m.Errors[0].Detail, "pull_request block"); helps != (rule == "required_status_checks") {
			t.Errorf("%s: %s", rule, m.Errors[0].Detail)
		}
	}
}

// The merge queue merges with its own method, or removes the request. A refresh reports both.
func TestForgeQueue(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	s.ruled("", "merge_queue")
	i := &instance{server: s}
	settings := s.requesting(both("blue"), request.Settings{AutoMerge: "rebase"})
	i.apply(t, settings)
	i.status(t, ownership.Proposed)
	i.standsStill(t, settings)
	s.github.Dequeue(t, s.only(t).Number, "failed_checks")
	was, inv := i.applied(), i.inventory(t)
	_, m := i.publisher(t).Refresh(t.Context(), was, inv)
	succeeded(t, m)
	says(t, m.Warnings, "The merge queue has removed a pull request", "(failed checks)")

	settings.Fleet = both("green")
	i.apply(t, settings)
	s.github.RunQueue(t)
	i.refreshed(t, ownership.InSync)
	if i.was.MergedCommit != s.repo.Head(t, "prod") {
		t.Errorf("%+v", i.was.Attributes)
	}
	s.has(t, "prod", "green")
	i.standsStill(t, settings)

	settings = s.requesting(both("red"), request.Settings{AutoMerge: "squash", Wait: true})
	i.waits = func() { s.github.Dequeue(t, s.only(t).Number, "merge_conflict") }
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	m = i.carryOut(t, settings, plan)
	succeeded(t, m)
	says(t, m.Warnings, "The pull request is not merged yet", "(merge conflict)")
}

// After the owner has a new name, the old URL still reaches the repository and its requests.
func TestForgeRenamed(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	s.url = s.github.RenamedFrom("acme/fleet")
	i := &instance{server: s}
	for _, family := range []string{"blue", "green"} {
		i.apply(t, s.proposing(family))
		s.has(t, s.only(t).Head, family)
	}
	i.standsStill(t, s.proposing("green"))
	killed := *i
	killed.apply(t, s.proposing("red"))
	i.apply(t, s.proposing("red"))
	if all := s.github.Pulls(); len(all) != 1 {
		t.Errorf("the requests are %+v", all)
	}
	s.merge(t, "squash")
	i.refreshed(t, ownership.InSync)
	s.has(t, "prod", "red")
}

// A plan that would make a branch again says that the branch has a new name.
func TestForgeBranchRenamed(t *testing.T) {
	t.Parallel()
	for _, settings := range []func(s server) publish.Settings{
		func(s server) publish.Settings { return s.settings(both("blue")) },
		func(s server) publish.Settings { return s.proposing("blue") },
	} {
		s := newGitHub(t)
		s.github.RenameBranch("prod", "envs/prod")
		_, m := (&instance{server: s}).plan(t, settings(s))
		succeeded(t, m)
		says(t, m.Warnings, "The branch has a new name", "Branch prod has the new name envs/prod")
	}
}
