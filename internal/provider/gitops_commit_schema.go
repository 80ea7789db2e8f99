// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// defaultDiffLines is how many lines of diff a plan shows.
const defaultDiffLines = 400

// timeoutText describes each timeout; see defaultTimeout.
const timeoutText = "How long it may take, as `30s` or `2h45m`. Defaults to `5m`."

// Schema has no attribute that is a number. For a number, Terraform (not OpenTofu) treats
// the refreshed value as another value than the one in the state. Then terraform plan
// -refresh-only -detailed-exitcode finds a change although there is none.
func (r *gitOpsCommitResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Places, composes and renders the fleet of one environment and writes the result to a branch of the GitOps " +
			"repository with one commit. " +
			"The plan shows which deployment target lands on which cluster type, and what changes in the repository.\n\n" +
			"The diff of the repository is a warning of the plan. It is missing with `-compact-warnings`, and in `terraform show` of a saved " +
			"plan.\n\n" +
			"The resource owns the folders of the fleet's cluster types below `path`, and the file that `overview` names. " +
			"If it knows a promoted commit, it also owns the file `.github/tracking/Promoted_Commit_Id`. " +
			"It never changes or removes anything else, unless you set `exclusive`.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "`<repo>#<branch>:<path>`, which is also the import id.",
			},
			"environment": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "The environment to write. Only deployment targets of this environment exist.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"manifests": schema.ListAttribute{
				ElementType: types.StringType,
				Required:    true,
				Sensitive:   true,
				MarkdownDescription: "The fleet: Kalypso's objects as YAML, one or more documents in each element. " +
					"Marked sensitive so that a plan shows what changes in the repository instead of the whole input.",
				Validators: []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues()},
			},
			"assignments": assignmentsInputAttribute(),
			"cluster_types": schema.ListAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "The names of the cluster types that this resource writes; others of the fleet are left alone. All, when not " +
					"set. So several resources of an environment share a branch and path, as waves: " +
					"each has its own record with the commit that it is at, and none writes the promoted commit's file. A cluster type that the fleet " +
					"has and that leaves the list stays unchanged, until another of these resources names it and takes it over. " +
					"A name that the fleet does not have is an error, unless the resource had it. See [Roll out in waves](../guides/waves.md).",
				Validators: []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
			"repo": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The URL of the GitOps repository: `https://`, `ssh://`, `git@host:path` or `file://`. Defaults to the " +
					"`GitOpsRepo` in the manifests: the one with the environment's name, or the only one. Of " +
					"[several](../guides/environments-and-promotion.md#several-gitopsrepos), each needs a resource of its own. " +
					"Only where it is set does its host get credentials from environment variables (`KALYPSO_GIT_PASSWORD`, …): where the " +
					"`GitOpsRepo` is modelled, write `repo = kalypso_gitops_repo.dev.repo`. " +
					"Changing `repo`, `branch` or `path` writes the new place first and then removes what is ours from the old one, as `on_removal` says.",
				Validators: []validator.String{gitURL},
			},
			"branch": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The branch to write. The first commit creates it where it does not exist. Defaults to the `GitOpsRepo` in the " +
					"manifests.",
				Validators: []validator.String{gitBranch},
			},
			"path": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The folder of the repository below which the cluster types' folders are. Defaults to `.`, the root, where " +
					"Kalypso writes whatever path the `GitOpsRepo` names; where it names another one than the root, `path` has to be set.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1), repoPath},
			},
			"promoted_commit": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "The commit of the control plane that this environment is at, or where there is none the id of a release, such " +
					"as `v1.4.0`, for `kalypso_promotion` and for Kalypso's promotion workflow: the content of `.github/tracking/Promoted_Commit_Id` at " +
					"the repository's root. " +
					"Defaults to the commit of the `BaseRepo` named `main` in the manifests; an empty text leaves the file alone. A branch has one such " +
					"file, so of several resources on one branch one should write it and the others leave it alone: the record of each says which " +
					"commit it is at, and `kalypso_promotion` reads that. With `cluster_types`, only the record says it.",
				Validators: []validator.String{stringvalidator.Any(stringvalidator.LengthAtMost(0), promotedID)},
			},
			"overview": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "The name of a Markdown file below `path` that shows the environment at a glance, such as `FLEET.md`, or " +
					"`README.md` for forges to show it with the folder: the cluster types with their labels, what is assigned where, what no policy " +
					"assigns, and, with at most 50 packages, a picture. " +
					"It is rendered from the fleet alone, so a plan shows how it changes, and it is this resource's as the folders are. None, when not " +
					"set.",
				Validators: []validator.String{overviewName},
			},
			"create_branch_from": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The branch that a missing `branch` starts from. Without it, a missing branch starts empty.",
				Validators:          []validator.String{gitBranch},
			},
			"exclusive": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether every folder below `path` that does not start with a dot belongs to this resource (Kalypso's own " +
					"rule). " +
					"Folders that are not the fleet's then show as drift from the next plan on, after the apply that sets this, and the apply of that " +
					"plan removes them: nothing is removed that a plan has not shown. Turning it off removes nothing. Defaults to `false`.",
			},
			"detail": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(string(engine.DetailPackage)),
				MarkdownDescription: "What `packages` is keyed by: `package` for `<cluster_type>/<deployment_target>`, or `cluster_type` for fleets " +
					"of many thousand assignments. Changing it replaces all keys and changes no file, as `summary` says. Defaults to `package`.",
				Validators: []validator.String{stringvalidator.OneOf(string(engine.DetailPackage), string(engine.DetailClusterType))},
			},
			"on_removal": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(string(ownership.Empty)),
				MarkdownDescription: "What becomes of the folder of a cluster type that leaves the fleet, and of all folders where this resource is " +
					"destroyed or moves to another place. " +
					"`empty`: a `README.md` alone is left, so that clusters that read the folder remove what they ran (Argo CD only with `allowEmpty`); " +
					"the folder may be deleted once no cluster reads it. " +
					"`delete`: it is deleted; Flux takes that for an error, and clusters go on running what it held. `retain`: it stays as it is, and " +
					"stays in the record. `forbid`: the plan is an error. " +
					"Defaults to `empty`. A destroy uses the value that was last applied.",
				Validators: []validator.String{stringvalidator.OneOf(string(ownership.Empty), string(ownership.Delete), string(ownership.Retain),
					string(ownership.Forbid))},
			},
			"hold": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Leaves the branch as it is, drift included, whatever the fleet says: the brake for an incident. Plans warn of " +
					"it, and destroying is an error meanwhile. Defaults to `false`.",
			},
			"on_error": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.OneOf("fail", "keep")},
				MarkdownDescription: "What happens when a [file of others](../guides/model-a-fleet.md#teams-with-repositories-of-their-own) is " +
					"broken: the plan fails (`fail`, the default), or the last text that was not broken is used until the file is fixed (`keep`). " +
					"A file that was broken from the first plan on is left out. Last texts may have 1 MiB in all."},
			"max_diff_lines": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "After how many lines the diff that a plan shows is cut, at the end of a file where possible. What is removed " +
					"comes first, then what changes, what is new, and what moves to another cluster type, at last one line for each `README.md`, the " +
					"overview and the promoted commit's file. A package that is removed, or moves and differs only in the cluster type's name, is one " +
					"line. `0` shows none. Defaults to `400`.",
				Validators: []validator.String{diffLines},
			},
			"ignore_findings": findingRulesAttribute(ignoreFindingsDescription + " A plan tells the others in one warning. A `CREDENTIAL` that is " +
				"not silenced is an error, see [Keep secrets out](../guides/secrets.md); so is a `TEXT_BREAKS_OUT`, see [texts of other " +
				"teams](../guides/templates.md#texts-of-other-teams)."),
			"fail_on": findingRulesAttribute(failOnDescription + " In an environment of more than 2,000 packages, only some of the " +
				"rendered files are checked as Kubernetes objects, unless a code about them is here."),
			"report_issue": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to keep one issue for the environment in the repository's forge, with the errors while the fleet " +
					"cannot be rendered. It is closed when they are fixed. " +
					"Plans do this too, since a fleet with errors never comes to an apply; so they need a token that may write issues. " +
					"It is done in runs whose environment has `" + publish.ReportVariable + "=1`; others warn that they would. Defaults to `false`.",
			},
			"instance_id": schema.StringAttribute{
				Computed:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
				MarkdownDescription: "The id under which the repository records what is this resource's: `.kalypso/<instance_id>` at its root. " +
					"See [Folders](../guides/folders.md).",
			},
			"packages": schema.MapAttribute{
				ElementType: types.StringType,
				Computed:    true,
				MarkdownDescription: "What is in the repository, or is proposed to be: `<cluster_type>/<deployment_target>`, " +
					"`<cluster_type>/README.md` and, where they are written, `.github/tracking/Promoted_Commit_Id` and the `overview`, as `./FLEET.md`, " +
					"each to a short digest of the content. This is what a plan shows as `+`, `~` and `-`, and what drift changes.",
			},
			"taken_over": schema.MapAttribute{
				ElementType: types.StringType,
				Computed:    true,
				MarkdownDescription: "What the last change took over from other resources of the environment and place: each path from the root of " +
					"the repository, with the record that listed it and the beginning of the id of what was there. " +
					"Folders that come back to `cluster_types` are among them. A plan shows it before, and an apply takes over nothing else: [Who owns " +
					"a folder](../guides/folders.md#who-owns-a-folder).",
			},
			"summary": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "The last change in one line: `+2 ~1 -0 packages in 2 cluster types`, or `no package changes; +0 ~1 -0 other " +
					"files` where only a `README.md`, the overview or the promoted commit's file differs.",
			},
			"commit": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "The id of the last commit that wrote packages, to `branch` or to that of a pull request; null where there " +
					"never had to be one.",
			},
			"pull_request_number": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "The number of the last pull request; null without one.",
			},
			"pull_request_url": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "The address of the last pull request; null without one.",
			},
			"status": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "`in_sync`: the branch holds the packages. `proposed`: a pull request for them is open. `closed`: it was closed " +
					"without a merge, so the same change is not proposed again. " +
					"`drifted`: somebody has changed our folders in the branch, or has pushed to the branch of the pull request.",
			},
			"merged_commit": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "The commit that brought the last pull request into the branch; null before.",
			},
		},
		Blocks: map[string]schema.Block{
			"limits":        limitsBlock(),
			"pull_request":  pullRequestBlock(),
			"report_status": reportStatusBlock(),
			"timeouts": timeouts.Block(ctx, timeouts.Opts{
				Create: true, CreateDescription: timeoutText, Read: true, ReadDescription: timeoutText,
				Update: true, UpdateDescription: timeoutText, Delete: true, DeleteDescription: timeoutText,
			}),
		},
	}
}

