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

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/gitops"
)

// write renders the plan again, makes sure that it comes out as planned, and
// makes the branch hold it. It fills what was unknown in the plan and gives the
// record of what is there now.
func (r *gitOpsCommitResource) write(ctx context.Context, timeout time.Duration, plan, config, state *gitOpsCommitModel, known *record) (*record, diag.Diagnostics) {
	in, diags := plan.engineInput(ctx)
	if diags.HasError() {
		return nil, diags
	}
	result, err := kalypso.Compute(in)
	diags.Append(problemDiagnostics(err)...)
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
	change := known.change(result, plan.Exclusive.ValueBool())
	change.CreateBranchFrom = plan.CreateBranchFrom.ValueString()
	change.Message = commitMessage(plan, plan.Summary.ValueString())
	written, err := r.data.Client.Apply(ctx, plan.location(), change)
	if err != nil {
		diags.AddError("The GitOps repository was not changed", sentence(err)+existsAdvice(err, state == nil))
		return nil, diags
	}
	if left != nil {
		diags.Append(r.clean(ctx, plan, left)...)
	}
	if !written.Commit.IsZero() {
		plan.Commit = types.StringValue(written.Commit.String())
	}
	return newRecord(result, written, r.data.Version, config.given()), diags
}

// settle holds the result against the plan: what was planned has to come out
// again, and what was unknown becomes known. state is nil when the resource is new.
func (m *gitOpsCommitModel) settle(ctx context.Context, config, state *gitOpsCommitModel, known *record, result *kalypso.Result) diag.Diagnostics {
	planned := *m
	diags := m.setLocation(config, result.Fleet)
	if diags.HasError() {
		return diags
	}
	_, more := m.settleResult(ctx, state, known, result)
	diags.Append(more...)
	moved := !planned.ID.IsUnknown() && !planned.ID.Equal(m.ID)
	if moved || (!planned.Packages.IsUnknown() && !planned.Packages.Equal(m.Packages)) {
		diags.AddError("The fleet came out differently than planned", fmt.Sprintf(
			"Computing the packages for %s again gave another result than the plan shows, so nothing was written. Plan again with the same version of the provider and apply that plan.", m.ID.ValueString()))
	}
	return diags
}

// commitMessage says for whom and what: the environment and the change in a few words.
func commitMessage(m *gitOpsCommitModel, change string) string {
	return fmt.Sprintf("%s: %s\n\nWritten by Terraform (kalypso_gitops_commit).\n", m.Environment.ValueString(), change)
}

// existsAdvice says what to do about a *gitops.ExistsError; nothing for other errors.
func existsAdvice(err error, creating bool) string {
	var exists *gitops.ExistsError
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
	switch {
	case exists.StartBranch != "":
		advice += fmt.Sprintf(" Start the new branch from another one, or from none (create_branch_from), or remove the folders from %s.", exists.StartBranch)
	case creating:
		advice += fmt.Sprintf(" Where this provider or Kalypso wrote them, take them over by an import with the id %s: it claims the folders whose README.md tells so. "+
			"Otherwise remove or rename them in the branch, or write below another path.", exists.Location)
	default:
		advice += " Remove or rename them in the branch, rename the cluster types, or write below another path."
	}
	return advice
}
