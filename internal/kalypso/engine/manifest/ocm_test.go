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
