// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
)

// promotionBlocks are the blocks of kalypso_promotion.
func promotionBlocks(ctx context.Context) map[string]datasource.Block {
	return map[string]datasource.Block{
		"source": datasource.SingleNestedBlock{
			MarkdownDescription: "Where commits come from. Candidates are the commits in the history of the branch along first parents: a merge " +
				"is one, the commits that it merged are not. Exactly one of `source` and `candidate` has to be set.",
			Validators: []validator.Object{mustSet("repo", "branch")}, // the framework asks for what is Required even where there is no block
			Attributes: map[string]datasource.Attribute{
				"repo":   optionalArgument("URL of the repository. Has to be set.", gitURL),
				"branch": optionalArgument("Its branch. Has to be set.", gitBranch),
				"path": optionalArgument("The folder to promote. Commits that do not change it are not candidates. Defaults to the whole "+
					"repository.", repoPath),
				"history": historyAttribute("How many commits are read at most.", history.DefaultSource),
			},
		},
		"target": datasource.SingleNestedBlock{
			MarkdownDescription: "Where the environment is written. The branch may be missing. Has to be set.",
			Validators:          []validator.Object{objectvalidator.IsRequired()},
			Attributes:          placeAttributes(),
		},
		"after": datasource.ListNestedBlock{
			MarkdownDescription: "An environment, or a part of one, in which a commit must have worked before. The first environment has none.",
			NestedObject: datasource.NestedBlockObject{
				Attributes: gateAttributes(),
				Blocks: map[string]datasource.Block{
					"checks": checksBlock("What has to be green on its GitOps commits: commit statuses, and check runs on GitHub. A missing report is " +
						"not a success. Exactly one of `checks` and `no_checks` has to be set."),
				},
			},
		},
		"source_checks": checksBlock("What has to be green on the source commit."),
		"windows": datasource.ListNestedBlock{
			MarkdownDescription: "When something new may be chosen. Outside of all windows the environment stays where it is. Defaults to " +
				"always. A window that ends before it begins goes on into the next day.",
			NestedObject: datasource.NestedBlockObject{Attributes: map[string]datasource.Attribute{
				"days": datasource.ListAttribute{
					ElementType: types.StringType, Required: true, Validators: []validator.List{listvalidator.SizeAtLeast(1),
						listvalidator.NoNullValues()},
					MarkdownDescription: "The days on which it opens: `mon`, `tue`, `wed`, `thu`, `fri`, `sat`, `sun`.",
				},
				"from":     requiredArgument("When it opens, as `09:00`."),
				"to":       requiredArgument("When it closes, as `16:00`; `24:00` is the end of the day."),
				"timezone": requiredArgument("The time zone of both, as `Europe/Berlin` or `UTC`."),
			}},
		},
		"timeouts": timeouts.BlockWithOpts(ctx, timeouts.Opts{ReadDescription: timeoutText}),
	}
}

// requiredArgument and optionalArgument are texts that a data source needs, or may have.
func requiredArgument(description string, validators ...validator.String) datasource.StringAttribute {
	return datasource.StringAttribute{Required: true, MarkdownDescription: description, Validators: validators}
}

func optionalArgument(description string, validators ...validator.String) datasource.StringAttribute {
	return datasource.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
}

func historyAttribute(description string, byDefault int) datasource.Int64Attribute {
	return datasource.Int64Attribute{
		Optional:            true,
		MarkdownDescription: fmt.Sprintf("%s Defaults to %d.", description, byDefault),
		Validators:          []validator.Int64{int64validator.Between(1, history.Most)},
	}
}

// placeAttributes are those of a part of a GitOps branch.
func placeAttributes() map[string]datasource.Attribute {
	return map[string]datasource.Attribute{
		"repo":   requiredArgument("URL of the GitOps repository.", gitURL),
		"branch": requiredArgument("Its branch.", gitBranch),
		"path": optionalArgument("The folder of the environment. Defaults to all in the branch.",
			repoPath),
		"cluster_types": datasource.ListAttribute{
			ElementType: types.StringType, Optional: true, Validators: []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues()},
			MarkdownDescription: "Only the resources that write one of these cluster types count, as in [waves](../guides/waves.md). Defaults " +
				"to all.",
		},
		"history": historyAttribute("How many commits of the branch are read at most.",
			history.DefaultGitOps),
	}
}

