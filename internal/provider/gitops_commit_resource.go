// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

var (
	_ resource.ResourceWithConfigure      = (*gitOpsCommitResource)(nil)
	_ resource.ResourceWithValidateConfig = (*gitOpsCommitResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*gitOpsCommitResource)(nil)
	_ resource.ResourceWithImportState    = (*gitOpsCommitResource)(nil)
	_ resource.ResourceWithIdentity       = (*gitOpsCommitResource)(nil)
)

// gitOpsCommitResource places, composes and renders a fleet in its own plan and
// writes the result to a branch with one commit.
type gitOpsCommitResource struct {
	data *providerData
}

func newGitOpsCommitResource() resource.Resource { return &gitOpsCommitResource{} }

func (r *gitOpsCommitResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_gitops_commit"
	resp.ResourceBehavior.MutableIdentity = true
}

func (r *gitOpsCommitResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if data, ok := req.ProviderData.(*providerData); ok {
		r.data = data
	}
}

// ValidateConfig refuses a resource without manifests, and a freeze that is not valid.
func (r *gitOpsCommitResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var config gitOpsCommitModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if config.Manifests.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("manifests"), "Missing manifests", "manifests has to be set: the fleet, as a list of YAML "+
			"texts. If -generate-config-out wrote this resource, replace only this null. Terraform writes null because the attribute is sensitive.")
	}
	_, diags := readPeriods(ctx, config.Freeze)
	resp.Diagnostics.Append(diags...)
}

// Keys of the resource's private state: the inventory, and the mark of a planned destroy.
// A replacement that deletes first does not have this mark.
const (
	inventoryKey = "inventory"
	destroyKey   = "destroy"
)

// privateReader and privateWriter are the parts of the framework's requests and responses
// that have private state.
type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

type privateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// readInventory returns the notes about the repository from the private state. was is nil
// if the resource is new.
func readInventory(ctx context.Context, private privateReader, was *publish.Applied) (*ownership.Inventory, diag.Diagnostics) {
	noted, diags := private.GetKey(ctx, inventoryKey)
	inv, err := publish.ReadInventory(noted, was)
	if err != nil {
		diags.AddError("Unreadable private state", fmt.Sprintf(
			"The provider's notes about the GitOps repository, in the private state of the resource, cannot be read. Remove the resource from the "+
				"state and import it again. Cause: %s",
			err))
	}
	return inv, diags
}

// readState reads the last apply, and the notes about the repository from that time.
func readState(ctx context.Context, state tfsdk.State, private privateReader) (m gitOpsCommitModel, was *publish.Applied,
	inv *ownership.Inventory, diags diag.Diagnostics) {
	diags.Append(state.Get(ctx, &m)...)
	was, more := m.applied(ctx)
	diags.Append(more...)
	inv, more = readInventory(ctx, private, was)
	diags.Append(more...)
	return m, was, inv, diags
}

func writeInventory(ctx context.Context, private privateWriter, inv *ownership.Inventory) diag.Diagnostics {
	noted, err := inv.Note()
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Private state cannot be written", err.Error())}
	}
	return private.SetKey(ctx, inventoryKey, noted)
}

// readGuard returns the guard of the resource that a new resource replaces. It returns nil
// if the new resource replaces nothing. Terraform passes only the private state of the
// replaced resource.
func readGuard(ctx context.Context, private privateReader) (*ownership.Guard, diag.Diagnostics) {
	noted, diags := private.GetKey(ctx, inventoryKey)
	if len(noted) == 0 {
		return nil, diags
	}
	inv, err := publish.ReadInventory(noted, &publish.Applied{})
	if err != nil {
		return nil, diags // the notes of a replaced resource are not needed any more
	}
	return &inv.Guard, diags
}
