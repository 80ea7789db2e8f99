// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// placementAttributes are the attributes of objects of kalypso_placement. They have the
// names of Open Cluster Management's fields, in Terraform's spelling, and are converted by
// these names (placement_fields.go).
var placementAttributes = map[string]strict{
	"predicates": {schema.ListNestedAttribute{
		Optional: true,
		MarkdownDescription: "Which cluster types come into question: those for which one of these holds, or all when not set. " +
			"Within one, everything has to hold. Objects with:",
		Validators: []validator.List{listvalidator.SizeAtLeast(1)},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"required_cluster_selector": schema.SingleNestedAttribute{
				Required:            true,
				MarkdownDescription: "What has to hold; `{}` holds for every cluster type. An object with:",
				Attributes: clusterSelectorAttributes(map[string]schema.Attribute{
					"cel_selector": schema.SingleNestedAttribute{
						Optional:            true,
						MarkdownDescription: "Expressions in the Common Expression Language. An object with:",
						Attributes: map[string]schema.Attribute{
							"cel_expressions": schema.ListAttribute{
								ElementType: types.StringType, Required: true,
								MarkdownDescription: "Expressions about the variable `managedCluster` that all have to be true, with Open Cluster Management's functions: `managedCluster.scores(\"load\").exists(s, s.name == \"free\" && s.value > 20)`, " +
									"`quantity(managedCluster.status.allocatable.memory).isGreaterThan(quantity(\"64Gi\"))`, `semver(managedCluster.status.version.kubernetes).isGreaterThan(semver(\"1.30.0\"))`.",
								Validators: []validator.List{listvalidator.ValueStringsAre(celExpression)},
							},
						},
					},
				}),
			},
		}},
	}},
	"tolerations": {schema.ListNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Which taints do not keep the placement away from a cluster type. Objects with:",
		Validators:          []validator.List{listvalidator.SizeAtLeast(1)},
		NestedObject: schema.NestedAttributeObject{
			Validators: []validator.Object{toleratesSomething{}},
			Attributes: map[string]schema.Attribute{
				"key":      schema.StringAttribute{Optional: true, MarkdownDescription: "Key of the taint. Every key when not set, which needs the operator `Exists`.", Validators: []validator.String{labelKey}},
				"operator": oneOfAttribute(false, "`Equal` compares the values of taint and toleration; `Exists` tolerates every value. Defaults to `Equal`.", "Equal", "Exists"),
				"value":    schema.StringAttribute{Optional: true, MarkdownDescription: "Value of the taint; only with `Equal`."},
				"effect": oneOfAttribute(false, "Effect of the taint. Every effect when not set. There is no `toleration_seconds`: it needs a clock, which a plan does not have.",
					manifest.TaintEffects...),
			},
		},
	}},
	"prioritizer_policy": {schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Which cluster types come first where `number_of_clusters` does not take all. An object with:",
		Attributes: map[string]schema.Attribute{
			"mode": oneOfAttribute(false, "`Additive`: `Steady` counts once unless it is listed, and `Balance` too where the fleet holds `PlacementDecision`s. `Exact`: only what is listed. Defaults to `Additive`.", "Additive", "Exact"),
			"configurations": schema.ListNestedAttribute{
				Optional:            true,
				MarkdownDescription: "The prioritizers. Each gives a cluster type a score from -100 to 100, and the total is that of all scores by their weights. Objects with:",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"score_coordinate": schema.SingleNestedAttribute{
						Required:            true,
						MarkdownDescription: "Where scores come from. An object with:",
						Validators:          []validator.Object{oneScore{}},
						Attributes: map[string]schema.Attribute{
							"type": oneOfAttribute(false, "`BuiltIn` or `AddOn`. Defaults to `BuiltIn`.", "AddOn", "BuiltIn"),
							"built_in": oneOfAttribute(false, "With `BuiltIn`: `Steady` prefers what was decided before, `Balance` what few placements have decided on, "+
								"and the others what has most left of a resource, by `status.allocatable` of a `ManagedCluster`.",
								manifest.Prioritizers...),
							"add_on": schema.SingleNestedAttribute{
								Optional:            true,
								MarkdownDescription: "With `AddOn`: a score of an `AddOnPlacementScore`. An object with:",
								Attributes: map[string]schema.Attribute{
									"resource_name": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the `AddOnPlacementScore`, which is in the namespace of each cluster type.", Validators: []validator.String{dnsSubdomain}},
									"score_name":    schema.StringAttribute{Required: true, MarkdownDescription: "Name of the score in it.", Validators: []validator.String{stringvalidator.LengthAtLeast(1)}},
								},
							},
						},
					},
					"weight": schema.Int64Attribute{Optional: true, MarkdownDescription: fmt.Sprintf("From -%d to %[1]d; 0 leaves the prioritizer out. Defaults to 1.", manifest.MaxWeight), Validators: []validator.Int64{int64validator.Between(-manifest.MaxWeight, manifest.MaxWeight)}},
				}},
			},
		},
	}},
	"spread_policy": {schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "How the cluster types that are chosen are spread over regions, zones, and so on. " +
			"Open Cluster Management's API has it, but no scheduler of its hubs follows it yet. An object with:",
		Attributes: map[string]schema.Attribute{
			"spread_constraints": schema.ListNestedAttribute{
				Required:            true,
				MarkdownDescription: fmt.Sprintf("Up to %d constraints; earlier ones weigh more. Objects with:", manifest.MaxSpreadConstraints),
				Validators:          []validator.List{listvalidator.SizeBetween(1, manifest.MaxSpreadConstraints)},
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"topology_key":       schema.StringAttribute{Required: true, MarkdownDescription: "Key of the label, or name of the claim, whose values are the regions.", Validators: []validator.String{labelKey}},
					"topology_key_type":  oneOfAttribute(true, "`Label` or `Claim`.", "Claim", "Label"),
					"max_skew":           schema.Int64Attribute{Optional: true, MarkdownDescription: "How many more may be chosen in one region than in another. Defaults to 1.", Validators: []validator.Int64{int64validator.Between(1, 1<<31-1)}},
					"when_unsatisfiable": oneOfAttribute(false, "`DoNotSchedule` never goes beyond `max_skew`, and rather chooses fewer; `ScheduleAnyway` only prefers what keeps it. Defaults to `ScheduleAnyway`.", "DoNotSchedule", "ScheduleAnyway"),
				}},
			},
		},
	}},
	"decision_strategy": {schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "How the cluster types that are chosen are divided into groups, which assignments name as `decision_group`. An object with:",
		Attributes: map[string]schema.Attribute{
			"group_strategy": schema.SingleNestedAttribute{
				Required:            true,
				MarkdownDescription: "An object with:",
				Attributes: map[string]schema.Attribute{
					"decision_groups": schema.ListNestedAttribute{
						Optional:            true,
						MarkdownDescription: "Groups with names, in their order. What is in none of them is the last group, which has no name. Objects with:",
						NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
							"group_name": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the group.", Validators: []validator.String{filledLabelValue}},
							"group_cluster_selector": schema.SingleNestedAttribute{
								Required:            true,
								MarkdownDescription: "Which cluster types are in the group; `{}` is all that are in none before. An object with:",
								Attributes:          clusterSelectorAttributes(nil),
							},
						}},
					},
					"clusters_per_decision_group": schema.StringAttribute{
						Optional:            true,
						MarkdownDescription: "How many cluster types a group has at the most: a number, or a percentage as `\"25%\"`, rounded up. Larger groups are divided. Defaults to `100%`.",
						Validators:          []validator.String{groupSize},
					},
				},
			},
		},
	}},
}

