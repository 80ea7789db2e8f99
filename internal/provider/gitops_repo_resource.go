// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type gitOpsRepoModel struct {
	modelBase
	Repo   string  `tfsdk:"repo"`
	Branch string  `tfsdk:"branch"`
	Path   *string `tfsdk:"path"`
}

func newGitOpsRepoResource() resource.Resource {
	return &modelResource[gitOpsRepoModel, *manifest.GitOpsRepo]{
		typeName: "gitops_repo",
		kind:     manifest.KindGitOpsRepo,
		schema: modelSchema("A GitOps repository, which the clusters read. `kalypso_gitops_commit` uses its `repo` and `branch`, but not "+
			"`path`: if the path is not the root, set `path` of `kalypso_gitops_commit`.",
			dnsSubdomain, map[string]schema.Attribute{
				"repo": requiredText("URL of the Git repository, such as `https://host/path`, `ssh://git@host/path`, `git@host:path` or "+
					"`file:///path`.", gitURL),
				"branch": requiredText("Branch of the repository.", gitBranch),
				"path":   optionalText("Folder in the repository. Defaults to the root.", repoPath),
			}, nil),
		toObject: func(m gitOpsRepoModel) *manifest.GitOpsRepo {
			return &manifest.GitOpsRepo{Meta: m.meta(manifest.KindGitOpsRepo),
				RepoRef: manifest.RepoRef{Repo: m.Repo, Branch: m.Branch, Path: text(m.Path)}}
		},
		toModel: func(o *manifest.GitOpsRepo) gitOpsRepoModel {
			return gitOpsRepoModel{modelBase: baseOf(o.Meta), Repo: o.Repo, Branch: o.Branch, Path: optional(o.Path)}
		},
	}
}
