// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/boolvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

type selectorModel struct {
	MatchLabels      map[string]string `tfsdk:"match_labels"`
	MatchExpressions []expressionModel `tfsdk:"match_expressions"`
	MatchAll         *bool             `tfsdk:"match_all"`
}

type expressionModel struct {
	Key      *string  `tfsdk:"key"`
	Operator *string  `tfsdk:"operator"`
	Values   []string `tfsdk:"values"`
}

// NewSchedulingPolicyResource models a SchedulingPolicy.
func NewSchedulingPolicyResource() resource.Resource {
	targetAttributes := selectorAttributes("deployment targets")
	targetAttributes["workspace"] = schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Select only deployment targets of this workspace.",
		Validators:          []validator.String{filledLabelValue},
	}
	return &modelResource[schedulingPolicyModel, *manifest.SchedulingPolicy]{
		typeName: "scheduling_policy",
		kind:     manifest.KindSchedulingPolicy,
		schema: modelSchema("A scheduling policy: assigns every deployment target that one selector selects "+
			"to every cluster type that the other selects.",
			dnsSubdomain, map[string]schema.Attribute{
				"deployment_target_selector": schema.SingleNestedAttribute{
					Required:            true,
					MarkdownDescription: "Which deployment targets: all conditions have to hold.",
					Validators:          []validator.Object{explicitSelector{}},
					Attributes:          targetAttributes,
				},
				"cluster_type_selector": schema.SingleNestedAttribute{
					Required:            true,
					MarkdownDescription: "Which cluster types: all conditions have to hold.",
					Validators:          []validator.Object{explicitSelector{}},
					Attributes:          selectorAttributes("cluster types"),
				},
				"placement": schema.StringAttribute{
					Optional: true,
					MarkdownDescription: "Name of the placement that decides on some of the selected cluster types: an Open Cluster Management `Placement` among the manifests, " +
						"or a name that `PlacementDecision`s among them carry. When not set, all of them are taken.",
					Validators: []validator.String{dnsSubdomain},
				},
				"per_deployment_target": schema.BoolAttribute{
					Optional: true,
					MarkdownDescription: "`true` has the placement decide for each deployment target on its own, so that many targets spread over the cluster types among which scores make no difference: with `prioritizer_policy = { mode = \"Exact\" }` in the placement, among all. " +
						"Otherwise all of them get the same cluster types.",
					Validators: []validator.Bool{boolvalidator.AlsoRequires(path.MatchRoot("placement"))},
				},
			}),
		toObjects: one(schedulingPolicyModel.object),
		toModel:   sure(schedulingPolicyModelOf),
	}
}

// selectorAttributes are those of a Kubernetes label selector.
func selectorAttributes(selected string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"match_labels": labelsAttribute("Labels that must be there with exactly these values."),
		"match_expressions": schema.ListNestedAttribute{
			Optional:            true,
			MarkdownDescription: "Conditions on labels, as in Kubernetes' label selectors.",
			Validators:          []validator.List{listvalidator.NoNullValues()},
			NestedObject: schema.NestedAttributeObject{
				Validators: []validator.Object{mustSet("key", "operator"), expressionValues{}},
				Attributes: map[string]schema.Attribute{
					"key": schema.StringAttribute{
						Optional:            true,
						MarkdownDescription: "Key of the label. Has to be set.",
						Validators:          []validator.String{labelKey},
					},
					"operator": schema.StringAttribute{
						Optional: true,
						MarkdownDescription: "`In`, `NotIn`, `Exists` or `DoesNotExist`. `NotIn` and `DoesNotExist` also hold where the label is missing. " +
							"Has to be set.",
						Validators: []validator.String{stringvalidator.OneOf(slices.Sorted(maps.Keys(operators))...)},
					},
					"values": schema.ListAttribute{
						ElementType:         types.StringType,
						Optional:            true,
						MarkdownDescription: "Values that `In` and `NotIn` compare with.",
						Validators: []validator.List{
							listvalidator.NoNullValues(),
							listvalidator.ValueStringsAre(labelValue),
						},
					},
				},
			},
		},
		"match_all": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "`true` selects all " + selected + ". Needed where there is neither `match_labels` nor `match_expressions`, " +
				"so that a misspelled name never selects everything.",
		},
	}
}

func (m schedulingPolicyModel) object() *manifest.SchedulingPolicy {
	return &manifest.SchedulingPolicy{
		Meta:              m.meta(manifest.KindSchedulingPolicy),
		Workspace:         text(m.DeploymentTargets.Workspace),
		DeploymentTargets: m.DeploymentTargets.selector(),
		ClusterTypes:      m.ClusterTypes.selector(),
		Placement:         text(m.Placement),
		PerTarget:         m.PerTarget != nil && *m.PerTarget,
	}
}

func schedulingPolicyModelOf(o *manifest.SchedulingPolicy) schedulingPolicyModel {
	model := schedulingPolicyModel{
		modelBase: baseOf(o.Meta),
		DeploymentTargets: targetSelectorModel{
			selectorModel: selectorModelOf(o.DeploymentTargets),
			Workspace:     optional(o.Workspace),
		},
		ClusterTypes: selectorModelOf(o.ClusterTypes),
		Placement:    optional(o.Placement),
	}
	if o.PerTarget {
		model.PerTarget = new(true)
	}
	return model
}

func (m selectorModel) selector() metav1.LabelSelector {
	s := metav1.LabelSelector{MatchLabels: m.MatchLabels}
	for _, e := range m.MatchExpressions {
		s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{
			Key:      text(e.Key),
			Operator: metav1.LabelSelectorOperator(text(e.Operator)),
			Values:   e.Values,
		})
	}
	return s
}

func selectorModelOf(s metav1.LabelSelector) selectorModel {
	m := selectorModel{MatchLabels: s.MatchLabels}
	for _, e := range s.MatchExpressions {
		m.MatchExpressions = append(m.MatchExpressions, expressionModel{
			Key:      optional(e.Key),
			Operator: optional(string(e.Operator)),
			Values:   e.Values,
		})
	}
	if len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0 {
		m.MatchAll = new(true)
	}
	return m
}
