// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package placement_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/golden"
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
	golden.Documents(t, "testdata/pairs.txt", "testdata/explained.txt", func(pair string) string {
		target, clusterType, _ := strings.Cut(strings.TrimSpace(pair), " on ")
		e, err := placement.Explain(f, target, clusterType)
		if err != nil {
			t.Fatal(err)
		}
		return e.Text(target, clusterType) + "\n"
	})
}
