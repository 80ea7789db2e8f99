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

func newControlPlaneDataSource() datasource.DataSource {
	return &controlPlaneDataSource{configured{name: "control_plane"}}
}

// The sources beside the control plane itself.
const (
	followBaseRepos     = "base_repos"
	followRegistrations = "workload_registrations"
)

// The effect of a source of another team that cannot be read.
const (
	unreachableError = "error"
	unreachableKeep  = "keep"
)

func (d *controlPlaneDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	ofRepo := stringvalidator.AlsoRequires(path.MatchRoot("repo"))
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the manifests of an environment from Kalypso's control plane, as Flux does, and writes nothing. The data " +
			"source reads the objects in the environment's branch, follows every `BaseRepo` (at its `commit`, if set), and reads the workloads of " +
			"every `WorkloadRegistration`. With `fleet_manifests`, it does the same for a fleet in HCL or files.\n\nThe data source reads the " +
			"YAML files of the folder and its subfolders. It keeps Kalypso's objects, the platform configuration and every " +
			"`CustomResourceDefinition`. A warning names documents that are not Kubernetes objects. The data source skips symbolic links, the " +
			"files that Flux leaves out by default (`.git*`, CI folders such as `.github/`, …), and the files that a `.sourceignore` file " +
			"excludes. A folder with a `kustomization.yaml` is an error.\n\nIt reads at most 64 MiB and 20,000 files of a source. If a server " +
			"does not support partial fetches, the whole source needs memory, up to `max_fetch_mib` of the provider.",
		Attributes: map[string]schema.Attribute{
			"id": computedText("`<repo>#<branch>:<path>`, the directory, or with `fleet_manifests` the environment."),
			"repo": optionalArgument("URL of the repository of the control plane: `https://`, `ssh://`, `git@host:path` or `file://`. Exactly one "+
				"of `repo`, `directory`, `environment_manifest` and `fleet_manifests` has to be set. Only repositories on the host of `repo` get "+
				"credentials from environment variables (`KALYPSO_GIT_PASSWORD`, …).", gitURL),
			"branch": optionalArgument("The branch of the environment. Has to be set, except with `commit`.", gitBranch, ofRepo),
			"commit": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The commit of `repo` to read instead of the head of the branch. Some servers, and abbreviated ids, need a " +
					"`branch` too. The result has the full id of the commit; null if no commit was read.",
				Validators: []validator.String{commitID, ofRepo},
			},
			"path": optionalArgument("Folder of the control plane in `repo`. Defaults to the root.", repoPath, ofRepo),
			"directory": optionalArgument("A local folder with the control plane, such as `${path.module}/control-plane`. The data source "+
				"reads it without Git, obeys its `.sourceignore` files, and skips `.git` and `.terraform` folders.",
				stringvalidator.LengthAtLeast(1)),
			"environment_manifest": optionalArgument("The text of an `Environment` in YAML, such as `file(\"dev.yaml\")`: the data source reads "+
				"its `controlPlane`.",
				stringvalidator.LengthAtLeast(1)),
			"fleet_manifests": schema.ListAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "The manifests of a fleet, such as `local.fleet`: the data source reads what its registrations and base " +
					"repositories point to. `manifests` begins with them, without duplicates. Repositories that only manifests name get no credentials " +
					"from environment variables: use `url_prefix` in the provider block. `manifests` is known only after the apply while a fleet " +
					"manifest is unknown, or a `depends_on` has pending changes.",
				Validators: []validator.List{listvalidator.NoNullValues()},
			},
			"environment": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Name of the environment. Has to be set, except with `environment_manifest`.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"follow": schema.SetAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "What to read besides the control plane: `" + followBaseRepos + "`, `" + followRegistrations +
					"`. Defaults to both; `[]` reads only the control plane.",
				Validators: []validator.Set{
					setvalidator.NoNullValues(),
					setvalidator.ValueStringsAre(stringvalidator.OneOf(followBaseRepos, followRegistrations)),
				},
			},
			"on_unreachable": optionalArgument("What happens if the repository, branch or folder of a registration or fenced source "+
				"cannot be read: `error` (default) or `keep`. With `keep`, the source counts as a broken file (see `allow`), so "+
				"`kalypso_gitops_commit` with `on_error = \"keep\"` leaves packages unchanged whose deployment target no manifest names.",
				stringvalidator.OneOf(unreachableError, unreachableKeep)),
			"base_commits": schema.MapAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "Commits of base repositories, by the name of the `BaseRepo`, instead of its `commit`: `{ main = " +
					"data.kalypso_promotion.stage.commit }`. The `BaseRepo` in `manifests` gets the commit. Null is an error: no commit is verified yet.",
				Validators: []validator.Map{mapvalidator.ValueStringsAre(commitID)},
			},
			"source_commits": schema.MapAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "Commits at which to read the branches that `BaseRepo` and `WorkloadRegistration` objects name, instead of " +
					"their heads: `data.kalypso_promotion.stage.sources`. The keys are those of `sources`. Entries for other branches have no " +
					"effect, and `base_commits` comes first. A warning names a branch without a commit.",
				Validators: sourceCommits,
			},
			"manifests": computedTexts("Every object of the environment, in a fixed order, for `kalypso_assignments` and `kalypso_gitops_commit`. " +
				"Each begins with a comment that names its file and line. The objects of `fleet_manifests` come first. A " +
				"`SourceNote` replaces each broken file of another team."),
			"promoted_commit": computedText("The commit of the `BaseRepo` named `main`, or null."),
			"sources": schema.MapAttribute{
				ElementType: types.StringType, Computed: true,
				MarkdownDescription: "The commit of each branch that a `BaseRepo` or a `WorkloadRegistration` names, by `<repo>#<branch>`, for " +
					"`kalypso_gitops_commit`. Objects with a `commit` and the control plane itself are not in it.",
			},
		},
		Blocks: map[string]schema.Block{
			"timeouts": timeouts.BlockWithOpts(ctx, timeouts.Opts{ReadDescription: timeoutText}),
			"allow":    allowBlock(),
		},
	}
}

