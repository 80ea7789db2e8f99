// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package placement_test

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/ocm"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
)

// decidedFleet has a policy for everything at the edge, of which a placement chooses one,
// and a policy for the cloud, of which every one is taken.
//
//go:embed testdata/decided.yaml
var decidedFleet string

func TestPlaceByPlacement(t *testing.T) {
	t.Parallel()
	got, err := placement.Place(decode(t, decidedFleet))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"cloud/web-live": "everywhere", "edge-2/web-live": "some"}, keys(got)); diff != "" {
		t.Errorf("assignments (-want +got):\n%s", diff)
	}
	want := []*placement.Decided{nil, {Placements: []string{"one"}, Group: ocm.Group{Placement: "one", Name: "canary"}}}
	if diff := cmp.Diff(want, []*placement.Decided{got.Assignments[0].Decided, got.Assignments[1].Decided}); diff != "" {
		t.Errorf("decided by (-want +got):\n%s", diff)
	}
}

func TestExplainPlacement(t *testing.T) {
	t.Parallel()
	f := decode(t, decidedFleet)
	for name, want := range map[string][]placement.Step{
		"edge-1": {
			{"some", "placement", false, "placement one: a rank among the first 1",
				"rank 2 of 2, total 0; the last chosen cluster type, edge-2, has 120",
				"NOT_AMONG_N"},
			{"some", "placement", true, "placement one: score of Steady, times 1", "0", "SCORE"},
			{"some", "placement", true, "placement one: score of AddOn/load/free, times 2", "0", "SCORE"},
		},
		"edge-2": {
			{"some", "placement", true, "placement one: a rank among the first 1", "rank 1 of 2, total 120", "HOLDS"},
			{"some", "placement", true, "placement one: score of Steady, times 1", "0", "SCORE"},
			{"some", "placement", true, "placement one: score of AddOn/load/free, times 2", "60", "SCORE"},
		},
		"edge-3": {{"some", "placement", false, "placement one: only tolerated taints", "taint drain:NoSelect",
			"TAINT_NOT_TOLERATED"}},
		"cloud": nil,
	} {
		e, err := placement.Explain(f, "web-live", name)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.DeleteFunc(slices.Clone(e.Steps), func(s placement.Step) bool { return s.Stage != placement.StagePlacement })
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("steps about %s (-want +got):\n%s", name, diff)
		}
		if name == "edge-1" {
			const want = "misses only placement one: a rank among the first 1, found rank 2 of 2, total 0; the last " +
				"chosen cluster type, edge-2, has 120"
			if i := slices.IndexFunc(e.Steps, func(s placement.Step) bool { return s.Policy == "some" }); e.Steps[i].Found != want {
				t.Errorf("the verdict is %q", e.Steps[i].Found)
			}
		}
		if e.Placed != (name == "edge-2" || name == "cloud") {
			t.Errorf("%s is placed: %t", name, e.Placed)
		}
	}
}

// Every step that can drop a cluster type has its code, and says what was found.
func TestExplainSteps(t *testing.T) {
	t.Parallel()
	found := map[string]string{}
	for _, spec := range []string{
		"{clusterSets: [west, east]}",
		"{predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {tier: gold}}}}, {requiredClusterSelector: {claimSelector: " +
			"{matchExpressions: [{key: zone, operator: In, values: [a, b]}]}}}]}",
		"{numberOfClusters: 1}",
	} {
		i := strings.Index(decidedFleet, "spec:\n  numberOfClusters")
		text := decidedFleet[:i] + "spec: " + spec + "\n" + decidedFleet[i+strings.Index(decidedFleet[i:], "---"):]
		e, err := placement.Explain(decode(t, text), "web-live", "edge-1")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range e.Steps {
			if s.Stage == placement.StagePlacement && !s.Holds {
				found[string(s.Code)] = s.Requirement + ": " + s.Found
			}
		}
	}
	decided := strings.Replace(decidedFleet, "kind: Placement\nmetadata: {name: one}", "kind: PlacementDecision\nmetadata: {name: one, "+
		"labels: {cluster.open-cluster-management.io/placement: one}}", 1)
	i := strings.Index(decided, "spec:\n  numberOfClusters")
	decided = decided[:i] + decided[i+strings.Index(decided[i:], "---"):]
	e, err := placement.Explain(decode(t, decided), "web-live", "edge-1")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range e.Steps {
		if s.Stage == placement.StagePlacement {
			found[string(s.Code)] = s.Requirement + ": " + s.Found
		}
	}
	want := map[string]string{
		"CLUSTER_SET":       "placement one: label cluster.open-cluster-management.io/clusterset = west or east: (none)",
		"PREDICATE_NOT_MET": "placement one: label tier = gold; or claim zone In (a, b): label tier: edge; claim zone: (none)",
		"NOT_AMONG_N": "placement one: a rank among the first 1: rank 2 of 2, total 0; the last chosen cluster type, edge-2, has 0, " +
			"the same total: a hash of names decides",
		"NOT_DECIDED": "placement one: a PlacementDecision that names the cluster type: (none)",
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}
