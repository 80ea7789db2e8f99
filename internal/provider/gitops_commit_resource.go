// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
)

var (
	_ resource.ResourceWithConfigure   = (*gitOpsCommitResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*gitOpsCommitResource)(nil)
	_ resource.ResourceWithImportState = (*gitOpsCommitResource)(nil)
)

// gitOpsCommitResource places, composes and renders a fleet in its own plan and
// writes the result to a branch with one commit.
type gitOpsCommitResource struct {
	data *providerData
}

// NewGitOpsCommitResource makes the resource kalypso_gitops_commit.
func NewGitOpsCommitResource() resource.Resource { return &gitOpsCommitResource{} }

func (r *gitOpsCommitResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_gitops_commit"
}

func (r *gitOpsCommitResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if data, ok := req.ProviderData.(*providerData); ok {
		r.data = data
	}
}

// What destroy does with the folders.
const (
	onDestroyRemove = "remove"
	onDestroyRetain = "retain"
)
