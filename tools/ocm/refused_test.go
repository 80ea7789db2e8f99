// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"math/rand/v2"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// Our scheduler refuses every placement that a hub reports as misconfigured.
func TestRefused(t *testing.T) {
	t.Parallel()
	tolerates := func(of clusterv1beta1.Toleration) func(*clusterv1beta1.PlacementSpec) {
		return func(s *clusterv1beta1.PlacementSpec) { s.Tolerations = []clusterv1beta1.Toleration{of} }
	}
	scores := func(of *clusterv1beta1.ScoreCoordinate) func(*clusterv1beta1.PlacementSpec) {
		return func(s *clusterv1beta1.PlacementSpec) {
			s.PrioritizerPolicy.Configurations = []clusterv1beta1.PrioritizerConfig{{ScoreCoordinate: of, Weight: 2}}
		}
	}
	groups := func(of intstr.IntOrString) func(*clusterv1beta1.PlacementSpec) {
		return func(s *clusterv1beta1.PlacementSpec) { s.DecisionStrategy.GroupStrategy.ClustersPerDecisionGroup = of }
	}
	predicate := func(of clusterv1beta1.ClusterSelector) func(*clusterv1beta1.PlacementSpec) {
		return func(s *clusterv1beta1.PlacementSpec) {
			s.Predicates = []clusterv1beta1.ClusterPredicate{{RequiredClusterSelector: of}}
		}
	}
	for name, change := range map[string]func(*clusterv1beta1.PlacementSpec){
		"no key, Equal":        tolerates(clusterv1beta1.Toleration{Operator: clusterv1beta1.TolerationOpEqual, Value: "x"}),
		"Exists with a value":  tolerates(clusterv1beta1.Toleration{Key: "a", Operator: clusterv1beta1.TolerationOpExists, Value: "x"}),
		"unknown mode":         func(s *clusterv1beta1.PlacementSpec) { s.PrioritizerPolicy.Mode = "Other" },
		"unknown prioritizer":  scores(&clusterv1beta1.ScoreCoordinate{Type: "BuiltIn", BuiltIn: "Other"}),
		"no score coordinate":  scores(nil),
		"no add-on":            scores(&clusterv1beta1.ScoreCoordinate{Type: "AddOn"}),
		"group size as a text": groups(intstr.FromString("5")),
		"no group size":        groups(intstr.FromString("many")),
		"unknown operator": predicate(clusterv1beta1.ClusterSelector{LabelSelector: metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}},
		}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &clusterv1beta1.Placement{ObjectMeta: metav1.ObjectMeta{Name: "p0", Namespace: namespace}}
			p.Spec.PrioritizerPolicy = clusterv1beta1.PrioritizerPolicy{Mode: clusterv1beta1.PrioritizerPolicyModeAdditive}
			p.Spec.DecisionStrategy.GroupStrategy.ClustersPerDecisionGroup = intstr.FromString("100%")
			change(&p.Spec)
			w := &world{clusters: []*clusterv1.ManagedCluster{{ObjectMeta: metav1.ObjectMeta{Name: "c"}}},
				placements: []*clusterv1beta1.Placement{p}}
			if hub := w.ask(t, p, nil); hub.err == nil {
				t.Errorf("the hub decides on %v", hub.chosen)
			}
			f, err := newFleet(w.manifests(t, rand.New(rand.NewPCG(1, 1))))
			if err == nil {
				_, err = decide(f)
			}
			if err == nil {
				t.Error("ours decides")
			}
		})
	}
}
