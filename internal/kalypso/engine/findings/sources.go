// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// registrationsNotFollowed names registrations whose workloads the manifests lack. Without this
// finding, a policy would get the blame for targets that it cannot select. While files of other teams
// are broken, a registration may lead to one of them.
func registrationsNotFollowed(s *search) {
	registrations, _ := s.Fleet.NotFollowed()
	if len(s.Fleet.Notes) > 0 {
		return
	}
	for _, r := range registrations {
		i := slices.IndexFunc(s.Fleet.Workloads, func(w *manifest.Workload) bool { return w.Name == r.Name })
		if i < 0 {
			s.note(r.ID(), "No workload in the manifests comes from the repository that it names. If it has some, pass the manifests through "+
				controlPlane)
			continue
		}
		has := "no workspace"
		if label := s.Fleet.Workloads[i].Labels[manifest.LabelWorkspace]; label != "" {
			has = fmt.Sprintf("the workspace %q", label)
		}
		s.note(r.ID(), "The registration has the workspace %q, but the workload of this name has %s, and no label says that the registration "+
			"delivers the workload. So policies for %[1]q do not select it. Set the label workspace of the workload to %[1]q. Or remove the "+
			"workload from the manifests, and pass them through "+controlPlane, r.Workspace, has)
	}
}

// baseReposNotFollowed names base repositories whose objects the manifests lack.
func baseReposNotFollowed(s *search) {
	_, baseRepos := s.Fleet.NotFollowed()
	for _, b := range baseRepos {
		s.note(b.ID(), "No object in the manifests comes from the repository that it names. If it has some, pass the manifests through "+
			controlPlane)
	}
}

const controlPlane = "data.kalypso_control_plane { fleet_manifests = ... }, which reads what they point to."

// ofEnvironment are the kinds whose objects belong to one environment or describe its clusters,
// so nobody promotes them.
var ofEnvironment = []manifest.Kind{manifest.KindEnvironment, manifest.KindGitOpsRepo, manifest.KindBaseRepo, manifest.KindNote,
	manifest.KindClusterType, manifest.KindManagedCluster, manifest.KindPlacementDecision, manifest.KindAddOnPlacementScore}

// notPromoted reports objects without a source, if the platform's other objects come from a
// promoted source. If only workloads come from repositories, the promoted id may be the version
// of the platform's objects in HCL.
func notPromoted(s *search) {
	var beside []string
	isPromoted := false
	for _, m := range s.Fleet.Metadata() {
		switch {
		case slices.Contains(ofEnvironment, m.Kind):
		case m.Source.File == "":
			beside = append(beside, m.ID())
		case m.Kind != manifest.KindWorkload:
			isPromoted = isPromoted || strings.Contains(m.Source.File, "#") // repo#branch:file
		}
	}
	if s.Fleet.PromotedCommit == "" || !isPromoted || len(beside) == 0 {
		return
	}
	s.note("Environment/"+s.Fleet.Environment, "The promoted source does not have %s: %s. A change of these objects reaches every "+
		"environment at once. Put all objects into a versioned module, and name its version as release. Or move them as YAML to the "+
		"promoted source: first apply hold = true of kalypso_gitops_commit in all later environments, because otherwise their next "+
		"plans remove packages. Remove the hold of an environment when the commit with the objects is verified for it.",
		wording.Count(len(beside), "object"), wording.First(beside, wording.MaxListed))
}

// otherGitOpsRepos names the GitOpsRepos that we write nothing to by default, although
// Kalypso writes to every one.
func otherGitOpsRepos(s *search) {
	for _, repo := range s.Fleet.OtherGitOpsRepos() {
		s.note(repo.ID(), "Kalypso writes the environment %s to branch %s of %s too, but a kalypso_gitops_commit that takes its place from the "+
			"manifests writes to GitOpsRepo/%s alone. Write a resource for each GitOpsRepo, with repo and branch. A resource that sets both does "+
			"not report this.", s.Fleet.Environment, repo.Branch, credential.Redact(repo.Repo), s.Fleet.GitOpsRepo().Name)
	}
}
