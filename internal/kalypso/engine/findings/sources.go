// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// notFollowed names objects that point to missing parts of the fleet. Without this
// finding, a policy would get the blame for objects that it cannot select. While files of other teams
// are broken, a registration may lead to one of them.
func notFollowed(f *fleet.Fleet) []Finding {
	registrations, baseRepos := f.NotFollowed()
	if len(f.Notes) > 0 {
		registrations = nil
	}
	var found []Finding
	for _, r := range registrations {
		message := "No workload in the manifests comes from the repository that it names. " + followAdvice
		if i := slices.IndexFunc(f.Workloads, func(w *manifest.Workload) bool { return w.Name == r.Name }); i >= 0 {
			has := "no workspace"
			if label := f.Workloads[i].Labels[manifest.LabelWorkspace]; label != "" {
				has = fmt.Sprintf("the workspace %q", label)
			}
			message = fmt.Sprintf("The workload of its name has %s where the registration says %q, and no label says that the registration "+
				"delivers it. So policies for %[2]q do not select it. Set the label workspace of the workload to %[2]q. Or remove the workload "+
				"from the manifests, and pass them through %s",
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

// ofEnvironment are the kinds whose objects belong to one environment or describe its clusters,
// so nobody promotes them.
var ofEnvironment = []manifest.Kind{manifest.KindEnvironment, manifest.KindGitOpsRepo, manifest.KindBaseRepo, manifest.KindNote,
	manifest.KindManagedCluster, manifest.KindPlacementDecision, manifest.KindAddOnPlacementScore, manifest.KindCustomResourceDefinition}

// notPromoted reports objects without a source, if the platform's other objects come from a
// promoted source. If only workloads come from repositories, the promoted id may be the version
// of the platform's objects in HCL.
func notPromoted(f *fleet.Fleet) []Finding {
	var beside []string
	isPromoted := false
	for _, m := range f.Metadata() {
		switch {
		case slices.Contains(ofEnvironment, m.Kind):
		case m.Source.Origin == "":
			beside = append(beside, m.ID())
		case m.Kind != manifest.KindWorkload:
			isPromoted = isPromoted || strings.Contains(m.Source.Origin, "#") // repo#branch:file
		}
	}
	if f.PromotedCommit == "" || !isPromoted || len(beside) == 0 {
		return nil
	}
	return []Finding{newFinding(NotPromoted, "Environment/"+f.Environment, fmt.Sprintf(
		"The promoted source does not have %s: %s. A change of these objects reaches every environment at once. Put all objects into a "+
			"versioned module, and name its version as release. Or move them as YAML to the promoted source: first apply hold = true of "+
			"kalypso_gitops_commit in all later environments, because otherwise their next plans remove packages. Remove the hold of an "+
			"environment when the commit with the objects is verified for it.",
		wording.Count(len(beside), "object"), wording.First(beside, maxListed)))}
}

// otherGitOpsRepos names the GitOpsRepos that we write nothing to by default, although
// Kalypso writes to every one.
func otherGitOpsRepos(f *fleet.Fleet) []Finding {
	var found []Finding
	for _, repo := range f.OtherGitOpsRepos() {
		found = append(found, newFinding(GitOpsRepoUnwritten, repo.ID(), fmt.Sprintf(
			"Kalypso writes the environment %s to branch %s of %s too, but a kalypso_gitops_commit that takes its place from the manifests writes "+
				"to GitOpsRepo/%s alone. Write a resource for each GitOpsRepo, with repo and branch. A resource that sets both does not report this.",
			f.Environment, repo.Branch, credential.Redact(repo.Repo), f.GitOpsRepo().Name)))
	}
	return found
}
