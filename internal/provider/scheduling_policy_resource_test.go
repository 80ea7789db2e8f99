// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func schedulingPolicyLifecycle() lifecycle {
	return lifecycle{
		address: "kalypso_scheduling_policy.test",
		create: `resource "kalypso_scheduling_policy" "test" {
  name                  = "functional-test-policy"
  placement             = "two-sites"
  per_deployment_target = true
  deployment_target_selector {
    workspace    = "kaizen-app-team"
    match_labels = { purpose = "functional-test" }
    match_expression {
      key      = "tier"
      operator = "NotIn"
      values   = ["experimental", "old"]
    }
    match_expression {
      key      = "edge"
      operator = "Exists"
    }
  }
  cluster_type_selector {
    match_all = true
  }
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
		update: `resource "kalypso_scheduling_policy" "test" {
  name = "functional-test-policy"
  deployment_target_selector {
    match_all = true
    workspace = "other-team"
  }
  cluster_type_selector {
    match_labels = { edge = "true" }
    match_all    = false
  }
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
	policy := func(selector string, more ...string) string {
		return "resource \"kalypso_scheduling_policy\" \"test\" {\n  name = \"policy\"\n" +
			block("deployment_target_selector", "match_all = true") + "\n" + selector + "\n" + strings.Join(more, "\n") + "\n}"
	}
	selecting := func(more ...string) string { return policy(block("cluster_type_selector", more...)) }
	expression := func(more ...string) string { return selecting(block("match_expression", more...)) }
	all := block("cluster_type_selector", "match_all = true")
	const key, operatorIn, exists = `key = "a"`, `operator = "In"`, `operator = "Exists"`
	const empty = "cluster_type_selector has neither match_labels nor match_expression"
	expectMistakes(t, map[string]mistake{
		"no placement":      {policy(all, `per_deployment_target = true`), "\"placement\" must be specified"},
		"placement":         {policy(all, `placement = "A b"`), "placement must be a name"},
		"no selector":       {policy(""), "Block cluster_type_selector must have a configuration value"},
		"empty":             {selecting(), empty},
		"misspelled labels": {selecting(`match_lables = { a = "b" }`), `An argument named "match_lables" is not expected here`},
		"misspelled block":  {selecting(block("match_expressions", key, exists)), `Blocks of type "match_expressions" are not expected here`},
		"empty labels":      {selecting(`match_labels = {}`), empty},
		"not all":           {selecting(`match_all = false`), empty},
		"all and labels": {selecting(`match_all = true`, `match_labels = { a = "b" }`), "cluster_type_selector has match_all = true and also " +
			"match_labels"},
		"operator":    {expression(key, `operator = "Equals"`, `values = ["b"]`), `"In" "NotIn" "Exists" "DoesNotExist"`},
		"no operator": {expression(key), `The argument "operator" is required`},
		"no values":   {expression(key, operatorIn), "In and NotIn need values"},
		"values":      {expression(key, exists, `values = ["b"]`), "Exists and DoesNotExist take none"},
		"key":         {expression(`key = "a b"`, exists), "match_expression[0].key must be a Kubernetes label key"},
		"value":       {expression(key, operatorIn, `values = ["b c"]`), `match_expression[0].values[Value("b c")] must be a Kubernetes label value`},
		"no expressions": {selecting(`dynamic "match_expression" {
  for_each = []
  content {
    key      = match_expression.value
    operator = "Exists"
  }
}`), empty},
	})
}
