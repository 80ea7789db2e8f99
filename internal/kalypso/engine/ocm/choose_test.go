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

// A decision among many equal clusters chooses no more than the requested number.
func TestManyOfEqual(t *testing.T) {
	t.Parallel()
	for _, number := range []int{1, 64, 65, 70, 99, 100} {
		f := newFleet(t, clusterTypes(100), policy("p", "a", false), placement("a", fmt.Sprintf("{numberOfClusters: %d}", number)))
		if got := int(decide(t, f).Chosen(0).Count()); got != number {
			t.Errorf("%d are chosen, want %d", got, number)
		}
	}
}

// The cases are those of Open Cluster Management's own tests, and what they leave out.
func TestGroups(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		strategy string
		want     map[string]ocm.Group
	}{
		"none": {"{}", map[string]ocm.Group{"cluster1": {"a", "", 0}, "cluster2": {"a", "", 0}, "cluster3": {"a", "", 0},
			"cluster4": {"a", "", 0}}},
		"one each": {"{groupStrategy: {clustersPerDecisionGroup: 1, decisionGroups: [{groupName: canary, groupClusterSelector: {labelSelector: " +
			"{matchLabels: {purpose: canary}}}}]}}",
			map[string]ocm.Group{"cluster1": {"a", "canary", 0}, "cluster4": {"a", "canary", 1}, "cluster2": {"a", "", 2},
				"cluster3": {"a", "", 3}}},
		"the first group that selects": {"{groupStrategy: {decisionGroups: [{groupName: one, groupClusterSelector: {labelSelector: " +
			"{matchLabels: {purpose: canary}}}}, {groupName: two, groupClusterSelector: {claimSelector: {matchExpressions: [{key: x, operator: " +
			"DoesNotExist}]}}}]}}",
			map[string]ocm.Group{"cluster1": {"a", "one", 0}, "cluster4": {"a", "one", 0}, "cluster2": {"a", "two", 1},
				"cluster3": {"a", "two", 1}}},
		"a percentage is rounded up": {"{groupStrategy: {clustersPerDecisionGroup: 70%}}",
			map[string]ocm.Group{"cluster1": {"a", "", 0}, "cluster2": {"a", "", 0}, "cluster3": {"a", "", 0}, "cluster4": {"a", "", 1}}},
		"a group of nothing has no index": {"{groupStrategy: {clustersPerDecisionGroup: 9, decisionGroups: [{groupName: none, " +
			"groupClusterSelector: {labelSelector: {matchLabels: {purpose: none}}}}]}}",
			map[string]ocm.Group{"cluster1": {"a", "", 0}, "cluster2": {"a", "", 0}, "cluster3": {"a", "", 0}, "cluster4": {"a", "", 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, clusterType("cluster1", "purpose: canary"), clusterType("cluster2", ""), clusterType("cluster3", ""),
				clusterType("cluster4", "purpose: canary"),
				policy("p", "a", false), placement("a", "{decisionStrategy: "+test.strategy+"}"))
			d, got := decide(t, f), map[string]ocm.Group{}
			for i, ct := range f.ClusterTypes {
				got[ct.Name] = d.Group(i)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
		})
	}
}

// The decisions of another scheduler count unchanged, with their groups.
func TestForeignDecisions(t *testing.T) {
	t.Parallel()
	second := strings.Replace(decision("d-2", "a", "cluster2 elsewhere"), "labels: {",
		"labels: {cluster.open-cluster-management.io/decision-group-name: rest, cluster.open-cluster-management.io/decision-group-index: '1', ",
		1)
	f := newFleet(t, clusterTypes(4), policy("p", "a", false), decision("d-1", "a", "cluster4"), second)
	d := decide(t, f)
	if got := chosen(f, d, 0); got != "cluster2 cluster4" {
		t.Errorf("chosen: %q", got)
	}
	if diff := cmp.Diff(ocm.Group{Placement: "a", Name: "rest", Index: 1}, d.Group(1)); diff != "" {
		t.Errorf("group (-want +got):\n%s", diff)
	}
	if v, _ := d.Verdict(0, 0); v.Code != ocm.CodeNotDecided {
		t.Errorf("verdict on cluster1: %v", v)
	}
}

