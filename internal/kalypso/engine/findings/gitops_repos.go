// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
)

// otherGitOpsRepos names the GitOpsRepos that we write nothing to by default, although
// Kalypso writes to every one.
func otherGitOpsRepos(f *fleet.Fleet) []Finding {
	var found []Finding
	for _, repo := range f.OtherGitOpsRepos() {
		found = append(found, newFinding(GitOpsRepoUnwritten, repo.ID(), fmt.Sprintf(
			"Kalypso writes the environment %s to branch %s of %s too, but a kalypso_gitops_commit that takes its place from the manifests writes "+
				"to GitOpsRepo/%s alone. "+
				"Write a resource for each GitOpsRepo, with repo and branch. A resource that sets both does not report this.",
			f.Environment, repo.Branch, credential.Redact(repo.Repo), f.GitOpsRepo().Name)))
	}
	return found
}
