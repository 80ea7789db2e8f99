// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
)

func TestDate(t *testing.T) {
	t.Parallel()
	changes, _ := deployments.History(states("large/a=3 large/b=1 large/old=1", "large/a=2 large/b=1 large/old=1", "large/a=1 large/old=1", "large/old=1"), false)
	packages := []deployments.Package{{ClusterType: "large", DeploymentTarget: "a"}, {ClusterType: "large", DeploymentTarget: "b"}, {ClusterType: "large", DeploymentTarget: "old"}}
	deployments.Date(packages, changes)
	for i, want := range []string{"c4", "c3", ""} {
		if got := packages[i].Changed.Commit; got != want {
			t.Errorf("%s: got %q, want %q", packages[i].Key(), got, want)
		}
	}
}

func TestHealthOf(t *testing.T) {
	t.Parallel()
	report := func(context string, state deployments.HealthState, description string) deployments.Report {
		return deployments.Report{Context: context, State: state, Description: description}
	}
	green, red, yellow := report("b", deployments.Healthy, "fine"), report("c", deployments.Unhealthy, "health check failed"), report("a", deployments.Progressing, "")
	for _, test := range []struct {
		reports []deployments.Report
		want    deployments.Health
	}{
		{nil, deployments.Health{}},
		{[]deployments.Report{green}, deployments.Health{State: deployments.Healthy}},
		{[]deployments.Report{green, yellow}, deployments.Health{State: deployments.Progressing, Reason: "a"}},
		{[]deployments.Report{green, yellow, red, report("a", deployments.Unhealthy, " ")}, deployments.Health{State: deployments.Unhealthy, Reason: "a, c: health check failed"}},
	} {
		if got := deployments.HealthOf(test.reports); got != test.want {
			t.Errorf("%v: got %v, want %v", test.reports, got, test.want)
		}
	}
}

// A report is about the cluster type that its context names, as the guide has clusters
// report, and any other one about all of them.
func TestHealthIn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		reports string
		want    map[string]string
	}{
		"nothing":                    {"", map[string]string{}},
		"one cluster type fails":     {"kalypso/prod/large/l1=failure kalypso/prod/small/s1=success", map[string]string{"large": "failure kalypso/prod/large/l1", "small": "success "}},
		"one of its clusters fails":  {"kalypso/prod/large/l1=success kalypso/prod/large/l2=failure", map[string]string{"large": "failure kalypso/prod/large/l2"}},
		"silence is not success":     {"kalypso/prod/small/s1=success", map[string]string{"small": "success "}},
		"a test is about all":        {"e2e=failure kalypso/prod/large/l1=success", map[string]string{"large": "failure e2e", "small": "failure e2e"}},
		"a test is about the silent": {"e2e=success kalypso/prod/large/l1=pending", map[string]string{"large": "pending kalypso/prod/large/l1", "small": "success "}},
		"another environment":        {"kalypso/dev/large/l1=failure", map[string]string{"large": "failure kalypso/dev/large/l1", "small": "failure kalypso/dev/large/l1"}},
		"no such cluster type":       {"kalypso/prod/huge/h1=failure", map[string]string{"large": "failure kalypso/prod/huge/h1", "small": "failure kalypso/prod/huge/h1"}},
		"Flux's own contexts":        {"kustomization/large/7d4c1a2b=failure", map[string]string{"large": "failure kustomization/large/7d4c1a2b", "small": "failure kustomization/large/7d4c1a2b"}},
		"more than a cluster":        {"kalypso/prod/large/l1/x=failure", map[string]string{"large": "failure kalypso/prod/large/l1/x", "small": "failure kalypso/prod/large/l1/x"}},
		"no cluster":                 {"kalypso/prod/large/=failure", map[string]string{"large": "failure kalypso/prod/large/", "small": "failure kalypso/prod/large/"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reports []deployments.Report
			for word := range strings.FieldsSeq(test.reports) {
				context, state, _ := strings.Cut(word, "=")
				reports = append(reports, deployments.Report{Context: context, State: deployments.HealthState(state)})
			}
			got := map[string]string{}
			for clusterType, health := range deployments.HealthIn("prod", []string{"large", "small"}, reports) {
				if health.State != "" {
					got[clusterType] = string(health.State) + " " + health.Reason
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
