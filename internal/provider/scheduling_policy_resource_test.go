// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func schedulingPolicyLifecycle() lifecycle {
	return lifecycle{
		address: "kalypso_scheduling_policy.test",
		create: `resource "kalypso_scheduling_policy" "test" {
  name = "functional-test-policy"
  deployment_target_selector = {
    workspace    = "kaizen-app-team"
    match_labels = { purpose = "functional-test" }
    match_expressions = [
      { key = "tier", operator = "NotIn", values = ["experimental", "old"] },
      { key = "edge", operator = "Exists" },
    ]
  }
  cluster_type_selector = { match_all = true }
  placement             = "two-sites"
  per_deployment_target = true
}`,
		created: &manifest.SchedulingPolicy{
			Meta:      manifest.Meta{Kind: manifest.KindSchedulingPolicy, Name: "functional-test-policy"},
			Workspace: "kaizen-app-team",
			Placement: "two-sites", PerTarget: true,
			DeploymentTargets: metav1.LabelSelector{
				MatchLabels: map[string]string{"purpose": "functional-test"},
				MatchExpressions: []metav1.LabelSelectorRequirement{
					{Key: "tier", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"experimental", "old"}},
					{Key: "edge", Operator: metav1.LabelSelectorOpExists},
				},
			},
		},
		imported: `
apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata:
  name: functional-test-policy
  annotations:
    kalypso-gitops.io/placement: two-sites
    kalypso-gitops.io/placement-scope: deployment-target
spec:
  deploymentTargetSelector:
    workspace: kaizen-app-team
    labelSelector:
      matchLabels:
        purpose: functional-test
      matchExpressions:
        - {key: tier, operator: NotIn, values: [experimental, old]}
        - {key: edge, operator: Exists}
  clusterTypeSelector:
    labelSelector: {}
`,
		update: `resource "kalypso_scheduling_policy" "test" {
  name                       = "functional-test-policy"
  deployment_target_selector = { match_all = true, workspace = "other-team" }
  cluster_type_selector      = { match_labels = { edge = "true" }, match_all = false }
}`,
		updated: &manifest.SchedulingPolicy{
			Meta:         manifest.Meta{Kind: manifest.KindSchedulingPolicy, Name: "functional-test-policy"},
			Workspace:    "other-team",
			ClusterTypes: metav1.LabelSelector{MatchLabels: map[string]string{"edge": "true"}},
		},
	}
}

func TestSchedulingPolicy_mistakes(t *testing.T) {
	t.Parallel()
	policy := func(clusterTypeSelector string) string {
		return `resource "kalypso_scheduling_policy" "test" {
  name                       = "policy"
  deployment_target_selector = { match_all = true }
  cluster_type_selector      = { ` + clusterTypeSelector + ` }
}`
	}
	decided := func(more string) string {
		return `resource "kalypso_scheduling_policy" "test" {
  name                       = "policy"
  deployment_target_selector = { match_all = true }
  cluster_type_selector      = { match_all = true }
  ` + more + `
}`
	}
	expectMistakes(t, map[string]mistake{
		"no placement":   {decided(`per_deployment_target = true`), "\"placement\" must be specified"},
		"placement":      {decided(`placement = "A b"`), "placement must be"},
		"empty":          {policy(``), "cluster_type_selector has neither match_labels nor match_expressions"},
		"misspelled":     {policy(`match_lables = { a = "b" }`), "cluster_type_selector has neither match_labels nor match_expressions"},
		"empty labels":   {policy(`match_labels = {}`), "cluster_type_selector has neither match_labels nor match_expressions"},
		"not all":        {policy(`match_all = false`), "cluster_type_selector has neither match_labels nor match_expressions"},
		"all and labels": {policy(`match_all = true, match_labels = { a = "b" }`), "cluster_type_selector has match_all = true and also match_labels"},
		"operator":       {policy(`match_expressions = [{ key = "a", operator = "Equals", values = ["b"] }]`), `"DoesNotExist" "Exists" "In" "NotIn"`},
		"no operator":    {policy(`match_expressions = [{ key = "a" }]`), "match_expressions[0].operator has to be set"},
		"no values":      {policy(`match_expressions = [{ key = "a", operator = "In" }]`), "match_expressions[0].values has to list at least one value"},
		"values":         {policy(`match_expressions = [{ key = "a", operator = "Exists", values = ["b"] }]`), "match_expressions[0].values has to be left out"},
		"key":            {policy(`match_expressions = [{ key = "a b", operator = "Exists" }]`), "match_expressions[0].key must be a Kubernetes label key"},
		"value":          {policy(`match_expressions = [{ key = "a", operator = "In", values = ["b c"] }]`), "match_expressions[0].values[0] must be a Kubernetes label value"},
	})
}
