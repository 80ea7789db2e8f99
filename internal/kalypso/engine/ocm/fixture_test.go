// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bits-and-blooms/bitset"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/ocm"
)

// newFleet makes the fleet of an environment "prod" from manifests.
func newFleet(t testing.TB, texts ...string) *fleet.Fleet {
	t.Helper()
	var inputs []manifest.Text
	for _, text := range texts {
		inputs = append(inputs, manifest.Text{Name: "test", Text: text})
	}
	objects, err := manifest.Decode(inputs)
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.New(objects, "prod")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// clusterType is a cluster type, with labels as YAML has them: "a: b, c: d".
func clusterType(name, labels string) string {
	return fmt.Sprintf("---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: ClusterType\nmetadata: {name: %s, labels: {%s}}\nspec: "+
		"{reconciler: r, namespaceService: ns}\n", name, labels)
}

// clusterTypes are some without labels: cluster1 to clusterN.
func clusterTypes(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(clusterType(fmt.Sprintf("cluster%d", i+1), ""))
	}
	return b.String()
}

// managed returns the rest of a ManagedCluster for a cluster type.
func managed(name, rest string) string {
	return fmt.Sprintf("---\napiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata: {name: %s}\n%s\n", name, rest)
}

// placement is a Placement; its spec is in braces.
func placement(name, spec string) string {
	return fmt.Sprintf("---\napiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: {name: %s, namespace: "+
		"fleet}\nspec: %s\n", name, spec)
}

// decision is a PlacementDecision with the names of clusters.
func decision(name, placement, clusters string) string {
	text := fmt.Sprintf("---\napiVersion: cluster.open-cluster-management.io/v1beta1\nkind: PlacementDecision\nmetadata: {name: %s, "+
		"namespace: fleet, labels: {cluster.open-cluster-management.io/placement: %s}}\nstatus:\n  decisions:\n", name, placement)
	for c := range strings.FieldsSeq(clusters) {
		text += "  - {clusterName: " + c + ", reason: ''}\n"
	}
	return text
}

// score is an AddOnPlacementScore of a cluster.
func score(cluster, name, scores string) string {
	return fmt.Sprintf("---\napiVersion: cluster.open-cluster-management.io/v1alpha1\nkind: AddOnPlacementScore\nmetadata: {name: %s, "+
		"namespace: %s}\nstatus: {scores: [%s]}\n", name, cluster, scores)
}

// policy selects everything and leaves the decision to a placement.
func policy(name, placement string, perTarget bool) string {
	scope := ""
	if perTarget {
		scope = ", kalypso-gitops.io/placement-scope: deployment-target"
	}
	return fmt.Sprintf("---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: SchedulingPolicy\nmetadata: {name: %s, annotations: "+
		"{kalypso-gitops.io/placement: %s%s}}\nspec: {deploymentTargetSelector: {}, clusterTypeSelector: {}}\n", name, placement, scope)
}

// uses are the uses of the fleet's policies, which select everything.
func uses(f *fleet.Fleet) []ocm.Use {
	var all []ocm.Use
	for _, p := range f.Policies {
		all = append(all, ocm.Use{Policy: p, ClusterTypes: every(len(f.ClusterTypes)), Targets: every(len(f.Targets))})
	}
	return all
}

func every(n int) *bitset.BitSet { return bitset.New(uint(n)).FlipRange(0, uint(n)) }

// decide decides for the policy p.
func decide(t testing.TB, f *fleet.Fleet) *ocm.Decision {
	t.Helper()
	all, err := ocm.Decide(f, uses(f))
	if err != nil {
		t.Fatal(err)
	}
	return all["p"]
}

// chosen are the names of the chosen cluster types for a target.
func chosen(f *fleet.Fleet, d *ocm.Decision, target int) string {
	var names []string
	for i := range d.Chosen(target).EachSet() {
		names = append(names, f.ClusterTypes[i].Name)
	}
	return strings.Join(names, " ")
}

// scores are the scores of a prioritizer, by the names of cluster types.
func scores(f *fleet.Fleet, d *ocm.Decision, prioritizer string) map[string]int64 {
	all := map[string]int64{}
	for i, ct := range f.ClusterTypes {
		v, _ := d.Verdict(-1, i)
		for _, s := range v.Scores {
			if s.Name == prioritizer {
				all[ct.Name] = s.Score
			}
		}
	}
	return all
}
