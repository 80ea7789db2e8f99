// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package placement_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

// decode makes a fleet of manifests.
func decode(t *testing.T, texts ...string) *fleet.Fleet {
	t.Helper()
	inputs := make([]manifest.Text, len(texts))
	for i, text := range texts {
		inputs[i] = manifest.Text{Name: "test", Text: text}
	}
	objects, err := manifest.Decode(inputs)
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.New(objects, fleetgen.Environment)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// keys returns the assignments with their policies, for comparison.
func keys(p *placement.Placement) map[string]string {
	m := map[string]string{}
	for _, a := range p.Assignments {
		m[a.Key()] = strings.Join(a.Policies, ",")
	}
	return m
}

func clusterType(name string, labels map[string]string) *manifest.ClusterType {
	return &manifest.ClusterType{Meta: manifest.Meta{Kind: manifest.KindClusterType, Name: name, Labels: labels}}
}

func target(name, workspace string, labels map[string]string) *fleet.Target {
	return &fleet.Target{FullName: name, Workspace: workspace, Labels: labels}
}

func policy(name, workspace string, targets, clusterTypes metav1.LabelSelector) *manifest.SchedulingPolicy {
	return &manifest.SchedulingPolicy{
		Meta:      manifest.Meta{Kind: manifest.KindSchedulingPolicy, Name: name},
		Workspace: workspace, DeploymentTargets: targets, ClusterTypes: clusterTypes,
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	everything := metav1.LabelSelector{}
	matching := func(key, value string) metav1.LabelSelector {
		return metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
	}
	expression := func(key string, operator metav1.LabelSelectorOperator, values ...string) metav1.LabelSelector {
		return metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}}}
	}
	edge := clusterType("edge", map[string]string{"tier": "edge", "gpu": "true"})
	cloud := clusterType("cloud", map[string]string{"tier": "cloud"})
	bare := clusterType("bare", nil)
	live := target("web-live", "w1", map[string]string{"purpose": "live"})
	perf := target("web-perf", "w2", map[string]string{"purpose": "perf"})

	for name, test := range map[string]struct {
		policies []*manifest.SchedulingPolicy
		want     map[string]string
	}{
		"an empty selector matches everything": {
			[]*manifest.SchedulingPolicy{policy("p", "", everything, everything)},
			map[string]string{"bare/web-live": "p", "bare/web-perf": "p", "cloud/web-live": "p", "cloud/web-perf": "p", "edge/web-live": "p",
				"edge/web-perf": "p"},
		},
		"labels on both sides": {
			[]*manifest.SchedulingPolicy{policy("p", "", matching("purpose", "live"), matching("tier", "edge"))},
			map[string]string{"edge/web-live": "p"},
		},
		"the workspace narrows the targets": {
			[]*manifest.SchedulingPolicy{policy("p", "w2", everything, matching("tier", "cloud"))},
			map[string]string{"cloud/web-perf": "p"},
		},
		"an unknown workspace selects nothing": {
			[]*manifest.SchedulingPolicy{policy("p", "w3", everything, everything)},
			map[string]string{},
		},
		"In": {
			[]*manifest.SchedulingPolicy{policy("p", "w1", everything, expression("tier", metav1.LabelSelectorOpIn, "edge", "cloud"))},
			map[string]string{"cloud/web-live": "p", "edge/web-live": "p"},
		},
		"NotIn holds for a missing key": {
			[]*manifest.SchedulingPolicy{policy("p", "w1", everything, expression("tier", metav1.LabelSelectorOpNotIn, "edge"))},
			map[string]string{"bare/web-live": "p", "cloud/web-live": "p"},
		},
		"Exists": {
			[]*manifest.SchedulingPolicy{policy("p", "w1", everything, expression("gpu", metav1.LabelSelectorOpExists))},
			map[string]string{"edge/web-live": "p"},
		},
		"DoesNotExist": {
			[]*manifest.SchedulingPolicy{policy("p", "w1", everything, expression("tier", metav1.LabelSelectorOpDoesNotExist))},
			map[string]string{"bare/web-live": "p"},
		},
		"names are not labels": {
			[]*manifest.SchedulingPolicy{policy("p", "", everything, matching("name", "edge"))},
			map[string]string{},
		},
		"a pair that several policies select lists them all": {
			[]*manifest.SchedulingPolicy{policy("a", "", matching("purpose", "live"), matching("gpu", "true")),
				policy("b", "w1", everything, matching("tier", "edge"))},
			map[string]string{"edge/web-live": "a,b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fleet.Fleet{
				Environment:  fleetgen.Environment,
				ClusterTypes: []*manifest.ClusterType{bare, cloud, edge},
				Targets:      []*fleet.Target{live, perf},
				Policies:     test.policies,
			}
			got, err := placement.Place(f)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, keys(got)); diff != "" {
				t.Errorf("assignments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlaceLeftovers(t *testing.T) {
	t.Parallel()
	live := metav1.LabelSelector{MatchLabels: map[string]string{"purpose": "live"}}
	nowhere := metav1.LabelSelector{MatchLabels: map[string]string{"tier": "moon"}}
	f := &fleet.Fleet{
		Environment:  "prod",
		ClusterTypes: []*manifest.ClusterType{clusterType("cloud", nil), clusterType("edge", map[string]string{"tier": "edge"})},
		Targets:      []*fleet.Target{target("web-live", "w", map[string]string{"purpose": "live"}), target("web-perf", "w", nil)},
		Policies: []*manifest.SchedulingPolicy{
			policy("lost", "", live, nowhere),
			policy("used", "", live, metav1.LabelSelector{MatchLabels: map[string]string{"tier": "edge"}}),
		},
	}
	got, err := placement.Place(f)
	if err != nil {
		t.Fatal(err)
	}
	want := &placement.Placement{
		Assignments:       got.Assignments,
		UnassignedTargets: []string{"web-perf"},
		IdleClusterTypes:  []string{"cloud"},
		IdlePolicies:      []placement.IdlePolicy{{Policy: f.Policies[0], NoClusterTypes: true}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("leftovers (-want +got):\n%s", diff)
	}
	if got.Assignments[0].Namespace != "prod-edge-web-live" {
		t.Errorf("namespace is %q", got.Assignments[0].Namespace)
	}
}

func TestExplicit(t *testing.T) {
	t.Parallel()
	f := &fleet.Fleet{
		Environment:  "prod",
		ClusterTypes: []*manifest.ClusterType{clusterType("cloud", nil), clusterType("edge", nil)},
		Targets:      []*fleet.Target{target("web-live", "w", nil)},
	}
	got, err := placement.Explicit(f, map[string][]string{"edge/web-live": {"z", "a"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"edge/web-live": "a,z"}, keys(got)); diff != "" {
		t.Errorf("assignments (-want +got):\n%s", diff)
	}
	_, err = placement.Explicit(f, map[string][]string{"moon/web-live": nil, "edge/gone": nil, "nonsense": nil})
	var problems problem.List
	if !errors.As(err, &problems) || len(problems) != 4 {
		t.Fatalf("want four problems, got %v", err)
	}
}

// TestPlaceAgreesWithKubernetes holds the index against apimachinery's own
// matching of every pair, over random fleets, and shuffles their documents.
func TestPlaceAgreesWithKubernetes(t *testing.T) {
	t.Parallel()
	for seed := range race.Seeds(80) {
		r := rand.New(rand.NewPCG(seed, 0))
		texts := fleetgen.Random(r)
		f := decode(t, texts...)
		got, err := placement.Place(f)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(everyPair(t, f), keys(got)); diff != "" {
			t.Fatalf("seed %d: assignments (-every pair +index):\n%s", seed, diff)
		}
		r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		shuffled, err := placement.Place(decode(t, texts...))
		if err != nil {
			t.Fatal(err)
		}
		order := func(p *placement.Placement) []string {
			var all []string
			for _, a := range p.Assignments {
				all = append(all, a.Key())
			}
			for _, idle := range p.IdlePolicies {
				all = append(all, idle.Policy.Name)
			}
			return slices.Concat(all, p.IdleClusterTypes, p.UnassignedTargets)
		}
		if diff := cmp.Diff(order(got), order(shuffled)); diff != "" {
			t.Fatalf("seed %d: the order of the documents matters (-first +shuffled):\n%s", seed, diff)
		}
	}
}

// everyPair matches every pair of the fleet with apimachinery's selectors.
func everyPair(t *testing.T, f *fleet.Fleet) map[string]string {
	t.Helper()
	all := map[string][]string{}
	for _, p := range f.Policies {
		onto, err := metav1.LabelSelectorAsSelector(&p.ClusterTypes)
		if err != nil {
			t.Fatal(err)
		}
		what, err := metav1.LabelSelectorAsSelector(&p.DeploymentTargets)
		if err != nil {
			t.Fatal(err)
		}
		for _, ct := range f.ClusterTypes {
			for _, target := range f.Targets {
				if onto.Matches(labels.Set(ct.Labels)) && what.Matches(labels.Set(target.Labels)) &&
					(p.Workspace == "" || p.Workspace == target.Workspace) {
					key := placement.Key(ct.Name, target.FullName)
					all[key] = append(all[key], p.Name)
				}
			}
		}
	}
	joined := map[string]string{}
	for key, policies := range all {
		joined[key] = strings.Join(policies, ",")
	}
	return joined
}

// FuzzSelector proves that decoding refuses every selector that Kubernetes refuses, and that
// any other one selects what Kubernetes selects.
func FuzzSelector(f *testing.F) {
	f.Add("tier", "In", "edge", "tier", "edge")
	f.Add("tier", "NotIn", "edge", "gpu", "true")
	f.Add("gpu", "Exists", "", "gpu", "")
	f.Add("gpu", "Exists", "true", "gpu", "true")
	f.Add("", "Near", "\x00", "a/b/c", "-")
	f.Fuzz(func(t *testing.T, key, operator, value, labelKey, labelValue string) {
		selector := metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key,
			Operator: metav1.LabelSelectorOperator(operator)}}}
		if value != "" {
			selector.MatchExpressions[0].Values = []string{value}
		}
		fl := &fleet.Fleet{
			ClusterTypes: []*manifest.ClusterType{clusterType("ct", map[string]string{labelKey: labelValue})},
			Targets:      []*fleet.Target{target("t", "", nil)},
			Policies:     []*manifest.SchedulingPolicy{policy("p", "", metav1.LabelSelector{}, selector)},
		}
		compiled, refused := metav1.LabelSelectorAsSelector(&selector)
		_, err := manifest.Decode([]manifest.Text{{Text: manifest.Encode(fl.Policies[0])}})
		if err == nil && refused != nil {
			t.Fatalf("decoding accepts what Kubernetes refuses: %v", refused)
		}
		if refused != nil {
			return
		}
		got, err := placement.Place(fl)
		if err != nil || (len(got.Assignments) == 1) != compiled.Matches(labels.Set{labelKey: labelValue}) {
			t.Fatalf("placement and Kubernetes disagree on %v", selector)
		}
	})
}
