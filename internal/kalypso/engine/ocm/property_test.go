// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/ocm"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

// randomCluster returns a cluster type with the facts that placements read, as documents.
func randomCluster(r *rand.Rand, name string) string {
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	return clusterType(name, "region: "+one("a", "b", "c")+", tier: "+one("gold", "silver")) +
		managed(name, one("spec: {taints: [{key: drain, effect: NoSelect}]}", "spec: {taints: [{key: drain, effect: PreferNoSelect}]}",
			"status: {clusterClaims: [{name: size, value: '3'}]}", "spec: {}")) +
		score(name, "load", fmt.Sprintf("{name: cpu, value: %d}", r.IntN(5)))
}

// Prioritizers that look at the cluster alone: Balance counts other placements.
const (
	unbalanced = "configurations: [{weight: 0, scoreCoordinate: {builtIn: Balance}}"
	byLoad     = ", {weight: 2, scoreCoordinate: {type: AddOn, addOn: {resourceName: load, scoreName: cpu}}}"
)

// randomPlacements returns some placements with their policies. The spec of each contains
// one text of more.
func randomPlacements(r *rand.Rand, more ...string) []string {
	var texts []string
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	for i := range 1 + r.IntN(4) {
		spec := one("", "numberOfClusters: 3, ", "numberOfClusters: 1, ") +
			one("", "predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {region: a}}}}, {requiredClusterSelector: "+
				"{claimSelector: {matchExpressions: [{key: size, operator: Exists}]}}}], ") +
			one("", "tolerations: [{key: drain, operator: Exists}], ") +
			one(more...)
		name := fmt.Sprintf("a%d", i)
		texts = append(texts, placement(name, "{"+strings.TrimSuffix(spec, ", ")+"}"), policy(name, name, r.IntN(2) == 0))
		if r.IntN(3) == 0 {
			texts = append(texts, decision("d-"+name, name, "c1 c3 c5"))
		}
	}
	return append(texts, workload(3))
}

// chosenOf are the cluster types that every policy decided on for every target.
func chosenOf(t *testing.T, texts []string) map[string][]string {
	t.Helper()
	f := newFleet(t, texts...)
	decisions, err := ocm.Decide(f, uses(f))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for name, d := range decisions {
		for i, target := range f.Targets {
			all[name+" for "+target.FullName] = strings.Fields(chosen(f, d, i))
		}
	}
	return all
}

// If no part of a placement looks at other cluster types (as Balance and resources do), only
// the affected cluster types move: a new cluster type replaces at most one other, and at most
// one other replaces a removed cluster type.
func TestOnlyItsOwnMoves(t *testing.T) {
	t.Parallel()
	without := func(of, from []string) []string {
		return slices.DeleteFunc(slices.Clone(of), func(name string) bool { return slices.Contains(from, name) })
	}
	moved := 0
	for seed := range race.Seeds(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		var texts []string
		for i := range 1 + r.IntN(12) {
			texts = append(texts, randomCluster(r, fmt.Sprintf("c%d", i)))
		}
		texts = append(texts, randomPlacements(r, "prioritizerPolicy: {"+unbalanced+"]}", "prioritizerPolicy: {"+unbalanced+byLoad+"]}")...)
		fewer, more := chosenOf(t, texts), chosenOf(t, append(slices.Clone(texts), randomCluster(r, "new")))
		for what, had := range fewer {
			came, went := without(more[what], had), without(had, more[what])
			if len(came) > 1 || len(came) == 1 && came[0] != "new" || len(went) > len(came) {
				t.Fatalf("seed %d: with one more, %s moves from %v to %v", seed, what, had, more[what])
			}
			moved += len(went)
		}
	}
	if moved < int(race.Seeds(50)) {
		t.Errorf("only %d decisions moved at all", moved)
	}
}

// The order of documents never matters, and the explanation agrees with the decision.
func TestOrderAndExplanation(t *testing.T) {
	t.Parallel()
	told := map[ocm.Code]int{}
	for seed := range race.Seeds(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		texts := randomPlacements(r,
			"", "prioritizerPolicy: {"+unbalanced+byLoad+"]}, ", "prioritizerPolicy: {mode: Exact, configurations: [{scoreCoordinate: {builtIn: "+
				"Balance}}]}, ", "clusterSets: [west], ",
			"decisionStrategy: {groupStrategy: {clustersPerDecisionGroup: 2, decisionGroups: [{groupName: first, groupClusterSelector: "+
				"{labelSelector: {matchLabels: {tier: gold}}}}]}}, ")
		for i := range r.IntN(12) {
			texts = append(texts, randomCluster(r, fmt.Sprintf("c%d", i)))
		}
		var all []map[string]string
		for range 2 {
			all = append(all, explained(t, texts, told))
			r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		}
		if diff := cmp.Diff(all[0], all[1]); diff != "" {
			t.Fatalf("seed %d: the order of documents matters (-one +other):\n%s", seed, diff)
		}
	}
	for _, code := range []ocm.Code{ocm.CodeHolds, ocm.CodeClusterSet, ocm.CodePredicate, ocm.CodeTaint,
		ocm.CodeNotAmongN} {
		if told[code] < int(race.Seeds(50)) {
			t.Errorf("%s was told %d times", code, told[code])
		}
	}
}

// explained returns the whole explanation of every pair.
func explained(t *testing.T, texts []string, told map[ocm.Code]int) map[string]string {
	t.Helper()
	f := newFleet(t, texts...)
	decisions, err := ocm.Decide(f, uses(f))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for name, d := range decisions {
		for target := range f.Targets {
			for i, ct := range f.ClusterTypes {
				v, candidate := d.Verdict(target, i)
				holds := d.Chosen(target).Test(uint(i))
				if !candidate || holds != (v.Code == ocm.CodeHolds) {
					t.Fatalf("%s on %s is explained as %v, but chosen: %t\n%s", name, ct.Name, v, holds, strings.Join(texts, ""))
				}
				told[v.Code]++
				said := fmt.Sprint(v.Code, v.Asked, v.Found, d.Group(i))
				for _, s := range v.Scores {
					said += fmt.Sprintf(", %s * %d = %d", s.Name, s.Weight, s.Score)
				}
				all[fmt.Sprintf("%s for %d on %s", name, target, ct.Name)] = said
			}
		}
	}
	return all
}
