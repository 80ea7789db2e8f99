// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// objectResource is the resource of one kind of object, such as kalypso_workload. It converts HCL to the
// object's manifest, and keeps nothing outside Terraform's state.
type objectResource struct {
	typeName string
	row      *manifest.Row
}

func newObjectResource(typeName string, kind manifest.Kind) func() resource.Resource {
	return func() resource.Resource { return &objectResource{typeName, kind.Row()} }
}

func (r *objectResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.typeName
}

func (r *objectResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = objectSchema(r.typeName, r.row)
}

// ModifyPlan makes the computed attributes known as soon as the inputs are known, so that a
// plan can place and render objects that do not exist yet.
func (r *objectResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // destroyed
	}
	var name types.String
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("name"), &name)...)
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("id"), name)...)

	text := types.StringUnknown()
	if req.Config.Raw.IsFullyKnown() {
		config, _ := fromTerraform(req.Config.Raw).(map[string]any)
		text = types.StringValue(r.encode(config, &resp.Diagnostics))
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("manifest"), text)...)
}

// encode returns the manifest of a configuration. Errors: values that the engine would refuse.
func (r *objectResource) encode(config map[string]any, diags *diag.Diagnostics) string {
	if r.row.Kind == manifest.KindWorkload {
		toWorkspaceLabel(config)
	}
	document := toDocument(r.row.Fields, config)
	document["apiVersion"], document["kind"] = r.row.APIVersion, string(r.row.Kind)
	objects, err := manifest.Decode([]manifest.Text{{Name: "manifest", Text: jsonOf(document)}})
	diags.Append(problemDiagnostics(err)...)
	if len(objects) == 0 {
		return ""
	}
	return manifest.Encode(objects[0])
}

// Create and Update store the planned values, which are all known at apply. Read keeps the
// state, because the object exists only there.

func (r *objectResource) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (r *objectResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (r *objectResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (r *objectResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
