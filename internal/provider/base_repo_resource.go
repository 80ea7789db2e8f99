// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type baseRepoModel struct {
	modelBase
	repoModel
	Commit *string `tfsdk:"commit"`
}

// NewBaseRepoResource models a BaseRepo.
func NewBaseRepoResource() resource.Resource {
	attributes := repoAttributes()
	attributes["commit"] = optionalText("The commit of the layer. The commit of the base repository named `main` is the promoted commit.",
		commitID)
	return &modelResource[baseRepoModel, *manifest.BaseRepo]{
		typeName: "base_repo",
		kind:     manifest.KindBaseRepo,
		schema: modelSchema("A base repository: another layer of objects for an environment, pinned to a commit. "+
			"[`kalypso_control_plane`](../data-sources/control_plane.md) reads what it points to.",
			dnsSubdomain, attributes, nil),
		toObjects: one(baseRepoModel.object),
		toModel:   sure(baseRepoModelOf),
	}
}

func (m baseRepoModel) object() *manifest.BaseRepo {
	return &manifest.BaseRepo{Meta: m.meta(manifest.KindBaseRepo), RepoRef: m.ref(), Commit: text(m.Commit)}
}

func baseRepoModelOf(o *manifest.BaseRepo) baseRepoModel {
	return baseRepoModel{modelBase: baseOf(o.Meta), repoModel: repoOf(o.RepoRef), Commit: optional(o.Commit)}
}
