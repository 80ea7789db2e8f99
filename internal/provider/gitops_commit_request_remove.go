// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// remove takes what a change removes out of a place: by a pull request where the
// model has changes proposed, since a push would go past the review. A request
// of an earlier change is closed.
func (r *gitOpsCommitResource) remove(ctx context.Context, m *gitOpsCommitModel, loc git.Location, known *record, change git.Change, what string) (diag.Diagnostics, error) {
	change.Message = commitMessage(m, what)
	if !m.proposes() {
		_, err := r.data.Writes.apply(ctx, r.data.Client, loc, change)
		if err != nil || known.Proposal == nil {
			return nil, err
		}
		return r.withdraw(ctx, loc.Repo, known.Proposal, "The packages are not wanted here any more."), nil
	}
	a, diags := m.newAsk(ctx, loc, change, what)
	if diags.HasError() {
		return diags, nil
	}
	a.describe = func(base git.Proposed) forge.Change {
		c := describeChange(baseDigests(change, base, engine.DetailPackage), m.rendered(ctx), &engine.Result{})
		c.Summary, c.Run = what, forge.RunFromEnvironment(r.data.Lookup)
		return c
	}
	got, err := r.request(ctx, a)
	if err == nil {
		diags.Append(r.overtaken(ctx, loc.Repo, known.Proposal, got)...)
	}
	switch {
	case err != nil || got.proposed.Branch == "":
		return diags, err
	case got.problems != nil:
		diags.AddWarning("The pull request is not complete", fmt.Sprintf("%s is open, but lacks something.\n%s", got.request.URL, sentence(got.problems)))
	}
	if got.request.State != forge.Merged {
		diags.AddWarning("The removal is proposed", fmt.Sprintf(
			"%s removes the packages from %s once it is merged. Terraform no longer looks after them.", got.request.URL, loc))
	}
	return diags, nil
}

// withdraw closes a pull request that is no longer wanted, and deletes its branch
// unless somebody else has pushed to it.
func (r *gitOpsCommitResource) withdraw(ctx context.Context, repoURL string, p *proposal, why string) diag.Diagnostics {
	var diags diag.Diagnostics
	repo, err := r.data.Forges.Repository(repoURL)
	if err == nil {
		if err = repo.Close(ctx, p.Number, why); err == nil {
			_, err = r.data.Client.DeleteBranch(ctx, git.Location{Repo: repoURL, Branch: p.Branch}, tree.ID(p.Commit))
		}
	}
	if err != nil {
		diags.AddWarning("The pull request was not closed", fmt.Sprintf("Pull request %d is not wanted any more. Close it by hand. Cause: %s", p.Number, sentence(err)))
	}
	return diags
}