// workload has n deployment targets, w-1 to w-n.
func workload(n int) string {
	text := "---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: w}\nspec:\n  deploymentTargets:\n"
	for i := range n {
		text += fmt.Sprintf("  - {name: '%d', environment: prod}\n", i+1)
	}
	return text
}

// Each target gets the requested number of cluster types, and all targets together use all
// cluster types.
func TestPerTarget(t *testing.T) {
	t.Parallel()
	f := newFleet(t, clusterTypes(10), workload(100), placement("a", "{numberOfClusters: 2}"), policy("p", "a", true))
	d, load := decide(t, f), map[string]int{}
	for target := range f.Targets {
		names := strings.Fields(chosen(f, d, target))
		if len(names) != 2 {
			t.Errorf("target %d is on %v", target, names)
		}
		for _, name := range names {
			load[name]++
		}
	}
	for _, ct := range f.ClusterTypes {
		if n := load[ct.Name]; n < 8 || n > 35 {
			t.Errorf("%s has %d of 200 assignments", ct.Name, n)
		}
	}
	if d.Outcome().Short {
		t.Error("targets are short")
	}
}

func TestShortage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		number    string
		perTarget bool
		short     bool
		chosen    int
	}{
		"enough":               {"numberOfClusters: 3", false, false, 3},
		"too few":              {"numberOfClusters: 4", false, true, 3},
		"too few for each":     {"numberOfClusters: 4", true, true, 3},
		"none is asked for":    {"numberOfClusters: 0", false, false, 0},
		"none is left":         {"clusterSets: [x]", false, true, 0},
		"as many as there are": {"", false, false, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, clusterTypes(3), workload(2), placement("a", "{"+test.number+"}"), policy("p", "a", test.perTarget))
			if o := decide(t, f).Outcome(); o.Short != test.short || o.Chosen != test.chosen {
				t.Errorf("short: %t with %d, want %t with %d", o.Short, o.Chosen, test.short, test.chosen)
			}
		})
	}
}

// An outcome counts dropped cluster types by step.
func TestShortageByStep(t *testing.T) {
	t.Parallel()
	f := newFleet(t, clusterTypes(3), clusterType("d", "tier: gold"), clusterType("e", "tier: silver"), workload(2),
		managed("cluster3", "spec: {taints: [{key: drained, effect: NoSelect}]}"),
		placement("a", "{numberOfClusters: 3, predicates: [{requiredClusterSelector: {labelSelector: {matchExpressions: [{key: tier, operator: "+
			"DoesNotExist}]}}}]}"),
		policy("p", "a", true))
	o := decide(t, f).Outcome()
	want := []ocm.Drop{
		{ocm.Verdict{Code: ocm.CodePredicate, Asked: "label tier DoesNotExist", Found: "gold"}, 2, "d"},
		{ocm.Verdict{Code: ocm.CodeTaint, Asked: "only tolerated taints", Found: "taint drained:NoSelect"}, 1, "cluster3"},
	}
	if diff := cmp.Diff(want, o.Drops); diff != "" || o.Chosen != 2 || o.Among != 5 {
		t.Errorf("%d of %d, steps (-want +got):\n%s", o.Chosen, o.Among, diff)
	}
}

// With 100 placements of 3 among 20, a new cluster type moves only what it wins, and a
// removed cluster type moves only what it had.
func TestNewClusterTypesMoveLittle(t *testing.T) {
	t.Parallel()
	var texts []string
	for i := range 100 {
		name := fmt.Sprintf("a%d", i)
		texts = append(texts, placement(name, "{numberOfClusters: 3}"), policy(name, name, false))
	}
	all := func(n int) map[string]string {
		f := newFleet(t, append(texts, clusterTypes(n))...)
		decided, err := ocm.Decide(f, uses(f))
		if err != nil {
			t.Fatal(err)
		}
		of := map[string]string{}
		for name, d := range decided {
			of[name] = chosen(f, d, 0)
		}
		return of
	}
	before, after := all(20), all(21)
	won := 0
	for name, names := range after {
		had := strings.Fields(before[name])
		for now := range strings.FieldsSeq(names) {
			if now == "cluster21" {
				won++
			} else if !slices.Contains(had, now) {
				t.Errorf("%s moved from %q to %q", name, before[name], names)
			}
		}
	}
	if won < 5 || won > 30 {
		t.Errorf("the new cluster type won %d of 300 decisions", won)
	}
}

