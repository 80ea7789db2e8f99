// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// ImportState notes the content of a branch for a new instance.
func (r *gitOpsCommitResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	location, environment, err := parseImportID(req.ID)
	if err != nil {
		resp.Diagnostics.AddError("Invalid import id", problem.Sentence(err))
		return
	}
	if why := r.data.offline(); why != "" {
		resp.Diagnostics.AddError("Import needs the provider's configuration", why)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	imported, messages := r.data.Publisher.Import(ctx, location, environment)
	resp.Diagnostics.Append(diagnostics(messages)...)
	if resp.Diagnostics.HasError() {
		return
	}
	m, diags := importedModel(ctx, &resp.State, location, imported)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(saving{&resp.State, resp.Private}.save(ctx, &m, imported.Memory)...)
}

// importedModel returns what an import knows. to is where the model goes, with only null values.
func importedModel(ctx context.Context, to *tfsdk.State, at git.Location, imported *publish.Imported) (m gitOpsCommitModel,
	diags diag.Diagnostics) {
	diags.Append(to.SetAttribute(ctx, path.Root("id"), at.String())...)
	diags.Append(to.Get(ctx, &m)...) // everything else is null
	m.Repo, m.Branch, m.Path = types.StringValue(at.Repo), types.StringValue(at.Branch), types.StringValue(at.Path)
	m.Environment, m.InstanceID = types.StringValue(imported.Environment), types.StringValue(imported.Instance)
	m.Detail, m.Hold = types.StringValue(string(engine.DetailPackage)), types.BoolValue(false)
	m.OnRemoval, m.OnDestroy = types.StringValue(string(ownership.Empty)), types.StringValue(string(ownership.Retain))
	m.take(publish.Attributes{Packages: imported.Packages})
	m.takeRequest(publish.Attributes{Status: publish.InSync}, true) // the user who imports has written the URL
	return m, diags
}

// parseImportID reads <repo>#<branch>:<path>:<environment>; path and environment may
// be left out.
func parseImportID(id string) (loc git.Location, environment string, err error) {
	repo, rest, ok := strings.Cut(id, "#") // the name of a branch may contain another #
	if !ok || repo == "" || rest == "" {
		return loc, "", fmt.Errorf("the import id %q does not have the form <repo>#<branch>:<path>, such as "+
			"https://github.com/microsoft/kalypso-gitops#dev:fleet. If a place has several environments, write "+
			"<repo>#<branch>:<path>:<environment>", id)
	}
	branch, rest, _ := strings.Cut(rest, ":")
	folder, environment, _ := strings.Cut(rest, ":")
	loc = git.Location{Repo: repo, Branch: branch, Path: cmp.Or(folder, ".")}
	return loc, environment, errors.Join(remote.Check(loc.Repo), git.CheckBranch(loc.Branch), tree.CheckPath(loc.Path))
}
