// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

func words(all []string) reflect.StructTag {
	return reflect.StructTag(`words:"` + strings.Join(all, ",") + `"`)
}

// needsWord is the tag of a text that has to be one of its words.
const needsWord reflect.StructTag = `needs:"` + oneOf + `" `

// needsSelector is the tag of a mapping with a label selector.
const needsSelector reflect.StructTag = `needs:"a mapping with a labelSelector, which may be empty"`

// tags are the tags that the table reads in place of those in the structs: of the structs of other
// projects, and where a line is too short. The keys are a struct and the name of a field in a document.
var tags = map[string]reflect.StructTag{
	"SchedulingPolicy.deploymentTargetSelector": needsSelector,
	"SchedulingPolicy.clusterTypeSelector":      needsSelector,
	"SchedulingPolicy.kalypso-gitops.io/placement": `is:"name" when:"kalypso-gitops.io/placement-scope=deployment-target" ` +
		`needs:"the name of a Placement, or remove kalypso-gitops.io/placement-scope"`,
	"LabelSelector.matchLabels":         `keys:"label key" values:"label value"`,
	"LabelSelectorRequirement.key":      `needs:"the key of a label"`,
	"LabelSelectorRequirement.operator": needsWord + words(Operators),
	"PlacementSpec.numberOfClusters":    `range:"0 2147483647"`,
	"PlacementSpec.prioritizerPolicy":   `json:",omitempty"`,
	"PlacementSpec.spreadPolicy":        `refused:"no hub implements it; write a Placement with numberOfClusters for each region instead"`,
	"ClusterSelector.celSelector": `refused:"its expressions would bring a Kubernetes API server into the provider; use labelSelector or ` +
		`claimSelector instead"`,
	"PrioritizerPolicy.mode":            `words:"Additive,Exact" usual:"Additive"`,
	"PrioritizerConfig.scoreCoordinate": `needs:"a mapping with the prioritizer: builtIn, or type AddOn and addOn"`,
	"PrioritizerConfig.weight":          `range:"-10 10" usual:"1"`,
	"ScoreCoordinate.type":              `words:"BuiltIn,AddOn" usual:"BuiltIn"`,
	"ScoreCoordinate.builtIn":           `when:"type=BuiltIn" ` + needsWord + words(Prioritizers),
	"ScoreCoordinate.addOn":             `when:"type=AddOn" needs:"a mapping with resourceName and scoreName"`,
	"AddOnScore.resourceName":           `needs:"the name of an AddOnPlacementScore"`,
	"AddOnScore.scoreName":              `needs:"the name of a score in it"`,
	"Toleration.key": `when:"operator=Equal" ` +
		`needs:"the key of a taint, or set the operator to Exists to tolerate all keys"`,
	"Toleration.operator": `words:"Equal,Exists" usual:"Equal"`,
	"Toleration.effect":   words(TaintEffects),
	"Toleration.tolerationSeconds": `refused:"it needs a clock, and what was planned would no longer hold when it is applied; ` +
		`leave it out to tolerate the taint for good, or leave out the toleration"`,
	"GroupStrategy.clustersPerDecisionGroup": `usual:"100%"`,
	"DecisionGroup.groupName":                `is:"label value" needs:"the name of the group"`,
	"Taint.key":                              `needs:"the key of the taint"`,
	"Taint.effect":                           needsWord + words(TaintEffects),
	"AddOnPlacementScoreStatus.validUntil": `refused:"it needs a clock, and what was planned would no longer hold when it is applied; ` +
		`remove it, because the scores count as they are"`,
	"AddOnPlacementScoreItem.name":  `needs:"the name of the score"`,
	"AddOnPlacementScoreItem.value": `range:"-100 100"`,
}

// checks are the rules that no tag says, by the struct that was read from the mapping.
var checks = map[reflect.Type]func(m *mapping, read any){
	reflect.TypeFor[DeploymentTarget]():                check((*DeploymentTarget).check),
	reflect.TypeFor[DeploymentTargetObject]():          check((*DeploymentTargetObject).check),
	reflect.TypeFor[Template]():                        check((*Template).check),
	reflect.TypeFor[metav1.LabelSelectorRequirement](): check(checkRequirement),
	reflect.TypeFor[clusterv1beta1.Toleration]():       check(checkToleration),
	reflect.TypeFor[clusterv1beta1.GroupStrategy]():    check(checkGroupSize),
}

// check returns a rule for a struct as a rule for any value.
func check[T any](rule func(read *T, m *mapping)) func(m *mapping, read any) {
	return func(m *mapping, read any) { rule(read.(*T), m) } //nolint:errcheck // read is of the row's type
}
