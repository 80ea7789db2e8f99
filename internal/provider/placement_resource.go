// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// newPlacementResource returns the resource of a Placement of Open Cluster Management.
func newPlacementResource() resource.Resource {
	return &modelResource[placementModel, *manifest.Placement]{
		typeName: "placement",
		kind:     manifest.KindPlacement,
		schema: modelSchema("A placement: chooses some of the cluster types that a scheduling policy selects, as Open Cluster Management "+
			"does, by predicates, taints, scores and spread.",
			dnsSubdomain, placementAttributes(), placementBlocks()),
		toObjects: placementModel.objects,
		toModel:   placementModelOf,
	}
}

// objects reads the placement as if it came from a YAML file, because the reader sets the
// defaults of Open Cluster Management.
func (m placementModel) objects() ([]manifest.Object, error) {
	text, err := json.Marshal(map[string]any{
		"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": manifest.KindPlacement,
		"metadata": map[string]any{"name": m.Name, "namespace": text(m.Namespace), "labels": m.Labels},
		"spec":     m.placementSpecModel,
	})
	if err != nil {
		return nil, err
	}
	return manifest.Decode([]manifest.Text{{Name: "placement", Text: string(text)}})
}

// placementModelOf converts a written placement, which leaves out defaults, into a
// configuration.
func placementModelOf(o *manifest.Placement) (placementModel, error) {
	m := placementModel{modelBase: baseOf(o.Meta), Namespace: optional(o.InNamespace)}
	if o.Disabled {
		return m, fmt.Errorf("%s has an annotation that leaves the decision to another scheduler. Leave the Placement out, and pass the "+
			"PlacementDecisions of that scheduler", o.ID())
	}
	var written struct {
		Spec map[string]any `yaml:"spec"`
	}
	if err := yaml.Unmarshal([]byte(manifest.Encode(o)), &written); err != nil {
		return m, err
	}
	spec, err := json.Marshal(written.Spec)
	if err == nil {
		err = json.Unmarshal(spec, &m.placementSpecModel)
	}
	m.sayAll()
	return m, err
}

type placementModel struct {
	modelBase
	placementSpecModel
	Namespace *string `tfsdk:"namespace"`
}

// placementSpecModel is the spec of a Placement as people write it. Its JSON is that of the
// API, so that it is converted by encoding/json. Numbers are texts in Terraform (decisions/008).
type placementSpecModel struct {
	ClusterSets       []string                `json:"clusterSets,omitempty" tfsdk:"cluster_sets"`
	NumberOfClusters  *json.Number            `json:"numberOfClusters,omitempty" tfsdk:"number_of_clusters"`
	Predicates        []predicateModel        `json:"predicates,omitempty" tfsdk:"predicates"`
	Tolerations       []tolerationModel       `json:"tolerations,omitempty" tfsdk:"tolerations"`
	PrioritizerPolicy *prioritizerPolicyModel `json:"prioritizerPolicy,omitempty" tfsdk:"prioritizer_policy"`
	SpreadPolicy      *spreadPolicyModel      `json:"spreadPolicy,omitempty" tfsdk:"spread_policy"`
	DecisionStrategy  *decisionStrategyModel  `json:"decisionStrategy,omitempty" tfsdk:"decision_strategy"`
}

type predicateModel struct {
	RequiredClusterSelector requiredSelectorModel `json:"requiredClusterSelector" tfsdk:"required_cluster_selector"`
}

type requiredSelectorModel struct {
	groupSelectorModel
	CelSelector *celSelectorModel `json:"celSelector,omitempty" tfsdk:"cel_selector"`
}

type groupSelectorModel struct {
	LabelSelector *labelSelectorModel `json:"labelSelector,omitempty" tfsdk:"label_selector"`
	ClaimSelector *claimSelectorModel `json:"claimSelector,omitempty" tfsdk:"claim_selector"`
	MatchAll      *bool               `json:"-" tfsdk:"match_all"`
}

