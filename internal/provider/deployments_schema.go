// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
)

// maxDeploymentHistory is the largest number of commits of a branch that
// kalypso_deployments reports. The limit exists because the state contains all these
// commits.
const maxDeploymentHistory = 1000

// branchesBlock returns the block for the branches that kalypso_deployments reads.
func branchesBlock() datasource.ListNestedBlock {
	return datasource.ListNestedBlock{
		MarkdownDescription: "The GitOps branch of an environment. A missing branch is a warning. Has to be set.",
		Validators:          []validator.List{listvalidator.IsRequired()},
		NestedObject: datasource.NestedBlockObject{Attributes: map[string]datasource.Attribute{
			"environment": requiredArgument("The name of the environment; unique.", environmentKey),
			"repo": requiredArgument("URL of the GitOps repository. The host gets the credentials from environment variables.",
				gitURL),
			"branch": requiredArgument("Its branch.", gitBranch),
			"path": optionalArgument("The folder of the cluster types' folders. Defaults to the root. A missing folder is a warning.",
				repoPath),
			"history": datasource.Int64Attribute{
				Optional: true,
				MarkdownDescription: fmt.Sprintf("How many commits of the branch are in the history, along first parents; 0 for none. With a `path`, "+
					"only commits that change the folder count, and the data source reads up to %d times as many. Defaults to %d, at most %d.",
					history.MaxShared, history.DefaultDeployments, maxDeploymentHistory),
				Validators: []validator.Int64{int64validator.Between(0, maxDeploymentHistory)},
			},
		}},
	}
}

// environmentKey is the rule for the names of environments: keys of packages begin with
// them.
var environmentKey = stringvalidator.RegexMatches(regexp.MustCompile(`^[^/]+$`), "must be a name without slashes, because keys of "+
	"packages begin with the name and a slash")

func deploymentsSchema(ctx context.Context) datasource.Schema {
	return datasource.Schema{
		MarkdownDescription: "Reports what runs where: the packages in the GitOps branches of environments, their differences, and changes " +
			"with time and author. Any tool may have written the branches. The data source reads Git, and commit statuses and check runs if it " +
			"knows the forge. It writes nothing. Unknown values are null.",
		Attributes: map[string]datasource.Attribute{
			"id": computedText("The names of the environments, joined by commas."),
			"compare": datasource.ListAttribute{
				ElementType: types.ListType{ElemType: types.StringType}, Optional: true,
				MarkdownDescription: "Which environments are compared, and their order: in each list, every environment with the next one. " +
					"`[[\"dev\", \"stage\", \"prod\"]]` compares `dev` with `stage`, and `stage` with `prod`. Defaults to every pair, by name. `[]` " +
					"compares nothing.",
				Validators: []validator.List{listvalidator.ValueListsAre(listvalidator.SizeAtLeast(2))},
			},
			"ignore_discrepancies": datasource.ListAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "Differences to ignore, as `<kind>/<workload>/<what>`: `value/*/LOG_LEVEL`, `source/*/branch` if each " +
					"environment uses its own branch, `workload/canary-*`. After the kind, `*` matches any text, and you can leave out the last parts. " +
					"`<what>` is the key of a `value`, or `repo`, `branch` or `path` of a `source`. Tags, versions and commits are not branches.",
			},
			"follow_sources": datasource.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to read the repositories in `sources` too: the commit of each branch, and for packages without a " +
					"`DeploymentDescriptor`, the descriptor beside the manifests. Only hosts of `branches` get credentials from environment variables. " +
					"Defaults to `false`.",
			},
			"environments": deployedEnvironments,
			"content": computedText("Packages, discrepancies and history, compressed, for the functions `deployments`, `fleet_page` and " +
				"`fleet_markdown`."),
		},
		Blocks: map[string]datasource.Block{"branches": branchesBlock(), "timeouts": timeouts.BlockWithOpts(ctx,
			timeouts.Opts{ReadDescription: timeoutText})},
	}
}

// deployedEnvironments is the computed attribute with the environments.
var deployedEnvironments = datasource.MapNestedAttribute{
	Computed: true, MarkdownDescription: "Each environment, by name.",
	NestedObject: datasource.NestedAttributeObject{Attributes: map[string]datasource.Attribute{
		"repo":             computedText("The repository."),
		"branch":           computedText("Its branch."),
		"path":             computedText("The folder; null for the root."),
		"head":             computedText("The newest commit of the branch; null if the branch does not exist."),
		"time":             computedText("The committer time of `head`, in UTC."),
		"promoted_commits": computedTexts("The commits of the control plane that the environment is at; several if its resources differ."),
		"health": computedText("The result of the reports on `head`: `failure` if one failed, `pending` if one is not finished, otherwise " +
			"`success`. Null without reports, a forge or a token."),
		"health_reason": computedText("The reports that failed or are not finished, with their texts."),
		"packages": datasource.Int64Attribute{Computed: true, MarkdownDescription: "How many packages the environment has; null if the branch " +
			"or folder does not exist."},
		"unreadable": computedTexts("The parts that are unreadable or left out, with the reasons."),
	}},
}

