// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package inventory_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
)

func TestHealthOf(t *testing.T) {
	t.Parallel()
	report := func(context string, state inventory.HealthState, description string) inventory.Status {
		return inventory.Status{Context: context, State: state, Description: description}
	}
	long := strings.Repeat("é", 300)
	for name, test := range map[string]struct {
		reports []inventory.Status
		want    inventory.Health
	}{
		"nothing": {nil, inventory.Health{}},
		"success": {[]inventory.Status{report("a", "success", "ok")}, inventory.Health{State: "success"}},
		"one is under way": {[]inventory.Status{report("a", "success", "ok"), report("b", "pending", "")},
			inventory.Health{State: "pending", Reason: "b"}},
		"one has failed": {[]inventory.Status{report("a", "pending", ""), report("b", "failure", " oops\n")},
			inventory.Health{State: "failure", Reason: "b: oops"}},
		"several have": {[]inventory.Status{report("c", "failure", ""), report("a", "failure", ""), report("a", "failure", "")},
			inventory.Health{State: "failure", Reason: "a, c"}},
		"a state that nobody knows": {[]inventory.Status{report("a", "success", ""), report("b", "canceled", "stopped")},
			inventory.Health{State: "pending", Reason: "b: stopped"}},
		"no state": {[]inventory.Status{report("b", "", "")}, inventory.Health{State: "pending", Reason: "b"}},
		"it is not graver than this": {[]inventory.Status{report("a", "failure", ""), report("b", "canceled", "")},
			inventory.Health{State: "failure", Reason: "a"}},
		"a password": {[]inventory.Status{report("a", "failure", "cannot clone https://root:hunter2@h/a")},
			inventory.Health{State: "failure", Reason: "a: cannot clone https://root:(redacted f52f…)@h/a"}},
		"long words": {[]inventory.Status{report("a", "failure", long)},
			inventory.Health{State: "failure", Reason: "a: " + strings.Repeat("é", 100) + "…"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := inventory.HealthOf(test.reports); got != test.want {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// Each cluster that reports or should is listed. A silent one keeps its cluster type and the
// environment in progress.
func TestReport(t *testing.T) {
	t.Parallel()
	reports := []inventory.Status{
		{Context: "kalypso/dev/large/b", State: "success"}, {Context: "kalypso/dev/small/c", State: "failure", Description: "oops"},
		{Context: "kalypso/prod/large/x", State: "success"}, {Context: "ci/test", State: "success"},
	}
	expected := []string{"kalypso/dev/large/a", "kalypso/dev/large/b", "e2e"}
	for name, test := range map[string]struct {
		expected                   []string
		reports                    []inventory.Status
		clusters                   string
		environment, large, others inventory.HealthState
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
			e := environment("dev", inventory.Package{ClusterType: "large"}, inventory.Package{ClusterType: "other"})
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
