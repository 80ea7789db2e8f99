// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Write is a coming change of a branch.
type Write struct {
	Branch string
	// Creates is true if the branch does not exist yet.
	Creates bool
	// Proposes is true if a request changes the branch. Head is the branch that the request will
	// create; empty if it exists. AutoMerge is the method with which the forge will merge; empty
	// if a person merges.
	Proposes  bool
	Head      string
	AutoMerge Method
	// Signed is true if the commits are signed.
	Signed bool
}

// rule is a rule of a branch. kind is GitHub's name.
type rule struct {
	kind    string
	ruleset int64
	// methods are the ways of merging that the rule allows; empty for all.
	methods []Method
	// creatable is true if the rule does not apply to the creation of the branch.
	creatable bool
}

// ruleset has a name, and says whether our token may bypass its rules: always, or when it
// merges requests.
type ruleset struct {
	name                      string
	bypassed, bypassedAtMerge bool
}

// ruleTitles are the rules' titles on the pages of GitHub.
var ruleTitles = map[string]string{
	"pull_request": "Require a pull request before merging", "merge_queue": "Require merge queue",
	"required_status_checks": "Require status checks to pass", "required_deployments": "Require deployments to succeed",
	"update": "Restrict updates", "creation": "Restrict creations",
	"required_signatures": "Require signed commits", "required_linear_history": "Require linear history",
}

// refuses returns how the rule refuses a write, and the kind of the error; zero if the rule
// accepts the write. In a merge queue, the queue chooses the method.
func (u rule) refuses(w Write, queued bool) (how string, kind remote.ErrorKind) {
	method := w.AutoMerge
	if queued {
		method = ""
	}
	pushes, merges := "refuses pushes to branch "+w.Branch, fmt.Sprintf("does not allow %s merges into branch %s. Change the ruleset",
		method, w.Branch)
	switch u.kind {
	case "pull_request", "merge_queue", "required_deployments", "update":
		if !w.Proposes && !w.Creates {
			return pushes, remote.KindProtected
		}
		if method != "" && len(u.methods) > 0 && !slices.Contains(u.methods, method) {
			return merges, remote.KindNoMethod
		}
	case "required_status_checks":
		if !w.Proposes && (!w.Creates || !u.creatable) {
			return pushes, remote.KindProtected
		}
	case "creation":
		if w.Creates {
			return "does not allow you to create branch " + w.Branch, remote.KindRefused
		}
	case "required_signatures":
		if !w.Signed {
			return "refuses unsigned commits in branch " + w.Branch, remote.KindUnsigned
		}
		if method == Rebase { // GitHub does not sign the commits that it rebases
			return merges, remote.KindNoMethod
		}
	case "required_linear_history":
		if method == Merge {
			return merges, remote.KindNoMethod
		}
	}
	return "", 0
}

// Refusals returns the reasons for which rules of the forge will refuse a write. It leaves out
// rules that our token may bypass. A forge without rulesets has no reasons. Errors: the rules
// cannot be read. Cost: a question for each branch, and for each ruleset with a reason.
func (r *Repository) Refusals(ctx context.Context, w Write) (reasons []error, err error) {
	err = r.run(ctx, "read the rules of branch "+w.Branch, func(ctx context.Context) error {
		reasons, err = r.refusals(ctx, w)
		if err != nil || w.Head == "" {
			return err
		}
		unsigned := func(reason error) bool { return remote.Is(reason, remote.KindUnsigned) }
		more, err := r.refusals(ctx, Write{Branch: w.Head, Creates: true, Signed: w.Signed || slices.ContainsFunc(reasons, unsigned)})
		for _, reason := range more {
			if !unsigned(reason) {
				reason = refused("%v. The branches of pull requests must not be in this ruleset", reason)
			}
			reasons = append(reasons, reason)
		}
		return err
	})
	return reasons, err
}

func (r *Repository) refusals(ctx context.Context, w Write) (reasons []error, err error) {
	rules, err := r.api.rules(ctx, w.Branch)
	queued := slices.ContainsFunc(rules, func(u rule) bool { return u.kind == "merge_queue" })
	for _, u := range rules {
		how, kind := u.refuses(w, queued)
		if how == "" {
			continue
		}
		set, err := r.api.ruleset(ctx, u.ruleset)
		if err != nil {
			return nil, err
		}
		if bypassed := set.bypassed || set.bypassedAtMerge && w.Proposes; !bypassed {
			reasons = append(reasons, remote.Errorf(kind, "the rule %q of the ruleset %q in %s %s", ruleTitles[u.kind], set.name, r.name, how))
		}
	}
	return reasons, err
}
