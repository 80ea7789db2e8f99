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
// kalypso_deployments reports. The limit exists because the state contains all of them.
const maxDeploymentHistory = 1000

// branchesBlock are the branches that kalypso_deployments reads.
func branchesBlock() datasource.ListNestedBlock {
	return datasource.ListNestedBlock{
		MarkdownDescription: "Where an environment is. A branch that does not exist yet is a warning. Has to be set.",
		Validators:          []validator.List{listvalidator.IsRequired()},
		NestedObject: datasource.NestedBlockObject{Attributes: map[string]datasource.Attribute{
			"environment": datasource.StringAttribute{Required: true, MarkdownDescription: "The environment's name here, once.",
				Validators: []validator.String{environmentKey}},
			"repo": placeAttribute(true, "URL of the GitOps repository. Repositories on its host get credentials from environment variables.",
				gitURL),
			"branch": placeAttribute(true, "Its branch.", gitBranch),
			"path": placeAttribute(false, "The folder with the folders of cluster types. The root when not set. One that does not exist is "+
				"a warning.", repoPath),
			"history": datasource.Int64Attribute{
				Optional: true,
				MarkdownDescription: fmt.Sprintf("How many commits of the branch are told, along first parents; 0 for none. With a `path`, those that "+
					"change nothing of it are not told, and up to %d times as many are read for that. Which commit has changed a package last is known "+
					"as far back. Defaults to %d, at most %d.",
					history.MaxShared, history.DefaultDeployments, maxDeploymentHistory),
				Validators: []validator.Int64{int64validator.Between(0, maxDeploymentHistory)},
			},
		}},
	}
}

// environmentKey is for names that begin the keys of packages.
var environmentKey = stringvalidator.RegexMatches(regexp.MustCompile(`^[^/]+$`), "must be a name without slashes, since it begins the "+
	"keys of its packages")

// deploymentsSchema is the schema of kalypso_deployments.
func deploymentsSchema(ctx context.Context) datasource.Schema {
	return datasource.Schema{
		MarkdownDescription: "Reports what runs where: the content of the GitOps branches of environments, how they differ, and what changed, " +
			"when and by whom. It does not matter which tool wrote the branches. " +
			"It reads Git, and commit statuses and check runs where the forge is known, and writes nothing. What cannot be known is null, and " +
			"never guessed.",
		Attributes: map[string]datasource.Attribute{
			"id": computedText("The names of the environments, joined by commas."),
			"compare": datasource.ListAttribute{
				ElementType: types.ListType{ElemType: types.StringType}, Optional: true,
				MarkdownDescription: "Which environments are compared, and their order: lists of names, in each of which every environment is " +
					"compared with the next one. " +
					"`[[\"dev\", \"stage\", \"prod\"]]` compares `dev` with `stage`, and `stage` with `prod`, and shows them in that order. " +
					"When not set, each is compared with each other one, by name; `[]` compares none.",
				Validators: []validator.List{listvalidator.ValueListsAre(listvalidator.SizeAtLeast(2))},
			},
			"ignore_discrepancies": datasource.ListAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "Patterns of what may differ: `<kind>/<workload>/<what>`. After the kind, `*` stands for any characters, and " +
					"parts at the end may be left out. " +
					"`<what>` is the key of a `value`, and of a `source` one of `repo`, `branch` and `path`: `value/*/LOG_LEVEL`, `source/*/branch` " +
					"where each environment has a branch, `workload/canary-*`. A tag, a version (as `v1.4` of an Argo CD `Application`) and a commit " +
					"are not branches.",
			},
			"follow_sources": datasource.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to look what the sources of packages are at: the commits of their branches, and the version that a " +
					"`DeploymentDescriptor` beside the manifests names, where the package has none. " +
					"Only repositories on the hosts of `branches` get credentials from environment variables. Defaults to `false`.",
			},
			"environments": deployedEnvironments,
			"content": computedText("Packages, discrepancies and history, compressed: the functions `deployments`, `fleet_page` and " +
				"`fleet_markdown` read it. So the state stays small."),
		},
		Blocks: map[string]datasource.Block{"branches": branchesBlock(), "timeouts": timeouts.Block(ctx)},
	}
}

// deployedEnvironments are the computed attributes of environments.
var deployedEnvironments = datasource.MapNestedAttribute{
	Computed: true, MarkdownDescription: "What each environment is at, by its name.",
	NestedObject: datasource.NestedAttributeObject{Attributes: map[string]datasource.Attribute{
		"repo":   computedText("The repository."),
		"branch": computedText("Its branch."),
		"path":   computedText("The folder; null for the root."),
		"head":   computedText("The branch's commit; null where there is no such branch."),
		"time":   computedText("When `head` was committed, in UTC."),
		"promoted_commits": computedTexts("The commits of the control plane that it is at: one, or several where its resources are at " +
			"different ones; none where the branch does not say."),
		"health": computedText("What was reported on the head: `failure` where a context has failed, `pending` where one is under " +
			"way, else `success`; null where nothing was, or there is no forge or no token to ask with."),
		"health_reason": computedText("The contexts that have failed or are under way, with what they say."),
		"packages": datasource.Int64Attribute{Computed: true, MarkdownDescription: "How many packages it has; null where there is no " +
			"such branch or folder."},
		"unreadable": computedTexts("What of it could not be read, or is not told, and why."),
	}},
}

