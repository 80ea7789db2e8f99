// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet

import (
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// CheckEnvironment returns a problem.List if no Environment object names the environment, and no
// deployment target belongs to it. The name is then probably misspelled. A file that cannot be read
// may name it.
func (f *Fleet) CheckEnvironment() error {
	if f.Environment != "" && (slices.Contains(f.Environments, f.Environment) || len(f.Targets)+len(f.Notes) > 0) {
		return nil
	}
	what := fmt.Sprintf("No deployment target and no Environment object names the environment %s.", wording.Quoted(f.Environment))
	cure := "Correct the name. An environment that is empty on purpose needs an Environment object."
	switch registrations, _ := f.NotFollowed(); {
	case f.Environment == "":
		what, cure = "The name of the environment is empty.", "Set it to the name of an environment."
	case len(registrations) > 0:
		cure = fmt.Sprintf("Correct the name. If it is right, the manifests lack the workloads of %s. Pass them through "+
			"data.kalypso_control_plane { fleet_manifests = ... }. If they come from there, the plan of kalypso_gitops_commit says why it "+
			"could not read the workloads.", wording.Count(len(registrations), "WorkloadRegistration"))
	}
	hint := "The manifests name no environment at all."
	if len(f.Environments) > 0 {
		hint = fmt.Sprintf("The manifests name %s.", wording.First(f.Environments, wording.MaxOffered))
	}
	hint = wording.DidYouMean(f.Environment, f.Environments) + hint
	return problem.List{{
		Summary: "Unknown environment",
		Subject: "Environment/" + wording.Escaped(f.Environment),
		Detail:  fmt.Sprintf("%s %s %s", what, hint, cure),
	}}
}

// BrokenFiles returns the problems of files and sources of other teams that cannot be read.
func (f *Fleet) BrokenFiles() (all problem.List) {
	for _, n := range f.Notes {
		all = append(all, n.Problems...)
	}
	return all
}

// GitOpsRepo returns the GitOpsRepo that says where the environment is written. It is the
// one with the environment's name, or else the only one, unless that has the name of
// another environment. It is nil if there is none.
func (f *Fleet) GitOpsRepo() *manifest.GitOpsRepo {
	if repo, found := find(f.GitOpsRepos, f.Environment); found {
		return repo
	}
	if len(f.GitOpsRepos) != 1 || f.ofAnotherEnvironment(f.GitOpsRepos[0]) {
		return nil
	}
	return f.GitOpsRepos[0]
}

// OtherGitOpsRepos returns the other GitOpsRepos that Kalypso writes the environment to:
// all that do not have the name of another environment. There are none without GitOpsRepo.
func (f *Fleet) OtherGitOpsRepos() []*manifest.GitOpsRepo {
	chosen := f.GitOpsRepo()
	return slices.DeleteFunc(slices.Clone(f.GitOpsRepos), func(repo *manifest.GitOpsRepo) bool {
		return chosen == nil || repo == chosen || f.ofAnotherEnvironment(repo)
	})
}

func (f *Fleet) ofAnotherEnvironment(repo *manifest.GitOpsRepo) bool {
	return repo.Name != f.Environment && slices.Contains(f.Environments, repo.Name)
}
