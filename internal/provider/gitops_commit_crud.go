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

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// defaultTimeout is the time of one operation, unless timeouts says otherwise.
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
	out, diags := r.apply(ctx, timeout, &plan, &config, publish.Job{})
	if resp.Diagnostics.Append(diags...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(writeMemory(ctx, resp.Private, out.Memory)...)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(plan.identify(ctx, resp.Identity)...)
	}
}

// Update writes the changes with one commit. It writes no commit if the branch already has
// the new content.
func (r *gitOpsCommitResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, config, state gitOpsCommitModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	job, diags := readJob(ctx, &state, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Update(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	out, diags := r.apply(ctx, timeout, &plan, &config, job)
	if resp.Diagnostics.Append(diags...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(writeMemory(ctx, resp.Private, out.Memory)...)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(plan.identify(ctx, resp.Identity)...)
	}
}

// apply carries out a plan and fills in its unknown values. It renders from the configuration, so
// that messages name its files.
func (r *gitOpsCommitResource) apply(ctx context.Context, timeout time.Duration, plan, config *gitOpsCommitModel,
	job publish.Job) (*publish.Outcome, diag.Diagnostics) {
	var diags diag.Diagnostics
	if job.Settings, diags = r.settings(ctx, plan, config); diags.HasError() {
		return nil, diags
	}
	var planned publish.Planned
	if !plan.ID.IsUnknown() {
		planned.Location = plan.location()
	}
	if !plan.Packages.IsUnknown() {
		planned.Packages = plainTexts(plan.Packages)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	out, messages := r.data.Publisher.Apply(ctx, job, planned)
	if diags.Append(diagnostics(messages)...); diags.HasError() {
		return nil, diags
	}
	for _, part := range []struct {
		to    *types.String
		value string
	}{
		{&plan.Repo, out.Location.Repo}, {&plan.Branch, out.Location.Branch}, {&plan.Path, out.Location.Path},
	} {
		if part.to.IsUnknown() {
			*part.to = types.StringValue(part.value)
		}
	}
	plan.ID, plan.InstanceID = types.StringValue(plan.location().String()), types.StringValue(out.Instance)
	was := *plan
	plan.take(out.Attributes)
	if !was.LastCommit.IsUnknown() { // at most records were written
		plan.LastCommit = was.LastCommit
	}
	if plan.Status.IsUnknown() { // otherwise the plan has set these attributes
		plan.takeRequest(out.Attributes, !config.Repo.IsNull())
	}
	return out, diags
}

// Read finds drift in the resource's folders, and the outcome of a pull request.
func (r *gitOpsCommitResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state gitOpsCommitModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	job, diags := readJob(ctx, &state, req.Private)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(state.identify(ctx, resp.Identity)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if len(r.data.Unknown) > 0 {
		resp.Diagnostics.Append(state.warn("The GitOps repository was not read", fmt.Sprintf(
			"The provider's configuration is not known yet (%s), so the GitOps repository was not read.", strings.Join(r.data.Unknown, ", ")))...)
		return
	}
	if r.data.Hold || state.Hold.ValueBool() {
		return // nothing is read on hold
	}
	timeout, diags := state.Timeouts.Read(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	job.Settings = &job.Was.Settings
	found, messages := r.data.Publisher.Refresh(ctx, job)
	if resp.Diagnostics.Append(diagnostics(messages)...); resp.Diagnostics.HasError() {
		return
	}
	state.take(found.Attributes)
	state.takeRequest(found.Attributes, job.Was.TrustsRepo)
	resp.Diagnostics.Append(writeMemory(ctx, resp.Private, found.Memory)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Delete gives the content up. Without the mark of a planned destroy, it is the first half of a
// replacement, and only releases the folders.
func (r *gitOpsCommitResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state gitOpsCommitModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	job, diags := readJob(ctx, &state, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := state.Timeouts.Delete(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	job.Settings = &job.Was.Settings
	resp.Diagnostics.Append(diagnostics(r.data.Publisher.Destroy(ctx, job))...)
}

func (m *gitOpsCommitModel) location() git.Location {
	return git.Location{Repo: m.Repo.ValueString(), Branch: m.Branch.ValueString(), Path: m.Path.ValueString()}
}
