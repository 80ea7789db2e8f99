// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// identityModel distinguishes an object from the others of its kind. Terraform keeps it
// since 1.12. Older versions and OpenTofu keep none.
type identityModel struct {
	Name types.String `tfsdk:"name"`
}

// IdentitySchema describes the parts of an identity to Terraform.
func (r *modelResource[M, O]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"name": identityschema.StringAttribute{
				RequiredForImport: true,
				Description:       "Name of the object.",
			},
		},
	}
}

// identify writes the identity of the object that a state holds.
func identify(ctx context.Context, state tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	var model identityModel
	diags.Append(state.GetAttribute(ctx, path.Root("name"), &model.Name)...)
	diags.Append(identity.Set(ctx, model)...)
}

// nameIsNoSource is the error of an import by identity: a name says which object is meant,
// but it does not contain the object.
func (r *modelResource[M, O]) nameIsNoSource(ctx context.Context, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	var model identityModel
	diags.Append(identity.Get(ctx, &model)...)
	diags.AddError("Import by identity is not possible", fmt.Sprintf(
		"There is nowhere to look up what %s/%s is: a %s exists in Terraform's state alone. "+
			"Import its manifest: write id = file(\"%s.yaml\") in the place of the identity, with the YAML document of the object in that file.",
		r.kind, model.Name.ValueString(), r.terraformName(), model.Name.ValueString()))
}
