// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployed

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
)

// The fleet is consistent: if there are reports on the head of an environment, packages of
// one cluster type have one health, and none is graver than that of the environment.
func TestFleetCanBe(t *testing.T) {
	t.Parallel()
	gravity := map[inventory.HealthState]int{inventory.Healthy: 1, inventory.Progressing: 2, inventory.Unhealthy: 3}
	for _, packages := range []int{10, 600} {
		for _, e := range Fleet(packages).Environments {
			healths, gravest := map[string]inventory.Health{}, 0
			for _, p := range e.Packages {
				if first, known := healths[p.ClusterType]; known && first != p.Health && e.State != "" {
					t.Errorf("%s: %s is %+v, and another package of the cluster type %+v", e.Name, p.Key(), p.Health, first)
				}
				healths[p.ClusterType] = p.Health
				gravest = max(gravest, gravity[p.State])
			}
			if e.State != "" && gravest != gravity[e.State] {
				t.Errorf("%s is %q, and the gravest of its packages %d", e.Name, e.State, gravest)
			}
			if gravest == 0 {
				t.Errorf("%s has no health to show", e.Name)
			}
		}
	}
}
