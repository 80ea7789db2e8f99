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

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/gitops"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/tree"
)

// ImportState takes over what stands in a branch. The folders of cluster types
// are known by their README.md; every other folder stays foreign.
func (r *gitOpsCommitResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	location, err := parseImportID(req.ID)
	if err != nil {
		resp.Diagnostics.AddError("Invalid import id", sentence(err))
		return
	}
	if len(r.data.Unknown) > 0 {
		resp.Diagnostics.AddError("Import needs the provider's configuration", fmt.Sprintf(
			"These values are not known yet: %s. Import after the resources that they come from are applied.", strings.Join(r.data.Unknown, ", ")))
		return
	}
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	found, err := r.data.Client.Read(ctx, location, gitops.ReadRequest{All: true, Blobs: []string{kalypso.ReadmeFile}})
	if err != nil {
		resp.Diagnostics.AddError("The GitOps repository cannot be read", sentence(err))
		return
	}
	if found.Head.IsZero() {
		resp.Diagnostics.AddError("Nothing to import", fmt.Sprintf(
			"The repository %s has no branch %q. Create the resource instead: its first commit makes the branch.", gitops.Redact(location.Repo), location.Branch))
		return
	}

	packages := kalypso.Digests{}
	known := &record{Head: objectID(found.Head), Folders: map[string]objectID{}, Tracking: trackingRecord(found.Tracking), Imported: true}
	for name, folder := range found.Folders {
		if isClusterType(folder) {
			known.Folders[name] = objectID(folder.ID)
			packages.AddFolder(kalypso.DetailPackage, name, folder.ID, folder.Entries)
		}
	}
	packages.SetTracking(found.Tracking)

	for name, value := range map[string]attr.Value{
		"id":     types.StringValue(location.String()),
		"repo":   types.StringValue(location.Repo),
		"branch": types.StringValue(location.Branch),
		"path":   types.StringValue(location.Path),
		// An import cannot know these two; see keepImported.
		"environment": types.StringValue(""),
		"manifests":   types.ListValueMust(types.StringType, []attr.Value{}),
		"exclusive":   types.BoolValue(false),
		"detail":      types.StringValue(string(kalypso.DetailPackage)),
		"on_destroy":  types.StringValue(onDestroyRemove),
		"packages":    digestsValue(packages),
		"summary":     types.StringValue(""),
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
	resp.Diagnostics.Append(known.write(ctx, resp.Private)...)
}

// isClusterType tells whether a folder was written by us or by Kalypso.
func isClusterType(folder *gitops.Folder) bool {
	for _, e := range folder.Entries {
		if e.Name == kalypso.ReadmeFile {
			return kalypso.IsClusterTypeReadme(e.Content)
		}
	}
	return false
}

// parseImportID reads <repo>#<branch>:<path>; the path may be left out.
func parseImportID(id string) (gitops.Location, error) {
	repo, rest, ok := strings.Cut(id, "#") // a branch may hold another one
	if !ok || repo == "" || rest == "" {
		return gitops.Location{}, fmt.Errorf("the import id %q does not have the form <repo>#<branch>:<path>, as in https://github.com/microsoft/kalypso-gitops#dev:fleet", id)
	}
	branch, folder, _ := strings.Cut(rest, ":")
	if folder == "" {
		folder = "."
	}
	if err := gitops.CheckURL(repo); err != nil {
		return gitops.Location{}, err
	}
	if err := gitops.CheckBranch(branch); err != nil {
		return gitops.Location{}, err
	}
	if err := tree.CheckPath(folder); err != nil {
		return gitops.Location{}, err
	}
	return gitops.Location{Repo: repo, Branch: branch, Path: folder}, nil
}
