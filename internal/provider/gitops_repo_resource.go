// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type gitOpsRepoModel struct {
	modelBase
	repoModel
}

// NewGitOpsRepoResource models a GitOpsRepo.
func NewGitOpsRepoResource() resource.Resource {
	return &modelResource[gitOpsRepoModel, *manifest.GitOpsRepo]{
		typeName: "gitops_repo",
		kind:     manifest.KindGitOpsRepo,
		schema: modelSchema("A GitOps repository, which the clusters read. A `kalypso_gitops_commit` takes its `repo` and `branch` from it, "+
			"but not `path`: set that there, if it is not the root.",
			dnsSubdomain, repoAttributes(), nil),
		toObjects: one(gitOpsRepoModel.object),
		toModel:   sure(gitOpsRepoModelOf),
	}
}

func (m gitOpsRepoModel) object() *manifest.GitOpsRepo {
	return &manifest.GitOpsRepo{Meta: m.meta(manifest.KindGitOpsRepo), RepoRef: m.ref()}
}

func gitOpsRepoModelOf(o *manifest.GitOpsRepo) gitOpsRepoModel {
	return gitOpsRepoModel{modelBase: baseOf(o.Meta), repoModel: repoOf(o.RepoRef)}
}
