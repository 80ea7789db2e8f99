// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// The cases are those of Open Cluster Management's own tests.
func TestScores(t *testing.T) {
	t.Parallel()
	exact := func(coordinate string) string {
		return placement("a", "{prioritizerPolicy: {mode: Exact, configurations: [{scoreCoordinate: {"+coordinate+"}}]}}")
	}
	resources := func(of string, amounts ...string) string {
		text := ""
		for i, amount := range amounts {
			text += managed([]string{"cluster1", "cluster2", "cluster3"}[i], "status: {allocatable: {"+of+": "+amount+"}, capacity: {"+of+": 100}}")
		}
		return text
	}
	for name, test := range map[string]struct {
		text, prioritizer string
		want              map[string]int64
	}{
		"Steady without decisions": {placement("a", "{}"), "Steady", map[string]int64{"cluster1": 0, "cluster2": 0, "cluster3": 0}},
		"Steady with one": {placement("a", "{}") + decision("d", "a", "cluster1"), "Steady",
			map[string]int64{"cluster1": 100, "cluster2": 0, "cluster3": 0}},
		"Steady with one of others": {placement("a", "{}") + decision("d", "b", "cluster1"), "Steady",
			map[string]int64{"cluster1": 0, "cluster2": 0, "cluster3": 0}},
		"Balance that is not listed": {placement("a", "{}"), "Balance", map[string]int64{}},
		"Balance without decisions": {exact("builtIn: Balance"), "Balance",
			map[string]int64{"cluster1": 100, "cluster2": 100, "cluster3": 100}},
		"Balance with a decision of its own": {placement("a", "{}") + decision("d", "a", "cluster1"), "Balance",
			map[string]int64{"cluster1": 100, "cluster2": 100, "cluster3": 100}},
		"Balance with one of others": {placement("a", "{}") + decision("d", "b", "cluster1"), "Balance",
			map[string]int64{"cluster1": -100, "cluster2": 100, "cluster3": 100}},
		"Balance with several": {placement("a", "{}") + decision("d", "b", "cluster1 cluster2") +
			decision("e", "c", "cluster1 cluster3"), "Balance", map[string]int64{"cluster1": -100, "cluster2": 0, "cluster3": 0}},
		"memory": {exact("builtIn: ResourceAllocatableMemory") + resources("memory", "20", "60", "100"),
			"ResourceAllocatableMemory", map[string]int64{"cluster1": -100, "cluster2": 0, "cluster3": 100}},
		"the same memory": {exact("builtIn: ResourceAllocatableMemory") + resources("memory", "50", "50", "50"),
			"ResourceAllocatableMemory", map[string]int64{"cluster1": 100, "cluster2": 100, "cluster3": 100}},
		"no memory left": {exact("builtIn: ResourceAllocatableMemory") + resources("memory", "0", "0", "0"),
			"ResourceAllocatableMemory", map[string]int64{"cluster1": 100, "cluster2": 100, "cluster3": 100}},
		"nothing known of memory": {exact("builtIn: ResourceAllocatableMemory"), "ResourceAllocatableMemory",
			map[string]int64{"cluster1": 0, "cluster2": 0, "cluster3": 0}},
		"CPU": {exact("builtIn: ResourceAllocatableCPU") + resources("cpu", "10", "6", "2"),
			"ResourceAllocatableCPU", map[string]int64{"cluster1": 100, "cluster2": 0, "cluster3": -100}},
		"CPU of some": {exact("builtIn: ResourceAllocatableCPU") + resources("cpu", "10", "6"), "ResourceAllocatableCPU",
			map[string]int64{"cluster1": 100, "cluster2": -100, "cluster3": 0}},
		"an add-on": {exact("type: AddOn, addOn: {resourceName: r, scoreName: s}") +
			score("cluster1", "r", "{name: s, value: 30}") + score("cluster2", "r", "{name: other, value: 40}") +
			score("cluster3", "x", "{name: s, value: 50}"), "AddOn/r/s", map[string]int64{"cluster1": 30, "cluster2": 0, "cluster3": 0}},
		"a weight of 0": {placement("a", "{prioritizerPolicy: {configurations: [{scoreCoordinate: {builtIn: Steady}, "+
			"weight: 0}]}}"), "Steady", map[string]int64{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, clusterTypes(3), policy("p", "a", false), test.text)
			if diff := cmp.Diff(test.want, scores(f, decide(t, f), test.prioritizer)); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
		})
	}
}

// Each prioritizer that manifests may name returns scores.
func TestPrioritizers(t *testing.T) {
	t.Parallel()
	for _, name := range manifest.Prioritizers {
		f := newFleet(t, clusterTypes(2), policy("p", "a", false), decision("d", "a", "cluster1"), decision("e", "b", "cluster1"),
			managed("cluster1", "status: {allocatable: {cpu: 1, memory: 1}, capacity: {cpu: 2, memory: 2}}"),
			managed("cluster2", "status: {allocatable: {cpu: 2, memory: 2}, capacity: {cpu: 2, memory: 2}}"),
			placement("a", "{prioritizerPolicy: {mode: Exact, configurations: [{scoreCoordinate: {builtIn: "+name+"}}]}}"))
		if got := scores(f, decide(t, f), name); len(got) != 2 || got["cluster1"] == got["cluster2"] {
			t.Errorf("%s scores %v", name, got)
		}
	}
}

// Balance looks at earlier placements of this run.
func TestBalanceOfOneRun(t *testing.T) {
	t.Parallel()
	balanced := "{numberOfClusters: 1, prioritizerPolicy: {mode: Exact, configurations: [{scoreCoordinate: {builtIn: Balance}}]}}"
	f := newFleet(t, clusterTypes(2), placement("a", balanced), placement("b", balanced), policy("o", "a", false), policy("p", "b", false))
	all := scores(f, decide(t, f), "Balance")
	if all["cluster1"]+all["cluster2"] != 0 || all["cluster1"] == 0 {
		t.Errorf("scores of the second placement: %v", all)
	}
}

// A total is the sum of scores times their weights.
func TestTotals(t *testing.T) {
	t.Parallel()
	f := newFleet(t, clusterTypes(3), policy("p", "a", false),
		placement("a", `{numberOfClusters: 1, prioritizerPolicy: {configurations: [{scoreCoordinate: {builtIn: Steady}, weight: 3}, {scoreCoordinate: {type: AddOn, addOn: {resourceName: r, scoreName: s}}, weight: -2}]}}`),
		decision("d", "a", "cluster2"), score("cluster1", "r", "{name: s, value: -100}"), score("cluster2", "r", "{name: s, value: 40}"),
		score("cluster3", "r", "{name: s, value: 1}"))
	d := decide(t, f)
	want := map[string]string{
		"cluster1": "NOT_AMONG_N a rank among the first 1: rank 2 of 3, total 300; the last chosen cluster type, cluster2, has 320",
		"cluster2": "HOLDS a rank among the first 1: rank 1 of 3, total 320",
		"cluster3": "NOT_AMONG_N a rank among the first 1: rank 3 of 3, total 98; the last chosen cluster type, cluster2, has 320",
	}
	got := map[string]string{}
	for i, ct := range f.ClusterTypes {
		v, _ := d.Verdict(0, i)
		got[ct.Name] = string(v.Code) + " " + v.Asked + ": " + v.Found
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}
