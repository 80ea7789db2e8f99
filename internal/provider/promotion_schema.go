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
			MarkdownDescription: "Where commits come from. Candidates are those that the branch was at: its history along first parents, so a " +
				"merge is one and what it brought is not. Exactly one of `source` and `candidate` has to be set.",
			Validators: []validator.Object{mustSet("repo", "branch")}, // the framework asks for what is Required even where there is no block
			Attributes: map[string]datasource.Attribute{
				"repo":   placeAttribute(false, "URL of the repository. Has to be set.", gitURL),
				"branch": placeAttribute(false, "Its branch. Has to be set.", gitBranch),
				"path": placeAttribute(false, "The folder that is promoted. Commits that leave it as it is are not candidates, and an environment "+
					"that is at one of them is at the one before. "+
					"The whole repository when not set.", repoPath),
				"history": historyAttribute("How many commits are read at the most.", history.DefaultSource),
			},
		},
		"target": datasource.SingleNestedBlock{
			MarkdownDescription: "Where the environment is written. What it is at is the promoted commit in the records of the " +
				"`kalypso_gitops_commit` that write the environment there, " +
				"or, where no record in the branch has one, in Kalypso's `.github/tracking/Promoted_Commit_Id`. The branch need not exist yet. Has " +
				"to be set.",
			Validators: []validator.Object{objectvalidator.IsRequired()},
			Attributes: placeAttributes(),
		},
		"after": datasource.ListNestedBlock{
			MarkdownDescription: "An environment where a commit must have worked before, or a part of one; none for the first environment. " +
				"A commit has worked in one that carried it itself where every check is green on the GitOps commit that carried it, or, where that " +
				"was overtaken, on the next one that has enough reports. " +
				"A failure is final for its commit until that very commit turns green, and a commit that an environment has gone back behind is out.",
			NestedObject: datasource.NestedBlockObject{
				Attributes: gateAttributes(),
				Blocks: map[string]datasource.Block{
					"checks": checksBlock("What has to be green: commit statuses, and GitHub's check runs, on its GitOps commits. No report is not " +
						"success. Either `checks` or `no_checks` has to be there."),
				},
			},
		},
		"source_checks": checksBlock("What has to be green on the source commit itself."),
		"windows": datasource.ListNestedBlock{
			MarkdownDescription: "When something new may be chosen. Outside of all windows the environment stays where it is, and `reason` says " +
				"until when. Always, where there are none. One that ends before it begins goes on into the next day.",
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
		"timeouts": timeouts.Block(ctx),
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
		"path": placeAttribute(false, "The folder, where the environment is written to several of them in the branch; all, when not set.",
			repoPath),
		"cluster_types": datasource.ListAttribute{
			ElementType: types.StringType, Optional: true, Validators: []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues()},
			MarkdownDescription: "Cluster types, where several resources write the environment's to the branch, as in waves: those count that " +
				"write one of these. All, when not set.",
		},
		"history": historyAttribute("How many commits of the branch are read at the most: what has worked longer ago is not known.",
			history.DefaultGitOps),
	}
}

