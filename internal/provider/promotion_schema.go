// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"
	"math"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
)

func promotionSchema(ctx context.Context) datasource.Schema {
	return datasource.Schema{
		MarkdownDescription: "Decides which release an environment gets: the newest that has worked in the environments before it, and that " +
			"nobody took back. A release is a commit of the control plane with the commits of the repositories that it follows. The data source " +
			"reads the branches of the environments in Git and the reports of reconcilers and CI, and writes nothing.",
		Attributes: map[string]datasource.Attribute{
			"environment": requiredArgument("The environment that gets the release.", stringvalidator.LengthAtLeast(1)),
			"reports": optionalArgument("Reports as a JSON text, beside those of the forge: `[{ commit, context, state, time, creator }]`. " +
				"`commit` is a GitOps commit, or one of `source`. `state` is `success`, `failure` or `pending`. `time` is when the state began, as " +
				"`2026-03-02T09:00:00Z`. `creator` may be missing; then the report counts only for checks without `creators`."),
			"pin": optionalArgument("The release that the environment has to be at, older ones too, and outside of windows: the full id of a "+
				"commit of the source, or of the environment's own GitOps branch (then the whole release of that GitOps commit).", namedCommit),
			"resume_after": optionalArgument("Goes on after the environment went back: the last bad commit, of the source or of an application, as "+
				"`reason` prints it. Newer releases count again. It may stay set.", namedCommit),
			"hold": datasource.BoolAttribute{Optional: true, MarkdownDescription: "Leaves the environment at its release. Defaults to `false`."},
			"on_failure": optionalArgument("What happens if a check of `target` is red for the release of the environment, and nothing newer can "+
				"be chosen. `stay`: nothing. `previous`: the environment goes back once, to the last release that was verified there by these "+
				"checks, also outside of windows. Defaults to `stay`.", stringvalidator.OneOf(onFailureStay, onFailurePrevious)),
			"failure_grace": optionalArgument("How long a check must be red before the environment goes back, as `30m`. Defaults to `"+
				defaultGrace+"`.", goDuration, stringvalidator.AlsoRequires(path.MatchRoot("on_failure"))),
			"release": releaseAttribute("The release that the environment gets, `{ commit, sources }`, for `release` of " +
				"`kalypso_control_plane`. It is never null, but `commit` is null if nothing is verified yet: `kalypso_control_plane` and " +
				"`kalypso_gitops_commit` refuse that. `sources` has the commits of the repositories that the control plane follows, by " +
				"`<repo>#<branch>`; null means their heads."),
			"decision": computedText("`promote`: to a newer release. `up_to_date`: nothing newer is verified. `held`: by `hold`, a window or a " +
				"freeze, or because the environment went back. `pinned`: by `pin`. `rollback`: by `on_failure`. `nothing`: the environment has no " +
				"release, and none is verified."),
			"reason": computedText("One line: what happened, and what the environment waits for or what to do. The same line is a warning if " +
				"something newer waits, if there is no release yet, or if `pin` has had its effect."),
			"candidates": datasource.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The releases that are newer than the present one, the newest first, at most 20.",
				NestedObject: datasource.NestedAttributeObject{Attributes: map[string]datasource.Attribute{
					"release": releaseAttribute("The release, `{ commit, sources }`."),
					"state": computedText("`waiting`: reports are missing. `failed`: a required check is red. `reverted`: an environment went back " +
						"to an older release. `soaking`: all checks are green, but not for long enough. `verified`: nothing is missing."),
					"reason": computedText("Why: the missing reports, the red check, or until when the release soaks."),
				}},
			},
		},
		Blocks: promotionBlocks(ctx),
	}
}

