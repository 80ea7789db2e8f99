// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
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
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	state, job, diags := readState(ctx, req.State, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	job.IsSame = state != nil && req.Plan.Raw.Equal(req.State.Raw)
	hasNone := !config.Manifests.IsUnknown() && len(config.Manifests.Elements()) == 0
	if config.Manifests.IsNull() || hasNone && config.Files.IsNull() {
		resp.Diagnostics.Append(missingManifests(job.Memory.Imported && job.IsSame))
		return
	}
	var planned *publish.Plan
	if unknown := unknownInputs(req.Config.Raw); len(unknown) > 0 && !plan.Hold.ValueBool() {
		job.Settings = plan.plain(&config)
		job.Request, diags = config.request(ctx)
		resp.Diagnostics.Append(diags...)
		plan.planUnknown(&config, state)
		resp.Diagnostics.Append(plan.warn("The change cannot be previewed", noPreview(unknown, job.Repo.Given && job.Branch.Given))...)
		resp.Diagnostics.Append(timeLimit{"read", plan.Timeouts.Read}.run(ctx, func(ctx context.Context) (m message.Messages) {
			planned, m = r.data.Publisher.PlanUnknown(ctx, job)
			return m
		})...)
		if !resp.Diagnostics.HasError() {
			resp.RequiresReplace = replacing(planned)
		}
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
		return
	}
	job.Settings, diags = r.settings(ctx, &plan, &config, state)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(checkRelease(ctx, plan.Release, plan.Hold.ValueBool(), false, path.Root("release"))...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(timeLimit{"read", plan.Timeouts.Read}.run(ctx, func(ctx context.Context) (m message.Messages) {
		planned, m = r.data.Publisher.Plan(ctx, job)
		return m
	})...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.takePlan(planned, &config)
	resp.RequiresReplace = replacing(planned)
	resp.Diagnostics.Append(writeMemory(ctx, resp.Private, planned.Memory)...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// missingManifests is an error, except for an import that nothing changes: Terraform writes its configuration
// without sensitive attributes, and plans that.
func missingManifests(isImport bool) diag.Diagnostic {
	const detail = "manifests has to be the fleet, such as local.fleet, or the manifests of a kalypso_control_plane. Beside files, it may " +
		"be []."
	if isImport {
		return diag.NewAttributeWarningDiagnostic(path.Root("manifests"), "Write the manifests", "The resource is imported, and "+
			"nothing shows its "+
			"fleet: "+detail+" The next plan then shows what differs in the branch. Until then, nothing is written.")
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("manifests"), "Missing manifests", detail)
}

// replacing returns the paths of the attributes that make this another resource. A place or an environment that
// is not known yet counts: Terraform lets a planned replacement become one of the same place, and calls an
// update that becomes a replacement a bug.
func replacing(p *publish.Plan) (all path.Paths) {
	for _, name := range p.Replaces {
		all = append(all, path.Root(name))
	}
	return all
}

// planDestroy asks the publisher for the effect of a destroy, and marks the destroy as planned.
func (r *gitOpsCommitResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	state, job, diags := readState(ctx, req.State, req.Private)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	var memory publish.Memory
	resp.Diagnostics.Append(timeLimit{"read", state.Timeouts.Read}.run(ctx, func(ctx context.Context) (m message.Messages) {
		memory, m = r.data.Publisher.PlanDestroy(ctx, job)
		return m
	})...)
	resp.Diagnostics.Append(writeMemory(ctx, resp.Private, memory)...)
}

// takePlan fills in the planned values. Values that only the apply can know become unknown.
func (m *gitOpsCommitModel) takePlan(p *publish.Plan, configured *gitOpsCommitModel) {
	m.planPlace(configured, types.StringValue(p.Location.Repo), types.StringValue(p.Location.Branch))
	m.take(p.Attributes)
	m.takeRequest(p.Attributes, !configured.Repo.IsNull())
	if p.CommitUnknown {
		m.LastCommit = types.StringUnknown()
	}
	if configured.Repo.IsUnknown() { // notes say whether the configuration names it
		m.Notes = types.StringUnknown()
	}
	if p.RequestUnknown || configured.PullRequest.IsUnknown() {
		m.requestUnknown()
	}
}

// planUnknown plans a change whose content is not known yet: a planned value is known only if every input
// that it depends on is known. A place that comes from the fleet's
// GitOpsRepo stays that of the state, so that unknown manifests replace nothing.
func (m *gitOpsCommitModel) planUnknown(configured, state *gitOpsCommitModel) {
	if state != nil {
		m.planPlace(configured, state.Repo, state.Branch)
	} else {
		m.planPlace(configured, types.StringUnknown(), types.StringUnknown())
	}
	m.Packages, m.Kept = types.MapUnknown(types.StringType), types.ListUnknown(types.StringType)
	m.Summary, m.LastCommit = types.StringUnknown(), types.StringUnknown()
	m.requestUnknown()
}

// planPlace plans the place, whose repository and branch may come from the fleet, and the id.
func (m *gitOpsCommitModel) planPlace(configured *gitOpsCommitModel, repo, branch types.String) {
	m.Repo, m.Branch, m.ID = configured.Repo, configured.Branch, types.StringUnknown()
	if m.Repo.IsNull() {
		m.Repo = repo
	}
	if m.Branch.IsNull() {
		m.Branch = branch
	}
	if !m.Repo.IsUnknown() && !m.Branch.IsUnknown() && !m.Path.IsUnknown() {
		m.ID = types.StringValue(m.location().String())
	}
}

func (m *gitOpsCommitModel) requestUnknown() {
	m.PullRequestURL, m.Notes, m.Status, m.MergedCommit = types.StringUnknown(), types.StringUnknown(), types.StringUnknown(),
		types.StringUnknown()
}

// noPreview returns the detail of the warning about unknown inputs. Without isPlaced, the place is that of a GitOpsRepo.
func noPreview(unknown []string, isPlaced bool) string {
	text := fmt.Sprintf("These inputs are known only after apply: %s. Therefore the plan cannot show the changes in the GitOps repository; "+
		"the apply computes and writes them. To see the changes in a plan, first apply the resources that these inputs come from (-target), or "+
		"pass values that are known at plan.", strings.Join(unknown, ", "))
	if !isPlaced {
		text += " If the GitOpsRepo then names another place, the apply writes nothing, and Terraform reports an inconsistent final plan: " +
			"apply again. With repo and branch in the configuration, this cannot happen."
	}
	return text
}
