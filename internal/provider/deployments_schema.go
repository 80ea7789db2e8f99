// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
)

// maxDeploymentHistory is the largest number of commits of a branch that
// kalypso_deployments reports. The limit exists because the state contains all these
// commits.
const maxDeploymentHistory = 1000

// branchBlock returns the block for a branch that kalypso_deployments reads.
func branchBlock() datasource.ListNestedBlock {
	return datasource.ListNestedBlock{
		MarkdownDescription: "The GitOps branch of an environment. A missing branch is a warning. Has to be set.",
		Validators:          []validator.List{listvalidator.IsRequired()},
		NestedObject: datasource.NestedBlockObject{Attributes: map[string]datasource.Attribute{
			"environment": requiredArgument("The name of the environment; unique.", environmentKey),
			"repo": requiredArgument("URL of the GitOps repository. The host gets the credentials from environment variables.",
				gitURL),
			"branch": requiredArgument("Its branch.", gitBranch),
			"path": optionalArgument("The folder of the cluster types' folders. Defaults to `.`, the root. A missing folder is a "+
				"warning.", repoPath),
			"history": optionalArgument(fmt.Sprintf("How many commits of the branch are in the history, along first parents; `0` for none. "+
				"With a `path`, only commits that change the folder count, and the data source reads up to %d times as many. Defaults to `%d`, at "+
				"most %d.", history.MaxShared, history.DefaultDeployments, maxDeploymentHistory), wholeNumber(0, maxDeploymentHistory)),
		}},
	}
}

// environmentKey is the rule for the names of environments: contexts of reports have them
// between slashes.
var environmentKey = stringvalidator.RegexMatches(regexp.MustCompile(`^[^/]+$`), "must be a name without slashes, because the context of "+
	"a report is kalypso/<environment>/<cluster type>/<cluster>")

func deploymentsSchema(ctx context.Context) datasource.Schema {
	return datasource.Schema{
		MarkdownDescription: "Reports what runs where: the packages in the GitOps branches of environments, their differences, and changes " +
			"with time and author. Any tool may have written the branches. The data source reads Git, and commit statuses and check runs if it " +
			"knows the forge. It writes nothing.",
		Attributes: map[string]datasource.Attribute{
			"compare": datasource.ListAttribute{
				ElementType: types.ListType{ElemType: types.StringType}, Optional: true,
				MarkdownDescription: "Which environments are compared, and their order: in each list, every environment with the next one. " +
					"`[[\"dev\", \"stage\", \"prod\"]]` compares `dev` with `stage`, and `stage` with `prod`. Defaults to every pair, by name. `[]` " +
					"compares nothing.",
				Validators: []validator.List{listvalidator.ValueListsAre(listvalidator.SizeAtLeast(2))},
			},
			"ignore_discrepancies": datasource.SetAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "Differences to ignore, as `<kind>/<workload>/<what>`: `value/*/LOG_LEVEL`, `source/*/branch` if each " +
					"environment uses its own branch, `workload/canary-*`. After the kind, `*` matches any text, and you can leave out the last parts. " +
					"`<what>` is the key of a `value`, or `repo`, `branch` or `path` of a `source`. Tags, versions and commits are not branches.",
			},
			"environments": deployedEnvironments,
			"json": computedText("Everything that the data source has read, as one JSON text: the environments with their packages and " +
				"history, and the discrepancies ([fields](#the-json))."),
		},
		Blocks: map[string]datasource.Block{"branch": branchBlock(), "timeouts": timeouts.BlockWithOpts(ctx,
			timeouts.Opts{ReadDescription: timeoutText})},
	}
}

// deployedEnvironments is the computed attribute with the environments.
var deployedEnvironments = datasource.MapNestedAttribute{
	Computed: true, MarkdownDescription: "Each environment, by name.",
	NestedObject: datasource.NestedAttributeObject{Attributes: map[string]datasource.Attribute{
		"head":     computedText("The newest commit of the branch; null if the branch does not exist."),
		"time":     computedText("The committer time of `head`, in UTC."),
		"releases": computedTexts("The commits of the control plane that the environment is at; several if its resources differ."),
		"packages": computedText("How many packages the environment has; null if the branch or folder does not exist."),
		"health": computedText("The result of the reports on the newest commits with the present release: `failure` if one failed, `pending` " +
			"if one is not finished, otherwise `success`. Null without reports, a forge or a token."),
		"health_reason": computedText("The reports that failed or are not finished, with their texts."),
	}},
}

func computedText(description string) datasource.StringAttribute {
	return datasource.StringAttribute{Computed: true, MarkdownDescription: description}
}

func computedTexts(description string) datasource.ListAttribute {
	return datasource.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: description}
}
