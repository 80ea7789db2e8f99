// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// rule is a rule of a branch, from a ruleset of the repository, its organization or enterprise.
type rule struct {
	Type       string
	Source     string `json:"ruleset_source"`
	RulesetID  int64  `json:"ruleset_id"`
	Parameters struct {
		Methods   []Method `json:"allowed_merge_methods"`
		Creatable bool     `json:"do_not_enforce_on_create"`
	}
}

// ruleset has the name of a ruleset, and whether our token may bypass it.
type ruleset struct {
	Name   string
	Bypass string `json:"current_user_can_bypass"`
}

// ruleTitles are the rules' titles on the pages of GitHub.
var ruleTitles = map[string]string{
	"pull_request": "Require a pull request before merging", "merge_queue": "Require merge queue",
	"required_status_checks": "Require status checks to pass", "required_deployments": "Require deployments to succeed",
	"update": "Restrict updates", "creation": "Restrict creations",
	"required_signatures": "Require signed commits", "required_linear_history": "Require linear history",
}

// refuses returns how the rule refuses a write, and the kind of the error; "" if the rule
// accepts the write.
func (u rule) refuses(w Write) (how string, kind remote.ErrorKind) {
	pushes, merges := false, false
	switch allowed := u.Parameters.Methods; u.Type {
	case "pull_request", "merge_queue", "required_deployments", "update":
		pushes = !w.Proposes && !w.Creates
		merges = w.AutoMerge != "" && len(allowed) > 0 && !slices.Contains(allowed, w.AutoMerge)
	case "required_status_checks":
		pushes = !w.Proposes && (!w.Creates || !u.Parameters.Creatable)
	case "required_linear_history":
		merges = w.AutoMerge == Merge
	case "required_signatures":
		merges = w.AutoMerge == Rebase // GitHub does not sign the commits that it rebases
	}
	switch {
	case u.Type == "creation" && w.Creates:
		return "does not allow you to create branch " + w.name(), remote.KindRefused
	case u.Type == "required_signatures" && !w.Signed:
		return "refuses unsigned commits in branch " + w.name(), remote.KindUnsigned
	case pushes:
		return "refuses pushes to branch " + w.name(), remote.KindProtected
	case merges:
		return fmt.Sprintf("does not allow %s merges into branch %s. Change the ruleset", w.AutoMerge, w.Branch), remote.KindNoMethod
	}
	return "", 0
}

// refusals fails on a GitHub Enterprise Server before 3.11, which has no rulesets.
func (g *gitHub) refusals(ctx context.Context, w Write) (reasons []error, err error) {
	var rules []rule
	if err := g.get(ctx, fmt.Sprintf("rules/branches/%s?per_page=%d", url.PathEscape(w.Branch), firstPage.PerPage), &rules); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(rules, func(u rule) bool { return u.Type == "merge_queue" }) {
		w.AutoMerge = "" // the queue chooses the method
	}
	sets := map[int64]*ruleset{}
	for _, u := range rules {
		how, kind := u.refuses(w)
		if how == "" {
			continue
		}
		set := sets[u.RulesetID]
		if set == nil {
			set = &ruleset{}
			if err := g.get(ctx, fmt.Sprintf("rulesets/%d", u.RulesetID), set); err != nil {
				return nil, err
			}
			sets[u.RulesetID] = set
		}
		// The list has rules that we may bypass, too.
		if set.Bypass == "never" || set.Bypass == "pull_requests_only" && !w.Proposes {
			reasons = append(reasons, remote.Errorf(kind, "the rule %q of the ruleset %q of %s %s", ruleTitles[u.Type], set.Name, u.Source, how))
		}
	}
	return reasons, nil
}

// get reads a part of the repository. The library's own types panic at null in a ruleset.
func (g *gitHub) get(ctx context.Context, path string, into any) error {
	request, err := g.client.NewRequest(ctx, http.MethodGet, fmt.Sprintf("repos/%s/%s/%s", g.owner, g.name, path), nil)
	if err != nil {
		return err
	}
	_, err = g.client.Do(request, into)
	return err
}
