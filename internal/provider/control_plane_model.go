// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/controlplane"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// controlPlaneModel has the attributes of the data source.
type controlPlaneModel struct {
	ID                  types.String      `tfsdk:"id"`
	Repo                types.String      `tfsdk:"repo"`
	Branch              types.String      `tfsdk:"branch"`
	Commit              types.String      `tfsdk:"commit"`
	Path                types.String      `tfsdk:"path"`
	Directory           types.String      `tfsdk:"directory"`
	EnvironmentManifest types.String      `tfsdk:"environment_manifest"`
	FleetManifests      types.List        `tfsdk:"fleet_manifests"`
	Environment         types.String      `tfsdk:"environment"`
	Follow              types.Set         `tfsdk:"follow"`
	OnUnreachable       types.String      `tfsdk:"on_unreachable"`
	BaseCommits         types.Map         `tfsdk:"base_commits"`
	SourceCommits       types.Map         `tfsdk:"source_commits"`
	Allow               types.List        `tfsdk:"allow"`
	Manifests           []string          `tfsdk:"manifests"`
	PromotedCommit      types.String      `tfsdk:"promoted_commit"`
	Sources             map[string]string `tfsdk:"sources"`
	Timeouts            timeouts.Value    `tfsdk:"timeouts"`
}

type allowModel struct {
	Source     string   `tfsdk:"source"`
	Kinds      []string `tfsdk:"kinds"`
	Workspaces []string `tfsdk:"workspaces"`
	Names      []string `tfsdk:"names"`
}

// place names the place of the control plane. It is empty if the configuration contains
// the control plane.
func (m *controlPlaneModel) place() string {
	switch {
	case !m.Repo.IsNull():
		return git.Location{Repo: m.Repo.ValueString(), Branch: cmp.Or(m.Branch.ValueString(), m.Commit.ValueString()),
			Path: m.Path.ValueString()}.String()
	case !m.Directory.IsNull():
		return m.Directory.ValueString()
	}
	return ""
}

// request converts the configuration into a request.
func (m *controlPlaneModel) request(ctx context.Context) (controlplane.Scope, diag.Diagnostics) {
	request := controlplane.Scope{
		Environment:     m.Environment.ValueString(),
		Revision:        git.Revision{Repo: m.Repo.ValueString(), Branch: m.Branch.ValueString(), Commit: m.Commit.ValueString()},
		Path:            m.Path.ValueString(),
		Directory:       m.Directory.ValueString(),
		KeepUnreachable: m.OnUnreachable.ValueString() == unreachableKeep,
	}
	if !m.FleetManifests.IsNull() {
		request.Manifests = manifestInputs(m.FleetManifests)
		for i := range request.Manifests {
			request.Manifests[i].Name = "fleet_" + request.Manifests[i].Name
		}
	}
	var fences []allowModel
	diags := m.Allow.ElementsAs(ctx, &fences, false)
	for _, a := range fences {
		request.Allow = append(request.Allow, controlplane.Allow(a))
	}
	diags.Append(m.fromEnvironment(&request)...)
	request.BaseCommits, request.SourceCommits = plainTexts(m.BaseCommits), plainTexts(m.SourceCommits)
	follow := []string{followBaseRepos, followRegistrations}
	if !m.Follow.IsNull() {
		follow = nil
		diags.Append(m.Follow.ElementsAs(ctx, &follow, false)...)
	}
	for _, what := range follow {
		request.FollowBaseRepos = request.FollowBaseRepos || what == followBaseRepos
		request.FollowRegistrations = request.FollowRegistrations || what == followRegistrations
	}
	return request, diags
}

// fromEnvironment takes the values of an Environment.
func (m *controlPlaneModel) fromEnvironment(request *controlplane.Scope) diag.Diagnostics {
	var diags diag.Diagnostics
	if m.EnvironmentManifest.IsNull() {
		return diags
	}
	const attribute = "environment_manifest"
	objects, err := manifest.Decode([]manifest.Text{{Name: attribute, Text: m.EnvironmentManifest.ValueString()}})
	diags.Append(problemDiagnostics(err)...)
	if diags.HasError() {
		return diags
	}
	environments := manifest.Of[*manifest.Environment](objects)
	if len(environments) != 1 {
		diags.AddAttributeError(path.Root(attribute), "Invalid "+attribute, fmt.Sprintf(
			"environment_manifest has %d objects of the kind Environment instead of one. Pass the text of the environment's YAML file.",
			len(environments)))
		return diags
	}
	e := environments[0]
	if request.Environment == "" {
		request.Environment = e.Name
	}
	if request.Environment != e.Name {
		diags.AddAttributeError(path.Root("environment"), "Two environments", fmt.Sprintf(
			"environment is %q, but %s contains %s. Remove environment.", request.Environment, attribute, e.ID()))
	}
	request.Revision = git.Revision{Repo: e.ControlPlane.Repo, Branch: e.ControlPlane.Branch}
	request.Path = e.ControlPlane.Path
	return diags
}

// checkVerified refuses a base commit that is null. A promotion returns null while nothing
// is verified, and the data source must not read the head of the branch instead.
func (m *controlPlaneModel) checkVerified() diag.Diagnostics {
	var diags diag.Diagnostics
	elements := m.BaseCommits.Elements()
	for _, name := range slices.Sorted(maps.Keys(elements)) {
		if elements[name].IsNull() {
			at := path.Root("base_commits").AtMapKey(name)
			diags.AddAttributeError(at, "Nothing is verified yet", fmt.Sprintf(
				"%s is null: no commit is verified for this environment yet. The data source does not read the head of the branch instead. If the "+
					"null comes from a kalypso_promotion, reason in that data source says what is missing. To begin with a commit of your choice, set "+
					"pin there.", at))
		}
	}
	return diags
}

func checkBaseCommits(commits map[string]string, baseRepos []string) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, name := range slices.Sorted(maps.Keys(commits)) {
		if slices.Contains(baseRepos, name) {
			continue
		}
		known := "It has no BaseRepo at all."
		if len(baseRepos) > 0 {
			known = "Its BaseRepos are: " + strings.Join(baseRepos, ", ") + "."
		}
		diags.AddAttributeError(path.Root("base_commits").AtMapKey(name), "Unknown base repository", visible(fmt.Sprintf(
			"The control plane has no BaseRepo %q. %s%s", name, wording.DidYouMean(name, baseRepos), known)))
	}
	return diags
}

// take fills the computed attributes.
func (m *controlPlaneModel) take(request controlplane.Scope, result *controlplane.Seen) {
	switch {
	case request.Manifests != nil:
		m.ID = types.StringValue(request.Environment)
	case request.Directory != "":
		m.ID = types.StringValue(request.Directory)
	default:
		m.ID = types.StringValue(git.Location{Repo: request.Revision.Repo, Branch: request.Revision.Branch, Path: request.Path}.String())
	}
	m.Environment = types.StringValue(request.Environment)
	m.Commit = types.StringPointerValue(optional(result.Commit))
	m.PromotedCommit = types.StringPointerValue(optional(result.PromotedCommit))
	m.Manifests = append([]string{}, result.Manifests...)
	m.Sources = result.Sources
}