type claimSelectorModel struct {
	MatchExpressions []expressionModel `json:"matchExpressions,omitempty" tfsdk:"match_expressions"`
}

type celSelectorModel struct {
	CelExpressions []string `json:"celExpressions,omitempty" tfsdk:"cel_expressions"`
}

type tolerationModel struct {
	Key      *string `json:"key,omitempty" tfsdk:"key"`
	Operator *string `json:"operator,omitempty" tfsdk:"operator"`
	Value    *string `json:"value,omitempty" tfsdk:"value"`
	Effect   *string `json:"effect,omitempty" tfsdk:"effect"`
}

type prioritizerPolicyModel struct {
	Mode           *string            `json:"mode,omitempty" tfsdk:"mode"`
	Configurations []prioritizerModel `json:"configurations,omitempty" tfsdk:"configurations"`
}

type prioritizerModel struct {
	ScoreCoordinate scoreModel   `json:"scoreCoordinate" tfsdk:"score_coordinate"`
	Weight          *json.Number `json:"weight,omitempty" tfsdk:"weight"`
}

type scoreModel struct {
	Type    *string     `json:"type,omitempty" tfsdk:"type"`
	BuiltIn *string     `json:"builtIn,omitempty" tfsdk:"built_in"`
	AddOn   *addOnModel `json:"addOn,omitempty" tfsdk:"add_on"`
}

type addOnModel struct {
	ResourceName string `json:"resourceName" tfsdk:"resource_name"`
	ScoreName    string `json:"scoreName" tfsdk:"score_name"`
}

type spreadPolicyModel struct {
	SpreadConstraints []spreadModel `json:"spreadConstraints,omitempty" tfsdk:"spread_constraints"`
}

type spreadModel struct {
	TopologyKey       string       `json:"topologyKey" tfsdk:"topology_key"`
	TopologyKeyType   string       `json:"topologyKeyType" tfsdk:"topology_key_type"`
	MaxSkew           *json.Number `json:"maxSkew,omitempty" tfsdk:"max_skew"`
	WhenUnsatisfiable *string      `json:"whenUnsatisfiable,omitempty" tfsdk:"when_unsatisfiable"`
}

type decisionStrategyModel struct {
	GroupStrategy groupStrategyModel `json:"groupStrategy" tfsdk:"group_strategy"`
}

type groupStrategyModel struct {
	DecisionGroups           []placementGroupModel `json:"decisionGroups,omitempty" tfsdk:"decision_groups"`
	ClustersPerDecisionGroup *clustersPerGroup     `json:"clustersPerDecisionGroup,omitempty" tfsdk:"clusters_per_decision_group"`
}

type placementGroupModel struct {
	GroupName            string             `json:"groupName" tfsdk:"group_name"`
	GroupClusterSelector groupSelectorModel `json:"groupClusterSelector" tfsdk:"group_cluster_selector"`
}

// clustersPerGroup is a number or a percentage. The attribute has it as a text, but the
// API does not accept a number in quotes.
type clustersPerGroup string

// MarshalJSON writes the form of the API: a number if it is one.
func (c clustersPerGroup) MarshalJSON() ([]byte, error) {
	return json.Marshal(intstr.Parse(string(c)))
}

// UnmarshalJSON reads a number or a text.
func (c *clustersPerGroup) UnmarshalJSON(text []byte) error {
	var size intstr.IntOrString
	err := json.Unmarshal(text, &size)
	*c = clustersPerGroup(size.String())
	return err
}

// sayAll sets match_all in selectors without conditions, because the schema demands it.
func (m *placementSpecModel) sayAll() {
	for i := range m.Predicates {
		s := &m.Predicates[i].RequiredClusterSelector
		s.MatchAll = optional(*s == requiredSelectorModel{})
	}
	if m.DecisionStrategy == nil {
		return
	}
	for i := range m.DecisionStrategy.GroupStrategy.DecisionGroups {
		s := &m.DecisionStrategy.GroupStrategy.DecisionGroups[i].GroupClusterSelector
		s.MatchAll = optional(*s == groupSelectorModel{})
	}
}
