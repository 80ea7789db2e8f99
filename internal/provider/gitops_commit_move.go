// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// moves tells whether the packages are to stand in another place than before,
// as far as its spelling tells. state is nil when the resource is new.
func (m *gitOpsCommitModel) moves(state *gitOpsCommitModel) bool {
	return state != nil && !m.ID.IsUnknown() && !m.location().Same(state.location())
}

// nested says why a fleet cannot move between two places of one branch: one of
// them is inside a cluster type's folder of the other. names are the folders
// that the fleet has, or is to have.
func (m *gitOpsCommitModel) nested(state *gitOpsCommitModel, names map[string]bool) diag.Diagnostics {
	var diags diag.Diagnostics
	from, to := state.location(), m.location()
	from.Path, to.Path = "", ""
	if !from.Same(to) {
		return diags
	}
	outer, inner := tree.SplitPath(state.Path.ValueString()), tree.SplitPath(m.Path.ValueString())
	if len(outer) > len(inner) {
		outer, inner = inner, outer
	}
	if len(inner) > len(outer) && slices.Equal(outer, inner[:len(outer)]) && names[inner[len(outer)]] {
		diags.AddAttributeError(path.Root("path"), "The packages cannot move there", fmt.Sprintf(
			"%s and %s lie in each other: %q is a cluster type of this fleet, whose folder belongs to this resource as a whole. Move to a path that starts with another name.",
			state.ID.ValueString(), m.ID.ValueString(), inner[len(outer)]))
	}
	return diags
}

// departure is a place that the packages leave.
type departure struct {
	from git.Location
	// known is what of ours stands there.
	known *record
	// branches is how the old branch stands to the new one; unclear why that
	// cannot be told.
	branches git.Relation
	unclear  error
	// samePlace tells that the new place is the old one by another name.
	samePlace bool
}

// sameBranch tells whether the new place is on the same branch as the old one.
func (d *departure) sameBranch() bool { return d.branches == git.One || d.branches == git.Alike }

// depart finds out how the new place stands to the old one, before anything is
// written: two branches that differ then are two. It gives the old place and
// what of ours stands in the new one.
func (r *gitOpsCommitResource) depart(ctx context.Context, plan, state *gitOpsCommitModel, known *record) (*departure, *record) {
	d := &departure{from: state.location(), known: known}
	d.branches, d.unclear = r.data.Client.Relate(ctx, state.location(), plan.location())
	d.samePlace = d.sameBranch() && slices.Equal(tree.SplitPath(plan.Path.ValueString()), tree.SplitPath(state.Path.ValueString()))
	arrival := &record{}
	switch {
	case d.samePlace:
		arrival = known
	case d.sameBranch():
		arrival.Tracking = known.Tracking // a branch has one, wherever the folders are
	}
	return d, arrival
}

// clean removes what is ours from the place that was left, once the new one is
// written. The resource no longer knows the old place then, so what stays there
// is told.
func (r *gitOpsCommitResource) clean(ctx context.Context, plan *gitOpsCommitModel, d *departure) diag.Diagnostics {
	var diags diag.Diagnostics
	left := d.known.paths()
	if plan.OnDestroy.ValueString() == onDestroyRetain || len(left) == 0 || d.branches == git.Absent {
		return diags
	}
	if d.branches == git.Alike {
		diags.AddWarning("Two places were taken for one branch", fmt.Sprintf(
			"%s and %s pointed at the same commit, so they were taken for one branch by two names. If they are two, remove by hand what is ours (%s) from the one that is no longer used.",
			d.from, plan.location(), strings.Join(left, ", ")))
	}
	if d.samePlace {
		return diags
	}
	err := d.unclear
	if err == nil {
		change := d.known.change(&engine.Result{}, false)
		if d.sameBranch() {
			change.Tracking = nil
		}
		var more diag.Diagnostics
		more, err = r.remove(ctx, plan, d.from, d.known, change, "move all packages to another place")
		diags.Append(more...)
	}
	if err == nil {
		return diags
	}
	cause := err.Error()
	var conflict *git.ConflictError
	if errors.As(err, &conflict) {
		cause = conflict.Change()
	}
	diags.AddWarning("The old place was not cleaned", fmt.Sprintf(
		"The packages are in %s now, but what is ours (%s) was not removed from %s, and this resource no longer looks after it. Remove it by hand, unless both are one repository. Cause: %s.",
		plan.location(), strings.Join(left, ", "), d.from, strings.TrimSuffix(cause, ".")))
	return diags
}
