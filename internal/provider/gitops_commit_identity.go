// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// gitOpsCommitIdentity identifies the resource for Terraform 1.12 and later: its place and
// its environment. A move changes the identity.
type gitOpsCommitIdentity struct {
	Repo        types.String `tfsdk:"repo"`
	Branch      types.String `tfsdk:"branch"`
	Path        types.String `tfsdk:"path"`
	Environment types.String `tfsdk:"environment"`
}

func (r *gitOpsCommitResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"repo":   identityschema.StringAttribute{RequiredForImport: true, Description: "The URL of the GitOps repository."},
		"branch": identityschema.StringAttribute{RequiredForImport: true, Description: "The branch to write."},
		"path": identityschema.StringAttribute{OptionalForImport: true, Description: "The folder of the cluster types' folders. " +
			"Defaults to the root."},
		"environment": identityschema.StringAttribute{OptionalForImport: true, Description: "The environment to write. Needed if a place has " +
			"several environments."},
	}}
}

// identify sets an identity to that of the model.
func (m *gitOpsCommitModel) identify(ctx context.Context, identity *tfsdk.ResourceIdentity) diag.Diagnostics {
	return identity.Set(ctx, gitOpsCommitIdentity{Repo: m.Repo, Branch: m.Branch, Path: m.Path, Environment: m.Environment})
}

// location returns the location that an import by identity names.
func (i gitOpsCommitIdentity) location() (loc git.Location, environment string, err error) {
	loc = git.Location{Repo: i.Repo.ValueString(), Branch: i.Branch.ValueString(), Path: cmp.Or(i.Path.ValueString(), ".")}
	return loc, i.Environment.ValueString(), checkLocation(loc)
}
