// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// rules makes rules with GitHub's own parameters.
func rules(kinds ...string) map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, kind := range kinds {
		all[kind] = nil
	}
	return all
}

// Each rule refuses some ways of writing, and no others.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const head = "kalypso/dev/0123456789ab-1"
	push, create := forge.Write{Branch: "main"}, forge.Write{Branch: "main", Creates: true}
	request := forge.Write{Branch: "main", Proposes: true, Head: head}
	signed := request
	signed.Signed = true
	merging := func(method forge.Method) forge.Write {
		return forge.Write{Branch: "main", Proposes: true, Head: head, AutoMerge: method, Signed: true}
	}
	merges := []forge.Write{merging(forge.Merge), merging(forge.Squash), merging(forge.Rebase)}
	all := append([]forge.Write{push, create, request, signed}, merges...)
	onlySquash := map[string]map[string]any{"pull_request": {"allowed_merge_methods": []string{"squash"}}}
	for name, test := range map[string]struct {
		rules   map[string]map[string]any
		head    bool // the rules are those of the request's branch
		refused []forge.Write
		kind    remote.ErrorKind
		words   string
	}{
		"a request":         {rules("pull_request"), false, []forge.Write{push}, remote.KindProtected, "Require a pull request before merging"},
		"a queue":           {rules("merge_queue"), false, []forge.Write{push}, remote.KindProtected, "Require merge queue"},
		"checks":            {rules("required_status_checks"), false, []forge.Write{push, create}, remote.KindProtected, "status checks to pass"},
		"deployments":       {rules("required_deployments"), false, []forge.Write{push}, remote.KindProtected, "deployments to succeed"},
		"no updates":        {rules("update"), false, []forge.Write{push}, remote.KindProtected, "Restrict updates"},
		"no creation":       {rules("creation"), false, []forge.Write{create}, remote.KindRefused, "does not allow you to create branch main"},
		"linear history":    {rules("required_linear_history"), false, merges[:1], remote.KindNoMethod, "merge merges into branch main"},
		"no force, no end":  {rules("non_fast_forward", "deletion"), false, nil, 0, ""},
		"unknown to us":     {rules("commit_message_pattern"), false, nil, 0, ""},
		"methods in queues": {rules("required_linear_history", "merge_queue"), false, []forge.Write{push}, remote.KindProtected, "merge queue"},
		"no creation of the head": {rules("creation"), true, append([]forge.Write{request, signed}, merges...), remote.KindRefused,
			"The branches of pull requests must not have this rule"},
		"checks of the head": {rules("required_status_checks"), true, append([]forge.Write{request, signed}, merges...), remote.KindRefused,
			"pushes to branch kalypso/dev/…"},
		"signatures of the head": {rules("required_signatures"), true, []forge.Write{request}, remote.KindUnsigned, "branch kalypso/dev/…"},
		"a request for the head": {rules("pull_request", "update", "merge_queue"), true, nil, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newGitHubHost(t)
			branch := map[bool]string{false: "main", true: "kalypso/*/*"}[test.head]
			h.server.AddRuleset(githubtest.Ruleset{Name: "fences", Branches: []string{branch}, Rules: test.rules})
			r := connect(t, h, &naps{})
			for _, w := range all {
				reasons, err := r.Refusals(t.Context(), w)
				switch refused := slices.Contains(test.refused, w); {
				case err != nil || len(reasons) > 1 || refused != (len(reasons) == 1):
					t.Errorf("%+v: %v, error %v", w, reasons, err)
				case refused && (!remote.Is(reasons[0], test.kind) || !strings.Contains(reasons[0].Error(), test.words) ||
					!strings.Contains(reasons[0].Error(), `the ruleset "fences"`)):
					t.Errorf("%+v: %v", w, reasons[0])
				}
			}
		})
	}
	for name, test := range map[string]struct {
		rules   map[string]map[string]any
		refused []forge.Write
	}{
		"only squash":       {onlySquash, []forge.Write{push, merges[0], merges[2]}},
		"signatures":        {rules("required_signatures"), []forge.Write{push, create, request, merges[2]}}, // GitHub signs no rebased commits
		"checks afterwards": {map[string]map[string]any{"required_status_checks": {"do_not_enforce_on_create": true}}, []forge.Write{push}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newGitHubHost(t)
			h.server.AddRuleset(githubtest.Ruleset{Name: "fences", Branches: []string{"main"}, Rules: test.rules})
			for _, w := range all {
				reasons, err := connect(t, h, &naps{}).Refusals(t.Context(), w)
				if err != nil || slices.Contains(test.refused, w) != (len(reasons) == 1) {
					t.Errorf("%+v: %v, error %v", w, reasons, err)
				}
			}
		})
	}
}

