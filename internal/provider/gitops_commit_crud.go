// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// Create writes the first commit or opens the first pull request, unless the resource is on hold.
func (r *gitOpsCommitResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(r.apply(ctx, req.Plan, req.Config, publish.Job{}, saving{&resp.State, resp.Private})...)
}

// Update writes the changes with one commit or a pull request, unless the branch already has them or the
// resource is on hold.
func (r *gitOpsCommitResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	_, job, diags := readState(ctx, req.State, req.Private)
	if resp.Diagnostics.Append(diags...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.apply(ctx, req.Plan, req.Config, job, saving{&resp.State, resp.Private})...)
	}
}

// saving is where Terraform keeps the resource after an operation.
type saving struct {
	state   *tfsdk.State
	private privateWriter
}

func (s saving) save(ctx context.Context, m *gitOpsCommitModel, memory publish.Memory) diag.Diagnostics {
	diags := writeMemory(ctx, s.private, memory)
	return append(diags, s.state.Set(ctx, m)...)
}

// apply carries out a plan, fills in its unknown values, and saves the result. It renders from the
// configuration, so that messages name its files.
func (r *gitOpsCommitResource) apply(ctx context.Context, from tfsdk.Plan, configured tfsdk.Config, job publish.Job,
	to saving) diag.Diagnostics {
	var plan, config gitOpsCommitModel
	diags := from.Get(ctx, &plan)
	if diags.Append(configured.Get(ctx, &config)...); diags.HasError() {
		return diags
	}
	limit := timeLimit{"create", plan.Timeouts.Create}
	if job.Was != nil {
		limit = timeLimit{"update", plan.Timeouts.Update}
	}
	var more diag.Diagnostics
	job.Settings, more = r.settings(ctx, &plan, &config, nil)
	if diags.Append(more...); diags.HasError() {
		return diags
	}
	var planned publish.Planned
	if !plan.ID.IsUnknown() {
		planned.Location = plan.location()
	}
	if !plan.Packages.IsUnknown() {
		planned.Packages = plainTexts(plan.Packages)
	}
	var out *publish.Outcome
	diags.Append(limit.run(ctx, func(ctx context.Context) (m message.Messages) {
		out, m = r.data.Publisher.Apply(ctx, job, planned)
		return m
	})...)
	if diags.HasError() {
		return diags
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
	was := plan
	plan.take(out.Attributes)
	if !was.LastCommit.IsUnknown() { // at most records were written
		plan.LastCommit = was.LastCommit
	}
	if plan.Status.IsUnknown() { // otherwise the plan has set these attributes
		plan.takeRequest(out.Attributes, !config.Repo.IsNull())
	}
	return append(diags, to.save(ctx, &plan, out.Memory)...)
}

// Read finds drift in the resource's folders, and the outcome of a pull request.
func (r *gitOpsCommitResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, job, diags := readState(ctx, req.State, req.Private)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if why := r.data.offline(); why != "" {
		resp.Diagnostics.Append(state.warn("The GitOps repository was not read", why)...)
		return
	}
	if r.data.Hold || state.Hold.ValueBool() {
		return // nothing is read on hold
	}
	var found publish.Outcome
	resp.Diagnostics.Append(timeLimit{"read", state.Timeouts.Read}.run(ctx, func(ctx context.Context) (m message.Messages) {
		found, m = r.data.Publisher.Refresh(ctx, job)
		return m
	})...)
	if resp.Diagnostics.HasError() {
		return
	}
	state.take(found.Attributes)
	state.takeRequest(found.Attributes, job.Was.TrustsRepo)
	resp.Diagnostics.Append(saving{&resp.State, resp.Private}.save(ctx, state, found.Memory)...)
}

// Delete gives the content up. Without the mark of a planned destroy, it is the first half of a
// replacement, and only releases the folders.
func (r *gitOpsCommitResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state, job, diags := readState(ctx, req.State, req.Private)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(timeLimit{"delete", state.Timeouts.Delete}.run(ctx, func(ctx context.Context) message.Messages {
		return r.data.Publisher.Destroy(ctx, job)
	})...)
}

func (m *gitOpsCommitModel) location() git.Location {
	return git.Location{Repo: m.Repo.ValueString(), Branch: m.Branch.ValueString(), Path: m.Path.ValueString()}
}
