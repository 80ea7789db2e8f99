// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1alpha1 "open-cluster-management.io/api/cluster/v1alpha1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// ocm starts a document of Open Cluster Management.
func ocm(version, kind, rest string) string {
	return "apiVersion: cluster.open-cluster-management.io/" + version + "\nkind: " + kind + "\n" + rest + "\n"
}

// kubectl prints several objects as a List.
func TestDecodeListOfDecisions(t *testing.T) {
	t.Parallel()
	item := `
  metadata:
    annotations: {}
    creationTimestamp: "2024-05-01T00:00:00Z"
    generation: 1
    labels: {cluster.open-cluster-management.io/placement: edge}
    name: edge-decision-1
    namespace: fleet
    ownerReferences: [{kind: Placement, name: edge}]
    resourceVersion: "12"
    uid: x
  status: {decisions: [{clusterName: a, reason: ""}]}
`
	want := []manifest.Object{&manifest.PlacementDecision{
		Meta: manifest.Meta{Kind: manifest.KindPlacementDecision, Namespace: "fleet", Name: "edge-decision-1",
			Labels: map[string]string{"cluster.open-cluster-management.io/placement": "edge"}},
		Status: clusterv1beta1.PlacementDecisionStatus{Decisions: []clusterv1beta1.ClusterDecision{{ClusterName: "a"}}},
	}}
	for _, text := range []string{
		"apiVersion: v1\nkind: List\nmetadata: {resourceVersion: ''}\nitems:\n- apiVersion: cluster.open-cluster-management.io/v1beta1\n  " +
			"kind: PlacementDecision" + item,
	} {
		if diff := cmp.Diff(want, decode(t, text), ignoreSources); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
	}
}

