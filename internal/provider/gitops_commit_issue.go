// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// issueTimeout bounds what a plan waits for the forge.
const issueTimeout = time.Minute

// reportIssue opens, updates or closes the environment's issue, where that is
// asked for: failure is what Compute says. A fleet that cannot be rendered never
// comes to an apply, so this is the one thing that a plan does outside. What goes
// wrong with it is a warning, since it keeps nobody from planning.
func (r *gitOpsCommitResource) reportIssue(ctx context.Context, m, configured, state *gitOpsCommitModel, failure error) diag.Diagnostics {
	var diags diag.Diagnostics
	if !m.ReportIssue.ValueBool() || r.data.Forges == nil {
		return diags
	}
	loc, known := m.issueLocation(configured, state)
	if !known {
		if failure != nil {
			diags.AddWarning("The errors were not reported", "Which repository to report them to comes from the fleet, which cannot be read. Set repo, branch and path to have the first errors reported too.")
		}
		return diags
	}
	ctx, cancel := context.WithTimeout(ctx, issueTimeout)
	defer cancel()
	repo, err := r.data.Forges.Repository(loc.Repo)
	switch {
	case err != nil:
	case failure == nil:
		err = repo.Resolve(ctx, m.marker(loc), "The fleet can be rendered again.")
	default:
		_, err = repo.Report(ctx, m.marker(loc), forge.Report{
			Title:  fmt.Sprintf("Environment %s cannot be rendered", m.Environment.ValueString()),
			Errors: problemTexts(failure),
		})
	}
	if err != nil {
		diags.AddWarning("The issue about errors was not brought up to date", sentence(err))
	}
	return diags
}

// issueLocation gives the place that the environment is written to as far as it
// is known without the fleet.
func (m *gitOpsCommitModel) issueLocation(configured, state *gitOpsCommitModel) (git.Location, bool) {
	at := *configured
	if state != nil {
		at.Repo, at.Branch, at.Path = firstSet(at.Repo, state.Repo), firstSet(at.Branch, state.Branch), firstSet(at.Path, state.Path)
	} else if !m.Repo.IsNull() && !m.Repo.IsUnknown() { // the fleet has told it
		at.Repo, at.Branch, at.Path = m.Repo, m.Branch, m.Path
	}
	known := at.Repo.ValueString() != "" && at.Branch.ValueString() != "" && !at.Path.IsUnknown()
	return at.location(), known
}

// problemTexts gives each problem that the engine found as one text.
func problemTexts(failure error) []string {
	var list problem.List
	if !errors.As(failure, &list) {
		return []string{sentence(failure)}
	}
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = p.Summary + "\n" + problemText(p)
	}
	return texts
}
