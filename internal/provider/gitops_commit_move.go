// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/gitops"
)

// moves tells whether the packages are to stand in another place than before,
// as far as its spelling tells. state is nil when the resource is new.
func (m *gitOpsCommitModel) moves(state *gitOpsCommitModel) bool {
	return state != nil && !m.ID.IsUnknown() && !m.location().Same(state.location())
}

// departure is a place that the packages leave.
type departure struct {
	from gitops.Location
	// known is what of ours stands there.
	known *record
	// sameBranch tells that the new place is on the same branch, samePlace that
	// it is the old one by another name.
	sameBranch, samePlace bool
	// unclear is why neither can be told.
	unclear error
}

// depart finds out how the new place stands to the old one, before anything is
// written: once the two look different, they are. It gives the old place and
// what of ours stands in the new one.
func (r *gitOpsCommitResource) depart(ctx context.Context, plan, state *gitOpsCommitModel, known *record) (*departure, *record) {
	d := &departure{from: state.location(), known: known}
	d.sameBranch, d.unclear = r.data.Client.SameBranch(ctx, state.location(), plan.location())
	d.samePlace = d.sameBranch && plan.samePath(state)
	arrival := &record{}
	switch {
	case d.samePlace:
		arrival = known
	case d.sameBranch:
		arrival.Tracking = known.Tracking // a branch has one, wherever the folders are
	}
	return d, arrival
}

// clean removes what is ours from the place that was left, once the new one is
// written. The resource no longer knows the old place then, so what stays there
// is told.
func (r *gitOpsCommitResource) clean(ctx context.Context, plan *gitOpsCommitModel, d *departure) diag.Diagnostics {
	var diags diag.Diagnostics
	folders := slices.Sorted(maps.Keys(d.known.Folders))
	switch {
	case d.samePlace:
		diags.AddWarning("Nothing was removed from the old place", fmt.Sprintf(
			"%s and %s point at the same commit, so they were taken for one repository. If they are two, remove our folders (%s) from the old one by hand.",
			d.from, plan.location(), strings.Join(folders, ", ")))
		return diags
	case plan.OnDestroy.ValueString() == onDestroyRetain:
		return diags
	}
	err := d.unclear
	if err == nil {
		change := d.known.change(&kalypso.Result{}, false)
		change.Message = commitMessage(plan, "move to "+plan.ID.ValueString())
		if d.sameBranch {
			change.Tracking = nil
		}
		_, err = r.data.Client.Apply(ctx, d.from, change)
	}
	var gone *gitops.Error
	if err == nil || errors.As(err, &gone) && gone.Kind == gitops.KindNotFound {
		return diags
	}
	diags.AddWarning("The old place was not cleaned", fmt.Sprintf(
		"The packages are in %s now, but our folders (%s) were not removed from %s, and this resource no longer looks after them. Remove them by hand, unless both are the same repository. Cause: %s",
		plan.location(), strings.Join(folders, ", "), d.from, sentence(err)))
	return diags
}
