// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// withdraws tells whether the pull request that is open is no longer wanted.
func (m *gitOpsCommitModel) withdraws(known *record) bool {
	return known.Proposal != nil && !m.proposes()
}

// planRequest plans what is known of the pull request: nothing where there will
// be one, or where the open one is brought up to date. It comes after everything
// that is computed from the fleet: an unknown commit says that something is written.
func (m *gitOpsCommitModel) planRequest(state *gitOpsCommitModel, known *record) {
	writes := m.Commit.IsUnknown()
	updates := state != nil && known.Proposal != nil &&
		(known.Proposal.Incomplete || !m.Environment.Equal(state.Environment) || !m.Manifests.Equal(state.Manifests) || !m.sameSettings(state))
	switch {
	case m.proposes() && (writes || updates):
		m.PullRequestNumber, m.PullRequestURL = types.Int64Unknown(), types.StringUnknown()
		m.Status, m.MergedCommit = types.StringUnknown(), types.StringUnknown()
		m.Commit = types.StringUnknown()
	case writes, m.withdraws(known):
		m.PullRequestNumber, m.PullRequestURL = types.Int64Null(), types.StringNull()
		m.Status, m.MergedCommit = types.StringValue(statusInSync), types.StringNull()
	default:
		m.PullRequestNumber, m.PullRequestURL, m.MergedCommit = state.PullRequestNumber, state.PullRequestURL, state.MergedCommit
		if m.Status = state.Status; known.Proposal == nil {
			m.Status = types.StringValue(statusInSync) // what drifted is as it has to be again
		}
	}
}

// checkForge says at plan what would keep apply from proposing. It connects to nothing.
func (r *gitOpsCommitResource) checkForge(m *gitOpsCommitModel) diag.Diagnostics {
	var diags diag.Diagnostics
	if !m.proposes() || m.PullRequest.IsUnknown() || !m.Commit.IsUnknown() || m.Repo.IsUnknown() || r.data.Forges == nil {
		return diags
	}
	if _, err := r.data.Forges.Repository(m.Repo.ValueString()); err != nil {
		diags.AddAttributeError(path.Root("pull_request"), "No pull request can be made", sentence(err))
	}
	return diags
}