// A token that may bypass a ruleset is not refused, and a bypass for requests does not help a
// push.
func TestRefusalsBypassed(t *testing.T) {
	t.Parallel()
	push, request := forge.Write{Branch: "main"}, forge.Write{Branch: "main", Proposes: true, Head: "kalypso/dev/0123456789ab-1"}
	for bypass, want := range map[string][]int{"": {2, 1}, "never": {2, 1}, "pull_requests_only": {2, 0}, "always": {0, 0}, "exempt": {0, 0}} {
		t.Run(bypass, func(t *testing.T) {
			t.Parallel()
			h := newGitHubHost(t)
			h.server.AddRuleset(githubtest.Ruleset{Name: "fences", Branches: []string{"main"},
				Rules: rules("pull_request", "required_signatures"), Bypass: bypass})
			for i, w := range []forge.Write{push, request} {
				if reasons, err := connect(t, h, &naps{}).Refusals(t.Context(), w); err != nil || len(reasons) != want[i] {
					t.Errorf("%+v: %v, error %v", w, reasons, err)
				}
			}
		})
	}
}

// Several rules of a ruleset cost one question, and their advice comes once.
func TestRefusalsTogether(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	h.server.AddRuleset(githubtest.Ruleset{Name: "fences", Branches: []string{"kalypso/*/*"},
		Rules: rules("creation", "required_status_checks")})
	reasons, err := connect(t, h, &naps{}).Refusals(t.Context(),
		forge.Write{Branch: "main", Proposes: true, Head: "kalypso/dev/0123456789ab-1", Signed: true})
	asked := slices.DeleteFunc(h.server.Requests(), func(request string) bool { return !strings.Contains(request, "/rulesets/") })
	if err != nil || len(reasons) != 2 || len(asked) != 1 || strings.Count(errors.Join(reasons...).Error(), "must not have this rule") != 1 {
		t.Errorf("%v, error %v, asked %v", reasons, err, asked)
	}
}

// Neither null in an answer, nor a ruleset that does not say whether we may bypass it, refuses a write.
func TestRefusalsHostile(t *testing.T) {
	t.Parallel()
	for path, body := range map[string]string{
		"/rules/branches/main": `[null, {"type": "pull_request", "parameters": null, "ruleset_id": 7}]`,
		"/rulesets/1":          `{"name": null, "rules": [null]}`,
	} {
		h := newGitHubHost(t)
		h.server.AddRuleset(githubtest.Ruleset{Name: "fences", Branches: []string{"main"}, Rules: rules("pull_request")})
		h.server.Fail(githubtest.Fault{Request: "GET " + repository + path, Status: http.StatusOK, Body: body})
		if reasons, _ := connect(t, h, &naps{}).Refusals(t.Context(), forge.Write{Branch: "main"}); len(reasons) > 0 {
			t.Errorf("%s: %v", path, reasons)
		}
	}
}

// Rules that cannot be read are an error, and no reason.
func TestRefusalsUnread(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/rules/branches/main", "/rulesets/1"} {
		for _, status := range []int{http.StatusForbidden, http.StatusNotFound} {
			h := newGitHubHost(t)
			h.server.AddRuleset(githubtest.Ruleset{Name: "fences", Branches: []string{"main"}, Rules: rules("pull_request")})
			h.server.Fail(githubtest.Fault{Request: "GET " + repository + path, Status: status})
			if reasons, err := connect(t, h, &naps{}).Refusals(t.Context(), forge.Write{Branch: "main"}); err == nil || len(reasons) > 0 {
				t.Errorf("%s %d: %v, error %v", path, status, reasons, err)
			}
		}
	}
}
