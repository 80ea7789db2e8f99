// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

type gitOpsCommitModel struct {
	ID               types.String   `tfsdk:"id"`
	Environment      types.String   `tfsdk:"environment"`
	Manifests        types.List     `tfsdk:"manifests"`
	Assignments      types.Map      `tfsdk:"assignments"`
	ClusterTypes     types.Set      `tfsdk:"cluster_types"`
	Repo             types.String   `tfsdk:"repo"`
	Branch           types.String   `tfsdk:"branch"`
	Path             types.String   `tfsdk:"path"`
	Release          types.Object   `tfsdk:"release"`
	CreateBranchFrom types.String   `tfsdk:"create_branch_from"`
	Detail           types.String   `tfsdk:"detail"`
	Files            types.Map      `tfsdk:"files"`
	OnRemoval        types.String   `tfsdk:"on_removal"`
	OnDestroy        types.String   `tfsdk:"on_destroy"`
	CommitMessage    types.String   `tfsdk:"commit_message"`
	Hold             types.Bool     `tfsdk:"hold"`
	OnError          types.String   `tfsdk:"on_error"`
	IgnoreFindings   types.Set      `tfsdk:"ignore_findings"`
	FailOn           types.Set      `tfsdk:"fail_on"`
	Limits           types.List     `tfsdk:"limits"`
	Freeze           types.List     `tfsdk:"freeze"`
	InstanceID       types.String   `tfsdk:"instance_id"`
	Packages         types.Map      `tfsdk:"packages"`
	Kept             types.List     `tfsdk:"kept"`
	Summary          types.String   `tfsdk:"summary"`
	LastCommit       types.String   `tfsdk:"last_commit"`
	PullRequest      types.List     `tfsdk:"pull_request"`
	Notes            types.String   `tfsdk:"notes"`
	PullRequestURL   types.String   `tfsdk:"pull_request_url"`
	Status           types.String   `tfsdk:"status"`
	MergedCommit     types.String   `tfsdk:"merged_commit"`
	Timeouts         timeouts.Value `tfsdk:"timeouts"`
}

// The values of on_error.
const (
	onErrorFail = "fail"
	onErrorKeep = "keep"
)

type limitsModel struct {
	MaxRemoved  *string  `tfsdk:"max_removed"`
	MaxChanged  *string  `tfsdk:"max_changed"`
	Protect     []string `tfsdk:"protect"`
	AllowEmpty  *bool    `tfsdk:"allow_empty"`
	Acknowledge []string `tfsdk:"acknowledge"`
}

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

// settings converts the planned values. On hold, only the values that plain converts are used, and those that
// are not known yet are taken as unchanged: another one is an error when it is known.
func (r *gitOpsCommitResource) settings(ctx context.Context, planned, configured, state *gitOpsCommitModel) (*publish.Settings,
	diag.Diagnostics) {
	if !planned.Hold.ValueBool() {
		return planned.settings(ctx, configured)
	}
	s := planned.plain(configured)
	if state != nil && planned.Environment.IsUnknown() {
		s.Fleet.Environment = state.Environment.ValueString()
	}
	if state != nil && planned.Detail.IsUnknown() {
		s.Detail = engine.Detail(state.Detail.ValueString())
	}
	return s, nil
}

// settings converts the configured values. All values have to be known, except a location
// and a pull request's settings. configured has the location and the limits of the
// configuration itself. In the model, the location may be computed, and acknowledge may
// come from an earlier apply.
func (m *gitOpsCommitModel) settings(ctx context.Context, configured *gitOpsCommitModel) (*publish.Settings, diag.Diagnostics) {
	s := m.plain(configured)
	diags := m.IgnoreFindings.ElementsAs(ctx, &s.Findings.Ignore, false)
	diags.Append(m.FailOn.ElementsAs(ctx, &s.Findings.FailOn, false)...)
	var more diag.Diagnostics
	if !m.Assignments.IsNull() {
		s.Fleet.Assignments = map[string][]string{}
		diags.Append(m.Assignments.ElementsAs(ctx, &s.Fleet.Assignments, false)...)
	}
	if fullyKnown(m.ClusterTypes) { // otherwise the environment is on hold
		diags.Append(m.ClusterTypes.ElementsAs(ctx, &s.Fleet.ClusterTypes, false)...)
	}
	diags.Append(configured.limits(ctx, s)...)
	s.Freezes, more = readPeriods(ctx, m.Freeze)
	diags.Append(more...)
	s.Request, more = m.request(ctx)
	diags.Append(more...)
	return s, diags
}

// plain converts the values that need no check.
func (m *gitOpsCommitModel) plain(configured *gitOpsCommitModel) *publish.Settings {
	return &publish.Settings{
		Fleet: engine.Input{
			Environment: m.Environment.ValueString(), Manifests: manifestInputs(configured.Manifests),
		},
		Release:       releaseOf(m.Release),
		Files:         plainTexts(m.Files),
		CommitMessage: m.CommitMessage.ValueString(),
		OnDestroy:     ownership.Removal(m.OnDestroy.ValueString()),
		Repo:          publishText(configured.Repo),
		Branch:        publishText(configured.Branch),
		Path:          publishText(configured.Path),
		StartFrom:     m.CreateBranchFrom.ValueString(),
		Detail:        engine.Detail(m.Detail.ValueString()),
		OnRemoval:     ownership.Removal(m.OnRemoval.ValueString()),
		Hold:          m.Hold.ValueBool(),
		IsUnverified:  isUnverified(m.Release),
		KeepBroken:    m.OnError.ValueString() == onErrorKeep,
	}
}

