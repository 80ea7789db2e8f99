// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// ModifyPlan runs the engine, so that the plan shows every package. What it plans
// comes from neither clock nor network: planning twice gives the same plan.
func (r *gitOpsCommitResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // destroy
	}
	var plan, config gitOpsCommitModel
	var state *gitOpsCommitModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	known, diags := readRecord(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}

	unknown := plan.unknownInputs()
	switch {
	case known.Imported && !req.Config.Raw.IsFullyKnown():
		resp.Diagnostics.AddError("An import has to be settled first", "The resource was imported and has not been applied since. "+
			"The first apply takes inputs that are all known at plan, and some of this resource's are not. Apply the resources that they come from first (-target), then this one.")
	case len(unknown) > 0:
		resp.Diagnostics.Append(warnNoPreview(unknown))
		plan.planUnknown(&config)
	case known.current(r.data.Version) && !plan.withdraws(known) && plan.sameInputs(&config, state, known):
		plan.keep(state)
	default:
		in, diags := plan.engineInput(ctx)
		resp.Diagnostics.Append(diags...)
		result, err := engine.Compute(in)
		resp.Diagnostics.Append(problemDiagnostics(err)...)
		if err != nil {
			resp.Diagnostics.Append(r.reportIssue(ctx, &plan, &config, state, err)...)
		}
		if resp.Diagnostics.HasError() {
			return
		}
		resp.Diagnostics.Append(plan.setLocation(&config, result.Fleet)...)
		resp.Diagnostics.Append(plan.planResult(ctx, state, known, result)...)
		resp.Diagnostics.Append(plan.planMove(state, known, result)...)
		resp.Diagnostics.Append(plan.review(ctx, state, known, result)...)
		resp.Diagnostics.Append(plan.planWarnings(state, known, result)...)
		plan.keepImported(state, known)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if len(unknown) == 0 {
		resp.Diagnostics.Append(r.reportIssue(ctx, &plan, &config, state, nil)...)
	}
	plan.planRequest(state, known)
	resp.Diagnostics.Append(r.checkForge(&plan)...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// current tells whether the branch holds what this version of the provider
// renders from the state's inputs.
func (r *record) current(version string) bool {
	return r.Engine == version && !r.Drifted && !r.Imported && !r.Proposal.stale()
}

// sameInputs tells whether the engine would compute again what is in the state.
// It spares a plan without changes the engine's time.
func (m *gitOpsCommitModel) sameInputs(configured, state *gitOpsCommitModel, known *record) bool {
	return state != nil &&
		m.Environment.Equal(state.Environment) && m.Manifests.Equal(state.Manifests) && m.Assignments.Equal(state.Assignments) &&
		m.PromotedCommit.Equal(state.PromotedCommit) && m.Detail.Equal(state.Detail) && m.Exclusive.Equal(state.Exclusive) &&
		m.IgnoreFindings.Equal(state.IgnoreFindings) && m.FailOn.Equal(state.FailOn) &&
		configured.given() == known.Given &&
		firstSet(configured.Repo, state.Repo).Equal(state.Repo) &&
		firstSet(configured.Branch, state.Branch).Equal(state.Branch) &&
		firstSet(configured.Path, state.Path).Equal(state.Path)
}

// given names the parts of the location that a configuration sets itself; the
// others come from the fleet.
func (m *gitOpsCommitModel) given() string {
	var parts []string
	for _, part := range []struct {
		name  string
		value types.String
	}{{"repo", m.Repo}, {"branch", m.Branch}, {"path", m.Path}} {
		if !part.value.IsNull() {
			parts = append(parts, part.name)
		}
	}
	return strings.Join(parts, ",")
}

// keep plans no change of what is computed.
func (m *gitOpsCommitModel) keep(state *gitOpsCommitModel) {
	m.ID, m.Repo, m.Branch, m.Path = state.ID, state.Repo, state.Branch, state.Path
	m.Packages, m.Diff, m.Summary, m.Commit = state.Packages, state.Diff, state.Summary, state.Commit
}

// warnNoPreview tells which inputs keep the plan from showing anything.
func warnNoPreview(unknown []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("The change cannot be previewed", fmt.Sprintf(
		"These inputs are known only after apply: %s. The plan therefore cannot show what changes in the GitOps repository; apply computes and writes it. "+
			"Apply the resources that they come from first (-target), or pass values that are known at plan.", strings.Join(unknown, ", ")))
}

// planUnknown plans a change whose content is not known yet, nor its place where
// that comes from the fleet's GitOpsRepo.
func (m *gitOpsCommitModel) planUnknown(configured *gitOpsCommitModel) {
	m.Repo = firstSet(configured.Repo, types.StringUnknown())
	m.Branch = firstSet(configured.Branch, types.StringUnknown())
	m.Path = firstSet(configured.Path, types.StringUnknown())
	m.ID = locationID(m)
	m.Packages = types.MapUnknown(types.StringType)
	m.Diff = types.StringUnknown()
	m.Summary = types.StringUnknown()
	m.Commit = types.StringUnknown()
}

func firstSet(configured, otherwise types.String) types.String {
	if configured.IsNull() {
		return otherwise
	}
	return configured
}

// planResult plans what the engine computed, as a change of the state, which is
// nil when the resource is new. The id of a commit is known once it is made.
func (m *gitOpsCommitModel) planResult(ctx context.Context, state *gitOpsCommitModel, known *record, result *engine.Result) diag.Diagnostics {
	changed, diags := m.settleResult(ctx, state, known, result)
	m.Commit = types.StringUnknown()
	switch {
	case m.ID.IsUnknown():
		m.Diff = types.StringUnknown()
		if state != nil { // it may turn out to be another place
			m.Summary = types.StringUnknown()
		}
	case changed:
		m.preview(ctx, state, known, result)
	default:
		m.Diff, m.Commit = state.Diff, state.Commit
	}
	return diags
}

// settleResult sets packages and summary to what the engine computed, and tells
// whether the repository changes by it.
func (m *gitOpsCommitModel) settleResult(ctx context.Context, state *gitOpsCommitModel, known *record, result *engine.Result) (bool, diag.Diagnostics) {
	var diags diag.Diagnostics
	detail, before := m.detail(), engine.Digests{}
	m.Packages = digestsValue(result.Digests(detail))
	switch {
	case state == nil, m.moves(state): // nothing of ours is there yet
	case state.detail() == detail && known.Proposal != nil:
		before = maps.Clone(known.Proposal.Base)
	case state.detail() == detail:
		before, diags = digests(ctx, state.Packages)
	default:
		// The state's packages are keyed differently; cluster types are comparable in any case.
		detail, before = engine.DetailClusterType, known.digests()
	}
	for _, name := range m.released(state, known) {
		before.RemoveFolder(name)
	}
	if m.leavesTracking(known, result) {
		before.SetTracking(tree.ID{})
	}
	after := result.Digests(detail)
	changed := state == nil || m.moves(state) || !maps.Equal(before, after)
	if p := known.Proposal; p != nil && m.proposes() && !m.moves(state) {
		changed = !p.holds(result, m.change(known, result))
	}
	if changed {
		m.Summary = types.StringValue(before.Summary(after, detail))
	} else {
		m.Summary = state.Summary
	}
	return changed, diags
}

// released names the foreign folders that exclusive = true claimed and that are
// no longer watched.
func (m *gitOpsCommitModel) released(state *gitOpsCommitModel, known *record) []string {
	if m.Exclusive.ValueBool() && !m.moves(state) {
		return nil
	}
	return slices.Sorted(maps.Keys(known.Others))
}

// leavesTracking tells whether the promoted commit's file, which was ours, is
// left to others as it is. After an import nobody knows yet whose it is.
func (m *gitOpsCommitModel) leavesTracking(known *record, result *engine.Result) bool {
	return known.Tracking != nil && result.Tracking == nil && (known.Imported || m.PromotedCommit.Equal(types.StringValue("")))
}

// planWarnings tells what packages seems to lose and what stays in the repository.
func (m *gitOpsCommitModel) planWarnings(state *gitOpsCommitModel, known *record, result *engine.Result) diag.Diagnostics {
	var diags diag.Diagnostics
	released := m.released(state, known)
	if m.leavesTracking(known, result) {
		released = append(released, engine.TrackingFile)
	}
	if len(released) > 0 {
		diags.AddWarning("No longer watched", fmt.Sprintf(
			"The plan takes these out of packages, since they are no longer this resource's: %s. They are not removed from the repository.", strings.Join(released, ", ")))
	}
	return diags
}

// planMove says what a move does, or why there can be none.
func (m *gitOpsCommitModel) planMove(state *gitOpsCommitModel, known *record, result *engine.Result) diag.Diagnostics {
	if !m.moves(state) {
		return nil
	}
	names := map[string]bool{}
	for name := range result.Folders {
		names[name] = true
	}
	for name := range known.Folders {
		names[name] = true
	}
	diags := m.nested(state, names)
	what := "removes what is ours from the old one, unless both turn out to be one branch"
	if m.OnDestroy.ValueString() == onDestroyRetain {
		what = `leaves the old one as it is (on_destroy = "retain")`
	}
	diags.AddWarning("The packages move", fmt.Sprintf("%s becomes %s: apply writes the new place first and then %s.", state.ID.ValueString(), m.ID.ValueString(), what))
	return diags
}

// keepImported plans nothing after an import of a branch that already is as it
// should be: an import cannot know environment and manifests, so the first plan
// that has something to write sets them.
func (m *gitOpsCommitModel) keepImported(state *gitOpsCommitModel, known *record) {
	if state == nil || !known.Imported || !m.Packages.Equal(state.Packages) || m.ID != state.ID || !m.sameSettings(state) {
		return
	}
	m.Environment, m.Manifests = state.Environment, state.Manifests
}

// sameSettings tells whether nothing changes that is neither the fleet nor computed.
func (m *gitOpsCommitModel) sameSettings(state *gitOpsCommitModel) bool {
	return m.Assignments.Equal(state.Assignments) && m.PromotedCommit.Equal(state.PromotedCommit) && m.CreateBranchFrom.Equal(state.CreateBranchFrom) &&
		m.Exclusive.Equal(state.Exclusive) && m.Detail.Equal(state.Detail) &&
		m.MaxDiffLines.Equal(state.MaxDiffLines) && m.IgnoreFindings.Equal(state.IgnoreFindings) && m.FailOn.Equal(state.FailOn) &&
		m.Limits.Equal(state.Limits) && m.Acknowledge.Equal(state.Acknowledge) && m.AllowEmpty.Equal(state.AllowEmpty) &&
		m.PullRequest.Equal(state.PullRequest) && m.ReportIssue.Equal(state.ReportIssue) && m.OnDestroy.Equal(state.OnDestroy) && m.Timeouts.Equal(state.Timeouts)
}

// digests gives a packages attribute as digests.
func digests(ctx context.Context, packages types.Map) (engine.Digests, diag.Diagnostics) {
	d := make(engine.Digests, len(packages.Elements()))
	diags := packages.ElementsAs(ctx, &d, false)
	return d, diags
}

// digestsValue gives digests as a packages attribute.
func digestsValue(d engine.Digests) types.Map {
	elements := make(map[string]attr.Value, len(d))
	for key, digest := range d {
		elements[key] = types.StringValue(digest)
	}
	return types.MapValueMust(types.StringType, elements)
}
