// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"fmt"
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1alpha1 "open-cluster-management.io/api/cluster/v1alpha1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// namespace is where the placements are.
const namespace = "fleet"

// setLabel says which cluster set a cluster is in.
const setLabel = "cluster.open-cluster-management.io/clusterset"

// sets are the cluster sets of the hub; every cluster is in the one called global.
var sets = []string{"east", "west", "global"}

// generate makes a random world: few values, so that much of it meets.
func generate(r *rand.Rand) *world {
	w := &world{}
	for i := range r.IntN(16) {
		w.clusters = append(w.clusters, newCluster(r, fmt.Sprintf("c%02d", i)))
	}
	for _, c := range w.clusters {
		for _, name := range []string{"load", "cost"} {
			if chance(r, 70) {
				w.scores = append(w.scores, newScore(r, c.Name, name))
			}
		}
	}
	for i := range 1 + r.IntN(3) {
		w.placements = append(w.placements, newPlacement(r, fmt.Sprintf("p%d", i)))
	}
	if chance(r, 75) {
		for i := range 1 + r.IntN(5) {
			w.decisions = append(w.decisions, newDecision(r, i, len(w.clusters)))
		}
	}
	return w
}

func newCluster(r *rand.Rand, name string) *clusterv1.ManagedCluster {
	c := &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	for _, label := range [][]string{{"region", "a", "b", "c"}, {"tier", "gold", "silver"}, {setLabel, "east", "west"}} {
		if chance(r, 70) {
			c.Labels[label[0]] = pick(r, label[1:]...)
		}
	}
	if chance(r, 15) {
		return c // a cluster type that nobody says more of
	}
	for range pick(r, 0, 0, 1, 1, 2) {
		c.Spec.Taints = append(c.Spec.Taints, clusterv1.Taint{
			Key: pick(r, "drain", "gpu", "edge"), Value: pick(r, "", "yes", "no"),
			Effect: pick(r, clusterv1.TaintEffectNoSelect, clusterv1.TaintEffectPreferNoSelect, clusterv1.TaintEffectNoSelectIfNew),
		})
	}
	for _, claim := range []clusterv1.ManagedClusterClaim{
		{Name: "size", Value: pick(r, "1", "3", "5", "many")},
		{Name: "version", Value: pick(r, "1.29.4", "1.30.0", "1.31.2", "none")},
	} {
		if chance(r, 70) {
			c.Status.ClusterClaims = append(c.Status.ClusterClaims, claim)
		}
	}
	c.Status.Allocatable, c.Status.Capacity = clusterv1.ResourceList{}, clusterv1.ResourceList{}
	for _, amounts := range [][]string{{"cpu", "2", "4000m", "4", "7.5", "0"}, {"memory", "512Mi", "4Gi", "8Gi", "9e9", "16Gi"}} {
		name := clusterv1.ResourceName(amounts[0])
		if chance(r, 75) {
			c.Status.Allocatable[name] = resource.MustParse(pick(r, amounts[1:]...))
		}
		if chance(r, 90) {
			c.Status.Capacity[name] = resource.MustParse("100Gi")
		}
	}
	return c
}

func newScore(r *rand.Rand, cluster, name string) *clusterv1alpha1.AddOnPlacementScore {
	s := &clusterv1alpha1.AddOnPlacementScore{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: cluster}}
	for _, of := range []string{"cpu", "memory"} {
		if chance(r, 80) {
			s.Status.Scores = append(s.Status.Scores, clusterv1alpha1.AddOnPlacementScoreItem{Name: of, Value: int32(r.IntN(201) - 100)})
		}
	}
	return s
}

// newDecision is one of a placement that is decided here, of one of its name in another
// namespace, or of one elsewhere.
func newDecision(r *rand.Rand, i, clusters int) *clusterv1beta1.PlacementDecision {
	d := &clusterv1beta1.PlacementDecision{ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprintf("earlier-%d", i), Namespace: pick(r, namespace, namespace, namespace, "other"),
		Labels: map[string]string{clusterv1beta1.PlacementLabel: pick(r, "p0", "p0", "p1", "p2", "elsewhere", "nowhere")},
	}}
	for at := range clusters {
		if chance(r, 40) {
			d.Status.Decisions = append(d.Status.Decisions, clusterv1beta1.ClusterDecision{ClusterName: fmt.Sprintf("c%02d", at)})
		}
	}
	if chance(r, 20) {
		d.Status.Decisions = append(d.Status.Decisions, clusterv1beta1.ClusterDecision{ClusterName: "gone"})
	}
	return d
}

