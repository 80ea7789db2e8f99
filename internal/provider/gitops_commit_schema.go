// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
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
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// Schema has one sensitive attribute, manifests. Terraform saves the paths of several sensitive
// attributes in a random order, and treats another order as a change too.
func (r *gitOpsCommitResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Places, composes and renders the fleet of one environment, and writes the result to a branch of the GitOps " +
			"repository with one commit. The plan shows which deployment target runs on which cluster type, and the changes in the " +
			"repository.\n\nThe diff of the repository is a warning of the plan. `-compact-warnings` and `terraform show` of a saved plan leave " +
			"the diff out.\n\nThe resource owns the folders of the fleet's cluster types below `path` and, if it writes one, the promoted " +
			"commit's file. It never changes or removes anything else.",
		Attributes: map[string]schema.Attribute{
			"id":          resultText("`<repo>#<branch>:<path>`, which is also the import id."),
			"environment": requiredText("The environment to write.", stringvalidator.LengthAtLeast(1)),
			"manifests": schema.ListAttribute{
				ElementType: types.StringType,
				Optional:    true,
				Sensitive:   true,
				MarkdownDescription: "The fleet: Kalypso's objects as YAML, one or more documents in each element. It has to be set, except in what " +
					"`terraform plan -generate-config-out` writes. `[]` writes only `files`. Sensitive, so that a plan does not print all of it.",
				Validators: []validator.List{listvalidator.NoNullValues()},
			},
			"assignments": schema.MapAttribute{
				ElementType: types.SetType{ElemType: types.StringType}, Optional: true,
				MarkdownDescription: "Replaces the placement by scheduling policies. The keys, `<cluster_type>/<deployment_target>`, are the " +
					"assignments. The values are the policies that README.md names as the reason, or `[]`. Pass the result of the " +
					"function `assignments`, filtered or edited, as `{ for key, a in local.assignments : key => a.policies }`, or the decisions of " +
					"another scheduler.",
				Validators: []validator.Map{mapvalidator.NoNullValues()},
			},
			"cluster_types": optionalTexts("The names of the cluster types that this resource writes. Defaults to all. With `cluster_types`, "+
				"several resources of an environment share a branch and path, as [waves](../guides/waves.md). A cluster type that leaves the list, "+
				"but not the fleet, keeps its folder. A name that the fleet does not have is an error, unless the resource had that folder.",
				stringvalidator.LengthAtLeast(1)),
			"repo": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The URL of the GitOps repository: `https://`, `ssh://`, `git@host:path` or `file://`. Defaults to the " +
					"`GitOpsRepo` in the manifests that has the environment's name, or to the only `GitOpsRepo`. With " +
					"[several](../guides/environments-and-promotion.md#several-gitopsrepos), write a resource for each. Set `repo` to use [credentials " +
					"from environment variables](../index.md#credentials-from-environment-variables). Changing `environment`, `repo`, `branch` or " +
					"`path` replaces the resource: the folders in the old place stay, released.",
				Validators: []validator.String{gitURL},
			},
			"branch": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The branch to write. The first commit creates a missing branch. Defaults to the branch of the `GitOpsRepo`.",
				Validators:          []validator.String{gitBranch},
			},
			"path": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString("."),
				MarkdownDescription: "The folder of the repository that has the folders of the cluster types. Defaults to `.`, the root. It has to " +
					"be set if the `GitOpsRepo` names another path than the root.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1), repoPath},
			},
			"release": schema.SingleNestedAttribute{
				Optional: true,
				MarkdownDescription: "The release that this environment is at, for the resource's record, which `kalypso_promotion` reads: " +
					"`data.kalypso_control_plane.dev.read_release`. Without a control-plane repository: `{ commit = \"v1.4.0\", sources = {} }`. " +
					"Without `cluster_types`, and if `path` is the root, `commit` also goes to `.github/tracking/Promoted_Commit_Id`, for " +
					"Kalypso's promotion " +
					"workflow. Defaults to the commit of the `BaseRepo` named `main`. A change of `release` alone makes a commit too.",
				Attributes: map[string]schema.Attribute{
					"commit": optionalText(releaseCommit+" That is an error, except on hold.", promotedID),
					"sources": schema.MapAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: "The commits of the repositories " +
						"that the control plane follows, by `<repo>#<branch>`. Without it, the record has none."},
				},
			},
			"create_branch_from": optionalText("The branch that a missing `branch` starts from. By default, a missing branch starts empty.",
				gitBranch),
			"detail": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(string(engine.DetailPackage)),
				MarkdownDescription: "The keys of `packages`: `package` for `<cluster_type>/<deployment_target>`, or `cluster_type` for fleets " +
					"with more than 2,000 packages. Changing `detail` changes no file. Defaults to `package`.",
				Validators: []validator.String{stringvalidator.OneOf(string(engine.DetailPackage), string(engine.DetailClusterType))},
			},
			"files": schema.MapAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "Further files to write, by their paths below `path`: an overview page, a rendered chart, a " +
					"kustomization.yaml. The resource owns, compares and shows them like packages, with the key `./<path>`. A path in the folder of " +
					"a cluster type, in `.kalypso` or in `.github/tracking` is an error. The content is in the state, so keep large trees elsewhere.",
				Validators: []validator.Map{mapvalidator.NoNullValues()},
			},
			"on_removal": removalAttribute("What happens to the folder of a cluster type that leaves the fleet. `empty` leaves only a `README.md`, "+
				"so clusters remove the workloads (Argo CD only with `allowEmpty`). `delete` deletes the folder: Flux reports an error, and clusters "+
				"keep the workloads. `retain` leaves the folder unchanged, and releases it in the record. `forbid` is an error in the plan. Defaults "+
				"to `empty`.", ownership.Empty),
			"on_destroy": removalAttribute("What happens to all folders if the resource is destroyed, as `on_removal`. Defaults to `retain`: "+
				"clusters go on, and another resource of the environment can take the folders over. To uninstall an environment, set `empty`, apply, "+
				"and destroy. The value of the last apply counts.", ownership.Retain),
			"commit_message": optionalText("The message of commits. `{environment}` and `{summary}` are replaced. Defaults to `"+
				message.DefaultCommit+"`. For rules that want a ticket, or for `[skip ci]`.", stringvalidator.LengthAtLeast(1)),
			"hold": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Leaves the branch unchanged, even with drift, such as in an incident. Plans warn about the hold, and a " +
					"destroy is an error. Defaults to `false`."},
			"on_error": optionalText("What a plan does with a broken application: its template fails, its configuration violates a schema, its "+
				"texts may not be written, `fail_on` names a finding about it, or its [file](../guides/teams.md) is broken. `fail`, the "+
				"default: the plan fails. `keep`: the package stays in the branch unchanged, and a new package is left out. [Keep broken "+
				"applications](../guides/operate-and-repair.md#keep-broken-applications).", stringvalidator.OneOf(onErrorFail, onErrorKeep)),
			"ignore_findings": optionalTexts("Findings to silence, each as `CODE` or `CODE:subject`, such as "+
				"`CLUSTER_TYPE_IDLE:ClusterType/spare`. "+
				"Defaults to none. A plan lists the other findings in one warning. A `CREDENTIAL` ([Keep "+
				"secrets out](../guides/secrets.md)) or `TEXT_BREAKS_OUT` ([texts of other teams](../guides/templates.md#texts-of-other-teams)) that "+
				"is not silenced is an error.", findingRule),
			"fail_on": optionalTexts("Findings of any severity that are errors, written as in `ignore_findings`. Silenced findings are not errors. "+
				"Defaults to none. A plan checks the rendered files of the packages that it changes.", findingRule),
			"instance_id": schema.StringAttribute{
				Computed:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
				MarkdownDescription: "The name of this resource's record, `.kalypso/<instance_id>`, at the root of the repository. See " +
					"[Folders](../guides/folders.md).",
			},
			"packages": schema.MapAttribute{
				ElementType: types.StringType,
				Computed:    true,
				MarkdownDescription: "The content of the repository, or of the proposed pull request: each `<cluster_type>/<deployment_target>`, " +
					"`<cluster_type>/README.md` and other file with a short digest. A plan shows changes and drift here as `+`, `~` and `-`.",
			},
			"kept": schema.ListAttribute{
				ElementType: types.StringType, Computed: true,
				MarkdownDescription: "The packages, as `<cluster_type>/<deployment_target>`, that `on_error = \"keep\"` leaves in the branch " +
					"unchanged.",
			},
			"summary": resultText("The last change in one line: `+2 ~1 -0 packages in 2 cluster types`, or `no package changes; +0 ~1 -0 other " +
				"files`. If an input changes and no file, `no package changes`."),
			"last_commit": resultText("The last commit that wrote packages, to `branch` or to the branch of a pull request; null before the first " +
				"such commit."),
			"pull_request_url": resultText("The address of the last pull request, or null."),
			"status": resultText("`in_sync`: the branch has the packages. `proposed`: a pull request with the packages is open. `closed`: someone " +
				"closed the pull request without a merge, and the resource does not propose the same change again. `drifted`: someone changed the " +
				"resource's folders or its record in the branch. `held`: the resource was created on hold."),
			"notes":         resultText("What the provider notes for its next run, as JSON: how it reads the repository, and the last request."),
			"merged_commit": resultText("The commit that merged the last pull request, or null."),
		},
		Blocks: map[string]schema.Block{
			"limits": limitsBlock(),
			"freeze": freezeBlock("A time in which no plan and no apply changes packages, as around a holiday. The error names `reason` and the " +
				"end, and prints its code for `limits.acknowledge`. A destroy that removes packages needs the block removed first."),
			"pull_request": pullRequestBlock(),
			"timeouts": timeouts.Block(ctx, timeouts.Opts{
				Create: true, CreateDescription: timeoutText, Read: true, ReadDescription: readTimeoutText,
				Update: true, UpdateDescription: timeoutText, Delete: true, DeleteDescription: timeoutText,
			}),
		},
	}
}

func optionalBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Optional: true, MarkdownDescription: description}
}

func removalAttribute(description string, otherwise ownership.Removal) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, Default: stringdefault.StaticString(string(otherwise)), MarkdownDescription: description,
		Validators: []validator.String{stringvalidator.OneOf(string(ownership.Empty), string(ownership.Delete), string(ownership.Retain),
			string(ownership.Forbid))},
	}
}

// oneBlock is an optional block. It is a list of at most one, so that a dynamic block can leave it out.
func oneBlock(description string, attributes map[string]schema.Attribute) schema.ListNestedBlock {
	return schema.ListNestedBlock{MarkdownDescription: description, Validators: []validator.List{listvalidator.SizeAtMost(1)},
		NestedObject: schema.NestedBlockObject{Attributes: attributes}}
}

func limitsBlock() schema.ListNestedBlock {
	amount := func(what string) schema.StringAttribute {
		return optionalText(what+" A number, or a share of the current packages, such as `10%`.", limitAmount)
	}
	return oneBlock("How much one plan may change the packages in the repository. A larger change is an error, which lists the change "+
		"and prints its code for `acknowledge`. A destroy obeys only `protect`.",
		map[string]schema.Attribute{
			"max_removed": amount("How many packages may be removed. A package that moves to another cluster type counts as removed."),
			"max_changed": amount("How many packages may change."),
			"allow_empty": optionalBool("Whether a plan may remove the last package, or create the resource with no package. Defaults to " +
				"`false`."),
			"acknowledge": schema.SetAttribute{
				ElementType: types.StringType, Optional: true, Computed: true,
				PlanModifiers: []planmodifier.Set{keptWhereNotSet{"stays where it is not set"}},
				Validators:    []validator.Set{setvalidator.NoNullValues()},
				MarkdownDescription: "Codes that plans print: of a limit, of a `freeze`, or of folders that a wave takes over. A code lifts " +
					"this reason for one change of some packages from one content to another, whatever else a commit changes. Nothing lifts `protect` " +
					"and `allow_empty`. Codes of other changes and of other environments, and empty texts, have no effect. " +
					"If the set is left out, the state keeps the last codes, so plans show " +
					"no change.",
			},
			"protect": optionalTexts("Patterns of packages that no plan removes, such as `*/observability-*`. `*` matches anything except a "+
				"slash. A package may move if its deployment target keeps as many packages of the pattern.",
				protectPattern),
		})
}

