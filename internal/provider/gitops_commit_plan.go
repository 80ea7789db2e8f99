// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// ModifyPlan lets the publisher compute the change, so that the plan shows every package.
func (r *gitOpsCommitResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, req, resp)
	} else {
		r.planChange(ctx, req, resp)
	}
}

// planChange plans everything except a destroy.
func (r *gitOpsCommitResource) planChange(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, config gitOpsCommitModel
	var state *gitOpsCommitModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	job := publish.Job{OthersChange: othersDiffer(req.Plan.Raw, req.State.Raw)}
	var diags diag.Diagnostics
	if state != nil {
		job.Was, diags = state.applied(ctx)
		resp.Diagnostics.Append(diags...)
	}
	job.Inventory, diags = readInventory(ctx, req.Private, job.Was)
	resp.Diagnostics.Append(diags...)
	if state == nil {
		job.Replaces, diags = readGuard(ctx, req.Private)
		resp.Diagnostics.Append(diags...)
	}
	unknown := plan.unknownInputs()
	switch {
	case resp.Diagnostics.HasError():
		return
	case job.Inventory.State == ownership.Imported && !req.Config.Raw.IsFullyKnown():
		resp.Diagnostics.AddError("The import needs known inputs", "The resource was imported and has not been applied since. The plan of the "+
			"first apply has to know all inputs of the resource, and some are not known yet. First apply the resources that these inputs come "+
			"from (-target), then this resource.")
		return
	case len(unknown) > 0 && (!plan.Hold.ValueBool() && !r.data.Hold || state == nil):
		plan.planUnknown(&config)
		resp.Diagnostics.Append(r.planUnknownFolders(ctx, &plan, job)...)
		resp.Diagnostics.Append(plan.warn("The change cannot be previewed", noPreview(unknown))...)
		if !plan.PullRequest.IsNull() && !plan.Repo.IsUnknown() {
			repo := plan.Repo.ValueString() // from the configuration, not from a manifest
			resp.Diagnostics.Append(diagnostics(r.data.Publisher.CheckForge(remote.Trusting(ctx, repo), repo))...)
		}
	default:
		job.Settings, diags = plan.settings(ctx, &config)
		resp.Diagnostics.Append(diags...)
		planned, messages := r.data.Publisher.Plan(ctx, job)
		resp.Diagnostics.Append(diagnostics(messages)...)
		if resp.Diagnostics.HasError() {
			return
		}
		plan.takePlan(planned, &config, state)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// planDestroy asks the publisher for the effect of a destroy, and marks the destroy as
// planned. If a resource has left the configuration, Terraform plans its destroy with the
// state before the refresh. So the publisher looks once more.
func (r *gitOpsCommitResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	state, was, inv, diags := readState(ctx, req.State, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.data.Hold {
		resp.Diagnostics.Append(state.warn(message.OnHold,
			"The provider is on hold, so an apply of this plan removes nothing from the branch and fails.")...)
		return
	}
	if r.data.Publisher.LookAgain(ctx, was, inv) {
		resp.Diagnostics.Append(writeInventory(ctx, resp.Private, inv)...)
	}
	job := publish.Job{Settings: &was.Settings, Was: was, Inventory: inv}
	resp.Diagnostics.Append(diagnostics(r.data.Publisher.PlanDestroy(job))...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, destroyKey, []byte("true"))...)
}

// takePlan fills in the planned values. Values that only the apply can know become unknown.
func (m *gitOpsCommitModel) takePlan(p *publish.Plan, configured, state *gitOpsCommitModel) {
	location := func(configured types.String, value string) types.String {
		if configured.IsUnknown() {
			return configured
		}
		return types.StringValue(value)
	}
	m.Repo, m.Branch, m.Path = location(configured.Repo, p.Location.Repo), location(configured.Branch, p.Location.Branch),
		location(configured.Path, p.Location.Path)
	m.ID = types.StringUnknown()
	if p.LocationKnown {
		m.ID = types.StringValue(p.Location.String())
	}
	m.take(p.Attributes)
	m.takeRequest(p.Attributes)
	switch {
	case p.Differs || state == nil:
		m.TakenOver = textMap(p.TakenOver)
	default:
		m.TakenOver = state.TakenOver
	}
	if p.SummaryOpen {
		m.Summary = types.StringUnknown()
	}
	if p.CommitOpen {
		m.Commit = types.StringUnknown()
	}
	if p.RequestOpen {
		m.requestUnknown()
	}
	if p.KeepsImport {
		m.Environment, m.Manifests = state.Environment, state.Manifests
	}
}

// planUnknown plans a change whose content is not known yet. The place is not known either
// if it comes from the fleet's GitOpsRepo.
func (m *gitOpsCommitModel) planUnknown(configured *gitOpsCommitModel) {
	location := func(configured types.String) types.String {
		if configured.IsNull() {
			return types.StringUnknown()
		}
		return configured
	}
	m.Repo, m.Branch, m.Path = location(configured.Repo), location(configured.Branch), location(configured.Path)
	m.ID = types.StringUnknown()
	if !m.Repo.IsUnknown() && !m.Branch.IsUnknown() && !m.Path.IsUnknown() {
		m.ID = types.StringValue(m.location().String())
	}
	m.Packages, m.Kept = types.MapUnknown(types.StringType), types.ListUnknown(types.StringType)
	m.Summary, m.Commit, m.TakenOver = types.StringUnknown(), types.StringUnknown(), types.MapUnknown(types.StringType)
	m.requestUnknown()
	if m.PullRequest.IsNull() {
		m.takeRequest(publish.Attributes{Status: ownership.InSync})
	}
}

// planUnknownFolders passes to the publisher the folders that a resource with an unknown
// fleet may write or remove. It does nothing if the place is not known.
func (r *gitOpsCommitResource) planUnknownFolders(ctx context.Context, plan *gitOpsCommitModel, job publish.Job) diag.Diagnostics {
	var loc git.Location
	switch {
	case plan.Environment.IsUnknown():
		return nil
	case job.Was != nil:
		loc = job.Was.Location
	case plan.ID.IsUnknown():
		return nil
	default:
		loc = plan.location()
	}
	var names []string
	var diags diag.Diagnostics
	known := fullyKnown(plan.ClusterTypes)
	if known {
		diags = plan.ClusterTypes.ElementsAs(ctx, &names, false)
	}
	diags.Append(diagnostics(r.data.Publisher.PlanUnknown(job.Inventory, plan.Environment.ValueString(), loc, names, known))...)
	return diags
}

// requestUnknown makes the attributes of a pull request unknown.
func (m *gitOpsCommitModel) requestUnknown() {
	m.PullRequestNumber, m.PullRequestURL = types.StringUnknown(), types.StringUnknown()
	m.Status, m.MergedCommit = types.StringUnknown(), types.StringUnknown()
}

// noPreview returns the detail of the warning about unknown inputs.
func noPreview(unknown []string) string {
	return fmt.Sprintf("These inputs are known only after apply: %s. Therefore the plan cannot show the changes in the GitOps repository; "+
		"the apply computes and writes them. To see the changes in a plan, first apply the resources that these inputs come from (-target), or "+
		"pass values that are known at plan.", strings.Join(unknown, ", "))
}

// computedOrCompared are the attributes that othersDiffer leaves out: computed attributes,
// and those that publish compares itself.
var computedOrCompared = map[string]bool{
	"id": true, "environment": true, "manifests": true, "repo": true, "branch": true, "path": true, "packages": true, "summary": true,
	"commit": true, "kept": true,
	"instance_id": true, "taken_over": true, "pull_request_number": true, "pull_request_url": true, "status": true, "merged_commit": true,
}

// othersDiffer reports whether the planned value of an attribute differs from the state.
// It ignores the fleet and its location.
func othersDiffer(plan, state tftypes.Value) bool {
	var planned, was map[string]tftypes.Value
	if plan.As(&planned) != nil || state.As(&was) != nil {
		return true
	}
	for name, value := range planned {
		if !computedOrCompared[name] && !value.Equal(was[name]) {
			return true
		}
	}
	return false
}
