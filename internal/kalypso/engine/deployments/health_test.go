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
