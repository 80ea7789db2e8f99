// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// write renders the plan again, makes sure that it comes out as planned, and
// makes the branch hold it. It fills what was unknown in the plan and gives the
// record of what is there now.
func (r *gitOpsCommitResource) write(ctx context.Context, timeout time.Duration, plan, config, state *gitOpsCommitModel, known *record) (*record, diag.Diagnostics) {
	in, diags := plan.engineInput(ctx)
	if diags.HasError() {
		return nil, diags
	}
	result, err := engine.Compute(in)
	diags.Append(problemDiagnostics(err)...)
	if err != nil || plan.Packages.IsUnknown() { // no plan could tell
		diags.Append(r.reportIssue(ctx, plan, config, state, err)...)
	}
	if diags.HasError() {
		return nil, diags
	}
	diags.Append(plan.settle(ctx, config, state, known, result)...)
	if diags.HasError() {
		return nil, diags
	}

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var left *departure
	if plan.moves(state) {
		left, known = r.depart(ctx, plan, state, known)
	}
	change := plan.change(known, result)
	change.CreateBranchFrom = plan.CreateBranchFrom.ValueString()
	change.Message = commitMessage(plan, plan.Summary.ValueString())
	var next *record
	var more diag.Diagnostics
	if plan.proposes() {
		next, more = r.propose(ctx, plan, state, known, result, change, config.given())
	} else {
		next, more = r.commit(ctx, plan, state, known, result, change, config.given())
	}
	diags.Append(more...)
	if !diags.HasError() && left != nil {
		diags.Append(r.clean(ctx, plan, left)...)
	}
	return next, diags
}

// commit writes the change to the branch itself, and withdraws a pull request
// that proposes an earlier one.
func (r *gitOpsCommitResource) commit(ctx context.Context, plan, state *gitOpsCommitModel, known *record, result *engine.Result, change git.Change, given string) (*record, diag.Diagnostics) {
	var diags diag.Diagnostics
	written, err := r.data.Writes.apply(ctx, r.data.Client, plan.location(), change)
	if err != nil {
		diags.AddError("The GitOps repository was not changed", sentence(err)+existsAdvice(err, state == nil))
		return nil, diags
	}
	if known.Proposal != nil {
		diags.Append(r.withdraw(ctx, plan.Repo.ValueString(), known.Proposal, "The change is written without a pull request now.")...)
	}
	if !written.Commit.IsZero() {
		plan.Commit = types.StringValue(written.Commit.String())
	}
	if plan.Status.IsUnknown() { // the plan did not know whether there is to be a request
		plan.settleRequest(nil, answer{}, false)
	}
	return newRecord(result, written, r.data.Version, given), diags
}

// change is what has to be done so that the branch holds the result.
func (m *gitOpsCommitModel) change(known *record, result *engine.Result) git.Change {
	change := known.change(result, m.Exclusive.ValueBool())
	if m.leavesTracking(known, result) {
		change.Tracking = nil
	}
	return change
}

// settle holds the result against the plan: what was planned has to come out
// again, and what was unknown becomes known. state is nil when the resource is new.
func (m *gitOpsCommitModel) settle(ctx context.Context, config, state *gitOpsCommitModel, known *record, result *engine.Result) diag.Diagnostics {
	planned := *m
	diags := m.setLocation(config, result.Fleet)
	if diags.HasError() {
		return diags
	}
	_, more := m.settleResult(ctx, state, known, result)
	diags.Append(more...)
	if planned.Diff.IsUnknown() {
		m.preview(ctx, state, known, result)
	}
	if planned.Packages.IsUnknown() || planned.ID.IsUnknown() { // no plan has shown it
		diags.Append(m.review(ctx, state, known, result)...)
	}
	moved := !planned.ID.IsUnknown() && !planned.ID.Equal(m.ID)
	if moved || (!planned.Packages.IsUnknown() && !planned.Packages.Equal(m.Packages)) {
		diags.AddError("The fleet came out differently than planned", fmt.Sprintf(
			"Computing the packages for %s again gave another result than the plan shows, so nothing was written. Plan again with the same version of the provider and apply that plan.", m.ID.ValueString()))
	}
	return diags
}

// commitMessage says for whom and what: the environment and the change in a few words.
func commitMessage(m *gitOpsCommitModel, change string) string {
	if environment := m.Environment.ValueString(); environment != "" { // none after an import
		change = environment + ": " + change
	}
	return change + "\n\nWritten by Terraform (kalypso_gitops_commit).\n"
}

// existsAdvice says what to do about a *git.ExistsError; nothing for other errors.
func existsAdvice(err error, creating bool) string {
	var exists *git.ExistsError
	if !errors.As(err, &exists) {
		return ""
	}
	advice := ""
	if exists.Tracking {
		advice = " A branch has one file for the promoted commit: where another resource writes it, set promoted_commit = \"\" here."
	}
	if len(exists.Folders) == 0 {
		return advice
	}
	if creating && exists.StartBranch == "" {
		return advice + fmt.Sprintf(" Where this provider or Kalypso wrote these folders, take them over by an import with the id %s: it claims the folders whose README.md tells so. "+
			"Otherwise remove or rename them in the branch, or write below another path.", exists.Location)
	}
	advice += " If these folders are this resource's own, brought there by an earlier move or by another URL of the same repository, apply the move alone first, without a change of the fleet: what is the same is taken over. If they are somebody else's, "
	if exists.StartBranch != "" {
		return advice + "start the new branch from another one, or from none (create_branch_from)."
	}
	return advice + "remove or rename them in the branch, rename the cluster types, or write below another path."
}
