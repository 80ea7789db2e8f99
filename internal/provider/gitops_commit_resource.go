// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

var (
	_ resource.ResourceWithConfigure      = (*gitOpsCommitResource)(nil)
	_ resource.ResourceWithValidateConfig = (*gitOpsCommitResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*gitOpsCommitResource)(nil)
	_ resource.ResourceWithImportState    = (*gitOpsCommitResource)(nil)
)

// gitOpsCommitResource places, composes and renders a fleet in its own plan and
// writes the result to a branch with one commit.
type gitOpsCommitResource struct {
	data *providerData
}

func newGitOpsCommitResource() resource.Resource { return &gitOpsCommitResource{} }

func (r *gitOpsCommitResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_gitops_commit"
}

func (r *gitOpsCommitResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.data = dataOf(req.ProviderData, &resp.Diagnostics)
}

// ValidateConfig refuses a freeze that is not valid.
func (r *gitOpsCommitResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var config gitOpsCommitModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	_, diags := readPeriods(ctx, config.Freeze)
	resp.Diagnostics.Append(diags...)
}

const memoryKey = "memory"

// privateReader and privateWriter are the parts of the framework's requests and responses
// that have private state.
type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

type privateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// readState returns the resource in the state, and a job with its settings; nil and an empty job if it is
// new. Terraform may have lost the private state: see publish.Memory.
func readState(ctx context.Context, from tfsdk.State, private privateReader) (state *gitOpsCommitModel, job publish.Job,
	diags diag.Diagnostics) {
	if diags = from.Get(ctx, &state); state == nil || diags.HasError() {
		return nil, job, diags
	}
	if job.Was, diags = state.applied(ctx); diags.HasError() {
		return state, job, diags
	}
	job.Settings = &job.Was.Settings
	noted, more := private.GetKey(ctx, memoryKey)
	diags.Append(more...)
	job.Memory = publish.ParseMemory(noted)
	return state, job, diags
}

func writeMemory(ctx context.Context, private privateWriter, memory publish.Memory) diag.Diagnostics {
	return private.SetKey(ctx, memoryKey, memory.Text())
}
