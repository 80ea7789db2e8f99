// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// rules reads the rules of all active rulesets: those of the repository, its organization and
// its enterprise. A GitHub Enterprise Server before 3.11 has no rulesets.
func (g *gitHub) rules(ctx context.Context, branch string) ([]rule, error) {
	path := fmt.Sprintf("repos/%s/%s/rules/branches/%s?per_page=%d", g.owner, g.name, url.PathEscape(branch), firstPage.PerPage)
	request, err := g.client.NewRequest(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	var found []struct {
		Type       string
		RulesetID  int64 `json:"ruleset_id"`
		Parameters struct {
			Methods   []Method `json:"allowed_merge_methods"`
			Creatable bool     `json:"do_not_enforce_on_create"`
		}
	}
	_, err = g.client.Do(request, &found)
	var all []rule
	for _, u := range found {
		all = append(all, rule{kind: u.Type, ruleset: u.RulesetID, methods: u.Parameters.Methods, creatable: u.Parameters.Creatable})
	}
	return all, err
}

func (g *gitHub) ruleset(ctx context.Context, id int64) (ruleset, error) {
	const withParents = true // those of the organization and the enterprise
	found, _, err := g.client.Repositories.GetRuleset(ctx, g.owner, g.name, id, withParents)
	if err = given(found, err); err != nil {
		return ruleset{}, err
	}
	set := ruleset{name: found.Name}
	if found.CurrentUserCanBypass != nil {
		by := string(*found.CurrentUserCanBypass)
		set.bypassed, set.bypassedAtMerge = by == "always" || by == "exempt", by == "pull_requests_only"
	}
	return set, nil
}
