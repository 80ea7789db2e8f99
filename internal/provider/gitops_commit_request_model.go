// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// What the attribute status says.
const (
	statusInSync   = "in_sync"
	statusProposed = "proposed"
	statusClosed   = "closed"
	statusDrifted  = "drifted"
)

// defaultBranchPrefix begins the names of the branches of pull requests.
const defaultBranchPrefix = "kalypso/"

// promotedLabel is what Kalypso's promotion workflow looks for on a pull request
// that changes the promoted commit.
const promotedLabel = "promoted"

// pullRequestModel is how changes are proposed.
type pullRequestModel struct {
	Title         *string  `tfsdk:"title"`
	Labels        []string `tfsdk:"labels"`
	Reviewers     []string `tfsdk:"reviewers"`
	TeamReviewers []string `tfsdk:"team_reviewers"`
	Draft         *bool    `tfsdk:"draft"`
	AutoMerge     *string  `tfsdk:"auto_merge"`
	WaitForMerge  *bool    `tfsdk:"wait_for_merge"`
	BranchPrefix  *string  `tfsdk:"branch_prefix"`
}

// branch names the branch that proposes a root tree for an environment.
func (p pullRequestModel) branch(environment string, root tree.ID) string {
	prefix := text(p.BranchPrefix)
	return cmp.Or(prefix, defaultBranchPrefix) + environment + "/" + root.String()[:12]
}

func (p pullRequestModel) waits() bool { return p.WaitForMerge != nil && *p.WaitForMerge }

func (p pullRequestModel) draft() bool { return p.Draft != nil && *p.Draft }

// pullRequestAttribute describes pull_request.
func pullRequestAttribute() schema.SingleNestedAttribute {
	names := func(what string) schema.ListAttribute {
		return schema.ListAttribute{
			Optional: true, ElementType: types.StringType, MarkdownDescription: what,
			Validators: []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
		}
	}
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Proposes every change as a pull request instead of writing to `branch`; `{}` does it with defaults. Its branch is `<branch_prefix><environment>/<first 12 digits of the tree id>`, " +
			"so the same content never makes a second request. A newer request of this resource closes the older one; requests of others are never touched. " +
			"Needs a token of the forge, see `forges` of the provider. Destroying this resource proposes the removal.",
		Attributes: map[string]schema.Attribute{
			"title": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The title. Defaults to `<environment>: <summary>`.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"labels":         names("Labels, which are created where they are missing. `" + promotedLabel + "` is added when the promoted commit changes, as Kalypso's promotion workflow expects."),
			"reviewers":      names("Users to ask for a review."),
			"team_reviewers": names("Teams to ask for a review."),
			"draft": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether to open the request as a draft.",
			},
			"auto_merge": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "How the forge merges the request once its rules are met: `merge`, `squash` or `rebase`. Without it, a person merges.",
				Validators:          []validator.String{stringvalidator.OneOf(string(forge.Merge), string(forge.Squash), string(forge.Rebase))},
			},
			"wait_for_merge": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether apply waits until the request is merged, up to its timeout (`timeouts`).",
			},
			"branch_prefix": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "How the names of the branches begin. Defaults to `" + defaultBranchPrefix + "`.",
				Validators:          []validator.String{branchPrefix},
			},
		},
	}
}

// branchPrefix begins the name of a branch.
var branchPrefix = textCheck{
	rule:  "must be the beginning of a git branch name",
	check: func(text string) error { return git.CheckBranch(text + "x") },
}

// proposes tells whether changes are proposed rather than written.
func (m *gitOpsCommitModel) proposes() bool { return !m.PullRequest.IsNull() }

// pullRequest gives the settings; they have to be known.
func (m *gitOpsCommitModel) pullRequest(ctx context.Context) (pullRequestModel, diag.Diagnostics) {
	var p pullRequestModel
	if m.PullRequest.IsNull() {
		return p, nil
	}
	diags := m.PullRequest.As(ctx, &p, basetypes.ObjectAsOptions{})
	return p, diags
}

// marker tells this resource's requests at a location from all others.
func (m *gitOpsCommitModel) marker(loc git.Location) forge.Marker {
	return forge.Marker{Environment: m.Environment.ValueString(), Base: loc.Branch, Path: loc.Path}
}
