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

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
)

// deploymentsModel is the data source as the framework holds it. What is computed goes
// past that (deployments_state.go).
type deploymentsModel struct {
	ID            types.String   `tfsdk:"id"`
	Branches      types.Dynamic  `tfsdk:"branches"`
	FollowSources types.Bool     `tfsdk:"follow_sources"`
	Environments  types.Map      `tfsdk:"environments"`
	Packages      types.Map      `tfsdk:"packages"`
	Discrepancies types.List     `tfsdk:"discrepancies"`
	History       types.List     `tfsdk:"history"`
	Timeouts      timeouts.Value `tfsdk:"timeouts"`
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