// toldAttributes are the attributes that the function deployments returns beside the
// environments.
var toldAttributes = map[string]datasource.Attribute{
	"compare": datasource.ListAttribute{ElementType: types.ListType{ElemType: types.StringType}, Computed: true,
		MarkdownDescription: "As the data source has it."},
	"packages": datasource.MapNestedAttribute{
		Computed: true, MarkdownDescription: "What is assigned to cluster types, by `<environment>/<cluster_type>/<deployment_target>`.",
		NestedObject: datasource.NestedAttributeObject{Attributes: packageAttributes()},
	},
	"discrepancies": datasource.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "How the environments differ, as `compare` says, without what `ignore_discrepancies` names. What is not known of " +
			"one of the two is not a difference, and a branch or folder that does not exist is not compared. At most 10,000; `unreadable` of the " +
			"environments says how many more there are.",
		NestedObject: datasource.NestedAttributeObject{Attributes: map[string]datasource.Attribute{
			"kind":         computedText(kindsText()),
			"workload":     computedText("The workload; the deployment target where no label says which workload it is of."),
			"cluster_type": computedText("The cluster type, of a `value`; else null."),
			"key":          computedText("Its key in the configuration, of a `value`; else null."),
			"left": computedText("The one environment: of the two, the one that `compare` names first; without `compare`, the one whose " +
				"name comes first in the alphabet."),
			"right": computedText("The other environment."),
			"left_value": computedText("What `left` has, as one line: `1.5.0 (build 118)`, a source, a value, or of a `workload` its cluster " +
				"types. Null for nothing."),
			"right_value": computedText("What `right` has."),
			"text":        computedText("All of it as one line: `shop: version 1.5.0 (build 118) in dev, 1.4.2 (build 102) in prod`."),
		}},
	},
	"history": datasource.ListNestedAttribute{
		Computed: true, MarkdownDescription: "The commits of the branches: by environment, the newest first.",
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

// packageAttributes are those of a package.
func packageAttributes() map[string]datasource.Attribute {
	return map[string]datasource.Attribute{
		"environment":       computedText("The environment."),
		"cluster_type":      computedText("The cluster type."),
		"deployment_target": computedText("The deployment target."),
		"id":                computedText("The Git id of the package's folder: packages with the same id hold the same."),
		"workload":          computedText("The workload, by the label `workload` of its Namespace."),
		"workspace":         computedText("The workspace, by the label `workspace` of its Namespace."),
		"namespace":         computedText("The name of its Namespace."),
		"sources": datasource.ListNestedAttribute{
			Computed: true,
			MarkdownDescription: "What its reconciler fetches, by the objects of Flux (`GitRepository`, `OCIRepository`, `HelmRepository`, " +
				"`Bucket`, and the `Kustomization` and `HelmRelease` that use them) and Argo CD (`Application`).",
			NestedObject: datasource.NestedAttributeObject{Attributes: map[string]datasource.Attribute{
				"kind":   computedText("The kind of the object that names it."),
				"repo":   computedText("The URL, without passwords."),
				"ref":    computedText("A branch, a tag, a version or a commit."),
				"path":   computedText("A folder, or the name of a chart."),
				"commit": computedText("The commit that `ref` is at, with `follow_sources`; else null."),
			}},
		},
		"values": datasource.MapAttribute{
			ElementType: types.StringType, Computed: true,
			MarkdownDescription: "The platform configuration in its ConfigMap; what looks like a credential is a digest. Null where there is no " +
				"such ConfigMap, or one that cannot be read.",
		},
		"version": computedText("The version of the workload, by a `DeploymentDescriptor` of Kalypso's Observability Hub in the package, " +
			"the label `app.kubernetes.io/version` of its Namespace, or with `follow_sources` a `DeploymentDescriptor` beside the manifests; null " +
			"where there is none."),
		"build":  computedText("The build, by its `DeploymentDescriptor`."),
		"commit": computedText("The commit of the source code, by its `DeploymentDescriptor`."),
		"changed": datasource.SingleNestedAttribute{Computed: true, MarkdownDescription: "The commit that gave the package its content; " +
			"null where that is older than the history that was read.", Attributes: commitAttributes()},
		"health": computedText("What was reported on the head about its cluster type or about all of them, or where nothing was, on the " +
			"commit of `changed`."),
		"health_reason": computedText("The contexts that have failed or are under way, with what they say."),
		"unreadable":    computedTexts("Which of its files could not be read, and why."),
	}
}

// commitAttributes are those of a commit of a branch.
func commitAttributes() map[string]datasource.Attribute {
	return map[string]datasource.Attribute{
		"commit":           computedText("The commit."),
		"author":           computedText("The name of its author."),
		"subject":          computedText("The first line of its message."),
		"time":             computedText("When it was committed, in UTC."),
		"promoted_commits": computedTexts("The commits of the control plane that the branch was at then."),
		"run":              computedText("The address of the run that wrote it; null where its message names none."),
	}
}

// changeAttributes are the attributes of a commit of a branch with its changes.
func changeAttributes() map[string]datasource.Attribute {
	attributes := commitAttributes()
	maps.Copy(attributes, map[string]datasource.Attribute{
		"environment": computedText("The environment."),
		"added":       computedTexts("The packages that it added, as `<cluster_type>/<deployment_target>`."),
		"changed":     computedTexts("The packages that it changed."),
		"removed":     computedTexts("The packages that it removed."),
	})
	return attributes
}
