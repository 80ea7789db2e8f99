// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// placementAttributes are the attributes of kalypso_placement. They and the blocks have the
// names of Open Cluster Management's fields, in Terraform's spelling.
func placementAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"labels": labelsAttribute("Labels of the placement."),
		"namespace": optionalText("Namespace of the placement on a hub. It matters if the manifests have `PlacementDecision`s of several "+
			"placements of the same name.", dnsLabel),
		"cluster_sets": schema.ListAttribute{
			ElementType: types.StringType, Optional: true,
			MarkdownDescription: "Only cluster types in one of these sets, by their label `cluster.open-cluster-management.io/clusterset`. The " +
				"set `global` has all cluster types.",
			Validators: []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(),
				listvalidator.ValueStringsAre(filledLabelValue)},
		},
		"number_of_clusters": optionalText("How many cluster types are chosen. Defaults to all candidates. Too few candidates are the "+
			"finding `PLACEMENT_UNSATISFIED`.", numberOfClusters),
	}
}

func placementBlocks() map[string]schema.Block {
	return map[string]schema.Block{
		"predicates": schema.ListNestedBlock{
			MarkdownDescription: "Which cluster types are candidates: those that match one of these blocks. Defaults to all.",
			NestedObject: schema.NestedBlockObject{Blocks: map[string]schema.Block{
				"required_cluster_selector": requiredSelectorBlock(),
			}},
		},
		"tolerations":        tolerationsBlock(),
		"prioritizer_policy": prioritizerPolicyBlock(),
		"spread_policy":      spreadPolicyBlock(),
		"decision_strategy":  decisionStrategyBlock(),
	}
}

// clusterSelectorBlock is a required selector of managed clusters.
func clusterSelectorBlock(description string) schema.SingleNestedBlock {
	return schema.SingleNestedBlock{
		MarkdownDescription: description + " Has to be set.",
		Validators:          []validator.Object{objectvalidator.IsRequired(), explicitSelector("label_selector", "claim_selector")},
		Attributes:          map[string]schema.Attribute{"match_all": matchAllAttribute("cluster types")},
		Blocks: map[string]schema.Block{
			"label_selector": schema.SingleNestedBlock{
				MarkdownDescription: "Conditions on labels.",
				Validators:          []validator.Object{selectorNames},
				Attributes:          selectorAttributes(),
				Blocks:              selectorBlocks(),
			},
			"claim_selector": schema.SingleNestedBlock{
				MarkdownDescription: "Conditions on `status.clusterClaims` of the `ManagedCluster`.",
				Validators:          []validator.Object{mustSet("match_expressions")},
				Blocks: map[string]schema.Block{
					"match_expressions": needed(expressionsBlock("A condition on claims", "Name of the claim.")),
				},
			},
		},
	}
}

// needed adds to a list of blocks that the optional block around it has to have it. mustSet
// checks this.
func needed(block schema.ListNestedBlock) schema.ListNestedBlock {
	block.MarkdownDescription += " Has to be set."
	return block
}

func requiredSelectorBlock() schema.SingleNestedBlock {
	block := clusterSelectorBlock("Conditions that all have to be met.")
	block.Validators = []validator.Object{objectvalidator.IsRequired(), explicitSelector("label_selector", "claim_selector", "cel_selector")}
	block.Blocks["cel_selector"] = schema.SingleNestedBlock{
		MarkdownDescription: "Conditions in the Common Expression Language.",
		Validators:          []validator.Object{mustSet("cel_expressions")},
		Attributes: map[string]schema.Attribute{
			"cel_expressions": optionalTexts("Expressions about `managedCluster` that all have to be true, with Open Cluster Management's "+
				"functions: `managedCluster.scores(\"load\").exists(s, s.name == \"free\" && s.value > 20)`, "+
				"`quantity(managedCluster.status.allocatable.memory).isGreaterThan(quantity(\"64Gi\"))`. Has to be set.", celExpression),
		},
	}
	return block
}

func tolerationsBlock() schema.ListNestedBlock {
	return schema.ListNestedBlock{
		MarkdownDescription: "A taint that does not keep the placement away from a cluster type. `toleration_seconds` does not exist, " +
			"because a plan has no clock.",
		NestedObject: schema.NestedBlockObject{
			Validators: []validator.Object{toleratesSomething},
			Attributes: map[string]schema.Attribute{
				"key": optionalText("Key of the taint. Defaults to every key, with the operator `Exists`.", labelKey),
				"operator": oneOfAttribute(false, "`Equal` compares the values; `Exists` tolerates every value. Defaults to `Equal`.",
					"Equal", "Exists"),
				"value": optionalText("Value of the taint, with `Equal`."),
				"effect": oneOfAttribute(false, "Effect of the taint. Defaults to every effect.",
					manifest.TaintEffects...),
			},
		},
	}
}

