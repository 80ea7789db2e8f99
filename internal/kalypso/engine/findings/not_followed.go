// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// notFollowed names what points to more of the fleet that is not there. Otherwise a
// policy would be blamed for what it cannot select.
func notFollowed(f *fleet.Fleet) []Finding {
	registrations, baseRepos := f.NotFollowed()
	var found []Finding
	for _, r := range registrations {
		reason := "no workload in the manifests comes from there."
		if slices.ContainsFunc(f.Workloads, func(w *manifest.Workload) bool { return w.Name == r.Name }) {
			reason = fmt.Sprintf("nothing says that Workload/%s in the manifests comes from there, so that workload is not of the workspace %q. "+
				"Policies for the workspace do not select it. Set its label workspace, or let the registration deliver it.", r.Name, r.Workspace)
		}
		found = append(found, newFinding(RegistrationNotFollowed, r.ID(), fmt.Sprintf(
			"Workload registration %s points to %s, and %s %s", r.Name, r.Workload.Repo, reason, followAdvice)))
	}
	for _, b := range baseRepos {
		found = append(found, newFinding(BaseRepoNotFollowed, b.ID(), fmt.Sprintf(
			"Base repository %s points to %s, and no object in the manifests comes from there. %s", b.Name, b.Repo, followAdvice)))
	}
	return found
}

const followAdvice = "Pass the manifests through data.kalypso_control_plane { fleet_manifests = ... }, which reads what they point to."