// gateAttributes are those of an environment before.
func gateAttributes() map[string]datasource.Attribute {
	attributes := placeAttributes()
	maps.Copy(attributes, map[string]datasource.Attribute{
		"environment": datasource.StringAttribute{
			Required: true, MarkdownDescription: "The environment's name, as its `kalypso_gitops_commit` has it. Several blocks may have one name " +
				"where they differ in `cluster_types`, `path` or `branch`, as for waves.",
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"no_checks": datasource.BoolAttribute{
			Optional: true,
			MarkdownDescription: "`true` in place of `checks` requires nothing but that a commit is there and has soaked, by the time that its " +
				"GitOps commit says, as where there is no forge. Defaults to `false`.",
		},
		"soak": datasource.StringAttribute{
			Optional: true,
			MarkdownDescription: "How long a commit must have been there since the last check turned green, as `90m` or `48h`. It goes on where " +
				"what descends from it is deployed over it. Not at all, when not set.",
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
			"context": datasource.StringAttribute{Required: true, MarkdownDescription: "The context of the status, or the name of the check run; " +
				"`*` stands for any text, also with slashes. All that match have to be green."},
			"at_least": datasource.Int64Attribute{
				Optional: true, MarkdownDescription: "How many different contexts have to match. Defaults to 1.",
				Validators: []validator.Int64{int64validator.AtLeast(1)},
			},
			"creators": datasource.ListAttribute{
				ElementType: types.StringType, Optional: true, Validators: []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues()},
				MarkdownDescription: "The logins, or the Apps by their slugs, whose reports count. All reports count if it is not set: anyone who " +
					"may write statuses may write any context.",
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
			"environments before it. " +
			"It reads the branches in Git and what reconcilers and CI reported on them, and writes nothing. It does not matter which tool wrote " +
			"the branches. The reasons are sentences for a plan to show; as long as nothing happens, nothing in it changes.\n\n" +
			"Only what can matter is read: references, commits, records and tracking files, and reports on one commit after the other, the newest " +
			"first, until the decision is made.",
		Attributes: map[string]datasource.Attribute{
			"id": text("The environment."),
			"environment": datasource.StringAttribute{
				Required:            true,
				MarkdownDescription: "The environment that is promoted to, as `kalypso_gitops_commit` has it.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"candidate": datasource.StringAttribute{
				Optional: true,
				MarkdownDescription: "An id to ask about instead, where there is no control plane with a history: the commit of this configuration, " +
					"the version of a module. It is the `promoted_commit` of the environments before; `verified` says what came of it.",
				Validators: []validator.String{promotedID},
			},
			"pin": datasource.StringAttribute{
				Optional: true,
				MarkdownDescription: "The commit, by its whole id, that the environment should be at whatever else holds: also an older one, also " +
					"outside of windows.",
				Validators: []validator.String{promotedID},
			},
			"hold": datasource.BoolAttribute{Optional: true, MarkdownDescription: "Leaves the environment where it is, and asks for nothing but " +
				"where that is. Defaults to `false`."},
			"commit": text("The commit that the environment should be at, for `base_commits` of `kalypso_control_plane`, which refuses null; null " +
				"where nothing qualifies yet. Where an argument takes null for \"not set\", as `commit` of `kalypso_control_plane` does, that is the " +
				"head of a branch: guard it with a precondition."),
			"current": text("The commit that it is at, the newest where it has several; null for none."),
			"decision": text("`promote`: to something newer than `current`. `up_to_date`: nothing newer is verified. `held`: by `hold`, by a " +
				"window that is closed, or since `current` is not in the source's history. " +
				"`pinned`: by `pin`. `nothing`: there is no `current`, and nothing is verified."),
			"reason": text("Why, in sentences."),
			"candidates": datasource.ListNestedAttribute{
				Computed: true,
				MarkdownDescription: "The commits that were looked at, newest first: what is newer than `current`, down to the first that is " +
					"verified, or is older than all that an environment of `after` has had. None with `pin` or `hold`.",
				NestedObject: datasource.NestedAttributeObject{Attributes: map[string]datasource.Attribute{
					"commit":  text("The commit, or `candidate`."),
					"subject": text("The first line of its message; null for a `candidate`."),
					"author":  text("The name of its author; null for a `candidate`."),
					"time":    text("When it was committed, in UTC; null for a `candidate`."),
					"state": text("`not_deployed`: an environment has not had it. `waiting`: for a check. `failed`: a check has. `reverted`: an " +
						"environment went back behind it. `soaking`: all is green, but not for long enough. `verified`: nothing is missing."),
					"reason": text("Why, in a sentence."),
				}},
			},
			"verified": datasource.BoolAttribute{Computed: true,
				MarkdownDescription: "Whether `candidate` is verified, is what the environment is " +
					"at, or is pinned; whether a window is open is told by `commit`. Null with `source`."},
		},
		Blocks: promotionBlocks(ctx),
	}
}
