// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/controlplane"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

var _ datasource.DataSourceWithConfigure = (*controlPlaneDataSource)(nil)

// controlPlaneDataSource reads the manifests of an environment from the place that Kalypso
// uses.
type controlPlaneDataSource struct{ dataSource }

func newControlPlaneDataSource() datasource.DataSource {
	return &controlPlaneDataSource{dataSource{name: "control_plane"}}
}

func (d *controlPlaneDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	ofRepo := stringvalidator.AlsoRequires(path.MatchRoot("repo"))
	oneSource := stringvalidator.ExactlyOneOf(path.MatchRoot("repo"), path.MatchRoot("directory"), path.MatchRoot("fleet_manifests"))
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the manifests of an environment from Kalypso's control plane, as Flux does, and writes nothing. The data " +
			"source reads the objects in the environment's branch, follows every `BaseRepo` (at its `commit`, if set), and reads the workloads of " +
			"every `WorkloadRegistration`. With `fleet_manifests`, it does the same for a fleet in HCL or files.\n\nThe data source reads the " +
			"YAML files of the folder and its subfolders. It keeps Kalypso's objects and the platform configuration. A " +
			"warning names documents that are not Kubernetes objects. The data source skips symbolic links, the " +
			"files that Flux leaves out by default (`.git*`, CI folders such as `.github/`, …), and the files that a `.sourceignore` file " +
			"excludes. A folder with a `kustomization.yaml` is an error.\n\nA registration brings `Workload` objects only, in its workspace. See " +
			"[Teams with repositories of their own]" +
			"(../guides/teams.md).\n\nThe data source reads at most 64 MiB and 20,000 files of a " +
			"source. If a server does not support partial fetches, the whole source needs memory, up to `max_fetch_mib` of the provider. The " +
			"server of a registration has 30 seconds.",
		Attributes: map[string]schema.Attribute{
			"repo": optionalArgument("URL of the repository of the control plane: `https://`, `ssh://`, `git@host:path` or `file://`. Exactly one "+
				"of `repo`, `directory` and `fleet_manifests` has to be set. Only repositories on the host of `repo` get credentials from "+
				"environment variables (`KALYPSO_GIT_PASSWORD`, …).", gitURL, oneSource, stringvalidator.AlsoRequires(path.MatchRoot("branch"))),
			"branch": optionalArgument("The branch of the environment. Has to be set with `repo`.", gitBranch, ofRepo),
			"path":   optionalArgument("Folder of the control plane in `repo`. Defaults to `.`, the root.", repoPath, ofRepo),
			"directory": optionalArgument("A local folder with the control plane, such as `${path.module}/control-plane`. The data source "+
				"reads it without Git, obeys its `.sourceignore` files, and skips `.git` and `.terraform` folders.",
				stringvalidator.LengthAtLeast(1)),
			"fleet_manifests": schema.ListAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "The manifests of a fleet, such as `local.fleet`: the data source reads what its registrations and base " +
					"repositories point to. `manifests` begins with them. Repositories that only manifests name get no credentials " +
					"from environment variables: use `url_prefix` in the provider block. `manifests` is known only after the apply while a fleet " +
					"manifest is unknown, or a `depends_on` has pending changes.",
				Validators: []validator.List{listvalidator.NoNullValues()},
			},
			"environment": requiredArgument("Name of the environment.", stringvalidator.LengthAtLeast(1)),
			"release": schema.SingleNestedAttribute{
				Optional: true, Validators: []validator.Object{releaseRule{"must have commit and sources"}},
				MarkdownDescription: "The release to read: `data.kalypso_promotion.stage.release`. Without it, the data source reads the heads.",
				Attributes: map[string]schema.Attribute{
					"commit": optionalArgument("The commit of the `BaseRepo` named `main`, if the branch has one, or else of `branch`. Null is an "+
						"error, because nothing is verified yet.", promotedID),
					"sources": schema.MapAttribute{ElementType: types.StringType, Optional: true,
						MarkdownDescription: "The commits of the other branches that a `BaseRepo` or a `WorkloadRegistration` names, by " +
							"`<repo>#<branch>`. Has to be set with `commit`. `{}` reads their heads. A branch that other sources do not name is read at its " +
							"head, with a warning. Objects with a `commit`, and objects that name `branch` itself, are not in it."},
				},
			},
			"read_release": schema.ObjectAttribute{AttributeTypes: releaseParts, Computed: true,
				MarkdownDescription: "The release that was read, for `release` of `kalypso_gitops_commit`: `release`, with the heads that were read " +
					"in place of `{}`. A branch that could not be read has zeros, and the resource then writes the commit of its last release. It is " +
					"null if nothing names its commit: a `directory` or `fleet_manifests` without a `BaseRepo` named `main` can name its release " +
					"itself, as " +
					"`{ commit = \"v1.4.0\", sources = {} }`. If Terraform reads the data source only during the apply (a `depends_on` with pending " +
					"changes), the plan does not know it.",
			},
			"manifests": computedTexts("Every object of the environment, in a fixed order, for `kalypso_gitops_commit` and the functions. " +
				"Each begins with a comment that names its file and line. The objects of `fleet_manifests` come first. A `SourceNote` takes the " +
				"place of each broken file or source of another team: `kalypso_gitops_commit` fails, or keeps the packages (`on_error = \"keep\"`)."),
		},
		Blocks: map[string]schema.Block{
			"timeouts": timeouts.BlockWithOpts(ctx, timeouts.Opts{ReadDescription: timeoutText}),
		},
	}
}

