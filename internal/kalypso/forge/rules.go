// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"path"
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
	// isHead is true if Branch is the branch of a request.
	isHead bool
}

// name returns the branch for messages. An apply chooses the end of a request's branch.
func (w Write) name() string {
	if w.isHead {
		return path.Dir(w.Branch) + "/…"
	}
	return w.Branch
}

// Refusals returns the reasons for which rules of the forge will refuse a write. It leaves out
// rules that our token may bypass. Errors: the rules cannot be read. Cost: a question for each
// branch, and for each ruleset with a reason; nothing on a forge without rulesets.
func (r *Repository) Refusals(ctx context.Context, w Write) (reasons []error, err error) {
	err = r.run(ctx, "read the rules of branch "+w.Branch, func(ctx context.Context) error {
		reasons, err = r.api.refusals(ctx, w)
		if err != nil || w.Head == "" {
			return err
		}
		unsigned := func(reason error) bool { return remote.Is(reason, remote.KindUnsigned) }
		more, err := r.api.refusals(ctx, Write{Branch: w.Head, isHead: true, Creates: true,
			Signed: w.Signed || slices.ContainsFunc(reasons, unsigned)})
		advice := ". The branches of pull requests must not have this rule"
		for i, reason := range slices.Backward(more) {
			if !unsigned(reason) {
				more[i], advice = refused("%v%s", reason, advice), "" // the last reason has the advice for all
			}
		}
		reasons = append(reasons, more...)
		return err
	})
	return reasons, err
}