// TestChoosingIsSorting compares decisions over random placements with a plain sort, and
// with decisions from another order of documents.
func TestChoosingIsSorting(t *testing.T) {
	t.Parallel()
	for seed := range race.Seeds(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, number := 1+r.IntN(150), r.IntN(100)
		texts := []string{clusterTypes(n), workload(2), policy("p", "a", r.IntN(2) == 0),
			placement("a", fmt.Sprintf("{numberOfClusters: %d, prioritizerPolicy: {configurations: [{scoreCoordinate: {type: AddOn, addOn: "+
				"{resourceName: r, scoreName: s}}}]}}", number))}
		for i := range n {
			texts = append(texts, score(fmt.Sprintf("cluster%d", i+1), "r", fmt.Sprintf("{name: s, value: %d}", r.IntN(4))))
		}
		f := newFleet(t, texts...)
		d := decide(t, f)
		r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		shuffled := newFleet(t, texts...)
		again := decide(t, shuffled)
		for target := range f.Targets {
			got := chosen(f, d, target)
			if other := chosen(shuffled, again, target); other != got {
				t.Fatalf("seed %d: the order of documents matters: %q and %q", seed, got, other)
			}
			var ranks []int
			for i := range f.ClusterTypes {
				v, _ := d.Verdict(target, i)
				var rank, of int
				if _, err := fmt.Sscanf(v.Found, "rank %d of %d,", &rank, &of); err != nil {
					t.Fatal(v.Found, err)
				}
				if holds := rank <= number; holds != d.Chosen(target).Test(uint(i)) || holds != (v.Code == ocm.CodeHolds) {
					t.Fatalf("seed %d: %s has %s, but numberOfClusters is %d", seed, f.ClusterTypes[i].Name, v.Found, number)
				}
				ranks = append(ranks, rank)
			}
			slices.Sort(ranks)
			if len(slices.Compact(ranks)) != n {
				t.Fatalf("seed %d: ranks %v of %d cluster types", seed, ranks, n)
			}
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	for _, test := range []struct {
		name, predicate, other string
		perTarget              bool
	}{
		{"labels", "labelSelector: {matchLabels: {region: r1}}", "numberOfClusters: 3", false},
		{"per-target", "labelSelector: {matchExpressions: [{key: region, operator: Exists}]}", "numberOfClusters: 3", true},
	} {
		b.Run(test.name, func(b *testing.B) {
			benchmark(b, test.perTarget, "{predicates: [{requiredClusterSelector: {"+test.predicate+"}}], "+test.other+"}")
		})
	}
}

// benchmark decides 100 placements over 100 cluster types and 1,000 deployment targets.
func benchmark(b *testing.B, perTarget bool, spec string) {
	b.Helper()
	var texts []string
	for i := range 100 {
		name := fmt.Sprintf("a%d", i)
		texts = append(texts, clusterType(fmt.Sprintf("cluster%d", i), fmt.Sprintf("region: r%d", i%10)),
			placement(name, spec), policy(name, name, perTarget))
	}
	f := newFleet(b, append(texts, workload(1000))...)
	asked := uses(f)
	for i := range asked { // each policy selects a part of the targets
		asked[i].Targets.ClearAll()
		for target := i; target < len(f.Targets); target += len(asked) {
			asked[i].Targets.Set(uint(target))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ocm.Decide(f, asked); err != nil {
			b.Fatal(err)
		}
	}
}
