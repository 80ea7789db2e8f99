// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/gitops"
)

// defaultTimeout bounds every operation that the timeouts block leaves out.
const defaultTimeout = 5 * time.Minute

// Create writes the first commit. It refuses to overwrite folders that exist
// with other content, and takes over those that are already right.
func (r *gitOpsCommitResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config gitOpsCommitModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Create(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	plan.Commit = types.StringNull()
	written, diags := r.write(ctx, timeout, &plan, &config, nil, &record{})
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(written.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Update writes what changed, with one commit, or none where the branch already is right.
func (r *gitOpsCommitResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, config, state gitOpsCommitModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	known, diags := readRecord(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Update(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	plan.Commit = state.Commit
	written, diags := r.write(ctx, timeout, &plan, &config, &state, known)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(written.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// write renders the plan again, makes sure that it comes out as planned, and
// makes the branch hold it. It fills what was unknown in the plan and gives the
// record of what is there now.
func (r *gitOpsCommitResource) write(ctx context.Context, timeout time.Duration, plan, config, state *gitOpsCommitModel, known *record) (*record, diag.Diagnostics) {
	in, diags := plan.engineInput(ctx)
	if diags.HasError() {
		return nil, diags
	}
	result, err := kalypso.Compute(in)
	diags.Append(problemDiagnostics(err)...)
	if diags.HasError() {
		return nil, diags
	}
	diags.Append(plan.settle(ctx, config, state, known, result)...)
	if diags.HasError() {
		return nil, diags
	}

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	change := known.change(result, plan.Exclusive.ValueBool())
	change.CreateBranchFrom = plan.CreateBranchFrom.ValueString()
	change.Message = commitMessage(plan)
	written, err := r.data.Client.Apply(ctx, plan.location(), change)
	if err != nil {
		diags.AddError("The GitOps repository was not changed", sentence(err))
		return nil, diags
	}
	if !written.Commit.IsZero() {
		plan.Commit = types.StringValue(written.Commit.String())
	}
	return newRecord(result, written, r.data.Version, config.given()), diags
}

// settle holds the result against the plan: what was planned has to come out
// again, and what was unknown becomes known. state is nil when the resource is new.
func (m *gitOpsCommitModel) settle(ctx context.Context, config, state *gitOpsCommitModel, known *record, result *kalypso.Result) diag.Diagnostics {
	planned := *m
	diags := m.setLocation(config, result.Fleet)
	if diags.HasError() {
		return diags
	}
	_, more := m.settleResult(ctx, state, known, result)
	diags.Append(more...)
	moved := !planned.ID.IsUnknown() && !planned.ID.Equal(m.ID)
	if moved || (!planned.Packages.IsUnknown() && !planned.Packages.Equal(m.Packages)) {
		diags.AddError("The fleet came out differently than planned", fmt.Sprintf(
			"Computing the packages for %s again gave another result than the plan shows, so nothing was written. Plan again with the same version of the provider and apply that plan.", m.ID.ValueString()))
	}
	return diags
}

// commitMessage says for whom and what: the environment and the summary.
func commitMessage(plan *gitOpsCommitModel) string {
	return fmt.Sprintf("%s: %s\n\nWritten by Terraform (kalypso_gitops_commit).\n", plan.Environment.ValueString(), plan.Summary.ValueString())
}

// Read finds drift in our folders. It lists the references, and where the
// branch has moved since, compares tree ids from the top down.
func (r *gitOpsCommitResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state gitOpsCommitModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	known, diags := readRecord(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if len(r.data.Unknown) > 0 {
		resp.Diagnostics.AddWarning("Drift was not looked for", fmt.Sprintf(
			"The provider's configuration is not known yet (%s), so the GitOps repository was not read.", strings.Join(r.data.Unknown, ", ")))
		return
	}
	timeout, diags := state.Timeouts.Read(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	head, err := r.data.Client.Head(ctx, state.location())
	if err == nil && !known.stale(head, state.Exclusive.ValueBool()) {
		return
	}
	var found *gitops.State
	if err == nil {
		found, err = r.data.Client.Read(ctx, state.location(), gitops.ReadRequest{
			Known: known.known(),
			Names: slices.Collect(maps.Keys(known.Folders)),
			All:   state.Exclusive.ValueBool(),
		})
	}
	if err != nil {
		resp.Diagnostics.AddError("The GitOps repository cannot be read", sentence(err))
		return
	}
	packages, diags := digests(ctx, state.Packages)
	resp.Diagnostics.Append(diags...)
	known.update(packages, state.detail(), found, state.Exclusive.ValueBool())
	state.Packages = digestsValue(packages)
	resp.Diagnostics.Append(known.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Delete removes our folders with one commit, unless they are to be retained.
func (r *gitOpsCommitResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state gitOpsCommitModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	known, diags := readRecord(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || state.OnDestroy.ValueString() == onDestroyRetain {
		return
	}
	timeout, diags := state.Timeouts.Delete(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	change := known.change(&kalypso.Result{}, false)
	change.Message = fmt.Sprintf("%s: remove all packages\n\nWritten by Terraform (kalypso_gitops_commit).\n", state.Environment.ValueString())
	if _, err := r.data.Client.Apply(ctx, state.location(), change); err != nil {
		resp.Diagnostics.AddError("The GitOps repository was not changed", sentence(err))
	}
}