func TestOCMProblems(t *testing.T) {
	t.Parallel()
	placement := func(spec string) string { return ocm("v1beta1", "Placement", "metadata: {name: p}\nspec: "+spec) }
	cluster := func(rest string) string { return ocm("v1", "ManagedCluster", "metadata: {name: p}\n"+rest) }
	score := func(status string) string {
		return ocm("v1alpha1", "AddOnPlacementScore", "metadata: {name: p, namespace: ns}\nstatus: "+status)
	}
	policy := func(annotations string) string {
		return kalypso("SchedulingPolicy", "metadata: {name: p, annotations: {"+annotations+"}}", "spec: {deploymentTargetSelector: {}, "+
			"clusterTypeSelector: {}}")
	}
	const p, c, s, sp = "Placement/p", "ManagedCluster/p", "AddOnPlacementScore/ns/p", "SchedulingPolicy/p"
	problemTests{
		"an old version": {ocm("v1alpha1", "Placement", "metadata: {name: p}\nspec: {}"),
			found{"Unknown apiVersion", "Placement/p", "1", `must be "cluster.open-cluster-management.io/v1beta1"`}},
		"a misspelled group": {"apiVersion: cluster.open-cluster-managment.io/v1\nkind: ManagedCluster\nmetadata: {name: p}\n",
			found{"Unknown apiVersion", "ManagedCluster/p", "1", "must be"}},
		"no version": {"kind: Placement\nmetadata: {name: p}\nspec: {}\n",
			found{"Missing field", "Placement/p", "1", "apiVersion is missing"}},
		"no spec": {ocm("v1beta1", "Placement", "metadata: {name: p}"),
			found{"Missing field", p, "1", "{} selects every cluster type"}},
		"unknown field": {placement("{numberOfCluster: 3}"),
			found{"Unknown field", p, "4", `Did you mean "numberOfClusters"?`}},
		"unknown field within": {placement("{predicates: [{requiredClusterSelector: {labelSelectors: {}}}]}"),
			found{"Unknown field", p, "4", "in spec.predicates[0].requiredClusterSelector"}},
		"a number in quotes": {placement("{numberOfClusters: '3'}"), found{"Wrong type", p, "4", "whole number is needed"}},
		"a large number":     {placement("{numberOfClusters: 3000000000}"), found{"Invalid value", p, "4", "to 2147483647 is needed"}},
		"a negative number":  {placement("{numberOfClusters: -1}"), found{"Invalid value", p, "4", "from 0 to"}},
		"no list":            {placement("{clusterSets: west}"), found{"Wrong type", p, "4", "a list is needed"}},
		"no mapping": {placement("{decisionStrategy: [a]}"),
			found{"Wrong type", p, "4", "spec.decisionStrategy is a list, but"}},
		"an expression": {placement("{predicates: [{}, {requiredClusterSelector: {celSelector: {celExpressions: ['true']}}}]}"),
			found{"Not supported", p, "4", "spec.predicates[1].requiredClusterSelector.celSelector is not"}},
		"no expression": {placement("{predicates: [{requiredClusterSelector: {celSelector: a}}]}"),
			found{"Not supported", p, "4", "spec.predicates[0].requiredClusterSelector.celSelector is not supported"}},
		"a spread": {placement("{spreadPolicy: {spreadConstraints: [{topologyKey: a, topologyKeyType: Label}]}}"),
			found{"Not supported", p, "4", "spec.spreadPolicy is not supported, because no"}},
		"an item that is null": {placement("{predicates: [null]}"),
			found{"Wrong type", p, "4", "spec.predicates[0] is nothing (null)"}},
		"an unknown mode": {placement("{prioritizerPolicy: {mode: exact}}"),
			found{"Unknown value", p, "4", `Did you mean "Exact"?`}},
		"an unknown built-in": {placement("{prioritizerPolicy: {configurations: [{scoreCoordinate: {builtIn: Stead}}]}}"),
			found{"Unknown value", p, "4", `Did you mean "Steady"?`}},
		"no built-in": {placement("{prioritizerPolicy: {configurations: [{scoreCoordinate: {}}]}}"),
			found{"Missing field", p, "4", "builtIn is missing or empty"}},
		"no coordinate": {placement("{prioritizerPolicy: {configurations: [{weight: 1}]}}"),
			found{"Missing field", p, "4", "scoreCoordinate is missing"}},
		"no add-on": {placement("{prioritizerPolicy: {configurations: [{scoreCoordinate: {type: AddOn}}]}}"),
			found{"Missing field", p, "4", "addOn is missing"}},
		"no score": {placement("{prioritizerPolicy: {configurations: [{scoreCoordinate: {type: AddOn, addOn: " +
			"{resourceName: a}}}]}}"), found{"Missing field", p, "4", "scoreName is missing"}},
		"a weight": {placement("{prioritizerPolicy: {configurations: [{scoreCoordinate: {builtIn: Steady}, weight: " +
			"11}]}}"), found{"Invalid value", p, "4", "from -10 to 10"}},
		"a toleration of all": {placement("{tolerations: [{effect: NoSelect}]}"),
			found{"Missing field", p, "4", "the operator to Exists"}},
		"a value that exists": {placement("{tolerations: [{key: a, operator: Exists, value: b}]}"),
			found{"Invalid value", p, "4", "Remove the value"}},
		"a toleration for now": {placement("{tolerations: [{key: a, tolerationSeconds: 5}]}"),
			found{"Not supported", p, "4", "spec.tolerations[0].tolerationSeconds is not supported, because it needs a clock"}},
		"a group without name": {placement("{decisionStrategy: {groupStrategy: {decisionGroups: [{}]}}}"),
			found{"Missing field", p, "4", "groupName is missing"}},
		"a group of strange": {placement("{decisionStrategy: {groupStrategy: {decisionGroups: [{groupName: a b}]}}}"),
			found{"Invalid label", p, "4", "Change it"}},
		"a group of no size": {placement("{decisionStrategy: {groupStrategy: {clustersPerDecisionGroup: 0}}}"),
			found{"Invalid value", p, "4", "a number from 1 on"}},
		"a size as a text": {placement("{decisionStrategy: {groupStrategy: {clustersPerDecisionGroup: '5'}}}"),
			found{"Invalid value", p, "4", `is the string "5", but a number from 1 on without quotes`}},
		"a size that is not valid": {placement("{decisionStrategy: {groupStrategy: {clustersPerDecisionGroup: [1]}}}"),
			found{"Wrong type", p, "4", "string or a number"}},
		"a selector": {placement("{predicates: [{requiredClusterSelector: {claimSelector: {matchExpressions: [{key: a, " +
			"operator: In}]}}}]}"), found{"Invalid selector", p, "4", "and NotIn need values"}},
		"a taint's effect": {cluster("spec: {taints: [{key: a, effect: NoSchedule}]}"),
			found{"Unknown value", c, "4", "Known values: NoSelect, NoSelectIfNew, PreferNoSelect"}},
		"a quantity": {cluster("status: {allocatable: {cpu: many}}"),
			found{"Invalid value", c, "4", `status.allocatable.cpu is "many"`}},
		"a huge quantity": {cluster("status: {allocatable: {cpu: 1e-1000000000}}"),
			found{"Invalid value", c, "4", "not a valid amount"}},
		"a resource": {cluster("status: {allocatabl: {cpu: 1}}"),
			found{"Unknown field", c, "4", `Did you mean "allocatable"?`}},
		"a score that ends": {score("{scores: [], validUntil: '2024-01-01T00:00:00Z'}"),
			found{"Not supported", s, "4", "it needs a clock"}},
		"a score without name": {score("{scores: [{value: 1}]}"), found{"Missing field", s, "4", "status.scores[0].name"}},
		"a high score":         {score("{scores: [{name: a, value: 101}]}"), found{"Invalid value", s, "4", "from -100 to 100"}},
		"a score of nobody": {ocm("v1alpha1", "AddOnPlacementScore", "metadata: {name: p}"),
			found{"Missing field", "AddOnPlacementScore/p", "3", "metadata.namespace"}},
		"a decision for nobody": {ocm("v1beta1", "PlacementDecision", "metadata: {name: p}"),
			found{"Missing field", "PlacementDecision/p", "3", "cluster.open-cluster-management.io/placement"}},
		"a misspelled placement of a policy": {policy("kalypso-gitops.io/placment: a"),
			found{"Unknown field", sp, "3", `Did you mean "kalypso-gitops.io/placement"?`}},
		"a scope of no placement": {policy("kalypso-gitops.io/placement-scope: deployment-target"),
			found{"Missing field", sp, "3", "remove kalypso-gitops.io/placement-scope"}},
		"an unknown scope": {policy("kalypso-gitops.io/placement: a, kalypso-gitops.io/placement-scope: target"),
			found{"Unknown value", sp, "3", "Known values: deployment-target"}},
		"a placement that cannot be": {policy("kalypso-gitops.io/placement: A b"), found{"Invalid name", sp, "3", "Change it"}},
	}.run(t)
}

