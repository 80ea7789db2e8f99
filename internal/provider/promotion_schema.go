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
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
)

// promotionBlocks are the blocks of kalypso_promotion.
func promotionBlocks(ctx context.Context) map[string]datasource.Block {
	return map[string]datasource.Block{
		"source": datasource.SingleNestedBlock{
			MarkdownDescription: "The branch of the control plane. Candidates are its commits along first parents: a merge commit is a candidate, " +
				"the merged commits are not. Exactly one of `source` and `candidate` has to be set.",
			Validators: []validator.Object{mustSet("repo", "branch")}, // the framework demands Required attributes even without the block
			Attributes: map[string]datasource.Attribute{
				"repo":   optionalArgument("URL of the repository. Has to be set.", gitURL),
				"branch": optionalArgument("The branch. Has to be set.", gitBranch),
				"path": optionalArgument("The folder to promote. Commits that do not change it are not candidates. Defaults to the whole "+
					"repository.", repoPath),
				"history": historyAttribute("How many commits are read at most.", history.DefaultSource),
			},
		},
		"target": datasource.SingleNestedBlock{
			MarkdownDescription: "The place of the environment. The branch may be missing. Has to be set.",
			Validators:          []validator.Object{objectvalidator.IsRequired()},
			Attributes:          placeAttributes(),
			Blocks: map[string]datasource.Block{"checks": checksBlock("For `on_failure = \"previous\"`: reports on the GitOps commits of the " +
				"environment itself that show whether a release fails there. A release is verified there if all are green.")},
		},
		"after": datasource.ListNestedBlock{
			MarkdownDescription: "An earlier environment, or a part of it, in which a commit must have worked. The first environment has no such " +
				"block.",
			NestedObject: datasource.NestedBlockObject{
				Attributes: gateAttributes(),
				Blocks: map[string]datasource.Block{
					"checks": checksBlock("Reports that have to be green (a success) on the environment's GitOps commits: commit statuses, and check " +
						"runs on GitHub. A missing report is not green. Exactly one of `checks` and `no_checks` has to be set."),
				},
			},
		},
		"source_checks": checksBlock("Reports that have to be green on the source commit."),
		"windows": datasource.ListNestedBlock{
			MarkdownDescription: "When the environment may get a new commit. Outside of all windows the environment keeps its commit. Defaults to " +
				"always. A window with `to` before `from` ends on the next day.",
			NestedObject: datasource.NestedBlockObject{Attributes: map[string]datasource.Attribute{
				"days": datasource.ListAttribute{
					ElementType: types.StringType, Required: true, Validators: []validator.List{listvalidator.SizeAtLeast(1),
						listvalidator.NoNullValues()},
					MarkdownDescription: "The days on which the window opens: `mon`, `tue`, `wed`, `thu`, `fri`, `sat`, `sun`.",
				},
				"from":     requiredArgument("When the window opens, as `09:00`."),
				"to":       requiredArgument("When the window closes, as `16:00`; `24:00` is the end of the day."),
				"timezone": requiredArgument("The time zone of `from` and `to`, as `Europe/Berlin` or `UTC`."),
			}},
		},
		"freeze": freezeDataBlock("A time in which the environment keeps its commit, also in a window. Give `kalypso_gitops_commit` the same " +
			"blocks: with `dynamic`, all environments share one list. `pin` and `on_failure` work in a freeze, too."),
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

// placeAttributes are the attributes of a place: a part of a GitOps branch.
func placeAttributes() map[string]datasource.Attribute {
	return map[string]datasource.Attribute{
		"repo":   requiredArgument("URL of the GitOps repository.", gitURL),
		"branch": requiredArgument("Its branch.", gitBranch),
		"path": optionalArgument("The folder of the environment. Defaults to the whole branch.",
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

// gateAttributes are the attributes of an earlier environment.
func gateAttributes() map[string]datasource.Attribute {
	attributes := placeAttributes()
	maps.Copy(attributes, map[string]datasource.Attribute{
		"environment": requiredArgument("The name of the environment. Several blocks may have the same name if they differ in `cluster_types`, "+
			"`path` or `branch`.", stringvalidator.LengthAtLeast(1)),
		"no_checks": datasource.BoolAttribute{
			Optional: true,
			MarkdownDescription: "`true` replaces `checks` if there is no forge: a commit only has to be in the environment and to have soaked, " +
				"from the time in its GitOps commit. Defaults to `false`.",
		},
		"soak": optionalArgument("How long a commit must have been in the environment since its last check turned green, as `90m` or `48h`. "+
			"The time continues after a later commit replaces that commit. Defaults to no time.", goDuration),
	})
	return attributes
}

// sourcesAttribute is a map of followed repositories to their commits.
func sourcesAttribute(description string) datasource.MapAttribute {
	return datasource.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

// checksBlock are required reports.
func checksBlock(description string) datasource.ListNestedBlock {
	return datasource.ListNestedBlock{
		MarkdownDescription: description,
		NestedObject: datasource.NestedBlockObject{Attributes: map[string]datasource.Attribute{
			"context": requiredArgument("The context of the status, or the name of the check run. `*` matches any text, also slashes. All " +
				"matching reports have to be green."),
			"at_least": datasource.Int64Attribute{
				Optional: true, MarkdownDescription: "How many different contexts have to match. Defaults to 1.",
				Validators: []validator.Int64{int64validator.AtLeast(1)},
			},
			"creators": datasource.ListAttribute{
				ElementType: types.StringType, Optional: true, Validators: []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues()},
				MarkdownDescription: "The logins, or the slugs of Apps, whose reports count. Defaults to everyone who may write statuses.",
			},
		}},
	}
}

// promotionSchema is the schema of kalypso_promotion.
func promotionSchema(ctx context.Context) datasource.Schema {
	return datasource.Schema{
		MarkdownDescription: "Decides which release an environment should be at: the newest commit of a control plane, with the commits of " +
			"the repositories that it follows, that has worked in the earlier environments. It reads the branches in Git and the reports of " +
			"reconcilers and CI, and writes nothing. Any tool may have written the branches.",
		Attributes: map[string]datasource.Attribute{
			"id":          computedText("The environment."),
			"environment": requiredArgument("The environment to promote to.", stringvalidator.LengthAtLeast(1)),
			"candidate": optionalArgument("An id to check, if no control plane has a history: the `promoted_commit` of the earlier environments. "+
				"`verified` has the result. Conflicts with `source`.", promotedID),
			"pin": optionalArgument("The full id of the commit that the environment has to be at, even an older commit, and outside of windows.",
				promotedID),
			"hold": datasource.BoolAttribute{Optional: true, MarkdownDescription: "Leaves the environment at its commit. Defaults to `false`."},
			"on_failure": datasource.StringAttribute{
				Optional: true, Validators: []validator.String{stringvalidator.OneOf(onFailureStay, onFailurePrevious)},
				MarkdownDescription: "What to do if a check of `target` has failed for the release of the environment, and nothing newer can be " +
					"chosen. `stay`: nothing. `previous`: go back to the last release that was verified in the environment, also outside of windows. " +
					"The failed release is not chosen again. The environment goes back only once in a row. Needs `source` and `checks` in `target`. " +
					"Defaults to `stay`.",
			},
			"failure_grace": optionalArgument("How long a release must have failed without a success between, as `30m`. Reconcilers also fail for "+
				"seconds. Defaults to `"+defaultGrace+"`.", goDuration, stringvalidator.AlsoRequires(path.MatchRoot("on_failure"))),
			"commit": computedText("The commit that the environment should be at, for `base_commits` of `kalypso_control_plane`; null if no " +
				"commit qualifies yet. `base_commits` refuses null. With null as `commit`, `kalypso_control_plane` reads the head of the branch: " +
				"guard it with a precondition."),
			"sources": sourcesAttribute("The commits of the followed repositories that belong to `commit`, by `<repo>#<branch>`: for " +
				"`source_commits` of `kalypso_control_plane`. Empty with `candidate`, or if no earlier environment records `sources`."),
			"current": computedText("The commit that the environment is at, the newest of several, or null."),
			"decision": computedText("`promote`: to a newer release, which may be newer `sources` of `current`. `up_to_date`: no newer release is " +
				"verified. `held`: by `hold`, by a closed window, by a freeze, or because `current` is not in the history of the source. " +
				"`pinned`: by `pin`. `rollback`: by `on_failure`. `nothing`: `current` is null, and no release is verified."),
			"reason": computedText("The reason for the decision."),
			"candidates": datasource.ListNestedAttribute{
				Computed: true,
				MarkdownDescription: "The releases newer than the present one, newest first, down to the first that is verified. None with `pin` " +
					"or `hold`.",
				NestedObject: datasource.NestedAttributeObject{Attributes: map[string]datasource.Attribute{
					"commit":  computedText("The commit, or `candidate`."),
					"sources": sourcesAttribute("The commits of the followed repositories."),
					"subject": computedText("The first line of the commit message; null for a `candidate`."),
					"author":  computedText("The author's name; null for a `candidate`."),
					"time":    computedText("The committer time, in UTC; null for a `candidate`."),
					"state": computedText("`not_deployed`: an earlier environment has not had the commit. `waiting`: a check is missing. `failed`: a " +
						"check has failed. `reverted`: an environment went back to an older commit. `soaking`: all reports are green, but not for long " +
						"enough. `verified`: nothing is missing."),
					"reason": computedText("The reason for the state."),
				}},
			},
			"verified": datasource.BoolAttribute{Computed: true,
				MarkdownDescription: "Whether `candidate` is verified, is the commit of the environment, or is pinned. Windows and freezes do not " +
					"matter. Null with `source`."},
		},
		Blocks: promotionBlocks(ctx),
	}
}
