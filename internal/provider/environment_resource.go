// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type environmentModel struct {
	modelBase
	ControlPlane repoModel `tfsdk:"control_plane"`
}

// NewEnvironmentResource models an Environment.
func NewEnvironmentResource() resource.Resource {
	return &modelResource[environmentModel, *manifest.Environment]{
		typeName: "environment",
		kind:     manifest.KindEnvironment,
		schema: modelSchema("An environment: a stage of the rollout, such as `dev`.",
			dnsLabel, nil, map[string]schema.Block{
				"control_plane": repoBlock("Where the objects of the environment are."),
			}),
		toObjects: one(environmentModel.object),
		toModel:   sure(environmentModelOf),
	}
}

func (m environmentModel) object() *manifest.Environment {
	return &manifest.Environment{Meta: m.meta(manifest.KindEnvironment), ControlPlane: m.ControlPlane.ref()}
}

func environmentModelOf(o *manifest.Environment) environmentModel {
	return environmentModel{modelBase: baseOf(o.Meta), ControlPlane: repoOf(o.ControlPlane)}
}