// inNamespace returns metadata with a namespace.
func inNamespace(namespace string, m manifest.Meta) manifest.Meta {
	m.Namespace = namespace
	return m
}

// decisionLabels are the labels of a decision.
func decisionLabels(placement string) map[string]string {
	return map[string]string{clusterv1beta1.PlacementLabel: placement}
}

func (g generator) placement(m manifest.Meta) manifest.Object {
	p := &manifest.Placement{Meta: inNamespace(g.text(), m), Disabled: g.IntN(4) == 0}
	s := &p.Spec
	s.ClusterSets = g.list(g.text)
	if g.IntN(2) == 0 {
		s.NumberOfClusters = new(int32(g.IntN(3)))
	}
	for range g.IntN(3) {
		var predicate clusterv1beta1.ClusterPredicate
		selector := &predicate.RequiredClusterSelector
		selector.LabelSelector, selector.ClaimSelector.MatchExpressions = g.selector(), g.selector().MatchExpressions
		s.Predicates = append(s.Predicates, predicate)
	}
	if g.IntN(2) == 0 {
		s.PrioritizerPolicy = clusterv1beta1.PrioritizerPolicy{Mode: clusterv1beta1.PrioritizerPolicyModeType(g.pick("Exact", "Additive"))}
		for range g.IntN(3) {
			coordinate := &clusterv1beta1.ScoreCoordinate{Type: "BuiltIn", BuiltIn: g.pick(manifest.PrioritizerBalance, manifest.PrioritizerMemory)}
			if g.IntN(2) == 0 {
				coordinate = &clusterv1beta1.ScoreCoordinate{Type: "AddOn", AddOn: &clusterv1beta1.AddOnScore{ResourceName: "r" + g.text(),
					ScoreName: "s" + g.text()}}
			}
			s.PrioritizerPolicy.Configurations = append(s.PrioritizerPolicy.Configurations,
				clusterv1beta1.PrioritizerConfig{ScoreCoordinate: coordinate, Weight: int32(g.IntN(21) - 10)})
		}
	}
	for range g.IntN(3) {
		s.Tolerations = append(s.Tolerations, clusterv1beta1.Toleration{Key: "k" + g.text(), Operator: "Equal", Value: g.text(),
			Effect: clusterv1.TaintEffect(g.pick("", "NoSelect"))})
	}
	if g.IntN(2) == 0 {
		groups := &s.DecisionStrategy.GroupStrategy
		groups.ClustersPerDecisionGroup = intstr.FromString(g.pick("100%", "7%"))
		if g.IntN(2) == 0 {
			groups.ClustersPerDecisionGroup = intstr.FromInt32(int32(1 + g.IntN(9)))
		}
		for range g.IntN(3) {
			groups.DecisionGroups = append(groups.DecisionGroups, clusterv1beta1.DecisionGroup{GroupName: g.pick("true", "10", "c"),
				ClusterSelector: clusterv1beta1.GroupClusterSelector{
					LabelSelector: g.selector()}})
		}
	}
	return p
}

