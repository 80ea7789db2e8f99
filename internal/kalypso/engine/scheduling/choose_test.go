// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/scheduling"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

// regions are cluster types a1, a2, … in the region a, and so on: "a3 b1" are three and one.
func regions(counts string) string {
	text := ""
	for of := range strings.FieldsSeq(counts) {
		for i := range int(of[1] - '0') {
			text += clusterType(fmt.Sprintf("%c%d", of[0], i+1), "region: "+of[:1])
		}
	}
	return text
}

// perRegion counts names by their first letters: "a2 b1".
func perRegion(names string) string {
	counts := map[byte]int{}
	for name := range strings.FieldsSeq(names) {
		counts[name[0]]++
	}
	var all []string
	for region := byte('a'); region <= 'z'; region++ {
		if counts[region] > 0 {
			all = append(all, fmt.Sprintf("%c%d", region, counts[region]))
		}
	}
	return strings.Join(all, " ")
}

func TestSpread(t *testing.T) {
	t.Parallel()
	const region = "topologyKey: region, topologyKeyType: Label"
	for name, test := range map[string]struct{ clusters, number, constraints, want string }{
		"evenly":                           {"a5 b5 c5", "6", "{" + region + "}", "a2 b2 c2"},
		"as evenly as it goes":             {"a5 b1 c5", "6", "{" + region + "}", "a3 b1 c2|a2 b1 c3"},
		"strictly":                         {"a5 b1 c5", "6", "{" + region + ", whenUnsatisfiable: DoNotSchedule}", "a2 b1 c2"},
		"strictly, with more skew":         {"a5 b1 c5", "9", "{" + region + ", maxSkew: 2, whenUnsatisfiable: DoNotSchedule}", "a3 b1 c3"},
		"strictly, as many as there are":   {"a3 b2", "", "{" + region + ", whenUnsatisfiable: DoNotSchedule}", "a3 b2"},
		"all of them":                      {"a5 b1", "", "{" + region + "}", "a5 b1"},
		"what has no region, strictly not": {"a2", "2", "{topologyKey: none, topologyKeyType: Label, whenUnsatisfiable: DoNotSchedule}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := "spreadPolicy: {spreadConstraints: [" + test.constraints + "]}"
			if test.number != "" {
				spec += ", numberOfClusters: " + test.number
			}
			f := newFleet(t, regions(test.clusters), placement("a", "{"+spec+"}"), policy("p", "a", false))
			if got := perRegion(chosen(f, decide(t, f), 0)); !slices.Contains(strings.Split(test.want, "|"), got) {
				t.Errorf("chosen: %q, want %q", got, test.want)
			}
		})
	}
}

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

// The first constraint counts more than the second.
func TestSpreadOverTwo(t *testing.T) {
	t.Parallel()
	var text string
	for i, labels := range []string{"region: a, zone: one", "region: a, zone: two", "region: b, zone: one", "region: b, zone: one"} {
		text += clusterType(fmt.Sprintf("%c%d", 'a'+i/2, i), labels)
	}
	f := newFleet(t, text, policy("p", "a", false),
		placement("a", "{numberOfClusters: 2, spreadPolicy: {spreadConstraints: [{topologyKey: region, topologyKeyType: Label}, {topologyKey: "+
			"zone, topologyKeyType: Label}]}}"))
	if got := perRegion(chosen(f, decide(t, f), 0)); got != "a1 b1" {
		t.Errorf("chosen: %s", got)
	}
}

