// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
)

// deploymentsModel has the attributes of the data source.
type deploymentsModel struct {
	ID                  types.String   `tfsdk:"id"`
	Branches            types.List     `tfsdk:"branches"`
	Compare             types.List     `tfsdk:"compare"`
	IgnoreDiscrepancies types.List     `tfsdk:"ignore_discrepancies"`
	FollowSources       types.Bool     `tfsdk:"follow_sources"`
	Environments        types.Map      `tfsdk:"environments"`
	Content             types.String   `tfsdk:"content"`
	Timeouts            timeouts.Value `tfsdk:"timeouts"`
}

// rules returns the rules for comparing environments. It leaves out unknown values. If
// places is not empty, rules checks the names of the environments.
func (m *deploymentsModel) rules(ctx context.Context, places []history.Deployed) (deployments.Rules, diag.Diagnostics) {
	var rules deployments.Rules
	var diags diag.Diagnostics
	readKnown(ctx, m.Compare, &rules.Chains, &diags)
	readKnown(ctx, m.IgnoreDiscrepancies, &rules.Ignore, &diags)
	for i, chain := range rules.Chains {
		for j, name := range chain {
			at := path.Root("compare").AtListIndex(i).AtListIndex(j)
			switch isOf := func(p history.Deployed) bool { return p.Name == name }; {
			case slices.Index(chain, name) < j:
				diags.AddAttributeError(at, "Environment named twice", fmt.Sprintf("%q is in the list twice. Name each environment once in a list.",
					name))
			case len(places) > 0 && !slices.ContainsFunc(places, isOf):
				diags.AddAttributeError(at, "Unknown environment", fmt.Sprintf("No block branches has the environment %q. Write the name from a "+
					"block branches.", name))
			}
		}
	}
	for i, pattern := range rules.Ignore {
		if err := deployments.CheckPattern(pattern); err != nil {
			diags.AddAttributeError(path.Root("ignore_discrepancies").AtListIndex(i), "Invalid pattern",
				fmt.Sprintf("The pattern %q: %s.", pattern, err))
		}
	}
	return rules, diags
}

// deployedSettings are the settings of a block branches.
type deployedSettings struct {
	branchSettings
	Environment string `tfsdk:"environment"`
}

// places returns the places of environments, in the order of their names. It leaves out a
// block that has an unknown value.
func (m *deploymentsModel) places(ctx context.Context) ([]history.Deployed, diag.Diagnostics) {
	var places []history.Deployed
	var diags diag.Diagnostics
	for i, block := range m.Branches.Elements() {
		var b deployedSettings
		if !readKnown(ctx, block, &b, &diags) {
			continue
		}
		if slices.ContainsFunc(places, func(p history.Deployed) bool { return p.Name == b.Environment }) {
			diags.AddAttributeError(path.Root("branches").AtListIndex(i), "Environment named twice",
				fmt.Sprintf("Two blocks branches have the environment %q. Rename the environment in one block, or remove that block.", b.Environment))
			continue
		}
		places = append(places, history.Deployed{
			Name: b.Environment, Branch: b.branch(), Path: text(b.Path), Most: orElse(b.History, history.DefaultDeployments),
		})
	}
	slices.SortFunc(places, func(a, b history.Deployed) int { return strings.Compare(a.Name, b.Name) })
	return places, diags
}
