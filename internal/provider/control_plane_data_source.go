// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/controlplane"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

var (
	_ datasource.DataSourceWithConfigure        = (*controlPlaneDataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*controlPlaneDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig   = (*controlPlaneDataSource)(nil)
)

// controlPlaneDataSource reads the manifests of an environment from the place that Kalypso
// uses.
type controlPlaneDataSource struct{ configured }

// NewControlPlaneDataSource makes the data source kalypso_control_plane.
func NewControlPlaneDataSource() datasource.DataSource { return &controlPlaneDataSource{} }

func (d *controlPlaneDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_control_plane"
}

// The sources beside the control plane itself.
const (
	followBaseRepos     = "base_repos"
	followRegistrations = "workload_registrations"
)

// The effect of a registration that cannot be read.
const (
	unreachableError = "error"
	unreachableWarn  = "warn"
	unreachableNote  = "note"
)

func (d *controlPlaneDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	ofRepo := []validator.String{stringvalidator.AlsoRequires(path.MatchRoot("repo"))}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the manifests of an environment from where Kalypso keeps them, and never writes there. It does what Flux " +
			"does for Kalypso: " +
			"it takes the objects of the environment's branch, follows every `BaseRepo` (at its commit, if it names one), and reads the workloads " +
			"at the place of every `WorkloadRegistration`, " +
			"which get its workspace. A fleet in HCL or in files is followed in the same way, with `fleet_manifests`.\n\n" +
			"The data source reads the YAML files of the folder and of all folders in it. It keeps Kalypso's objects, the platform configuration " +
			"and every `CustomResourceDefinition`. " +
			"A warning names the documents that are not Kubernetes objects, such as the values of a Helm chart. " +
			"It skips the files that Flux leaves out by default (`.git*`, CI folders such as `.github/`, …), the files that a `.sourceignore` " +
			"file excludes, and symbolic links. A folder with a `kustomization.yaml` is an error.\n\n" +
			"It reads at most 64 MiB and 20,000 files of a source, and fetches nothing else. If a server does not support partial fetches, the " +
			"whole source needs memory, up to `max_fetch_mib` of the provider.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "`<repo>#<branch>:<path>`, the directory, or the environment where `fleet_manifests` is set.",
			},
			"repo": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "URL of the repository that holds the control plane: `https://`, `ssh://`, `git@host:path` or `file://`. " +
					"Exactly one of `repo`, `directory`, `environment_manifest` and `fleet_manifests` has to be set. " +
					"Of all repositories that are read, only those on its host get credentials from environment variables (`KALYPSO_GIT_PASSWORD`, …).",
				Validators: []validator.String{gitURL},
			},
			"branch": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The environment's branch of `repo`. Needed unless `commit` is set.",
				Validators:          append([]validator.String{gitBranch}, ofRepo...),
			},
			"commit": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The commit of `repo` to read instead of the branch's head. Some servers only give commits of a `branch`, and " +
					"an abbreviated id needs one too. When read: the id of the commit that was read, in full; null where none was.",
				Validators: append([]validator.String{commitID}, ofRepo...),
			},
			"path": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Folder of `repo` that holds the control plane. The root when not set.",
				Validators:          append([]validator.String{repoPath}, ofRepo...),
			},
			"directory": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "A local folder that holds the control plane, such as `${path.module}/control-plane`. It is read without Git; " +
					"what its objects point to is followed all the same. " +
					"Its `.sourceignore` files apply, and `.git` and `.terraform` folders are left out.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"environment_manifest": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "The manifest of an `Environment`, such as `kalypso_environment.dev.manifest`: its `controlPlane` is read. " +
					"Pass it through a `local`: a data source that names a managed resource directly is only read at apply while that resource changes.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"fleet_manifests": schema.ListAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "The manifests of a fleet that is kept elsewhere, such as `local.fleet`: what its registrations and base " +
					"repositories point to is read. They come out in `manifests` again, followed by what was read, and nothing twice. " +
					"Repositories that only manifests name get no credentials from environment variables: `url_prefix` in the provider block says which " +
					"do. While one of them is unknown, or a `depends_on` has pending changes, `manifests` is known after the apply.",
				Validators: []validator.List{listvalidator.NoNullValues()},
			},
			"environment": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Name of the environment. Has to be set, except with `environment_manifest`, which names it.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"follow": schema.SetAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "What is read beside the control plane itself: `" + followBaseRepos + "`, `" + followRegistrations +
					"`. Both when not set; `[]` reads only what is here.",
				Validators: []validator.Set{
					setvalidator.NoNullValues(),
					setvalidator.ValueStringsAre(stringvalidator.OneOf(followBaseRepos, followRegistrations)),
				},
			},
			"on_unreachable": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "What it is when a registration's repository, branch or folder cannot be read: an `error` (default), `warn` or " +
					"`note`. With a warning, the workloads of the registration are missing from `manifests`, and applying removes their assignments; " +
					"the warning names the policies and cluster types concerned. A note stands for the registration as for a broken file, see `allow`: " +
					"with `on_error = \"keep\"`, the workloads stay as they were. " +
					"What can be read and is wrong is an error in the platform team's own files.",
				Validators: []validator.String{stringvalidator.OneOf(unreachableError, unreachableWarn, unreachableNote)},
			},
			"base_commits": schema.MapAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "Commits to read base repositories at, by the names of their `BaseRepo`, instead of those that are written " +
					"there: `{ main = data.kalypso_promotion.stage.commit }`. " +
					"The `BaseRepo` in `manifests` has the commit, and `promoted_commit` is that of `main`. A null is an error, and never the branch's " +
					"head: it says that nothing is verified yet.",
				Validators: []validator.Map{mapvalidator.ValueStringsAre(commitID)},
			},
			"manifests": schema.ListAttribute{
				ElementType: types.StringType, Computed: true,
				MarkdownDescription: "Every object that the environment sees, for `kalypso_assignments` and `kalypso_gitops_commit`: one element for " +
					"each that was read, which begins with a comment that names its file and line; before them those of `fleet_manifests` as they are. " +
					"In a fixed order. A `SourceNote` stands for each file of others that cannot be read: pass it on.",
			},
			"promoted_commit": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "The commit that the `BaseRepo` named `main` is at, by `base_commits` or as it says; null where there is none " +
					"or it names no commit.",
			},
			"sources": sourcesAttribute(),
		},
		Blocks: map[string]schema.Block{"timeouts": timeouts.Block(ctx), "allow": allowBlock()},
	}
}