// The cases are those of Open Cluster Management's own tests, and what they leave out.
func TestGroups(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		strategy string
		want     map[string]scheduling.Group
	}{
		"none": {"{}", map[string]scheduling.Group{"cluster1": {"a", "", 0}, "cluster2": {"a", "", 0}, "cluster3": {"a", "", 0},
			"cluster4": {"a", "", 0}}},
		"one each": {"{groupStrategy: {clustersPerDecisionGroup: 1, decisionGroups: [{groupName: canary, groupClusterSelector: {labelSelector: " +
			"{matchLabels: {purpose: canary}}}}]}}",
			map[string]scheduling.Group{"cluster1": {"a", "canary", 0}, "cluster4": {"a", "canary", 1}, "cluster2": {"a", "", 2},
				"cluster3": {"a", "", 3}}},
		"the first group that selects": {"{groupStrategy: {decisionGroups: [{groupName: one, groupClusterSelector: {labelSelector: " +
			"{matchLabels: {purpose: canary}}}}, {groupName: two, groupClusterSelector: {claimSelector: {matchExpressions: [{key: x, operator: " +
			"DoesNotExist}]}}}]}}",
			map[string]scheduling.Group{"cluster1": {"a", "one", 0}, "cluster4": {"a", "one", 0}, "cluster2": {"a", "two", 1},
				"cluster3": {"a", "two", 1}}},
		"a percentage is rounded up": {"{groupStrategy: {clustersPerDecisionGroup: 70%}}",
			map[string]scheduling.Group{"cluster1": {"a", "", 0}, "cluster2": {"a", "", 0}, "cluster3": {"a", "", 0}, "cluster4": {"a", "", 1}}},
		"a group of nothing has no index": {"{groupStrategy: {clustersPerDecisionGroup: 9, decisionGroups: [{groupName: none, " +
			"groupClusterSelector: {labelSelector: {matchLabels: {purpose: none}}}}]}}",
			map[string]scheduling.Group{"cluster1": {"a", "", 0}, "cluster2": {"a", "", 0}, "cluster3": {"a", "", 0}, "cluster4": {"a", "", 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, clusterType("cluster1", "purpose: canary"), clusterType("cluster2", ""), clusterType("cluster3", ""),
				clusterType("cluster4", "purpose: canary"),
				policy("p", "a", false), placement("a", "{decisionStrategy: "+test.strategy+"}"))
			d, got := decide(t, f), map[string]scheduling.Group{}
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
	if diff := cmp.Diff(scheduling.Group{Placement: "a", Name: "rest", Index: 1}, d.Group(1)); diff != "" {
		t.Errorf("group (-want +got):\n%s", diff)
	}
	if v, _ := d.Verdict(0, 0); v.Code != scheduling.CodeNotDecided {
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
	if o := d.Outcome(); o.Short != 0 {
		t.Errorf("%d targets are short", o.Short)
	}
}

func TestShortage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		number          string
		perTarget       bool
		targets, fewest int
	}{
		"enough":               {"numberOfClusters: 3", false, 0, 0},
		"too few":              {"numberOfClusters: 4", false, 2, 3},
		"too few for each":     {"numberOfClusters: 4", true, 2, 3},
		"none is asked for":    {"numberOfClusters: 0", false, 0, 0},
		"none is left":         {"clusterSets: [x]", false, 2, 0},
		"as many as there are": {"", false, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, clusterTypes(3), workload(2), placement("a", "{"+test.number+"}"), policy("p", "a", test.perTarget))
			if o := decide(t, f).Outcome(); o.Short != test.targets || o.Fewest != test.fewest {
				t.Errorf("%d targets have %d, want %d with %d", o.Short, o.Fewest, test.targets, test.fewest)
			}
		})
	}
}

