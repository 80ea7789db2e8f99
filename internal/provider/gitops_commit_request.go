// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// ask is a change that a pull request is asked for.
type ask struct {
	settings pullRequestModel
	loc      git.Location
	marker   forge.Marker
	draft    git.Draft
	// title is the request's where the settings have none.
	title string
	// describe tells what changes in the base branch.
	describe func(base git.Proposed) forge.Change
	// pushed is what we have pushed to the branch that stands: people may have
	// pushed more since.
	pushed tree.ID
	// settled tells that no request can be open where there is nothing to propose.
	settled bool
}

// answer is what came of it.
type answer struct {
	// proposed has no branch where there was nothing to propose.
	proposed git.Proposed
	request  forge.Request
	// problems kept the request from being all that was asked for.
	problems error
}

// newAsk asks for a change of a location.
func (m *gitOpsCommitModel) newAsk(ctx context.Context, loc git.Location, change git.Change, what string) (ask, diag.Diagnostics) {
	settings, diags := m.pullRequest(ctx)
	environment := m.Environment.ValueString()
	return ask{
		settings: settings, loc: loc, marker: m.marker(loc), title: environment + ": " + what,
		draft: git.Draft{Change: change, Name: func(root tree.ID) string { return settings.branch(environment, root) }},
	}, diags
}

// request pushes the change to a branch of its own and opens the pull request, or
// completes what an earlier apply has begun. Each step looks first whether it is
// done, so that apply can be killed between any two of them. Older requests of
// the same marker are closed; where there is nothing to propose, all of them.
func (r *gitOpsCommitResource) request(ctx context.Context, a ask) (answer, error) {
	repo, err := r.data.Forges.Repository(a.loc.Repo)
	if err != nil {
		return answer{}, err
	}
	proposed, err := r.data.Writes.propose(ctx, r.data.Client, a.loc, &a.draft)
	if err != nil {
		return answer{}, err
	}
	if stands := a.draft.Standing; proposed.Branch != "" && proposed.Branch == stands.Branch && proposed.Commit == stands.Commit {
		proposed.Commit = a.pushed
	}
	got := answer{proposed: proposed}
	if proposed.Branch == "" && a.settled {
		return got, nil
	}
	if proposed.Branch == "" {
		return got, r.closeAll(ctx, repo, a, forge.Request{}, "There is nothing to propose any more: the branch is as it has to be.")
	}
	got.request, err = repo.Propose(ctx, forge.Proposal{
		Marker: a.marker, Head: proposed.Branch, Commit: proposed.Commit.String(),
		Title: cmp.Or(text(a.settings.Title), a.title), Change: a.describe(proposed), Labels: a.labels(proposed),
		Reviewers: a.settings.Reviewers, TeamReviewers: a.settings.TeamReviewers, Draft: a.settings.draft(),
	})
	if got.request.Number == 0 {
		return got, err
	}
	problems := []error{err}
	_, err = repo.Supersede(ctx, a.marker, got.request, r.remover(a.loc))
	problems = append(problems, err)
	comment := fmt.Sprintf("Overtaken by #%d: %s", got.request.Number, got.request.URL)
	problems = append(problems, r.closeAll(ctx, repo, a, got.request, comment))
	if method := text(a.settings.AutoMerge); method != "" {
		problems = append(problems, repo.AutoMerge(ctx, got.request.Number, forge.Method(method)))
	}
	got.problems = errors.Join(problems...)
	if a.settings.waits() {
		return got, r.await(ctx, repo, &got)
	}
	if text(a.settings.AutoMerge) != "" { // which may have merged at once
		if now, err := repo.Request(ctx, got.request.Number); err == nil {
			got.request = now
		}
	}
	return got, nil
}

// labels adds the label of Kalypso's promotion workflow where the promoted commit changes.
func (a ask) labels(base git.Proposed) []string {
	t := a.draft.Tracking
	if t == nil || t.Content == nil || base.Tracking == trackingBlob(t.Content) || slices.Contains(a.settings.Labels, promotedLabel) {
		return a.settings.Labels
	}
	return append(slices.Clone(a.settings.Labels), promotedLabel)
}

