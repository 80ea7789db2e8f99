// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package ocm runs Open Cluster Management's scheduler beside engine/scheduling, which
// decides by the same objects. It is a module of its own for that scheduler alone.
package ocm

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1alpha1 "open-cluster-management.io/api/cluster/v1alpha1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// world is what both schedulers decide by, as a hub's API server holds it: with all
// defaults set.
type world struct {
	clusters   []*clusterv1.ManagedCluster
	scores     []*clusterv1alpha1.AddOnPlacementScore
	decisions  []*clusterv1beta1.PlacementDecision
	placements []*clusterv1beta1.Placement // by name
}

// manifests writes the world for ours, as people may: each cluster is a cluster type,
// which has some of the labels; what is a default is often left out; in any order.
func (w *world) manifests(t testing.TB, r *rand.Rand) string {
	t.Helper()
	var documents []string
	write := func(object map[string]any) {
		text, err := json.Marshal(object) // which is YAML
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, string(text))
	}
	for _, c := range w.clusters {
		typeLabels, labels := map[string]any{}, map[string]any{}
		of := toMap(t, c, "v1", "ManagedCluster")
		bare := len(c.Spec.Taints) == 0 && len(c.Status.ClusterClaims) == 0 && len(c.Status.Allocatable) == 0
		for _, key := range slices.Sorted(maps.Keys(c.Labels)) {
			if to := typeLabels; !bare && chance(r, 30) {
				labels[key] = c.Labels[key]
			} else {
				to[key] = c.Labels[key]
			}
		}
		write(map[string]any{
			"apiVersion": "scheduler.kalypso.io/v1alpha1", "kind": "ClusterType", "metadata": map[string]any{"name": c.Name, "labels": typeLabels},
			"spec": map[string]any{"reconciler": "r", "namespaceService": "n"},
		})
		if !bare {
			mapping(of, "metadata")["labels"] = labels
			write(of)
		}
	}
	for _, s := range w.scores {
		write(toMap(t, s, "v1alpha1", "AddOnPlacementScore"))
	}
	for _, d := range w.decisions {
		write(toMap(t, d, "v1beta1", "PlacementDecision"))
	}
	for _, p := range w.placements {
		write(placementMap(t, r, p))
		write(map[string]any{
			"apiVersion": "scheduler.kalypso.io/v1alpha1", "kind": "SchedulingPolicy",
			"metadata": map[string]any{"name": p.Name, "annotations": map[string]any{"kalypso-gitops.io/placement": p.Name}},
			"spec":     map[string]any{"deploymentTargetSelector": map[string]any{}, "clusterTypeSelector": map[string]any{}},
		})
	}
	r.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
	return strings.Join(documents, "\n---\n")
}

// toMap returns an object as a document has it.
func toMap(t testing.TB, object any, version, kind string) map[string]any {
	t.Helper()
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		t.Fatal(err)
	}
	m["apiVersion"], m["kind"] = schema.GroupVersion{Group: clusterv1.GroupName, Version: version}.String(), kind
	delete(mapping(m, "metadata"), "creationTimestamp")
	if kind == "ManagedCluster" { // a list that Go has as nil, and people leave out
		delete(mapping(m, "status"), "conditions")
	}
	return m
}

// placementMap returns a placement as a document has it: with a weight of 0, which Go
// leaves out, and without some of what is a default.
func placementMap(t testing.TB, r *rand.Rand, p *clusterv1beta1.Placement) map[string]any {
	t.Helper()
	m := toMap(t, p, "v1beta1", "Placement")
	spec := mapping(m, "spec")
	policy := mapping(spec, "prioritizerPolicy")
	leaveOut(r, policy, "mode", "Additive")
	for i, of := range mappings(policy, "configurations") {
		of["weight"] = int64(p.Spec.PrioritizerPolicy.Configurations[i].Weight)
		leaveOut(r, of, "weight", int64(1))
		leaveOut(r, mapping(of, "scoreCoordinate"), "type", "BuiltIn")
	}
	for _, of := range mappings(spec, "tolerations") {
		leaveOut(r, of, "operator", "Equal")
	}
	leaveOut(r, mapping(mapping(spec, "decisionStrategy"), "groupStrategy"), "clustersPerDecisionGroup", "100%")
	return m
}

// mapping returns the mapping in a field.
func mapping(of map[string]any, key string) map[string]any {
	m, _ := of[key].(map[string]any)
	return m
}

// mappings returns the list of mappings in a field.
func mappings(of map[string]any, key string) []map[string]any {
	list, _ := of[key].([]any)
	var all []map[string]any
	for _, item := range list {
		m, _ := item.(map[string]any)
		all = append(all, m)
	}
	return all
}

// leaveOut often leaves out a default value.
func leaveOut(r *rand.Rand, of map[string]any, key string, standard any) {
	if of[key] == standard && chance(r, 50) {
		delete(of, key)
	}
}

// chance is true in so many of a hundred times.
func chance(r *rand.Rand, percent int) bool { return r.IntN(100) < percent }

// pick returns one of them.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }
