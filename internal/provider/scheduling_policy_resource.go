// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/boolvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type schedulingPolicyModel struct {
	modelBase
	DeploymentTargets targetSelectorModel `tfsdk:"deployment_target_selector"`
	ClusterTypes      selectorModel       `tfsdk:"cluster_type_selector"`
	Placement         *string             `tfsdk:"placement"`
	PerTarget         *bool               `tfsdk:"per_deployment_target"`
}

type targetSelectorModel struct {
	selectorModel
	Workspace *string `tfsdk:"workspace"`
}

func newSchedulingPolicyResource() resource.Resource {
	targets := selectorBlock("Which deployment targets", "deployment targets")
	targets.Attributes["workspace"] = optionalText("Only deployment targets of this workspace.", filledLabelValue)
	return &modelResource[schedulingPolicyModel, *manifest.SchedulingPolicy]{
		typeName: "scheduling_policy",
		kind:     manifest.KindSchedulingPolicy,
		schema: modelSchema("A scheduling policy: assigns every deployment target that one selector selects to every cluster type that the "+
			"other selector selects.",
			dnsSubdomain, map[string]schema.Attribute{
				"placement": optionalText("Name of the placement that chooses among the selected cluster types: a `Placement`, or the name in "+
					"`PlacementDecision`s. Defaults to all.", dnsSubdomain),
				"per_deployment_target": schema.BoolAttribute{
					Optional: true,
					MarkdownDescription: "`true` lets the placement choose for each deployment target separately. Many targets then spread over the " +
						"cluster types with equal scores, or over all with `prioritizerPolicy: {mode: Exact}` in the placement. Defaults to " +
						"`false`: all get the same cluster types. Requires `placement`.",
					Validators: []validator.Bool{boolvalidator.AlsoRequires(path.MatchRoot("placement"))},
				},
			}, map[string]schema.Block{
				"deployment_target_selector": targets,
				"cluster_type_selector":      selectorBlock("Which cluster types", "cluster types"),
			}),
		toObject: schedulingPolicyModel.object,
		toModel:  schedulingPolicyModelOf,
	}
}

func (m schedulingPolicyModel) object() *manifest.SchedulingPolicy {
	return &manifest.SchedulingPolicy{
		Meta:              m.meta(manifest.KindSchedulingPolicy),
		Workspace:         text(m.DeploymentTargets.Workspace),
		DeploymentTargets: m.DeploymentTargets.selector(),
		ClusterTypes:      m.ClusterTypes.selector(),
		Placement:         text(m.Placement),
		PerTarget:         orElse(m.PerTarget, false),
	}
}

func schedulingPolicyModelOf(o *manifest.SchedulingPolicy) schedulingPolicyModel {
	return schedulingPolicyModel{
		modelBase: baseOf(o.Meta),
		DeploymentTargets: targetSelectorModel{
			selectorModel: selectorModelOf(o.DeploymentTargets),
			Workspace:     optional(o.Workspace),
		},
		ClusterTypes: selectorModelOf(o.ClusterTypes),
		Placement:    optional(o.Placement),
		PerTarget:    optional(o.PerTarget),
	}
}
