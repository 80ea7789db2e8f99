// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package placement_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
)

func TestExplanationText(t *testing.T) {
	t.Parallel()
	labels := func(key, value string) metav1.LabelSelector {
		return metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
	}
	f := &fleet.Fleet{
		Environment:  "prod",
		ClusterTypes: []*manifest.ClusterType{clusterType("cloud", map[string]string{"tier": "gold"}), clusterType("edge", nil)},
		Targets:      []*fleet.Target{target("web-live", "w1", map[string]string{"purpose": "live"})},
		Elsewhere:    map[string][]string{"web-test": {"dev"}},
		Policies: []*manifest.SchedulingPolicy{
			policy("all", "w1", metav1.LabelSelector{}, metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier",
				Operator: metav1.LabelSelectorOpExists}}}),
			policy("live", "", labels("purpose", "live"), labels("tier", "gold")),
			policy("test", "w2", labels("purpose", "test"), labels("tier", "gold")),
		},
	}
	for name, test := range map[string]struct {
		target, clusterType string
		want                []string
	}{
		"placed": {"web-live", "cloud", []string{
			"Deployment target web-live is placed on cluster type cloud by all, live.",
			"- policy all selects the pair",
			"    yes workspace = w1",
			"    yes deployment target: any labels",
			"    yes cluster type: label tier Exists, found gold",
			"- policy live selects the pair",
			"    yes deployment target: label purpose = live",
			"    yes cluster type: label tier = gold",
			"- policy test misses 2 of 3 requirements",
			"    no  workspace = w2, found w1",
			"    no  deployment target: label purpose = test, found live",
			"    yes cluster type: label tier = gold",
		}},
		"of another environment": {"web-test", "edge", []string{
			"Deployment target web-test is not placed on cluster type edge.",
			"- wanted: deployment target web-test in environment prod; found: it belongs to environment dev",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := placement.Explain(f, test.target, test.clusterType)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Join(test.want, "\n"), e.Text(test.target, test.clusterType)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}
