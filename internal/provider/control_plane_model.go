// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/controlplane"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// controlPlaneModel has the attributes of the data source.
type controlPlaneModel struct {
	Repo           types.String   `tfsdk:"repo"`
	Branch         types.String   `tfsdk:"branch"`
	Path           types.String   `tfsdk:"path"`
	Directory      types.String   `tfsdk:"directory"`
	FleetManifests types.List     `tfsdk:"fleet_manifests"`
	Environment    types.String   `tfsdk:"environment"`
	Release        types.Object   `tfsdk:"release"`
	Manifests      []string       `tfsdk:"manifests"`
	Timeouts       timeouts.Value `tfsdk:"timeouts"`
}

// place names the place of the control plane. It is empty if the configuration contains
// the control plane.
func (m *controlPlaneModel) place() string {
	if m.Repo.IsNull() {
		return m.Directory.ValueString()
	}
	return git.Location{Repo: m.Repo.ValueString(), Branch: m.Branch.ValueString(), Path: m.Path.ValueString()}.String()
}

// scope converts the configuration.
func (m *controlPlaneModel) scope() controlplane.Scope {
	scope := controlplane.Scope{
		Environment: m.Environment.ValueString(),
		Branch:      git.Branch{Repo: m.Repo.ValueString(), Name: m.Branch.ValueString()},
		Path:        m.Path.ValueString(),
		Directory:   m.Directory.ValueString(),
		Release:     releaseOf(m.Release),
	}
	if !m.FleetManifests.IsNull() {
		scope.Manifests = manifestInputs(m.FleetManifests)
		for i := range scope.Manifests {
			scope.Manifests[i].Name = "fleet_" + scope.Manifests[i].Name
		}
	}
	return scope
}

// take fills the computed attributes. A fleet that names no release has none.
func (m *controlPlaneModel) take(seen *controlplane.Seen) {
	m.Manifests = append([]string{}, seen.Manifests...)
	if seen.Release.Commit != "" {
		m.Release = releaseValue(seen.Release)
	}
}