// assignmentsInputAttribute describes assignments as the data source gives them, of
// which the keys and the policies count: Terraform drops the rest of an object.
func assignmentsInputAttribute() schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		Optional: true,
		MarkdownDescription: "Replaces the placement by scheduling policies. The keys, `<cluster_type>/<deployment_target>`, are what is " +
			"assigned: pass the `assignments` of " +
			"`kalypso_assignments`, filtered or edited, or the decisions of another scheduler. What else the objects hold is not read.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"policies": schema.ListAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "The policies to name as the reason in README.md. Defaults to none.",
			},
		}},
	}
}

// findingRulesAttribute is a list of rules for findings.
func findingRulesAttribute(description string) schema.ListAttribute {
	return schema.ListAttribute{
		Optional: true, ElementType: types.StringType, MarkdownDescription: description,
		Validators: []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(findingRule)},
	}
}

// limitsBlock describes the limits of one plan's changes.
func limitsBlock() schema.SingleNestedBlock {
	amount := func(what string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, MarkdownDescription: what + " A number, or a share of the current packages in whole per cent, as `10%`.",
			Validators: []validator.String{limitAmount},
		}
	}
	return schema.SingleNestedBlock{
		MarkdownDescription: "What one plan may change of the packages that are in the repository. A plan beyond it is an error that lists " +
			"what would change and prints the code for `acknowledge`. " +
			"A creation counts what it takes over or finds. Destroying is bound by `protect` alone; a replacement also counts as the update that " +
			"it is.",
		Attributes: map[string]schema.Attribute{
			"max_removed": amount("How many packages may be removed. One that moves to another cluster type does not count."),
			"max_moved": amount("How many packages may move to another cluster type: a deployment target leaves one, and comes to another in the " +
				"same plan. Where it is not set, `max_removed` bounds them too."),
			"max_changed": amount("How many packages may change."),
			"max_changed_cluster_types": schema.StringAttribute{
				Optional: true, MarkdownDescription: "In how many cluster types packages may be added, changed or removed.",
				Validators: []validator.String{limitNumber},
			},
			"min_packages_per_target": schema.StringAttribute{
				Optional: true, MarkdownDescription: "How many packages a deployment target keeps at least when it loses one and is still in the " +
					"fleet: with `1`, none loses its last home. With `cluster_types`, those of the resource's own cluster types count, and no others.",
				Validators: []validator.String{limitNumber},
			},
			"allow_empty": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether there may be no package: whether a plan may remove the last one, and whether the resource may be " +
					"created for an environment that no deployment target names. " +
					"Destroying the resource needs no such leave. Defaults to `false`.",
			},
			"acknowledge": schema.StringAttribute{
				Optional: true, Computed: true,
				PlanModifiers: []planmodifier.String{keptWhereNotSet{}},
				Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "The code that a plan beyond these limits prints. It lifts them for exactly that change of exactly what is in " +
					"the repository. No code lifts `protect` or `allow_empty`. " +
					"Where it is not set, nothing is acknowledged, and the state keeps the last code, so that taking it out changes nothing.",
			},
			"protect": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Patterns of packages that no plan removes, such as `*/observability-*`. `*` stands for anything but a slash. " +
					"One may move to another cluster type if its deployment target has as many packages of the pattern as before. `acknowledge` does " +
					"not lift it.",
				Validators: []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(protectPattern)},
			},
		},
	}
}