func promotionBlocks(ctx context.Context) map[string]datasource.Block {
	return map[string]datasource.Block{
		"target": datasource.SingleNestedBlock{
			MarkdownDescription: "The place of the environment. The branch may be missing. Has to be set.",
			Validators:          []validator.Object{objectvalidator.IsRequired()},
			Attributes:          placeAttributes(),
			Blocks: map[string]datasource.Block{"check": checkBlock("For `on_failure = \"previous\"`: reports on the environment's own GitOps " +
				"commits.")},
		},
		"after": datasource.ListNestedBlock{
			MarkdownDescription: "An environment that must have verified a release first; with `cluster_types`, a wave of it. The first " +
				"environment of a chain has `source` instead.",
			NestedObject: datasource.NestedBlockObject{
				Attributes: afterAttributes(),
				Blocks: map[string]datasource.Block{
					"check": checkBlock("Reports that have to be green on the environment's GitOps commits: commit statuses, check runs of GitHub, " +
						"or `reports`. A missing report is not green. Has to be set, except with `checks_required = false`."),
				},
			},
		},
		"source": datasource.ListNestedBlock{ // see appBlock
			MarkdownDescription: "The branch that the first environment of a chain follows. Exactly one of `source` and `after` has to be set.",
			Validators:          []validator.List{listvalidator.SizeAtMost(1)},
			NestedObject: datasource.NestedBlockObject{Attributes: map[string]datasource.Attribute{
				"repo":   requiredArgument("URL of the repository.", gitURL),
				"branch": requiredArgument("The branch.", gitBranch),
				"path":   optionalArgument("The folder to promote: the newest commit that changes it counts. Defaults to `.`, the root.", repoPath),
			}},
		},
		"source_check": checkBlock("Reports that have to be green on a commit of `source`: the environment gets the newest of its last 50 " +
			"commits that is green."),
		"window": datasource.ListNestedBlock{
			MarkdownDescription: "When the environment may get a newer release. Defaults to always. A window with `to` before `from` ends on the " +
				"next day.",
			NestedObject: datasource.NestedBlockObject{Attributes: map[string]datasource.Attribute{
				"days": datasource.SetAttribute{
					ElementType: types.StringType, Required: true, Validators: []validator.Set{setvalidator.SizeAtLeast(1),
						setvalidator.NoNullValues()},
					MarkdownDescription: "The days on which the window opens: `mon`, `tue`, `wed`, `thu`, `fri`, `sat`, `sun`.",
				},
				"from":     requiredArgument("When the window opens, as `09:00`."),
				"to":       requiredArgument("When the window closes, as `16:00`; `24:00` is the end of the day."),
				"timezone": requiredArgument("The time zone of `from` and `to`, as `Europe/Berlin` or `UTC`."),
			}},
		},
		"freeze": freezeDataBlock("A time in which the environment keeps its release, also in a window. Give `kalypso_gitops_commit` the same " +
			"blocks: with `dynamic`, all environments share one list. `pin` works in a freeze, too."),
		"timeouts": timeouts.BlockWithOpts(ctx, timeouts.Opts{ReadDescription: timeoutText}),
	}
}

func releaseAttribute(description string) datasource.ObjectAttribute {
	return datasource.ObjectAttribute{Computed: true, AttributeTypes: releaseParts, MarkdownDescription: description}
}

// placeAttributes are the attributes of a place: a part of a GitOps branch.
func placeAttributes() map[string]datasource.Attribute {
	return map[string]datasource.Attribute{
		"repo":   requiredArgument("URL of the GitOps repository.", gitURL),
		"branch": requiredArgument("Its branch.", gitBranch),
		"path":   optionalArgument("The folder of the environment. Defaults to the whole branch.", repoPath),
		"cluster_types": optionalSet("Only the resources that write one of these cluster types count, as in [waves](../guides/waves.md). "+
			"Defaults to all.", setvalidator.SizeAtLeast(1)),
	}
}

func afterAttributes() map[string]datasource.Attribute {
	attributes := placeAttributes()
	maps.Copy(attributes, map[string]datasource.Attribute{
		"environment": requiredArgument("The name of the environment.", stringvalidator.LengthAtLeast(1)),
		"checks_required": datasource.BoolAttribute{
			Optional: true,
			MarkdownDescription: "`false` in place of `check`: a release only has to be in the environment and to have soaked there. Defaults to " +
				"`true`.",
		},
		"soak": optionalArgument("How long a release must be there after the last check turned green, as `90m` or `48h`; without checks, after "+
			"the date of its GitOps commit, or a later date of an earlier commit. Defaults to no time.", goDuration),
	})
	return attributes
}

// shareOfContexts is the rule for min_green.
var shareOfContexts = textCheck{described("must be a share such as 95% or a number such as 40"), func(text string) error {
	_, err := decision.ParseShare(text)
	return err
}}

// checkBlock are required reports.
func checkBlock(description string) datasource.ListNestedBlock {
	return datasource.ListNestedBlock{
		MarkdownDescription: description,
		NestedObject: datasource.NestedBlockObject{Attributes: map[string]datasource.Attribute{
			"context": requiredArgument("The context of the status, or the name of the check run. `*` matches any text, also slashes. All "+
				"matching reports have to be green.", stringvalidator.LengthAtLeast(1)),
			"at_least": optionalArgument("How many different contexts have to match. Defaults to `1`.", wholeNumber(1, math.MaxInt32)),
			"expected": optionalSet("The contexts that all have to report, such as those of the clusters. It counts for the newest release of "+
				"the environment only, and `reason` names the silent ones.", setvalidator.SizeAtLeast(1)),
			"min_green": optionalArgument("How many contexts have to be green: a number (`40`), or a share (`95%`) of `expected`, otherwise of "+
				"`at_least` or the contexts that match, whichever is more. `reason` names the others. `expected` then counts for every release. "+
				"Defaults to all.", shareOfContexts),
			"creators": optionalSet("The logins, or the slugs of Apps, whose reports count. Defaults to everyone who may report.",
				setvalidator.SizeAtLeast(1)),
		}},
	}
}