// toldAttributes are the attributes that the function deployments returns in addition to
// the environments.
var toldAttributes = map[string]datasource.Attribute{
	"compare": datasource.ListAttribute{ElementType: types.ListType{ElemType: types.StringType}, Computed: true,
		MarkdownDescription: "The argument `compare` of the data source."},
	"packages": datasource.MapNestedAttribute{
		Computed: true, MarkdownDescription: "The packages, by `<environment>/<cluster_type>/<deployment_target>`.",
		NestedObject: datasource.NestedAttributeObject{Attributes: packageAttributes()},
	},
	"discrepancies": datasource.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "The differences between environments. Unknown values, and missing branches and folders, are not differences. At " +
			"most 10,000; `unreadable` of the environments counts the others.",
		NestedObject: datasource.NestedAttributeObject{Attributes: map[string]datasource.Attribute{
			"kind":         computedText(kindsText()),
			"workload":     computedText("The workload, or the deployment target if no label names the workload."),
			"cluster_type": computedText("The cluster type of a `value`; otherwise null."),
			"key":          computedText("The key of a `value`; otherwise null."),
			"left":         computedText("The first environment, in the order of `compare` or of the alphabet."),
			"right":        computedText("The other environment."),
			"left_value": computedText("The side of `left`, as one line: `1.5.0 (build 118)`, a source, a value, or the cluster types of a " +
				"`workload`. Null for nothing."),
			"right_value": computedText("The side of `right`."),
			"text":        computedText("The difference as one line: `shop: version 1.5.0 (build 118) in dev, 1.4.2 (build 102) in prod`."),
		}},
	},
	"history": datasource.ListNestedAttribute{
		Computed: true, MarkdownDescription: "The commits of the branches, by environment, newest first.",
		NestedObject: datasource.NestedAttributeObject{Attributes: changeAttributes()},
	},
}

// kindsText explains each kind of discrepancy.
func kindsText() string {
	var all []string
	for _, kind := range deployments.DiscrepancyKinds() {
		all = append(all, fmt.Sprintf("`%s`: %s.", kind, kind.Meaning()))
	}
	return strings.Join(all, " ")
}

func computedText(description string) datasource.StringAttribute {
	return datasource.StringAttribute{Computed: true, MarkdownDescription: description}
}

func computedTexts(description string) datasource.ListAttribute {
	return datasource.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: description}
}

func packageAttributes() map[string]datasource.Attribute {
	return map[string]datasource.Attribute{
		"environment":       computedText("The environment."),
		"cluster_type":      computedText("The cluster type."),
		"deployment_target": computedText("The deployment target."),
		"id":                computedText("The Git id of the package's folder. Packages with the same id have the same content."),
		"workload":          computedText("The workload, by the label `workload` of its Namespace."),
		"workspace":         computedText("The workspace, by the label `workspace` of its Namespace."),
		"namespace":         computedText("The name of its Namespace."),
		"sources": datasource.ListNestedAttribute{
			Computed:            true,
			MarkdownDescription: "The sources that the reconciler fetches, from the objects of Flux or Argo CD in the package.",
			NestedObject: datasource.NestedAttributeObject{Attributes: map[string]datasource.Attribute{
				"kind":   computedText("The kind of the object."),
				"repo":   computedText("The URL, without passwords."),
				"ref":    computedText("A branch, a tag, a version or a commit."),
				"path":   computedText("A folder, or the name of a chart."),
				"commit": computedText("The commit of `ref`, with `follow_sources`; otherwise null."),
			}},
		},
		"values": datasource.MapAttribute{
			ElementType: types.StringType, Computed: true,
			MarkdownDescription: "The platform configuration in its ConfigMap, with digests for values that look like credentials. Null if the " +
				"ConfigMap is missing or cannot be read.",
		},
		"version": computedText("The version of the workload, by a `DeploymentDescriptor`, or by the label `app.kubernetes.io/version` of " +
			"its Namespace."),
		"build":  computedText("The build, by its `DeploymentDescriptor`."),
		"commit": computedText("The commit of the source code, by its `DeploymentDescriptor`."),
		"changed": datasource.SingleNestedAttribute{Computed: true, MarkdownDescription: "The last commit that changed the package; null if " +
			"older than the history.", Attributes: commitAttributes()},
		"health": computedText("The result of the reports on `head` about its cluster type or about all, otherwise on " +
			"the commit in `changed`."),
		"health_reason": computedText("The reports that failed or are not finished, with their texts."),
		"unreadable":    computedTexts("The unreadable files of the package, with the reasons."),
	}
}

func commitAttributes() map[string]datasource.Attribute {
	return map[string]datasource.Attribute{
		"commit":           computedText("The commit."),
		"author":           computedText("The author's name."),
		"subject":          computedText("The first line of the commit message."),
		"time":             computedText("The committer time, in UTC."),
		"promoted_commits": computedTexts("The commits of the control plane at that time."),
		"run":              computedText("The URL of the CI run that wrote the commit, or null."),
	}
}

// changeAttributes are the attributes of a commit of a branch with its changes.
func changeAttributes() map[string]datasource.Attribute {
	attributes := commitAttributes()
	maps.Copy(attributes, map[string]datasource.Attribute{
		"environment": computedText("The environment."),
		"added":       computedTexts("The added packages, as `<cluster_type>/<deployment_target>`."),
		"changed":     computedTexts("The changed packages."),
		"removed":     computedTexts("The removed packages."),
	})
	return attributes
}