// keptWhereNotSet plans the value in the state if the configuration does not set the
// attribute. A user can set a value for one plan only, and the next plan shows no change.
type keptWhereNotSet struct{ described }

func (keptWhereNotSet) PlanModifySet(_ context.Context, req planmodifier.SetRequest, resp *planmodifier.SetResponse) {
	if req.ConfigValue.IsNull() {
		resp.PlanValue = req.StateValue
	}
}

func pullRequestBlock() schema.ListNestedBlock {
	names := func(what string) schema.SetAttribute {
		return optionalTexts(what, stringvalidator.LengthAtLeast(1))
	}
	return oneBlock("Proposes every change, also the removal at a destroy, as a pull request instead of writing to `branch`. An empty "+
		"block uses the defaults. The branch of the request is `<branch_prefix><environment>/<12 digits>`. A newer request of this resource "+
		"closes the older one. Needs a token: see `forge` of the provider.",
		map[string]schema.Attribute{
			"title": optionalText("The title. Defaults to the first line of `commit_message`, in at most 100 characters.",
				stringvalidator.LengthAtLeast(1)),
			"labels": names("Labels. The provider creates missing labels. It adds `promoted` when the promoted commit changes, as Kalypso's " +
				"promotion workflow expects."),
			"reviewers":      names("Users to ask for a review when the request is opened."),
			"team_reviewers": names("Teams to ask for a review when the request is opened."),
			"draft":          optionalBool("Whether to open the request as a draft. Defaults to `false`."),
			"auto_merge": optionalText("How the forge merges the request when the forge's rules are met: `merge`, `squash` or `rebase`. By "+
				"default, a person merges.",
				stringvalidator.OneOf(string(forge.Merge), string(forge.Squash), string(forge.Rebase))),
			"wait_for_merge": optionalBool("Whether apply waits for the merge, up to its timeout. Defaults to `false`."),
			"branch_prefix":  optionalText("The beginning of the branch's name. Defaults to `"+request.DefaultBranchPrefix+"`.", branchPrefix),
		})
}