// gateAttributes are those of an environment before.
func gateAttributes() map[string]datasource.Attribute {
	attributes := placeAttributes()
	maps.Copy(attributes, map[string]datasource.Attribute{
		"environment": requiredArgument("The name of the environment. Several blocks may have the same name if they differ in `cluster_types`, "+
			"`path` or `branch`.", stringvalidator.LengthAtLeast(1)),
		"no_checks": datasource.BoolAttribute{
			Optional: true,
			MarkdownDescription: "`true` asks only that the commit is in the environment and has soaked, by the time that its GitOps commit " +
				"says. It replaces `checks` where there is no forge. Defaults to `false`.",
		},
		"soak": optionalArgument("How long a commit must have been there since its last check turned green, as `90m` or `48h`. It counts on "+
			"while a later commit is deployed over it. Defaults to no time.", goDuration),
	})
	return attributes
}

// checksBlock are required reports.
func checksBlock(description string) datasource.ListNestedBlock {
	return datasource.ListNestedBlock{
		MarkdownDescription: description,
		NestedObject: datasource.NestedBlockObject{Attributes: map[string]datasource.Attribute{
			"context": requiredArgument("The context of the status, or the name of the check run. `*` matches any text, also slashes. All that " +
				"match have to be green."),
			"at_least": datasource.Int64Attribute{
				Optional: true, MarkdownDescription: "How many different contexts have to match. Defaults to 1.",
				Validators: []validator.Int64{int64validator.AtLeast(1)},
			},
			"creators": datasource.ListAttribute{
				ElementType: types.StringType, Optional: true, Validators: []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues()},
				MarkdownDescription: "The logins, or the slugs of Apps, whose reports count. Defaults to all: then everybody who may write " +
					"statuses decides.",
			},
		}},
	}
}

// promotionSchema is the schema of kalypso_promotion.
func promotionSchema(ctx context.Context) datasource.Schema {
	return datasource.Schema{
		MarkdownDescription: "Decides which commit of a control plane an environment should be at: the newest that has worked in the " +
			"environments before it. It reads the branches in Git and what reconcilers and CI reported on them, and writes nothing. Any tool " +
			"may have written the branches.",
		Attributes: map[string]datasource.Attribute{
			"id":          computedText("The environment."),
			"environment": requiredArgument("The environment to promote to.", stringvalidator.LengthAtLeast(1)),
			"candidate": optionalArgument("An id to ask about, if no control plane has a history: the `promoted_commit` of the environments "+
				"before. `verified` has the answer. Conflicts with `source`.", promotedID),
			"pin": optionalArgument("The whole id of the commit that the environment has to be at: also an older one, also outside of windows.",
				promotedID),
			"hold": datasource.BoolAttribute{Optional: true, MarkdownDescription: "Leaves the environment where it is. Defaults to `false`."},
			"commit": computedText("The commit that the environment should be at, for `base_commits` of `kalypso_control_plane`; null if nothing " +
				"qualifies yet. `base_commits` refuses null. `commit` of `kalypso_control_plane` does not: it would read the head of the branch, " +
				"so guard it with a precondition."),
			"current": computedText("The commit that it is at, the newest if it has several, or null."),
			"decision": computedText("`promote`: something newer than `current` is chosen. `up_to_date`: nothing newer is verified. `held`: by " +
				"`hold`, by a closed window, or because `current` is not in the history of the source. `pinned`: by `pin`. `nothing`: there is no " +
				"`current`, and nothing is verified."),
			"reason": computedText("Why, in sentences."),
			"candidates": datasource.ListNestedAttribute{
				Computed: true,
				MarkdownDescription: "The commits newer than `current`, newest first, down to the first that is verified. None with `pin` or " +
					"`hold`.",
				NestedObject: datasource.NestedAttributeObject{Attributes: map[string]datasource.Attribute{
					"commit":  computedText("The commit, or `candidate`."),
					"subject": computedText("The first line of its message; null for a `candidate`."),
					"author":  computedText("The name of its author; null for a `candidate`."),
					"time":    computedText("When it was committed, in UTC; null for a `candidate`."),
					"state": computedText("`not_deployed`: an environment has not had it. `waiting`: a check is missing. `failed`: a check has failed. " +
						"`reverted`: an environment went back to an older commit. `soaking`: all is green, but not for long enough. `verified`: nothing " +
						"is missing."),
					"reason": computedText("Why, in a sentence."),
				}},
			},
			"verified": datasource.BoolAttribute{Computed: true,
				MarkdownDescription: "Whether `candidate` is verified, is the commit of the environment, or is pinned. Windows do not matter. Null " +
					"with `source`."},
		},
		Blocks: promotionBlocks(ctx),
	}
}