func (g generator) placementDecision(m manifest.Meta) manifest.Object {
	m.Namespace, m.Labels = g.text(), decisionLabels(g.name())
	p := &manifest.PlacementDecision{Meta: m}
	for range g.IntN(3) {
		p.Status.Decisions = append(p.Status.Decisions, clusterv1beta1.ClusterDecision{ClusterName: g.text(), Reason: g.text()})
	}
	return p
}

func (g generator) managedCluster(m manifest.Meta) manifest.Object {
	c := &manifest.ManagedCluster{Meta: m}
	for range g.IntN(3) {
		c.Spec.Taints = append(c.Spec.Taints, clusterv1.Taint{Key: "k" + g.text(), Value: g.text(), Effect: "NoSelect"})
	}
	for range g.IntN(3) {
		c.Status.ClusterClaims = append(c.Status.ClusterClaims, clusterv1.ManagedClusterClaim{Name: g.text(), Value: g.text()})
	}
	if g.IntN(2) == 0 {
		c.Status.Allocatable = clusterv1.ResourceList{"cpu": resource.MustParse(g.pick("1", "100m", "1e3", "0.5")),
			"memory": resource.MustParse(g.pick("1Gi", "1M", "0"))}
	}
	return c
}

func (g generator) addOnPlacementScore(m manifest.Meta) manifest.Object {
	m.Namespace = g.name()
	s := &manifest.AddOnPlacementScore{Meta: m}
	if g.IntN(2) == 0 {
		s.Status.Scores = []clusterv1alpha1.AddOnPlacementScoreItem{{Name: "s" + g.text(), Value: int32(g.IntN(201) - 100)}}
	}
	return s
}
