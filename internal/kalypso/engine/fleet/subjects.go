// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet

import (
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// Metadata returns the metadata of all objects, sorted by kind and name.
func (f *Fleet) Metadata() []manifest.Meta {
	all := make([]manifest.Meta, len(f.objects))
	for i, o := range f.objects {
		all[i] = o.Metadata()
	}
	return all
}

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
