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

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

var (
	_ datasource.DataSourceWithConfigure      = (*deploymentsDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*deploymentsDataSource)(nil)
)

// deploymentsDataSource reports which version runs in which place.
type deploymentsDataSource struct{ configured }

func newDeploymentsDataSource() datasource.DataSource {
	return &deploymentsDataSource{configured{name: "deployments"}}
}

func (d *deploymentsDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = deploymentsSchema(ctx)
}

// ValidateConfig checks the known settings of the branches.
func (d *deploymentsDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse) {
	var model deploymentsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if !resp.Diagnostics.HasError() {
		_, diags := model.places(ctx)
		resp.Diagnostics.Append(diags...)
		_, diags = model.rules(ctx, nil) // names of environments may not be known yet
		resp.Diagnostics.Append(diags...)
	}
}

// Read reads one branch after another. It reads content that branches share only once.
func (d *deploymentsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model deploymentsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	places, diags := model.places(ctx)
	resp.Diagnostics.Append(diags...)
	rules, diags := model.rules(ctx, places)
	resp.Diagnostics.Append(diags...)
	timeout, diags := model.Timeouts.Read(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if len(d.data.Unknown) > 0 {
		resp.Diagnostics.AddError(message.DeploymentsUnread.Title, problem.Sentence(errors.New(d.data.offline())))
	}
	var fleet deployments.Fleet
	if !resp.Diagnostics.HasError() {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		reader := history.Reader{Snapshots: d.data.Snapshots, Forges: d.data.Forges}
		fleet, diags = readFleet(ctx, reader, places, rules, model.FollowSources.ValueBool())
		resp.Diagnostics.Append(diags...)
	}
	d.data.spare(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	all := deployedFleet{fleet, places}
	content, err := all.packed()
	if err != nil {
		resp.Diagnostics.AddError(message.DeploymentsUnread.Title, problem.Sentence(fmt.Errorf("what runs in the environments is too much to "+
			"report: %w", err)))
		return
	}
	state := deploymentsOf(all).Environments
	model.ID, model.Content = types.StringValue(strings.Join(slices.Sorted(maps.Keys(state)), ",")), types.StringValue(content)
	model.Environments, diags = types.MapValueFrom(ctx, deployedEnvironments.NestedObject.Type(), state)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// readFleet reads environments. It warns about environments with unreadable parts.
func readFleet(ctx context.Context, r history.Reader, places []history.Deployed, rules deployments.Rules, followed bool) (deployments.Fleet,
	diag.Diagnostics) {
	var diags diag.Diagnostics
	urls := make([]string, len(places))
	for i, p := range places {
		urls[i] = p.Branch.Repo
	}
	ctx = remote.Trusting(ctx, urls...)
	reader := r.Deployments()
	var environments []deployments.Environment
	for _, p := range places {
		e, err := reader.Environment(ctx, p)
		if err == nil && followed {
			err = reader.Follow(ctx, &e)
		}
		if err != nil {
			diags.AddAttributeError(path.Root("branches"), message.DeploymentsUnread.Title,
				visible(problem.Sentence(fmt.Errorf("the branch of the environment %s cannot be read: %w", p.Name, err))))
			continue
		}
		environments = append(environments, e)
	}
	fleet := deployments.NewFleet(environments, rules)
	for _, e := range fleet.Environments {
		if len(e.Unreadable) > 0 {
			diags.Append(warning(message.DeploymentsUnknown, strings.Join(e.Unreadable, "\n")+"\n\nThe attributes of this environment that are "+
				"not known are null.", e.Name, "")...)
		}
	}
	if idle := rules.Idle(fleet.Environments); len(idle) > 0 {
		diags.Append(warning(message.IgnoresNothing, fmt.Sprintf(
			"ignore_discrepancies contains %s, and no compared environment has such a workload or value. Look for a misspelled name.",
			strings.Join(idle, ", ")), "", "")...)
	}
	return fleet, diags
}
