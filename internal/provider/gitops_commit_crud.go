// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// defaultTimeout bounds every operation that the timeouts block leaves out.
const defaultTimeout = 5 * time.Minute

// Create writes the first commit.
func (r *gitOpsCommitResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config gitOpsCommitModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Create(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	inv, diags := r.apply(ctx, timeout, &plan, &config, publish.Job{Inventory: &ownership.Inventory{}})
	resp.Diagnostics.Append(diags...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(writeInventory(ctx, resp.Private, inv)...)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(plan.identify(ctx, resp.Identity)...)
	}
}

// Update writes the changes with one commit. It writes no commit if the branch already has
// the new content.
func (r *gitOpsCommitResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, config gitOpsCommitModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	_, was, inv, diags := readState(ctx, req.State, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Update(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	inv, diags = r.apply(ctx, timeout, &plan, &config, publish.Job{Was: was, Inventory: inv})
	resp.Diagnostics.Append(diags...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(writeInventory(ctx, resp.Private, inv)...)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(plan.identify(ctx, resp.Identity)...)
	}
}

// apply carries out a plan and fills in its unknown values. It returns the new content of
// the repository.
func (r *gitOpsCommitResource) apply(ctx context.Context, timeout time.Duration, plan, config *gitOpsCommitModel,
	job publish.Job) (*ownership.Inventory, diag.Diagnostics) {
	var diags diag.Diagnostics
	if job.Settings, diags = plan.settings(ctx, config); diags.HasError() {
		return nil, diags
	}
	var planned publish.Planned
	if !plan.ID.IsUnknown() {
		planned.Location = plan.location()
	}
	if !plan.Packages.IsUnknown() {
		planned.Packages = plainTexts(plan.Packages)
	}
	planned.TakenOver = plainTexts(plan.TakenOver)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	outcome, messages := r.data.Publisher.Apply(ctx, job, planned)
	diags.Append(diagnostics(messages)...)
	if diags.HasError() {
		return nil, diags
	}
	plan.Repo, plan.Branch, plan.Path = types.StringValue(outcome.Location.Repo), types.StringValue(outcome.Location.Branch),
		types.StringValue(outcome.Location.Path)
	plan.ID = types.StringValue(outcome.Location.String())
	plan.InstanceID = types.StringValue(outcome.Inventory.Instance)
	plan.take(outcome.Attributes)
	if plan.TakenOver.IsUnknown() { // the plan has shown nothing, so nothing was taken over
		plan.TakenOver = types.MapValueMust(types.StringType, nil)
	}
	if plan.Status.IsUnknown() { // otherwise the plan has set these attributes
		plan.takeRequest(outcome.Attributes)
	}
	return outcome.Inventory, diags
}

// Read finds drift in the resource's folders, and the outcome of a pull request.
func (r *gitOpsCommitResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, was, inv, diags := readState(ctx, req.State, req.Private)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(state.identify(ctx, resp.Identity)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if len(r.data.Unknown) > 0 {
		resp.Diagnostics.Append(state.warn("The refresh did not look for drift", fmt.Sprintf(
			"The provider's configuration is not known yet (%s), so the GitOps repository was not read.", strings.Join(r.data.Unknown, ", ")))...)
		return
	}
	timeout, diags := state.Timeouts.Read(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	noted, messages := r.data.Publisher.Refresh(ctx, was, inv)
	resp.Diagnostics.Append(diagnostics(messages)...)
	noted = noted && !resp.Diagnostics.HasError()
	r.data.spare(&resp.Diagnostics)
	if resp.Diagnostics.HasError() || !noted {
		return
	}
	state.take(was.Attributes)
	state.takeRequest(was.Attributes)
	resp.Diagnostics.Append(writeInventory(ctx, resp.Private, inv)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Delete removes the resource's folders from the branch. Without the mark of a planned
// destroy, the deletion is the first half of a replacement.
func (r *gitOpsCommitResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state, was, inv, diags := readState(ctx, req.State, req.Private)
	resp.Diagnostics.Append(diags...)
	timeout, diags := state.Timeouts.Delete(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	mark, diags := req.Private.GetKey(ctx, destroyKey)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, destroyKey, nil)...) // if the destroy fails, the next plan sets the mark again
	if r.data.Hold {
		var held message.Messages
		held.Fail(message.OnHold, "The provider is on hold, so nothing was removed. Remove hold from the provider block (or unset "+
			"KALYPSO_HOLD), and plan again.")
		resp.Diagnostics.Append(diagnostics(held.About(state.Environment.ValueString(), ""))...)
		return
	}
	job := publish.Job{Settings: &was.Settings, Was: was, Inventory: inv}
	resp.Diagnostics.Append(diagnostics(r.data.Publisher.Destroy(ctx, job, len(mark) > 0))...)
}