// An outcome counts dropped cluster types by step.
func TestShortageByStep(t *testing.T) {
	t.Parallel()
	f := newFleet(t, clusterType("a", "zone: x"), clusterType("b", "zone: x"), clusterType("c", ""), clusterType("d", "zone: z, tier: gold"),
		clusterType("e", "zone: z"), managed("e", "spec: {taints: [{key: drained, effect: NoSelect}]}"), workload(2),
		placement("a", `{numberOfClusters: 3, predicates: [{requiredClusterSelector: {labelSelector: {matchExpressions: [{key: tier, operator: DoesNotExist}]}}}],
  spreadPolicy: {spreadConstraints: [{topologyKey: zone, topologyKeyType: Label, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]}}`),
		policy("p", "a", true))
	o := decide(t, f).Outcome()
	want := []scheduling.Drop{
		{Code: scheduling.CodePredicate, Count: 1, ClusterType: "d", Asked: "label tier DoesNotExist", Found: "gold"},
		{Code: scheduling.CodeSpread, Count: 1, ClusterType: "c", Asked: "at most 1 more for one value of label zone than for another",
			Found: "label zone = (none); rank 3 of 3, total 0"},
		{Code: scheduling.CodeTaint, Count: 1, ClusterType: "e", Asked: "only tolerated taints", Found: "taint drained:NoSelect"},
	}
	if diff := cmp.Diff(want, o.Drops); diff != "" || o.Fewest != 2 || o.Among != 5 {
		t.Errorf("%d of %d, steps (-want +got):\n%s", o.Fewest, o.Among, diff)
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
		decided, err := scheduling.Decide(t.Context(), f, uses(f))
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
	for seed := range race.Seeds(100) {
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
				if holds := rank <= number; holds != d.Chosen(target).Test(uint(i)) || holds != (v.Code == scheduling.CodeChosen) {
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

// FuzzExpression expects that no expression causes a panic, or an error that is not a
// problem.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{"true", `managedCluster.metadata.name == "a"`, "managedCluster.x", `managedCluster.scores("a")`,
		"[1].all(x, x", `"{}".parseJSON().a`, "1/0 == 1", "optional.of(1).hasValue()", `"".format([1])`} {
		f.Add(seed)
	}
	for _, seed := range hostile {
		if len(seed) < 200 { // the others take long
			f.Add(seed)
		}
	}
	f.Fuzz(func(t *testing.T, expression string) {
		fl := byExpression(t, expression)
		if d, err := scheduling.Decide(t.Context(), fl, uses(fl)); err == nil {
			d["p"].Verdict(-1, 0)
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	for _, test := range []struct {
		name, predicate, other string
		perTarget              bool
	}{
		{"labels", "labelSelector: {matchLabels: {region: r1}}", "numberOfClusters: 3", false},
		{"per-target", "labelSelector: {matchExpressions: [{key: region, operator: Exists}]}", "numberOfClusters: 3", true},
		{"spread", "labelSelector: {matchExpressions: [{key: region, operator: Exists}]}", "numberOfClusters: 30, spreadPolicy: " +
			"{spreadConstraints: [{topologyKey: region, topologyKeyType: Label}]}", false},
		{"spread-per-target", "labelSelector: {matchExpressions: [{key: region, operator: Exists}]}", "numberOfClusters: 30, spreadPolicy: " +
			"{spreadConstraints: [{topologyKey: host, topologyKeyType: Label}, {topologyKey: region, topologyKeyType: Label}]}", true},
	} {
		b.Run(test.name, func(b *testing.B) {
			benchmark(b, 100, test.perTarget, "{predicates: [{requiredClusterSelector: {"+test.predicate+"}}], "+test.other+"}")
		})
	}
}

// An interrupt ends the decisions for targets.
func TestDecideEnds(t *testing.T) {
	t.Parallel()
	f := newFleet(t, clusterTypes(3), policy("p", "a", true), placement("a", "{}"), workload(2))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	decisions, err := scheduling.Decide(ctx, f, uses(f))
	if len(decisions) > 0 || err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("decisions %v, error %v", decisions, err)
	}
}

func BenchmarkDecideByExpression(b *testing.B) {
	benchmark(b, 1, false,
		`{predicates: [{requiredClusterSelector: {celSelector: {celExpressions: ['managedCluster.metadata.labels["region"].matches("^r[1-5]$")', 'managedCluster.status.clusterClaims.exists(c, c.name == "size" && int(c.value) > 3)']}}}], numberOfClusters: 3}`)
}

// benchmark decides some placements over 100 cluster types and 1,000 deployment targets.
func benchmark(b *testing.B, placements int, perTarget bool, spec string) {
	b.Helper()
	var texts []string
	for i := range 100 {
		name := fmt.Sprintf("cluster%d", i)
		texts = append(texts, clusterType(name, fmt.Sprintf("region: r%d, host: h%d", i%10, i)),
			managed(name, fmt.Sprintf("status: {clusterClaims: [{name: size, value: '%d'}]}", i%7)))
	}
	for i := range placements {
		name := fmt.Sprintf("a%d", i)
		texts = append(texts, placement(name, spec), policy(name, name, perTarget))
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
		if _, err := scheduling.Decide(b.Context(), f, asked); err != nil {
			b.Fatal(err)
		}
	}
}
