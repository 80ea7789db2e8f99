// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func gitOpsRepoLifecycle() lifecycle {
	return lifecycle{
		address: "kalypso_gitops_repo.test",
		create: `resource "kalypso_gitops_repo" "test" {
  name   = "dev"
  labels = { stage = "first" }
  repo   = "https://github.com/microsoft/kalypso-gitops"
  branch = "dev"
  path   = "."
}`,
		created: &manifest.GitOpsRepo{
			Meta:    manifest.Meta{Kind: manifest.KindGitOpsRepo, Name: "dev", Labels: map[string]string{"stage": "first"}},
			RepoRef: manifest.RepoRef{Repo: "https://github.com/microsoft/kalypso-gitops", Branch: "dev", Path: "."},
		},
		update: `resource "kalypso_gitops_repo" "test" {
  name   = "dev"
  repo   = "git@github.com:microsoft/kalypso-gitops.git"
  branch = "stage"
}`,
		updated: &manifest.GitOpsRepo{
			Meta:    manifest.Meta{Kind: manifest.KindGitOpsRepo, Name: "dev"},
			RepoRef: manifest.RepoRef{Repo: "git@github.com:microsoft/kalypso-gitops.git", Branch: "stage"},
		},
	}
}

func TestGitOpsRepo_mistakes(t *testing.T) {
	t.Parallel()
	repo := func(repo, branch, path string) string {
		return `resource "kalypso_gitops_repo" "test" {
  name   = "dev"
  repo   = "` + repo + `"
  branch = "` + branch + `"
  path   = "` + path + `"
}`
	}
	expectMistakes(t, map[string]mistake{
		"repo":   {repo("kalypso gitops", "dev", "."), "repo must be the URL of a git repository"},
		"branch": {repo("https://example.com/x", "dev..main", "."), "branch must be a valid git branch name"},
		"path":   {repo("https://example.com/x", "dev", "../up"), "path must be a path inside the repository"},
	})
}
