// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/fleet"
)

func TestHealthOf(t *testing.T) {
	t.Parallel()
	report := func(context string, state fleet.HealthState, description string) fleet.Status {
		return fleet.Status{Context: context, State: state, Description: description}
	}
	long := strings.Repeat("é", 300)
	for name, test := range map[string]struct {
		reports []fleet.Status
		want    fleet.Health
	}{
		"nothing": {nil, fleet.Health{}},
		"success": {[]fleet.Status{report("a", "success", "ok")}, fleet.Health{State: "success"}},
		"one is under way": {[]fleet.Status{report("a", "success", "ok"), report("b", "pending", "")},
			fleet.Health{State: "pending", Reason: "b"}},
		"one has failed": {[]fleet.Status{report("a", "pending", ""), report("b", "failure", " oops\n")},
			fleet.Health{State: "failure", Reason: "b: oops"}},
		"several have": {[]fleet.Status{report("c", "failure", ""), report("a", "failure", ""), report("a", "failure", "")},
			fleet.Health{State: "failure", Reason: "a, c"}},
		"a state that nobody knows": {[]fleet.Status{report("a", "success", ""), report("b", "canceled", "stopped")},
			fleet.Health{State: "pending", Reason: "b: stopped"}},
		"no state": {[]fleet.Status{report("b", "", "")}, fleet.Health{State: "pending", Reason: "b"}},
		"it is not graver than this": {[]fleet.Status{report("a", "failure", ""), report("b", "canceled", "")},
			fleet.Health{State: "failure", Reason: "a"}},
		"a password": {[]fleet.Status{report("a", "failure", "cannot clone https://root:hunter2@h/a")},
			fleet.Health{State: "failure", Reason: "a: cannot clone https://root:(redacted f52f…)@h/a"}},
		"long words": {[]fleet.Status{report("a", "failure", long)},
			fleet.Health{State: "failure", Reason: "a: " + strings.Repeat("é", 100) + "…"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := fleet.HealthOf(test.reports); got != test.want {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// Each cluster that reports or should is listed. A silent one keeps its cluster type and the
// environment in progress.
func TestReport(t *testing.T) {
	t.Parallel()
	reports := []fleet.Status{
		{Context: "kalypso/dev/large/b", State: "success"}, {Context: "kalypso/dev/small/c", State: "failure", Description: "oops"},
		{Context: "kalypso/prod/large/x", State: "success"}, {Context: "ci/test", State: "success"},
	}
	expected := []string{"kalypso/dev/large/a", "kalypso/dev/large/b", "e2e"}
	for name, test := range map[string]struct {
		expected                   []string
		reports                    []fleet.Status
		clusters                   string
		environment, large, others fleet.HealthState
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
			e := environment("dev", fleet.Package{ClusterType: "large"}, fleet.Package{ClusterType: "other"})
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