// clusterSelectorAttributes are those of a selector of managed clusters.
func clusterSelectorAttributes(more map[string]schema.Attribute) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{
		"label_selector": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "What labels of the cluster type have to be. An object with:",
			Validators:          []validator.Object{selectsSomething{}},
			Attributes: map[string]schema.Attribute{
				"match_labels":      labelsAttribute("Labels that must be there with exactly these values."),
				"match_expressions": requirementsAttribute(false, "Conditions on labels", "Key of the label."),
			},
		},
		"claim_selector": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "What claims of the cluster type have to be: `status.clusterClaims` of the `ManagedCluster` of its name. An object with:",
			Attributes: map[string]schema.Attribute{
				"match_expressions": requirementsAttribute(true, "Conditions on claims", "Name of the claim."),
			},
		},
	}
	maps.Copy(attributes, more)
	return attributes
}

// requirementsAttribute are conditions as Kubernetes' label selectors have them.
func requirementsAttribute(required bool, what, key string) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Required: required, Optional: !required,
		MarkdownDescription: what + ", as in Kubernetes' label selectors. Objects with:",
		Validators:          []validator.List{listvalidator.SizeAtLeast(1)},
		NestedObject: schema.NestedAttributeObject{
			Validators: []validator.Object{expressionValues{}},
			Attributes: map[string]schema.Attribute{
				"key": schema.StringAttribute{Required: true, MarkdownDescription: key, Validators: []validator.String{labelKey}},
				"operator": oneOfAttribute(true, "`In`, `NotIn`, `Exists` or `DoesNotExist`. `NotIn` and `DoesNotExist` also hold where there is none of that key.",
					slices.Sorted(maps.Keys(operators))...),
				"values": schema.ListAttribute{
					ElementType: types.StringType, Optional: true,
					MarkdownDescription: "Values that `In` and `NotIn` compare with.",
					Validators:          []validator.List{listvalidator.ValueStringsAre(labelValue)},
				},
			},
		},
	}
}

// oneOfAttribute is one of a few words.
func oneOfAttribute(required bool, description string, words ...string) schema.StringAttribute {
	return schema.StringAttribute{
		Required: required, Optional: !required, MarkdownDescription: description,
		Validators: []validator.String{stringvalidator.OneOf(words...)},
	}
}
