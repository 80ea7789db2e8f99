// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
)

// deploymentsModel is the data source.
type deploymentsModel struct {
	ID                  types.String   `tfsdk:"id"`
	Branches            types.Dynamic  `tfsdk:"branches"`
	Compare             types.List     `tfsdk:"compare"`
	IgnoreDiscrepancies types.List     `tfsdk:"ignore_discrepancies"`
	FollowSources       types.Bool     `tfsdk:"follow_sources"`
	Environments        types.Map      `tfsdk:"environments"`
	Content             types.String   `tfsdk:"content"`
	Timeouts            timeouts.Value `tfsdk:"timeouts"`
}

// rules returns how environments are compared. What is not known is left out; names are
// checked where there are places.
func (m *deploymentsModel) rules(ctx context.Context, places []history.Deployed) (deployments.Rules, diag.Diagnostics) {
	var rules deployments.Rules
	var diags diag.Diagnostics
	if known(ctx, m.Compare) {
		diags.Append(m.Compare.ElementsAs(ctx, &rules.Chains, false)...)
	}
	if known(ctx, m.IgnoreDiscrepancies) {
		diags.Append(m.IgnoreDiscrepancies.ElementsAs(ctx, &rules.Ignore, false)...)
	}
	for i, chain := range rules.Chains {
		for j, name := range chain {
			at := path.Root("compare").AtListIndex(i).AtListIndex(j)
			switch isOf := func(p history.Deployed) bool { return p.Name == name }; {
			case slices.Index(chain, name) < j:
				diags.AddAttributeError(at, "Environment named twice", fmt.Sprintf("%q is in the list already. Name each environment once in a list.", name))
			case len(places) > 0 && !slices.ContainsFunc(places, isOf):
				diags.AddAttributeError(at, "Unknown environment", fmt.Sprintf("branches has no %q. Write the name that it has there.", name))
			}
		}
	}
	for i, pattern := range rules.Ignore {
		if err := deployments.CheckPattern(pattern); err != nil {
			diags.AddAttributeError(path.Root("ignore_discrepancies").AtListIndex(i), "Invalid pattern", fmt.Sprintf("The pattern %q: %s.", pattern, err))
		}
	}
	return rules, diags
}

// known reports whether a list and all that is in it are known, and there is one.
func known(ctx context.Context, list types.List) bool {
	value, err := list.ToTerraformValue(ctx)
	return err == nil && value.IsFullyKnown() && !value.IsNull()
}

// branchSettings are what people write of a branch.
type branchSettings struct {
	Repo    string  `cty:"repo"`
	Branch  string  `cty:"branch"`
	Path    *string `cty:"path"`
	History *int    `cty:"history"`
}

// places returns where environments stand, in the order of their names. One that is not
// known as a whole is left out.
func (m *deploymentsModel) places(ctx context.Context) ([]history.Deployed, diag.Diagnostics) {
	at := path.Root("branches")
	value, diags := deploymentBranches.value(ctx, at, m.Branches)
	if diags.HasError() || value.IsNull() || !value.IsKnown() {
		return nil, diags
	}
	var places []history.Deployed
	branches := value.AsValueMap()
	for _, name := range slices.Sorted(maps.Keys(branches)) {
		if name == "" || strings.Contains(name, "/") {
			diags.AddAttributeError(at.AtMapKey(name), "Invalid name of an environment", fmt.Sprintf("%q names an environment, and stands in front of the keys of its packages. Write a name without slashes.", name))
		}
		var b branchSettings
		if !branches[name].IsWhollyKnown() {
			continue
		}
		if err := gocty.FromCtyValue(branches[name], &b); err != nil {
			diags.AddAttributeError(at.AtMapKey(name), "Wrong type of value", err.Error())
			continue
		}
		places = append(places, history.Deployed{
			Name: name, Branch: git.Branch{Repo: b.Repo, Name: b.Branch}, Path: text(b.Path), Most: orElse(b.History, history.DefaultDeployments),
		})
	}
	return places, diags
}
