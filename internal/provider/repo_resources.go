// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// The resources in this file model objects that name a place in a repository.

// repoModel is a place in a git repository.
type repoModel struct {
	Repo   string  `tfsdk:"repo"`
	Branch string  `tfsdk:"branch"`
	Path   *string `tfsdk:"path"`
}

func (m repoModel) ref() manifest.RepoRef {
	return manifest.RepoRef{Repo: m.Repo, Branch: m.Branch, Path: text(m.Path)}
}

func repoOf(ref manifest.RepoRef) repoModel {
	return repoModel{Repo: ref.Repo, Branch: ref.Branch, Path: optional(ref.Path)}
}

func repoAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"repo": requiredText("URL of the Git repository, such as `https://host/path`, `ssh://git@host/path`, `git@host:path` or "+
			"`file:///path`.", gitURL),
		"branch": requiredText("Branch of the repository.", gitBranch),
		"path":   optionalText("Folder in the repository. Defaults to the root.", repoPath),
	}
}

// repoBlock returns a required block for a repoModel.
func repoBlock(description string) schema.SingleNestedBlock {
	return schema.SingleNestedBlock{
		MarkdownDescription: description + " Has to be set.",
		Validators:          []validator.Object{objectvalidator.IsRequired()},
		Attributes:          repoAttributes(),
	}
}

type environmentModel struct {
	modelBase
	ControlPlane repoModel `tfsdk:"control_plane"`
}

func newEnvironmentResource() resource.Resource {
	return &modelResource[environmentModel, *manifest.Environment]{
		typeName: "environment",
		kind:     manifest.KindEnvironment,
		schema: modelSchema("An environment: a stage of the rollout, such as `dev`.",
			dnsLabel, nil, map[string]schema.Block{
				"control_plane": repoBlock("Where the objects of the environment are."),
			}),
		toObjects: one(func(m environmentModel) *manifest.Environment {
			return &manifest.Environment{Meta: m.meta(manifest.KindEnvironment), ControlPlane: m.ControlPlane.ref()}
		}),
		toModel: sure(func(o *manifest.Environment) environmentModel {
			return environmentModel{modelBase: baseOf(o.Meta), ControlPlane: repoOf(o.ControlPlane)}
		}),
	}
}

type gitOpsRepoModel struct {
	modelBase
	repoModel
}

func newGitOpsRepoResource() resource.Resource {
	return &modelResource[gitOpsRepoModel, *manifest.GitOpsRepo]{
		typeName: "gitops_repo",
		kind:     manifest.KindGitOpsRepo,
		schema: modelSchema("A GitOps repository, which the clusters read. `kalypso_gitops_commit` uses its `repo` and `branch`, but not "+
			"`path`: if the path is not the root, set `path` of `kalypso_gitops_commit`.",
			dnsSubdomain, repoAttributes(), nil),
		toObjects: one(func(m gitOpsRepoModel) *manifest.GitOpsRepo {
			return &manifest.GitOpsRepo{Meta: m.meta(manifest.KindGitOpsRepo), RepoRef: m.ref()}
		}),
		toModel: sure(func(o *manifest.GitOpsRepo) gitOpsRepoModel {
			return gitOpsRepoModel{modelBase: baseOf(o.Meta), repoModel: repoOf(o.RepoRef)}
		}),
	}
}

type baseRepoModel struct {
	modelBase
	repoModel
	Commit *string `tfsdk:"commit"`
}

func newBaseRepoResource() resource.Resource {
	attributes := repoAttributes()
	attributes["commit"] = optionalText("The commit of the layer. The commit of the base repository named `main` is the promoted commit.",
		commitID)
	return &modelResource[baseRepoModel, *manifest.BaseRepo]{
		typeName: "base_repo",
		kind:     manifest.KindBaseRepo,
		schema: modelSchema("A base repository: another layer of objects for an environment, pinned to a commit. "+
			"[`kalypso_control_plane`](../data-sources/control_plane.md) reads the layer.",
			dnsSubdomain, attributes, nil),
		toObjects: one(func(m baseRepoModel) *manifest.BaseRepo {
			return &manifest.BaseRepo{Meta: m.meta(manifest.KindBaseRepo), RepoRef: m.ref(), Commit: text(m.Commit)}
		}),
		toModel: sure(func(o *manifest.BaseRepo) baseRepoModel {
			return baseRepoModel{modelBase: baseOf(o.Meta), repoModel: repoOf(o.RepoRef), Commit: optional(o.Commit)}
		}),
	}
}

type workloadRegistrationModel struct {
	modelBase
	Workload  repoModel `tfsdk:"workload"`
	Workspace string    `tfsdk:"workspace"`
}

func newWorkloadRegistrationResource() resource.Resource {
	return &modelResource[workloadRegistrationModel, *manifest.WorkloadRegistration]{
		typeName: "workload_registration",
		kind:     manifest.KindWorkloadRegistration,
		schema: modelSchema("A workload registration: the repository of an application team's workload, and its workspace. "+
			"[`kalypso_control_plane`](../data-sources/control_plane.md) reads the workload.",
			dnsSubdomain, map[string]schema.Attribute{
				"workspace": requiredText("Workspace of the workloads there, usually the application team.", filledLabelValue),
			}, map[string]schema.Block{
				"workload": repoBlock("Where the application team keeps its workload."),
			}),
		toObjects: one(func(m workloadRegistrationModel) *manifest.WorkloadRegistration {
			return &manifest.WorkloadRegistration{Meta: m.meta(manifest.KindWorkloadRegistration), Workload: m.Workload.ref(),
				Workspace: m.Workspace}
		}),
		toModel: sure(func(o *manifest.WorkloadRegistration) workloadRegistrationModel {
			return workloadRegistrationModel{modelBase: baseOf(o.Meta), Workload: repoOf(o.Workload), Workspace: o.Workspace}
		}),
	}
}
