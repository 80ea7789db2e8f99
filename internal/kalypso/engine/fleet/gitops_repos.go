// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet

import (
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

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
