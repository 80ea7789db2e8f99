// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
)

// limitsModel is the attribute limits as Terraform holds it.
type limitsModel struct {
	MaxRemoved             types.String `tfsdk:"max_removed"`
	MaxChanged             types.String `tfsdk:"max_changed"`
	MaxChangedClusterTypes types.Int64  `tfsdk:"max_changed_cluster_types"`
	MinPackagesPerTarget   types.Int64  `tfsdk:"min_packages_per_target"`
	Protect                types.List   `tfsdk:"protect"`
}

// limitsAttribute describes what one plan may change.
func limitsAttribute() schema.SingleNestedAttribute {
	amount := func(what string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, MarkdownDescription: what + " A number, or a share of the current packages, as `10%`.",
			Validators: []validator.String{limitAmount},
		}
	}
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "What one plan may change of the packages that are in the repository. A plan beyond it is an error that lists what would change and prints the code for `acknowledge`. " +
			"The first creation is exempt, and so is destroying the resource.",
		Validators: []validator.Object{someLimit{}},
		Attributes: map[string]schema.Attribute{
			"max_removed": amount("How many packages may be removed."),
			"max_changed": amount("How many packages may change."),
			"max_changed_cluster_types": schema.Int64Attribute{
				Optional: true, MarkdownDescription: "In how many cluster types packages may be added, changed or removed.",
				Validators: []validator.Int64{int64validator.AtLeast(0)},
			},
			"min_packages_per_target": schema.Int64Attribute{
				Optional: true, MarkdownDescription: "How many packages a deployment target keeps at least when it loses one: with `1`, none loses its last home.",
				Validators: []validator.Int64{int64validator.AtLeast(1)},
			},
			"protect": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Patterns of packages that no plan removes, such as `*/observability-*`. `*` stands for anything but a slash. `acknowledge` does not lift it.",
				Validators:          []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(protectPattern)},
			},
		},
	}
}

// limits gives the limits that the configuration sets.
func (m *gitOpsCommitModel) limits(ctx context.Context) (limits.Limits, diag.Diagnostics) {
	l := limits.Limits{AllowEmpty: m.AllowEmpty.ValueBool()}
	var model limitsModel
	if m.Limits.IsNull() {
		return l, nil
	}
	diags := m.Limits.As(ctx, &model, basetypes.ObjectAsOptions{})
	for _, amount := range []struct {
		text types.String
		to   **limits.Amount
	}{{model.MaxRemoved, &l.MaxRemoved}, {model.MaxChanged, &l.MaxChanged}} {
		if amount.text.IsNull() {
			continue
		}
		var err error
		if *amount.to, err = limits.ParseAmount(amount.text.ValueString()); err != nil {
			diags.AddAttributeError(path.Root("limits"), "Invalid limits", sentence(err)) // where it was unknown to the validator
		}
	}
	if !model.MaxChangedClusterTypes.IsNull() {
		n := int(model.MaxChangedClusterTypes.ValueInt64())
		l.MaxChangedClusterTypes = &n
	}
	l.MinPackagesPerTarget = int(model.MinPackagesPerTarget.ValueInt64())
	if !model.Protect.IsNull() {
		diags.Append(model.Protect.ElementsAs(ctx, &l.Protect, false)...)
	}
	return l, diags
}

// reviewLimits stops a change that exceeds the limits, counted against the
// repository as the last refresh found it.
func (m *gitOpsCommitModel) reviewLimits(ctx context.Context, state *gitOpsCommitModel, known *record, result *engine.Result) diag.Diagnostics {
	if state == nil {
		return nil
	}
	l, diags := m.limits(ctx)
	before, more := digests(ctx, state.Packages)
	diags.Append(more...)
	if known.Proposal != nil {
		before = maps.Clone(known.Proposal.Base)
	}
	if diags.HasError() {
		return diags
	}
	after := result.Digests(engine.DetailPackage)
	unjudged := countPackages(ctx, state, known, before, after)
	change := limits.NewChange(before, after)
	if err := l.Refuse(change, m.Acknowledge.ValueString()); err != nil {
		diags.AddError("The change exceeds the limits", err.Error())
	}
	if len(unjudged) > 0 && !m.Limits.IsNull() && m.Acknowledge.ValueString() != change.Code() {
		diags.AddError("The limits cannot be checked", fmt.Sprintf(
			"What is in the repository is not known package by package in these cluster types: %s. Another version of the provider wrote them, or too much was changed by hand. "+
				"Look at what the plan changes; if it is meant, set acknowledge = %q.", strings.Join(unjudged, ", "), change.Code()))
	}
	return diags
}

// countPackages makes both sides of a change comparable: packages that this
// resource looks after, whatever its detail. What else stands in its folders is
// no package. It gives the cluster types of which packages are not known, and
// takes them out of both sides.
func countPackages(ctx context.Context, state *gitOpsCommitModel, known *record, before, after engine.Digests) (unjudged []string) {
	for name := range known.Others { // packages are the fleet's own
		before.RemoveFolder(name)
	}
	if state.detail() == engine.DetailClusterType {
		now := state.repository(ctx, known)
		for name, dir := range now.folders {
			if _, counted := before[name]; counted {
				before.RemoveFolder(name)
				before.AddFolder(engine.DetailPackage, name, dir.ID, dir.Entries)
			}
		}
		for _, name := range now.unknown {
			before.RemoveFolder(name)
			after.RemoveFolder(name)
		}
		unjudged = now.unknown
	}
	removed := limits.NewChange(before, after).Removed
	if len(removed) == 0 {
		return unjudged
	}
	if rendered := state.rendered(ctx); rendered.Folders != nil {
		ours := rendered.Digests(engine.DetailPackage)
		for _, key := range removed {
			if _, placed := ours[key]; !placed {
				delete(before, key)
			}
		}
	}
	return unjudged
}

// someLimit is a validator: limits without one are misspelled ones.
type someLimit struct{}

func (someLimit) Description(context.Context) string { return "must have at least one limit" }

func (v someLimit) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (someLimit) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	for _, value := range req.ConfigValue.Attributes() {
		if !value.IsNull() {
			return
		}
	}
	resp.Diagnostics.AddAttributeError(req.Path, "No limit",
		"limits is set and holds no limit. If one seems to be set, look for a misspelled name: Terraform drops attributes that it does not know.")
}