// Read loads the control plane. It needs git only for the parts in a repository.
func (d *controlPlaneDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model controlPlaneModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	timeout, diags := timeLimit{"read", model.Timeouts.Read}.read(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	loaded := &controlplane.Loaded{}
	diags = checkRelease(ctx, model.Release, false, true, path.Root("release"))
	if !diags.HasError() { // or else the heads would be read
		loaded, diags = d.load(ctx, &model)
	}
	if diags.HasError() && d.deferred(req, resp) { // a local control plane may need nothing of the provider
		return
	}
	resp.Diagnostics.Append(diags...)
	d.data.spare(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	model.take(loaded)
	if diags.HasError() { // the provider is on hold
		model.Manifests = append(model.Manifests, manifest.Incomplete(diags.Errors()[0].Detail()))
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// load reads the control plane. A repository that only a manifest names gets no credential from
// environment variables.
func (d *controlPlaneDataSource) load(ctx context.Context, model *controlPlaneModel) (*controlplane.Loaded, diag.Diagnostics) {
	ctx = remote.Trusting(ctx, model.Repo.ValueString())
	loader := controlplane.Loader{Snapshots: d.data.Snapshots, Offline: d.data.offline()}
	loaded, err := loader.Load(ctx, model.scope())
	diags := diagnostics(message.Messages{Warnings: message.Told(loaded.Warnings)}.About(model.Environment.ValueString(), model.place()))
	return loaded, append(diags, problemDiagnostics(err)...)
}

type controlPlaneModel struct {
	Repo           types.String   `tfsdk:"repo"`
	Branch         types.String   `tfsdk:"branch"`
	Path           types.String   `tfsdk:"path"`
	Directory      types.String   `tfsdk:"directory"`
	FleetManifests types.List     `tfsdk:"fleet_manifests"`
	Environment    types.String   `tfsdk:"environment"`
	Release        types.Object   `tfsdk:"release"`
	ReadRelease    types.Object   `tfsdk:"read_release"`
	Manifests      []string       `tfsdk:"manifests"`
	Timeouts       timeouts.Value `tfsdk:"timeouts"`
}

// place names the place of the control plane. It is empty if the configuration contains
// the control plane.
func (m *controlPlaneModel) place() string {
	if m.Repo.IsNull() {
		return m.Directory.ValueString()
	}
	return git.Location{Repo: m.Repo.ValueString(), Branch: m.Branch.ValueString(), Path: m.Path.ValueString()}.String()
}

func (m *controlPlaneModel) scope() controlplane.Scope {
	scope := controlplane.Scope{
		Environment: m.Environment.ValueString(),
		Branch:      git.Branch{Repo: m.Repo.ValueString(), Name: m.Branch.ValueString()},
		Path:        m.Path.ValueString(),
		Directory:   m.Directory.ValueString(),
		Release:     releaseOf(m.Release),
	}
	if !m.FleetManifests.IsNull() {
		scope.Manifests = manifestInputs(m.FleetManifests)
		for i := range scope.Manifests {
			scope.Manifests[i].Name = "fleet_" + scope.Manifests[i].Name
		}
	}
	return scope
}

// take fills the computed attributes. A fleet that names no release has none.
func (m *controlPlaneModel) take(loaded *controlplane.Loaded) {
	m.Manifests = append([]string{}, loaded.Manifests...)
	m.ReadRelease = types.ObjectNull(releaseParts)
	if loaded.Release.Commit != "" {
		m.ReadRelease = releaseValue(loaded.Release)
	}
}