func publishText(value types.String) publish.Text {
	return publish.Text{Value: value.ValueString(), Given: !value.IsNull(), Unknown: value.IsUnknown()}
}

func (m *gitOpsCommitModel) limits(ctx context.Context, s *publish.Settings) diag.Diagnostics {
	var blocks []limitsModel
	diags := m.Limits.ElementsAs(ctx, &blocks, false)
	if len(blocks) == 0 {
		return diags
	}
	model := blocks[0]
	// Values that were unknown to the validators are checked here.
	amount := func(name string, text *string) *limits.Amount {
		if text == nil {
			return nil
		}
		parsed, err := limits.ParseAmount(*text)
		if err != nil {
			diags.AddAttributeError(path.Root("limits").AtListIndex(0).AtName(name), "Invalid "+name, "limits."+name+": "+problem.Sentence(err))
		}
		return parsed
	}
	s.Limits.MaxRemoved, s.Limits.MaxChanged = amount("max_removed", model.MaxRemoved), amount("max_changed", model.MaxChanged)
	s.Limits.Protect = model.Protect
	s.Limits.AllowEmpty = orElse(model.AllowEmpty, false)
	s.Acknowledge = model.Acknowledge
	return diags
}

// request converts pull_request. If a value in the block is not known yet, the result only
// says that the block exists.
func (m *gitOpsCommitModel) request(ctx context.Context) (*request.Settings, diag.Diagnostics) {
	switch {
	case len(m.PullRequest.Elements()) == 0: // null or unknown too
		return nil, nil
	case !fullyKnown(m.PullRequest):
		return &request.Settings{}, nil
	}
	var blocks []pullRequestModel
	diags := m.PullRequest.ElementsAs(ctx, &blocks, false)
	if diags.HasError() {
		return nil, diags
	}
	model := blocks[0]
	return &request.Settings{
		Title: text(model.Title), Labels: model.Labels, Reviewers: model.Reviewers, TeamReviewers: model.TeamReviewers,
		Draft: orElse(model.Draft, false), AutoMerge: forge.Method(text(model.AutoMerge)),
		Wait: orElse(model.WaitForMerge, false), BranchPrefix: text(model.BranchPrefix),
	}, diags
}

func (m *gitOpsCommitModel) warn(summary, detail string) diag.Diagnostics {
	at := git.Location{}
	if !m.ID.IsUnknown() {
		at = m.location()
	}
	return warning(summary, detail, m.Environment.ValueString(), message.Place(at, nil))
}

// applied converts a state into the last apply.
func (m *gitOpsCommitModel) applied(ctx context.Context) (*publish.Applied, diag.Diagnostics) {
	settings, diags := m.settings(ctx, m)
	was := &publish.Applied{Settings: *settings, Location: m.location(), Instance: m.InstanceID.ValueString(),
		Attributes: publish.Attributes{
			Packages: plainTexts(m.Packages), Summary: m.Summary.ValueString(), Commit: m.LastCommit.ValueString(),
			RequestURL: m.PullRequestURL.ValueString(), Status: publish.Status(m.Status.ValueString()),
			MergedCommit: m.MergedCommit.ValueString(),
		}}
	if err := was.ReadNotes(m.Notes.ValueString()); err != nil {
		diags.AddAttributeError(path.Root("notes"), "Unreadable state", problem.Sentence(err))
	}
	diags.Append(m.Kept.ElementsAs(ctx, &was.Kept, false)...)
	return was, diags
}

func (m *gitOpsCommitModel) take(r publish.Attributes) {
	m.Packages, m.Kept = textMap(r.Packages), textsValue(r.Kept)
	m.Summary = types.StringValue(r.Summary)
	m.LastCommit = stringOrNull(r.Commit)
}

// takeRequest fills in the values that a request can change. isConfigured says that the configuration names
// the repository.
func (m *gitOpsCommitModel) takeRequest(r publish.Attributes, isConfigured bool) {
	m.Notes = types.StringValue(r.Notes(isConfigured))
	m.PullRequestURL, m.MergedCommit = stringOrNull(r.RequestURL), stringOrNull(r.MergedCommit)
	m.Status = types.StringValue(string(r.Status))
}

// mayBeUnknown are the inputs that a plan does not need. A plan that does not know another input cannot
// compute anything: with another path, the branch may have other files.
var mayBeUnknown = []string{"repo", "branch", "create_branch_from", "pull_request", "timeouts"}

// unknownInputs names the values of a configuration that a plan needs, and that are not known yet, such as
// "manifests[0]".
func unknownInputs(config tftypes.Value) []string {
	return slices.DeleteFunc(unknownValues(config), func(name string) bool {
		return slices.Contains(mayBeUnknown, name[:strings.IndexAny(name+".", ".[")])
	})
}
