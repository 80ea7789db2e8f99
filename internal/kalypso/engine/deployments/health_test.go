// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
)

func TestHealthOf(t *testing.T) {
	t.Parallel()
	report := func(context string, state deployments.HealthState, description string) deployments.Status {
		return deployments.Status{Context: context, State: state, Description: description}
	}
	long := strings.Repeat("é", 300)
	for name, test := range map[string]struct {
		reports []deployments.Status
		want    deployments.Health
	}{
		"nothing": {nil, deployments.Health{}},
		"success": {[]deployments.Status{report("a", "success", "ok")}, deployments.Health{State: "success"}},
		"one is under way": {[]deployments.Status{report("a", "success", "ok"), report("b", "pending", "")},
			deployments.Health{State: "pending", Reason: "b"}},
		"one has failed": {[]deployments.Status{report("a", "pending", ""), report("b", "failure", " oops\n")},
			deployments.Health{State: "failure", Reason: "b: oops"}},
		"several have": {[]deployments.Status{report("c", "failure", ""), report("a", "failure", ""), report("a", "failure", "")},
			deployments.Health{State: "failure", Reason: "a, c"}},
		"a state that nobody knows": {[]deployments.Status{report("a", "success", ""), report("b", "canceled", "stopped")},
			deployments.Health{State: "pending", Reason: "b: stopped"}},
		"no state": {[]deployments.Status{report("b", "", "")}, deployments.Health{State: "pending", Reason: "b"}},
		"it is not graver than this": {[]deployments.Status{report("a", "failure", ""), report("b", "canceled", "")},
			deployments.Health{State: "failure", Reason: "a"}},
		"a password": {[]deployments.Status{report("a", "failure", "cannot clone https://root:hunter2@h/a")},
			deployments.Health{State: "failure", Reason: "a: cannot clone https://root:(redacted f52f…)@h/a"}},
		"long words": {[]deployments.Status{report("a", "failure", long)},
			deployments.Health{State: "failure", Reason: "a: " + strings.Repeat("é", 100) + "…"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := deployments.HealthOf(test.reports); got != test.want {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// Each cluster that reports or should is listed. A silent one keeps its cluster type and the
// environment in progress.
func TestReport(t *testing.T) {
	t.Parallel()
	reports := []deployments.Status{
		{Context: "kalypso/dev/large/b", State: "success"}, {Context: "kalypso/dev/small/c", State: "failure", Description: "oops"},
		{Context: "kalypso/prod/large/x", State: "success"}, {Context: "ci/test", State: "success"},
	}
	expected := []string{"kalypso/dev/large/a", "kalypso/dev/large/b", "e2e"}
	for name, test := range map[string]struct {
		expected                   []string
		reports                    []deployments.Status
		clusters                   string
		environment, large, others deployments.HealthState
		silent                     bool
	}{
		"nothing":         {nil, nil, "", "", "", "", true},
		"all are silent":  {expected, nil, "/e2e= large/a= large/b=", "", "", "", true},
		"some are silent": {expected[:2], reports[:1], "large/a= large/b=success", "pending", "pending", "", true},
		"a context of all cluster types is silent": {expected[1:], reports[:2], "/e2e= large/b=success small/c=failure", "failure",
			"pending", "pending", true},
		"one failed":       {nil, reports, "large/b=success small/c=failure", "failure", "success", "success", false},
		"nobody is silent": {expected[1:2], append(reports[:1:1], reports[3]), "large/b=success", "success", "success", "success", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := environment("dev", deployments.Package{ClusterType: "large"}, deployments.Package{ClusterType: "other"})
			e.Report(test.expected, test.reports)
			var clusters []string
			for _, c := range e.Clusters {
				clusters = append(clusters, c.ClusterType+"/"+c.Name+"="+string(c.State))
			}
			if got := strings.Join(clusters, " "); got != test.clusters {
				t.Errorf("clusters %q, want %q", got, test.clusters)
			}
			if e.State != test.environment || e.Packages[0].State != test.large || e.Packages[1].State != test.others ||
				e.IsSilent() != test.silent {
				t.Errorf("got %+v, packages %+v, silent %v", e.Health, e.Packages, e.IsSilent())
			}
		})
	}
}
