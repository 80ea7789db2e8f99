// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// notFollowed names objects that point to missing parts of the fleet. Without this
// finding, a policy would get the blame for objects that it cannot select.
func notFollowed(f *fleet.Fleet) []Finding {
	registrations, baseRepos := f.NotFollowed()
	var found []Finding
	for _, r := range registrations {
		message := "No workload in the manifests comes from the repository that it names. " + followAdvice
		if i := slices.IndexFunc(f.Workloads, func(w *manifest.Workload) bool { return w.Name == r.Name }); i >= 0 {
			has := "no workspace"
			if label := f.Workloads[i].Labels[manifest.LabelWorkspace]; label != "" {
				has = fmt.Sprintf("the workspace %q", label)
			}
			message = fmt.Sprintf("The workload of its name has %s where the registration says %q, and no label says that the registration "+
				"delivers it. "+
				"So policies for %[2]q do not select it. Set the label workspace of the workload to %[2]q. Or remove the workload from the manifests, "+
				"and pass them through %s",
				has, r.Workspace, controlPlane)
		}
		found = append(found, newFinding(RegistrationNotFollowed, r.ID(), message))
	}
	for _, b := range baseRepos {
		found = append(found, newFinding(BaseRepoNotFollowed, b.ID(),
			"No object in the manifests comes from the repository that it names. "+followAdvice))
	}
	return found
}

const (
	controlPlane = "data.kalypso_control_plane { fleet_manifests = ... }, which reads what they point to."
	followAdvice = "Pass the manifests through " + controlPlane
)
