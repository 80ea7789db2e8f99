// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet

import (
	"maps"
	"slices"
)

// Subjects returns all that a message about the fleet can be about, as kind/name, sorted:
// the objects, and the deployment targets of all environments.
func (f *Fleet) Subjects() []string {
	subjects := map[string]bool{}
	for _, o := range f.objects {
		subjects[o.Metadata().ID()] = true
	}
	for _, t := range f.Targets {
		subjects["DeploymentTarget/"+t.FullName] = true
	}
	for name := range f.Elsewhere {
		subjects["DeploymentTarget/"+name] = true
	}
	return slices.Sorted(maps.Keys(subjects))
}