func trackingBlob(content []byte) tree.ID { return (&engine.Result{Tracking: content}).TrackingID() }

// await waits for the merge.
func (r *gitOpsCommitResource) await(ctx context.Context, repo *forge.Repository, got *answer) error {
	q, err := repo.Await(ctx, got.request.Number)
	if err != nil {
		return errors.Join(got.problems, err)
	}
	if q.State == forge.Closed {
		return fmt.Errorf("pull request %d was closed without a merge: %s. Apply again to propose the change anew", q.Number, q.URL)
	}
	got.request = q
	return nil
}

// closeAll closes the open requests of the marker but for one, and deletes their
// branches as far as nobody else has pushed to them.
func (r *gitOpsCommitResource) closeAll(ctx context.Context, repo *forge.Repository, a ask, but forge.Request, comment string) error {
	open, err := repo.Requests(ctx, a.marker, forge.Open)
	problems := []error{err}
	for _, q := range open {
		if q.Number == but.Number || q.Head == but.Head {
			continue
		}
		err := repo.Close(ctx, q.Number, comment)
		if err == nil && q.Pushed != "" {
			err = r.remover(a.loc)(ctx, q.Head, q.Pushed)
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// remover deletes the branch of a request, unless somebody has pushed to it.
func (r *gitOpsCommitResource) remover(loc git.Location) func(ctx context.Context, branch, commit string) error {
	return func(ctx context.Context, branch, commit string) error {
		id, err := tree.ParseID(commit)
		if err != nil {
			return err
		}
		_, err = r.data.Client.DeleteBranch(ctx, git.Location{Repo: loc.Repo, Branch: branch}, id)
		return err
	}
}

// propose has the planned change asked for by a pull request, fills what was
// unknown in the plan, and gives the record of what is there now.
func (r *gitOpsCommitResource) propose(ctx context.Context, plan, state *gitOpsCommitModel, known *record, result *engine.Result, change git.Change, given string) (*record, diag.Diagnostics) {
	a, diags := plan.newAsk(ctx, plan.location(), change, plan.Summary.ValueString())
	if diags.HasError() {
		return nil, diags
	}
	held := known.Proposal.holds(result, change)
	if p := known.Proposal; held {
		a.draft.Standing, a.pushed = git.Proposed{Branch: p.Branch, Commit: tree.ID(p.Seen)}, tree.ID(p.Commit)
	}
	a.settled = state != nil && known.Proposal == nil && state.Status.Equal(types.StringValue(statusInSync)) && !plan.moves(state)
	old := state.renderedBefore(ctx, plan)
	var described forge.Change
	a.describe = func(base git.Proposed) forge.Change {
		c := describeChange(baseDigests(change, base, engine.DetailPackage), old, result)
		c.Config = configSince(known.Config, c)
		c.Summary, c.Run = plan.Summary.ValueString(), forge.RunFromEnvironment(r.data.Lookup)
		described = c
		return c
	}
	got, err := r.request(ctx, a)
	if err != nil {
		diags.AddError("The change was not proposed", sentence(err)+existsAdvice(err, state == nil))
		return nil, diags
	}
	diags.Append(r.overtaken(ctx, plan.Repo.ValueString(), known.Proposal, got)...)
	if got.proposed.Branch == "" {
		plan.settleRequest(state, got, held)
		return newRecord(result, git.Result{Head: got.proposed.Base}, r.data.Version, given), diags
	}

	next := &record{Head: objectID(got.proposed.Base), Others: known.Others, Engine: r.data.Version, Given: given}
	next.base(a.draft.Change, got.proposed, plan.Exclusive.ValueBool())
	next.Proposal = newProposal(result, a.draft.Change, got.proposed, got.request, plan.detail())
	next.Config = described.Config[:min(len(described.Config), maxKeptConfig)]
	next.Drift = state.driftFrom(ctx, known, result)
	if got.problems != nil {
		next.Proposal.Incomplete = true
		diags.AddWarning("The pull request is not complete", fmt.Sprintf(
			"%s is open, but lacks something. The next apply tries again.\n%s", got.request.URL, sentence(got.problems)))
	}
	plan.Commit = types.StringValue(got.proposed.Commit.String())
	plan.settleRequest(state, got, false)
	if got.request.State == forge.Merged {
		diags.Append(r.takeMerge(ctx, plan, next, got, a.settings.waits())...)
	}
	return next, diags
}

// overtaken closes the request that the record knows, where another one, or none,
// is wanted now: by its number, since its marker may be that of another
// environment, or gone with a text that a person has rewritten.
func (r *gitOpsCommitResource) overtaken(ctx context.Context, repoURL string, p *proposal, got answer) diag.Diagnostics {
	if p == nil || p.Number == got.request.Number || p.Branch == got.proposed.Branch {
		return nil
	}
	why := "This is not wanted any more."
	if got.request.Number != 0 {
		why = fmt.Sprintf("Overtaken by #%d: %s", got.request.Number, got.request.URL)
	}
	return r.withdraw(ctx, repoURL, p, why)
}

// trackingOf gives the promoted commit's blob that a change leads to, zero where
// it leaves the file alone.
func trackingOf(change git.Change, result *engine.Result) tree.ID {
	if change.Tracking == nil {
		return tree.ID{}
	}
	return result.TrackingID()
}

// settleRequest makes known what the plan did not know of the request. merged
// tells that there is nothing to propose since the request that was open is merged.
func (m *gitOpsCommitModel) settleRequest(state *gitOpsCommitModel, got answer, merged bool) {
	m.MergedCommit = types.StringNull()
	if got.proposed.Branch != "" {
		m.Status = types.StringValue(statusProposed)
		m.PullRequestNumber, m.PullRequestURL = types.Int64Value(int64(got.request.Number)), types.StringValue(got.request.URL)
		return
	}
	m.Status = types.StringValue(statusInSync)
	m.PullRequestNumber, m.PullRequestURL = types.Int64Null(), types.StringNull()
	if state != nil {
		m.PullRequestNumber, m.PullRequestURL, m.MergedCommit = state.PullRequestNumber, state.PullRequestURL, state.MergedCommit
	}
	if merged {
		m.MergedCommit = types.StringValue(got.proposed.Base.String())
	}
}

// takeMerge notes a merge that has happened during apply.
func (r *gitOpsCommitResource) takeMerge(ctx context.Context, plan *gitOpsCommitModel, next *record, got answer, waited bool) diag.Diagnostics {
	var diags diag.Diagnostics
	found, err := r.data.Client.Read(ctx, plan.location(), next.request(plan.Exclusive.ValueBool()))
	switch {
	case err != nil:
		diags.AddError("The GitOps repository cannot be read", sentence(err))
	case !next.Proposal.sameAs(found, next):
		if waited {
			diags.AddError("The merge changed something else", fmt.Sprintf(
				"%s was merged, but the branch does not hold what was proposed. Plan again to see what differs.", got.request.URL))
		} // else the next refresh tells
	default:
		next.merged(found.Head)
		plan.Status, plan.MergedCommit = types.StringValue(statusInSync), types.StringValue(cmp.Or(got.request.MergeCommit, found.Head.String()))
	}
	return diags
}

// merged notes that the base branch holds what was proposed.
func (r *record) merged(head tree.ID) {
	p := r.Proposal
	r.Head, r.Folders, r.Proposal, r.Drift, r.Drifted = objectID(head), p.Folders, nil, nil, false
	r.Config = nil
	if r.Tracking != nil {
		r.Tracking = trackingRecord(tree.ID(p.Tracking))
	}
	r.Others = nil
}
