// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
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
	found, err := r.data.Client.Read(ctx, location, git.ReadRequest{All: true, Blobs: []string{engine.ReadmeFile}})
	if err != nil {
		resp.Diagnostics.AddError("The GitOps repository cannot be read", sentence(err))
		return
	}
	if found.Head.IsZero() {
		resp.Diagnostics.AddError("Nothing to import", fmt.Sprintf(
			"The repository %s has no branch %q. Create the resource instead: its first commit makes the branch.", git.Redact(location.Repo), location.Branch))
		return
	}

	known := claim(found)
	ours := git.ReadRequest{
		Names: slices.Collect(maps.Keys(known.Folders)), Blobs: []string{engine.ReadmeFile},
		Rendered: func() map[string]*tree.Dir { return nil }, // so that the first plan can show what is there
	}
	if found, err = r.data.Client.Read(ctx, location, ours); err != nil {
		resp.Diagnostics.AddError("The GitOps repository cannot be read", sentence(err))
		return
	}
	known = claim(found)
	known.Imported = true
	if found.Differences != nil {
		known.Drift = newDrift(found.Differences)
	}
	packages := engine.Digests{}
	for name := range known.Folders {
		packages.AddFolder(engine.DetailPackage, name, found.Folders[name].ID, found.Folders[name].Entries)
	}
	packages.SetTracking(found.Tracking)

	for name, value := range map[string]attr.Value{
		"id":     types.StringValue(location.String()),
		"repo":   types.StringValue(location.Repo),
		"branch": types.StringValue(location.Branch),
		"path":   types.StringValue(location.Path),
		// An import cannot know these two; see keepImported.
		"environment":    types.StringValue(""),
		"manifests":      types.ListValueMust(types.StringType, []attr.Value{}),
		"exclusive":      types.BoolValue(false),
		"detail":         types.StringValue(string(engine.DetailPackage)),
		"on_destroy":     types.StringValue(onDestroyRemove),
		"packages":       digestsValue(packages),
		"summary":        types.StringValue(""),
		"status":         types.StringValue(statusInSync),
		"max_diff_lines": types.Int64Value(defaultDiffLines),
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
	resp.Diagnostics.Append(known.write(ctx, resp.Private)...)
}

// claim makes the record of what was found: the folders of cluster types, and
// the promoted commit's file.
func claim(found *git.State) *record {
	r := &record{Head: objectID(found.Head), Folders: map[string]objectID{}, Tracking: trackingRecord(found.Tracking)}
	for name, folder := range found.Folders {
		if isClusterType(folder) {
			r.Folders[name] = objectID(folder.ID)
		}
	}
	return r
}

// claimAgain makes the record that a state had: Terraform keeps no private state
// of a tainted resource that it replaces.
func (r *gitOpsCommitResource) claimAgain(ctx context.Context, state *gitOpsCommitModel) (*record, error) {
	request := git.ReadRequest{Blobs: []string{engine.ReadmeFile}}
	for key := range state.Packages.Elements() {
		name, _, _ := strings.Cut(key, "/")
		request.Names = append(request.Names, name)
	}
	found, err := r.data.Client.Read(ctx, state.location(), request)
	if err != nil {
		return nil, err
	}
	known := claim(found)
	if _, ours := state.Packages.Elements()[engine.TrackingFile]; !ours {
		known.Tracking = nil
	}
	return known, nil
}

// isClusterType tells whether a folder was written by us or by Kalypso.
func isClusterType(folder *git.Folder) bool {
	for _, e := range folder.Entries {
		if e.Name == engine.ReadmeFile {
			return engine.IsClusterTypeReadme(e.Content)
		}
	}
	return false
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
	if err := git.CheckURL(repo); err != nil {
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
