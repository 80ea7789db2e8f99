// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package placement_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	live := metav1.LabelSelector{MatchLabels: map[string]string{"purpose": "live"}}
	f := &fleet.Fleet{
		Environment:  "prod",
		ClusterTypes: []*manifest.ClusterType{clusterType("cloud", map[string]string{"edge": "false", "tier": "gold"})},
		Targets:      []*fleet.Target{target("web-live", "w1", map[string]string{"purpose": "live"})},
		Elsewhere:    map[string][]string{"web-test": {"dev", "stage"}},
		Policies: []*manifest.SchedulingPolicy{
			policy("everything", "w2", metav1.LabelSelector{}, metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: "tier", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"silver", "gold"}},
				{Key: "edge", Operator: metav1.LabelSelectorOpExists},
			}}),
			policy("on-edge", "w1", live, metav1.LabelSelector{MatchLabels: map[string]string{"edge": "true"}}),
			policy("on-gpu", "", live, metav1.LabelSelector{MatchLabels: map[string]string{"gpu": "true"}}),
		},
	}
	got, err := placement.Explain(f, "web-live", "cloud")
	if err != nil {
		t.Fatal(err)
	}
	const all = "every requirement of the policy holds"
	want := &placement.Explanation{
		Policies: []string{},
		Steps: []placement.Step{
			{"on-edge", "policy", false, all, "misses only label edge = true, found false", "NEARLY_SELECTED"},
			{"on-edge", "workspace", true, "workspace = w1", "w1", "HOLDS"},
			{"on-edge", "deployment_target", true, "label purpose = live", "live", "HOLDS"},
			{"on-edge", "cluster_type", false, "label edge = true", "false", "LABEL_VALUE_MISMATCH"},
			{"on-gpu", "policy", false, all, "misses only label gpu = true, found (none)", "NEARLY_SELECTED"},
			{"on-gpu", "deployment_target", true, "label purpose = live", "live", "HOLDS"},
			{"on-gpu", "cluster_type", false, "label gpu = true", "(none)", "LABEL_MISSING"},
			{"everything", "policy", false, all, "misses 2 of 4 requirements", "NOT_SELECTED"},
			{"everything", "workspace", false, "workspace = w2", "w1", "WORKSPACE_MISMATCH"},
			{"everything", "deployment_target", true, "any labels", "", "HOLDS"},
			{"everything", "cluster_type", false, "label tier NotIn (silver, gold)", "gold", "EXPRESSION_NOT_MET"},
			{"everything", "cluster_type", true, "label edge Exists", "false", "HOLDS"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("explanation (-want +got):\n%s", diff)
	}

	f.ClusterTypes[0].Labels["edge"] = "true"
	if got, err = placement.Explain(f, "web-live", "cloud"); err != nil {
		t.Fatal(err)
	}
	if !got.Placed || !slices.Equal(got.Policies, []string{"on-edge"}) || got.Steps[0] != (placement.Step{"on-edge", "policy", true, all,
		"selects the pair", "SELECTED"}) {
		t.Errorf("want the pair placed by on-edge first, got %+v", got)
	}
}

func TestExplainWhatNoPolicySelects(t *testing.T) {
	t.Parallel()
	f := &fleet.Fleet{
		Environment:  "prod",
		ClusterTypes: []*manifest.ClusterType{clusterType("cloud", nil)},
		Targets:      []*fleet.Target{target("web-live", "w1", nil)},
		Elsewhere:    map[string][]string{"web-test": {"dev", "stage"}},
	}
	for name, test := range map[string]struct {
		target, clusterType string
		want                []placement.Step
	}{
		"environment": {"web-test", "cloud", []placement.Step{
			{"", "deployment_target", false, "deployment target web-test in environment prod", "it belongs to environment dev, stage",
				"OTHER_ENVIRONMENT"},
			{"", "policy", false, "a scheduling policy that selects the pair", "no scheduling policy at all", "NO_POLICY"},
		}},
		"policy": {"web-live", "cloud", []placement.Step{
			{"", "policy", false, "a scheduling policy that selects the pair", "no scheduling policy at all", "NO_POLICY"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := placement.Explain(f, test.target, test.clusterType)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&placement.Explanation{Policies: []string{}, Steps: test.want}, got); diff != "" {
				t.Errorf("explanation (-want +got):\n%s", diff)
			}
		})
	}
}

// A name that does not exist is an error, because "placed nowhere" would not say so.
func TestExplainWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	f := &fleet.Fleet{
		Environment:  "prod",
		ClusterTypes: []*manifest.ClusterType{clusterType("cloud", nil)},
		Targets:      []*fleet.Target{target("web-live", "w1", nil)},
		Elsewhere:    map[string][]string{"web-test": {"dev", "stage"}},
	}
	for name, test := range map[string]struct {
		f                   *fleet.Fleet
		target, clusterType string
		want                []string
	}{
		"target": {f, "web-life", "cloud", []string{"There is no deployment target \"web-life\" in environment prod. Did you mean " +
			"\"web-live\"?"}},
		"cluster type": {f, "web-live", "clod", []string{"There is no cluster type \"clod\". Did you mean \"cloud\"?"}},
		"nothing near": {f, "web-live", "moonbase", []string{"There is no cluster type \"moonbase\". The cluster types are cloud."}},
		"other half elsewhere": {f, "web-test", "moonbase", []string{"There is no cluster type \"moonbase\". The cluster types are cloud.",
			"There is no deployment target \"web-test\" in environment prod. It belongs to environment dev, stage."}},
		"nothing there": {&fleet.Fleet{Environment: "prod"}, "a", "b", []string{
			"There is no cluster type \"b\". The manifests hold no cluster type for this environment.", "There is no deployment target \"a\" in " +
				"environment prod. The manifests hold no deployment target for this environment.",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := placement.Explain(test.f, test.target, test.clusterType)
			var problems problem.List
			if e != nil || !errors.As(err, &problems) {
				t.Fatalf("want a problem.List, got %+v, %v", e, err)
			}
			var got []string
			for _, p := range problems {
				if p.Summary != "Unknown assignment" || p.Subject != test.clusterType+"/"+test.target {
					t.Errorf("got the problem %+v", p)
				}
				got = append(got, p.Detail)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// randomPlacements lets some policies of the fleet leave the decision to placements.
func randomPlacements(t *testing.T, r *rand.Rand, texts ...string) *fleet.Fleet {
	t.Helper()
	for name, spec := range map[string]string{
		"one": "{numberOfClusters: 1}", "all": "{}",
		"region": "{predicates: [{requiredClusterSelector: {labelSelector: {matchExpressions: [{key: region, operator: Exists}]}}}]}",
	} {
		texts = append(texts,
			"apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: {name: "+name+"}\nspec: "+spec+"\n")
	}
	f := decode(t, texts...)
	for _, p := range f.Policies {
		if placements := []string{"", "one", "region", "all"}; p.Placement == "" {
			p.Placement, p.PerTarget = placements[r.IntN(len(placements))], r.IntN(2) == 0
		}
	}
	return f
}

// TestExplainAgreesWithPlace asks for every pair of random fleets.
func TestExplainAgreesWithPlace(t *testing.T) {
	t.Parallel()
	placed, left := 0, 0
	for seed := range race.Seeds(80) {
		r := rand.New(rand.NewPCG(seed, 2))
		f := decode(t, fleetgen.Random(r)...)
		if seed%2 == 1 {
			f = randomPlacements(t, r, fleetgen.Random(r)...)
		}
		p, err := placement.Place(f)
		if err != nil {
			t.Fatal(err)
		}
		policies := map[string][]string{}
		for _, a := range p.Assignments {
			policies[a.Key()] = a.Policies
		}
		for _, ct := range f.ClusterTypes {
			for _, target := range f.Targets {
				e, err := placement.Explain(f, target.FullName, ct.Name)
				if err != nil {
					t.Fatal(err)
				}
				want := policies[placement.Key(ct.Name, target.FullName)]
				if e.Placed != (len(want) > 0) || !slices.Equal(want, e.Policies) {
					t.Fatalf("seed %d: %s on %s is placed by %v, but explained as %v", seed, target.FullName, ct.Name, want, e.Policies)
				}
				checkSteps(t, e, len(f.Policies))
				if e.Placed {
					placed++
				} else {
					left++
				}
			}
		}
	}
	if placed == 0 || left == 0 {
		t.Errorf("the fleets prove nothing: %d pairs placed, %d not", placed, left)
	}
}

// checkSteps checks three rules. Each policy has one verdict. The verdict agrees with the
// policy's requirements. The policies that miss least come first.
func checkSteps(t *testing.T, e *placement.Explanation, policies int) {
	t.Helper()
	var missed []int
	for i := 0; i < len(e.Steps); {
		v := e.Steps[i]
		if v.Stage != placement.StagePolicy {
			t.Fatalf("want a verdict, got %+v", v)
		}
		misses := 0
		for i++; i < len(e.Steps) && e.Steps[i].Stage != placement.StagePolicy; i++ {
			s := e.Steps[i]
			if s.Policy != v.Policy || s.Holds != (s.Code == placement.CodeHolds || s.Code == placement.CodeScore) {
				t.Fatalf("%+v does not belong to %+v, or contradicts itself", s, v)
			}
			if !s.Holds {
				misses++
			}
		}
		if v.Holds != (misses == 0) || v.Holds != slices.Contains(e.Policies, v.Policy) ||
			(v.Code == placement.CodeNearlySelected) != (misses == 1) {
			t.Fatalf("the verdict %+v contradicts %d misses", v, misses)
		}
		missed = append(missed, misses)
	}
	if len(missed) != policies || !slices.IsSorted(missed) {
		t.Fatalf("want %d verdicts, those that miss least first, got misses %v", policies, missed)
	}
}

func BenchmarkExplain(b *testing.B) {
	var inputs []manifest.Text
	for i, text := range fleetgen.Large(10_000) {
		inputs = append(inputs, manifest.Text{Name: fmt.Sprint(i), Text: text})
	}
	objects, err := manifest.Decode(inputs)
	if err != nil {
		b.Fatal(err)
	}
	f, err := fleet.New(objects, fleetgen.Environment)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if e, err := placement.Explain(f, "app-0-t0", "region0-type0"); err != nil || !e.Placed {
			b.Fatal(err)
		}
	}
}