func newPlacement(r *rand.Rand, name string) *clusterv1beta1.Placement {
	p := &clusterv1beta1.Placement{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}}
	s := &p.Spec
	if chance(r, 20) {
		for range 1 + r.IntN(2) {
			s.ClusterSets = append(s.ClusterSets, pick(r, "east", "west", "east", "west", "none", "global"))
		}
	}
	if chance(r, 50) {
		for range pick(r, 1, 1, 2, 3) {
			s.Predicates = append(s.Predicates, clusterv1beta1.ClusterPredicate{RequiredClusterSelector: newSelector(r)})
		}
	}
	if chance(r, 60) {
		for range 1 + r.IntN(3) {
			s.Tolerations = append(s.Tolerations, newToleration(r))
		}
	}
	if chance(r, 60) {
		n := int32(r.IntN(8))
		s.NumberOfClusters = &n
	}
	s.PrioritizerPolicy.Mode = pick(r, clusterv1beta1.PrioritizerPolicyModeAdditive, clusterv1beta1.PrioritizerPolicyModeExact)
	for range r.IntN(5) {
		s.PrioritizerPolicy.Configurations = append(s.PrioritizerPolicy.Configurations, newPrioritizer(r))
	}
	s.DecisionStrategy.GroupStrategy = newGroups(r)
	return p
}

// newSelector returns a selector with labels, claims, or both.
func newSelector(r *rand.Rand) clusterv1beta1.ClusterSelector {
	var s clusterv1beta1.ClusterSelector
	if chance(r, 60) {
		s.LabelSelector = newLabelSelector(r)
	}
	if chance(r, 50) {
		s.ClaimSelector.MatchExpressions = []metav1.LabelSelectorRequirement{newRequirement(r, "size", "1", "3", "5")}
	}
	return s
}

func newLabelSelector(r *rand.Rand) (s metav1.LabelSelector) {
	if chance(r, 50) {
		s.MatchLabels = map[string]string{"region": pick(r, "a", "b", "c")}
	}
	if chance(r, 60) {
		s.MatchExpressions = append(s.MatchExpressions, newRequirement(r, pick(r, "region", "tier"), "a", "b", "gold", "silver"))
	}
	return s
}

func newRequirement(r *rand.Rand, key string, values ...string) metav1.LabelSelectorRequirement {
	of := metav1.LabelSelectorRequirement{Key: key, Operator: pick(r, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn,
		metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist)}
	if of.Operator == metav1.LabelSelectorOpIn || of.Operator == metav1.LabelSelectorOpNotIn {
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		of.Values = values[:1+r.IntN(len(values))]
	}
	return of
}

// newToleration is one that a hub takes.
func newToleration(r *rand.Rand) clusterv1beta1.Toleration {
	t := clusterv1beta1.Toleration{
		Key: pick(r, "drain", "gpu", "edge"), Operator: clusterv1beta1.TolerationOpEqual, Value: pick(r, "", "yes", "no"),
		Effect: pick(r, "", "", clusterv1.TaintEffectNoSelect, clusterv1.TaintEffectPreferNoSelect, clusterv1.TaintEffectNoSelectIfNew),
	}
	if chance(r, 40) {
		t.Operator, t.Value = clusterv1beta1.TolerationOpExists, ""
		if chance(r, 30) {
			t.Key = ""
		}
	}
	return t
}

func newPrioritizer(r *rand.Rand) clusterv1beta1.PrioritizerConfig {
	c := clusterv1beta1.PrioritizerConfig{Weight: pick(r, 1, 1, 0, int32(r.IntN(21)-10))}
	if chance(r, 40) {
		c.ScoreCoordinate = &clusterv1beta1.ScoreCoordinate{Type: clusterv1beta1.ScoreCoordinateTypeAddOn, AddOn: &clusterv1beta1.AddOnScore{
			ResourceName: pick(r, "load", "cost", "none"), ScoreName: pick(r, "cpu", "memory"),
		}}
		return c
	}
	c.ScoreCoordinate = &clusterv1beta1.ScoreCoordinate{
		Type:    clusterv1beta1.ScoreCoordinateTypeBuiltIn,
		BuiltIn: pick(r, manifest.Prioritizers...),
	}
	return c
}

func newGroups(r *rand.Rand) clusterv1beta1.GroupStrategy {
	g := clusterv1beta1.GroupStrategy{ClustersPerDecisionGroup: pick(r, intstr.FromString("100%"), intstr.FromInt32(1+r.Int32N(4)),
		intstr.FromString(fmt.Sprintf("%d%%", 1+r.IntN(100))))}
	for i := range r.IntN(3) {
		selector := clusterv1beta1.GroupClusterSelector{LabelSelector: newLabelSelector(r)}
		if chance(r, 30) {
			selector.ClaimSelector.MatchExpressions = []metav1.LabelSelectorRequirement{newRequirement(r, "version", "1.29.4", "1.31.2")}
		}
		g.DecisionGroups = append(g.DecisionGroups, clusterv1beta1.DecisionGroup{GroupName: fmt.Sprintf("group%d", i), ClusterSelector: selector})
	}
	return g
}
