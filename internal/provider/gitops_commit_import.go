// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// ImportState takes over what stands in a branch.
func (r *gitOpsCommitResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	location, err := parseImportID(req.ID)
	if err != nil {
		resp.Diagnostics.AddError("Invalid import id", problem.Sentence(err))
		return
	}
	if len(r.data.Unknown) > 0 {
		resp.Diagnostics.AddError("Import needs the provider's configuration", fmt.Sprintf(
			"These values are not known yet: %s. Import after the resources that they come from are applied.", strings.Join(r.data.Unknown, ", ")))
		return
	}
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	inv, messages := r.data.Publisher.Import(ctx, location)
	resp.Diagnostics.Append(diagnostics(messages)...)
	if resp.Diagnostics.HasError() {
		return
	}
	for name, value := range map[string]attr.Value{
		"id":     types.StringValue(location.String()),
		"repo":   types.StringValue(location.Repo),
		"branch": types.StringValue(location.Branch),
		"path":   types.StringValue(location.Path),
		// An import cannot know these two; see publish.Plan.KeepsImport.
		"environment":    types.StringValue(""),
		"manifests":      types.ListValueMust(types.StringType, []attr.Value{}),
		"exclusive":      types.BoolValue(false),
		"detail":         types.StringValue(string(engine.DetailPackage)),
		"on_destroy":     types.StringValue(onDestroyRemove),
		"packages":       digestsValue(inv.Packages),
		"summary":        types.StringValue(""),
		"status":         types.StringValue(string(publish.InSync)),
		"max_diff_lines": types.Int64Value(defaultDiffLines),
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
	resp.Diagnostics.Append(writeInventory(ctx, resp.Private, inv)...)
}

// parseImportID reads <repo>#<branch>:<path>; the path may be left out.
func parseImportID(id string) (git.Location, error) {
	repo, rest, ok := strings.Cut(id, "#") // a branch may hold another one
	if !ok || repo == "" || rest == "" {
		return git.Location{}, fmt.Errorf("the import id %q does not have the form <repo>#<branch>:<path>, as in https://github.com/microsoft/kalypso-gitops#dev:fleet", id)
	}
	branch, folder, _ := strings.Cut(rest, ":")
	if folder == "" {
		folder = "."
	}
	if err := remote.Check(repo); err != nil {
		return git.Location{}, err
	}
	if err := git.CheckBranch(branch); err != nil {
		return git.Location{}, err
	}
	if err := tree.CheckPath(folder); err != nil {
		return git.Location{}, err
	}
	return git.Location{Repo: repo, Branch: branch, Path: folder}, nil
}