// keptWhereNotSet plans the state's value if the configuration has none. So a value that
// is only given for one plan causes no change in the next one.
type keptWhereNotSet struct{}

func (keptWhereNotSet) Description(context.Context) string { return "stays where it is not set" }
func (keptWhereNotSet) MarkdownDescription(context.Context) string {
	return "stays where it is not set"
}

func (keptWhereNotSet) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if req.ConfigValue.IsNull() {
		resp.PlanValue = req.StateValue
	}
}

// pullRequestBlock describes pull_request.
func pullRequestBlock() schema.SingleNestedBlock {
	names := func(what string) schema.ListAttribute {
		return schema.ListAttribute{
			Optional: true, ElementType: types.StringType, MarkdownDescription: what,
			Validators: []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
		}
	}
	return schema.SingleNestedBlock{
		MarkdownDescription: "Proposes every change as a pull request instead of writing to `branch`; an empty block does it with defaults. " +
			"Its branch is `<branch_prefix><environment>/<12 digits>`, " +
			"which follow from the resource, the content and the commit that it is based on. A newer request of this resource closes the older " +
			"one; requests of others are never touched. " +
			"Needs a token of the forge, see `forges` of the provider. Destroying this resource proposes the removal.",
		Attributes: map[string]schema.Attribute{
			"title": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The title. Defaults to `<environment>: <summary>`.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"labels": names("Labels, which are created where they are missing. `promoted` is added when the promoted commit changes, as " +
				"Kalypso's promotion workflow expects."),
			"reviewers":      names("Users to ask for a review."),
			"team_reviewers": names("Teams to ask for a review."),
			"draft": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether to open the request as a draft. Defaults to `false`.",
			},
			"auto_merge": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How the forge merges the request once its rules are met: `merge`, `squash` or `rebase`. Without it, a person " +
					"merges.",
				Validators: []validator.String{stringvalidator.OneOf(string(forge.Merge), string(forge.Squash), string(forge.Rebase))},
			},
			"wait_for_merge": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether apply waits until the request is merged, up to its timeout (`timeouts`). Defaults to `false`.",
			},
			"branch_prefix": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "How the names of the branches begin. Defaults to `" + request.DefaultBranchPrefix + "`.",
				Validators:          []validator.String{branchPrefix},
			},
		},
	}
}

// reportStatusBlock describes report_status.
func reportStatusBlock() schema.SingleNestedBlock {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Sets the commit status `" + publish.StatusContext +
			"<environment>` at the end of an apply: `success` if `branch` " +
			"holds the packages, `failure` if the apply could not write them. " +
			"The status is on the commit of the control plane that the environment is at: `promoted_commit`, or the commit of the `BaseRepo` " +
			"named `main`. " +
			"The apply warns if it cannot set the status. The token of the forge needs the right to write commit statuses, see `forges` of the " +
			"provider. With `pull_request`, set `wait_for_merge = true` too. If an environment has several resources, set it in one of them.",
		Validators: []validator.Object{mustSet("repo")},
		Attributes: map[string]schema.Attribute{
			"repo": schema.StringAttribute{
				Optional: true, // or the framework would ask for it where there is no block
				MarkdownDescription: "The URL of the control plane's repository, which has the commit. It is named here and not taken from the " +
					"`BaseRepo`, since its host gets credentials from environment variables (`KALYPSO_FORGE_TOKEN`), " +
					"and manifests must not choose where these go. Has to be set.",
				Validators: []validator.String{gitURL},
			},
		},
	}
}