func prioritizerPolicyBlock() schema.SingleNestedBlock {
	score := schema.SingleNestedBlock{
		MarkdownDescription: "Where scores come from. Has to be set.",
		Validators:          []validator.Object{objectvalidator.IsRequired(), oneScore},
		Attributes: map[string]schema.Attribute{
			"type": oneOfAttribute(false, "`BuiltIn` or `AddOn`. Defaults to `BuiltIn`.", "AddOn", "BuiltIn"),
			"built_in": oneOfAttribute(false, "With `BuiltIn`: `Steady` prefers earlier decisions, `Balance` cluster types with few decisions, "+
				"and the others prefer cluster types with most of a resource in `status.allocatable` of the `ManagedCluster`.",
				manifest.Prioritizers...),
		},
		Blocks: map[string]schema.Block{
			"add_on": schema.SingleNestedBlock{
				MarkdownDescription: "With `AddOn`: a score of an `AddOnPlacementScore`.",
				Validators:          []validator.Object{mustSet("resource_name", "score_name")},
				Attributes: map[string]schema.Attribute{
					"resource_name": optionalText("Name of the `AddOnPlacementScore` in the namespace of each cluster type. Has to be set.",
						dnsSubdomain),
					"score_name": optionalText("Name of the score in it. Has to be set.", stringvalidator.LengthAtLeast(1)),
				},
			},
		},
	}
	return schema.SingleNestedBlock{
		MarkdownDescription: "The order of candidates, if `number_of_clusters` is less than all.",
		Attributes: map[string]schema.Attribute{
			"mode": oneOfAttribute(false, "`Additive` adds `Steady` to the list, and `Balance` if the fleet has `PlacementDecision`s. `Exact` "+
				"uses only the list. Defaults to `Additive`.", "Additive", "Exact"),
		},
		Blocks: map[string]schema.Block{
			"configurations": schema.ListNestedBlock{
				MarkdownDescription: "A prioritizer, which gives each candidate a score from -100 to 100. The total is the sum of scores times " +
					"weights.",
				NestedObject: schema.NestedBlockObject{
					Attributes: map[string]schema.Attribute{
						"weight": optionalText(fmt.Sprintf("From -%d to %[1]d; 0 leaves the prioritizer out. "+
							"Defaults to 1.", manifest.MaxWeight), weight),
					},
					Blocks: map[string]schema.Block{"score_coordinate": score},
				},
			},
		},
	}
}

func spreadPolicyBlock() schema.SingleNestedBlock {
	return schema.SingleNestedBlock{
		MarkdownDescription: "How the chosen cluster types are spread over regions, zones and so on. No scheduler of Open Cluster " +
			"Management's hubs implements it yet.",
		Validators: []validator.Object{mustSet("spread_constraints")},
		Blocks: map[string]schema.Block{
			"spread_constraints": needed(schema.ListNestedBlock{
				MarkdownDescription: fmt.Sprintf("A constraint; at most %d. Earlier ones weigh more.",
					manifest.MaxSpreadConstraints),
				Validators: []validator.List{listvalidator.SizeAtMost(manifest.MaxSpreadConstraints)},
				NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
					"topology_key":      requiredText("Key of the label, or name of the claim, that has the region.", labelKey),
					"topology_key_type": oneOfAttribute(true, "`Label` or `Claim`.", "Claim", "Label"),
					"max_skew":          optionalText("How many more cluster types one region may have than another. Defaults to 1.", maxSkew),
					"when_unsatisfiable": oneOfAttribute(false, "`DoNotSchedule` never exceeds `max_skew`, and chooses fewer; `ScheduleAnyway` "+
						"prefers not to exceed it. Defaults to `ScheduleAnyway`.", "DoNotSchedule", "ScheduleAnyway"),
				}},
			}),
		},
	}
}

func decisionStrategyBlock() schema.SingleNestedBlock {
	return schema.SingleNestedBlock{
		MarkdownDescription: "How the chosen cluster types are divided into groups: the `decision_group` of assignments.",
		Validators:          []validator.Object{mustSet("group_strategy")},
		Blocks: map[string]schema.Block{
			"group_strategy": schema.SingleNestedBlock{
				MarkdownDescription: "The groups. Has to be set.",
				Attributes: map[string]schema.Attribute{
					"clusters_per_decision_group": optionalText("How many cluster types a group has at most: a number, or a percentage such as `25%`, "+
						"rounded up. Larger groups are divided. Defaults to `100%`.", groupSize),
				},
				Blocks: map[string]schema.Block{
					"decision_groups": schema.ListNestedBlock{
						MarkdownDescription: "A group with a name, in this order. A last group without a name has the remaining cluster types.",
						NestedObject: schema.NestedBlockObject{
							Attributes: map[string]schema.Attribute{
								"group_name": requiredText("Name of the group.", filledLabelValue),
							},
							Blocks: map[string]schema.Block{
								"group_cluster_selector": clusterSelectorBlock("Which of the remaining cluster types are in the group."),
							},
						},
					},
				},
			},
		},
	}
}
