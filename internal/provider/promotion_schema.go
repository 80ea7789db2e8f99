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
				"repo":   placeAttribute(false, "URL of the repository. Has to be set.", gitURL),
				"branch": placeAttribute(false, "Its branch. Has to be set.", gitBranch),
				"path": placeAttribute(false, "The folder to promote. Commits that do not change it are not candidates. Defaults to the whole "+
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
				"from": datasource.StringAttribute{Required: true, MarkdownDescription: "When it opens, as `09:00`."},
				"to": datasource.StringAttribute{Required: true,
					MarkdownDescription: "When it closes, as `16:00`; `24:00` is the end of the day."},
				"timezone": datasource.StringAttribute{Required: true, MarkdownDescription: "The time zone of both, as `Europe/Berlin` or `UTC`."},
			}},
		},
		"timeouts": timeouts.BlockWithOpts(ctx, timeouts.Opts{ReadDescription: timeoutText}),
	}
}

func placeAttribute(required bool, description string, v validator.String) datasource.StringAttribute {
	return datasource.StringAttribute{Required: required, Optional: !required, MarkdownDescription: description,
		Validators: []validator.String{v}}
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
		"repo":   placeAttribute(true, "URL of the GitOps repository.", gitURL),
		"branch": placeAttribute(true, "Its branch.", gitBranch),
		"path": placeAttribute(false, "The folder of the environment. Defaults to all in the branch.",
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
		"environment": datasource.StringAttribute{
			Required: true, MarkdownDescription: "The name of the environment. Several blocks may have the same name if they differ in " +
				"`cluster_types`, `path` or `branch`.",
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"no_checks": datasource.BoolAttribute{
			Optional: true,
			MarkdownDescription: "`true` asks only that the commit is in the environment and has soaked, by the time that its GitOps commit " +
				"says. It replaces `checks` where there is no forge. Defaults to `false`.",
		},
		"soak": datasource.StringAttribute{
			Optional: true,
			MarkdownDescription: "How long a commit must have been there since its last check turned green, as `90m` or `48h`. It counts on " +
				"while a later commit is deployed over it. Defaults to no time.",
			Validators: []validator.String{goDuration},
		},
	})
	return attributes
}

// checksBlock are required reports.
func checksBlock(description string) datasource.ListNestedBlock {
	return datasource.ListNestedBlock{
		MarkdownDescription: description,
		NestedObject: datasource.NestedBlockObject{Attributes: map[string]datasource.Attribute{
			"context": datasource.StringAttribute{Required: true, MarkdownDescription: "The context of the status, or the name of the check " +
				"run. `*` matches any text, also slashes. All that match have to be green."},
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
	text := func(description string) datasource.StringAttribute {
		return datasource.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return datasource.Schema{
		MarkdownDescription: "Decides which commit of a control plane an environment should be at: the newest that has worked in the " +
			"environments before it. It reads the branches in Git and what reconcilers and CI reported on them, and writes nothing. Any tool " +
			"may have written the branches.",
		Attributes: map[string]datasource.Attribute{
			"id": text("The environment."),
			"environment": datasource.StringAttribute{
				Required:            true,
				MarkdownDescription: "The environment to promote to.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"candidate": datasource.StringAttribute{
				Optional: true,
				MarkdownDescription: "An id to ask about, if no control plane has a history: the `promoted_commit` of the environments before. " +
					"`verified` has the answer. Conflicts with `source`.",
				Validators: []validator.String{promotedID},
			},
			"pin": datasource.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The whole id of the commit that the environment has to be at: also an older one, also outside of windows.",
				Validators:          []validator.String{promotedID},
			},
			"hold": datasource.BoolAttribute{Optional: true, MarkdownDescription: "Leaves the environment where it is. Defaults to `false`."},
			"commit": text("The commit that the environment should be at, for `base_commits` of `kalypso_control_plane`; null if nothing " +
				"qualifies yet. `base_commits` refuses null. `commit` of `kalypso_control_plane` does not: it would read the head of the branch, " +
				"so guard it with a precondition."),
			"current": text("The commit that it is at, the newest if it has several, or null."),
			"decision": text("`promote`: something newer than `current` is chosen. `up_to_date`: nothing newer is verified. `held`: by `hold`, " +
				"by a closed window, or because `current` is not in the history of the source. `pinned`: by `pin`. `nothing`: there is no " +
				"`current`, and nothing is verified."),
			"reason": text("Why, in sentences."),
			"candidates": datasource.ListNestedAttribute{
				Computed: true,
				MarkdownDescription: "The commits newer than `current`, newest first, down to the first that is verified. None with `pin` or " +
					"`hold`.",
				NestedObject: datasource.NestedAttributeObject{Attributes: map[string]datasource.Attribute{
					"commit":  text("The commit, or `candidate`."),
					"subject": text("The first line of its message; null for a `candidate`."),
					"author":  text("The name of its author; null for a `candidate`."),
					"time":    text("When it was committed, in UTC; null for a `candidate`."),
					"state": text("`not_deployed`: an environment has not had it. `waiting`: a check is missing. `failed`: a check has failed. " +
						"`reverted`: an environment went back to an older commit. `soaking`: all is green, but not for long enough. `verified`: nothing " +
						"is missing."),
					"reason": text("Why, in a sentence."),
				}},
			},
			"verified": datasource.BoolAttribute{Computed: true,
				MarkdownDescription: "Whether `candidate` is verified, is the commit of the environment, or is pinned. Windows do not matter. Null " +
					"with `source`."},
		},
		Blocks: promotionBlocks(ctx),
	}
}