// allowBlock describes the fences.
func allowBlock() schema.ListNestedBlock {
	list := func(description string, each validator.String) schema.ListAttribute {
		return schema.ListAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: description,
			Validators: []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(each)}}
	}
	return schema.ListNestedBlock{
		MarkdownDescription: "A fence: the objects that a source may bring, directly or through further sources. Several blocks for one source " +
			"add up. A file with any other object is broken as a whole, and so is an invalid file of a registration or of a fenced source. See " +
			"[Teams with repositories of their own](../guides/model-a-fleet.md#teams-with-repositories-of-their-own).",
		NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
			"source": schema.StringAttribute{Required: true, Validators: []validator.String{fencePattern},
				MarkdownDescription: "`BaseRepo/<name>` or `WorkloadRegistration/<name>`; `<name>` if only one of the two has the name; or the URL " +
					"of a repository, with `//<folder>` for a folder and everything below it. In patterns, `*` is any text without `/`: " +
					"`WorkloadRegistration/*`, `https://github.com/contoso/*`. Without a pattern, the source has to exist."},
			"kinds": list("The kinds of objects, such as `Workload`. Defaults to all.", stringvalidator.OneOf(manifest.AllKinds()...)),
			"workspaces": list("The workspaces of objects, as patterns. Only a `Workload`, a `WorkloadRegistration` and a `SchedulingPolicy` "+
				"can have a workspace: this list refuses all other objects. Defaults to all.", fencePattern),
			"names": list("The names of objects, as patterns: `team-a-*`. Defaults to all.", fencePattern),
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
	ctx = remote.Trusting(ctx, model.Repo.ValueString()) // not the repositories that a manifest names

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