// allowBlock are the fences.
func allowBlock() schema.ListNestedBlock {
	patterns := func(description string) schema.ListAttribute {
		return schema.ListAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: description,
			Validators: []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(fencePattern)}}
	}
	return schema.ListNestedBlock{
		MarkdownDescription: "A fence: what a source may bring, and what it may lead to. Several blocks for one source add up. A file that " +
			"brings anything else is broken as a whole, and so is any file of a registration or of a fenced source that is not valid. See " +
			"[Teams with repositories of their own](../guides/model-a-fleet.md#teams-with-repositories-of-their-own).",
		NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
			"source": schema.StringAttribute{Required: true, Validators: []validator.String{fencePattern},
				MarkdownDescription: "`BaseRepo/<name>`, `WorkloadRegistration/<name>`, or `<name>` where only one of them has it; or the URL of a " +
					"repository, with `//<folder>` for a folder and all below it. In patterns, `*` is any text without `/`: `WorkloadRegistration/*`, " +
					"`https://github.com/contoso/*`."},
			"kinds": schema.ListAttribute{ElementType: types.StringType, Optional: true,
				MarkdownDescription: "The kinds of objects, such as `Workload`. All, when not set.",
				Validators:          []validator.List{listvalidator.ValueStringsAre(stringvalidator.OneOf(manifest.AllKinds()...))}},
			"workspaces": patterns("The workspaces that objects are for, as patterns. Only a `Workload`, a `WorkloadRegistration` and a " +
				"`SchedulingPolicy` can be for one: this list refuses all others. All, when not set."),
			"names": patterns("The names of objects, as patterns: `team-a-*`. All, when not set."),
		}},
	}
}

func sourcesAttribute() schema.ListNestedAttribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: "What was read: the control plane first, where there is one, then the other sources by repository, branch and path.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"repo":   text("URL of the repository, without secrets; null for a directory."),
			"branch": text("The branch; null where there is none."),
			"commit": text("The commit that was read; null for a directory."),
			"path":   text("The folder."),
			"reasons": schema.ListAttribute{
				ElementType: types.StringType, Computed: true,
				MarkdownDescription: "Why it was read: `control plane`, or the objects that name it, as kind/name.",
			},
		}},
	}
}

func (d *controlPlaneDataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{
		datasourcevalidator.ExactlyOneOf(path.MatchRoot("repo"), path.MatchRoot("directory"), path.MatchRoot("environment_manifest"),
			path.MatchRoot("fleet_manifests")),
	}
}

// ValidateConfig asks for the attributes that other attributes make necessary.
func (d *controlPlaneDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse) {
	var model controlPlaneModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if !model.Repo.IsNull() && model.Branch.IsNull() && model.Commit.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("branch"), "Missing branch",
			"A control plane in a repository needs the branch to read. Set branch, or commit.")
	}
	if model.Environment.IsNull() && model.EnvironmentManifest.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("environment"), "Missing environment",
			"The environment has no name. Set environment.")
	}
}

// Read loads the control plane. It needs git only for the parts in a repository.
func (d *controlPlaneDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model controlPlaneModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(model.checkVerified()...)
	d.data.spare(&resp.Diagnostics)
	request, diags := model.request(ctx)
	resp.Diagnostics.Append(diags...)
	timeout, diags := model.Timeouts.Read(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ctx = remote.Trusting(ctx, model.Repo.ValueString()) // and nothing that a manifest names

	loader := controlplane.Loader{Snapshots: d.data.Snapshots}
	if len(d.data.Unknown) > 0 {
		loader.Offline = d.data.offline()
	}
	result, err := loader.Load(ctx, request)
	resp.Diagnostics.Append(diagnostics(message.Messages{Warnings: message.Told(result.Warnings)}.About(model.Environment.ValueString(),
		model.place()))...)
	resp.Diagnostics.Append(problemDiagnostics(err)...)
	if err == nil {
		resp.Diagnostics.Append(checkBaseCommits(request.BaseCommits, result.BaseRepos)...)
	}
	d.data.spare(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	model.take(request, result)
	if len(model.Manifests) == 0 && d.data.Hold { // an empty list is an error elsewhere
		model.Manifests = []string{"# Nothing could be read, and the provider is on hold.\n"}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
