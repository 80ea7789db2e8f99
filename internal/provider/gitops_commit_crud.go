// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// defaultTimeout bounds every operation that the timeouts block leaves out.
const defaultTimeout = 5 * time.Minute

// Create writes the first commit. It refuses to overwrite folders that exist
// with other content, and takes over those that are already right.
func (r *gitOpsCommitResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config gitOpsCommitModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Create(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	plan.Commit = types.StringNull()
	written, diags := r.write(ctx, timeout, &plan, &config, nil, &record{})
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(written.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Update writes what changed, with one commit, or none where the branch already is right.
func (r *gitOpsCommitResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, config, state gitOpsCommitModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	known, diags := readRecord(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Update(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	plan.Commit = state.Commit
	written, diags := r.write(ctx, timeout, &plan, &config, &state, known)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(written.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Read finds drift in our folders. It lists the references, and where the
// branch has moved since, compares tree ids from the top down.
func (r *gitOpsCommitResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state gitOpsCommitModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	known, diags := readRecord(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if len(r.data.Unknown) > 0 {
		resp.Diagnostics.AddWarning("Drift was not looked for", fmt.Sprintf(
			"The provider's configuration is not known yet (%s), so the GitOps repository was not read.", strings.Join(r.data.Unknown, ", ")))
		return
	}
	timeout, diags := state.Timeouts.Read(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	request := known.request(state.Exclusive.ValueBool())
	request.Rendered = func() map[string]*tree.Dir { return state.rendered(ctx).Folders }
	if known.Proposal != nil {
		if err := r.follow(ctx, &state, known, request); err != nil {
			resp.Diagnostics.AddError("The pull request cannot be followed", sentence(err)+goneAdvice(err))
			return
		}
		state.Diff = types.StringNull()
		resp.Diagnostics.Append(known.write(ctx, resp.Private)...)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
		return
	}
	found, err := r.data.Client.Read(ctx, state.location(), request)
	if err != nil {
		resp.Diagnostics.AddError("The GitOps repository cannot be read", sentence(err)+goneAdvice(err))
		return
	}
	if !found.Unchanged {
		packages, diags := digests(ctx, state.Packages)
		resp.Diagnostics.Append(diags...)
		known.update(packages, state.detail(), found, state.Exclusive.ValueBool())
		resp.Diagnostics.Append(warnUnwatched(found)...)
		state.settleDrift(ctx, known, packages)
		resp.Diagnostics.Append(known.write(ctx, resp.Private)...)
	}
	if found.Unchanged && state.Diff.IsNull() {
		return
	}
	state.Diff = types.StringNull() // so that the next plan shows its own change alone
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// settleDrift takes over packages as they were found, and says whether they are
// what the state's manifests render: what drifted may have been put right by hand.
func (m *gitOpsCommitModel) settleDrift(ctx context.Context, known *record, packages engine.Digests) {
	if known.Drifted && maps.Equal(packages, m.rendered(ctx).Digests(m.detail())) {
		known.Drifted, known.Drift = false, nil
	}
	found := digestsValue(packages)
	switch {
	case !known.Drifted || known.Imported:
		m.Status = types.StringValue(statusInSync)
	case !m.Packages.Equal(found) || !m.Status.Equal(types.StringValue(statusClosed)):
		m.Status = types.StringValue(statusDrifted)
	}
	m.Packages = found
}

// Delete removes our folders with one commit, unless they are to be retained.
func (r *gitOpsCommitResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state gitOpsCommitModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	known, diags := readRecord(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || state.OnDestroy.ValueString() == onDestroyRetain {
		return
	}
	timeout, diags := state.Timeouts.Delete(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	var err error
	if len(known.paths()) == 0 && len(state.Packages.Elements()) > 0 {
		if known, err = r.claimAgain(ctx, &state); err != nil {
			resp.Diagnostics.AddError("The GitOps repository cannot be read", sentence(err))
			return
		}
	}
	change := known.change(&engine.Result{}, false)
	more, err := r.remove(ctx, &state, state.location(), known, change, "remove all packages")
	resp.Diagnostics.Append(more...)
	if err != nil {
		resp.Diagnostics.AddError("The GitOps repository was not changed", sentence(err))
	}
}

// goneAdvice says how to go on where the repository of the state does not exist any more.
func goneAdvice(err error) string {
	var e *git.Error
	if !errors.As(err, &e) || e.Kind != git.KindNotFound {
		return ""
	}
	return " If it is gone for good, plan and apply with -refresh=false: that writes the packages to where repo, branch and path say now."
}

// warnUnwatched names folders that exclusive = true claims and that cannot be
// watched: their names are no text, which is all that Terraform can hold.
func warnUnwatched(found *git.State) diag.Diagnostics {
	var diags diag.Diagnostics
	for name := range found.Folders {
		if !utf8.ValidString(name) {
			diags.AddWarning("A folder cannot be watched", fmt.Sprintf(
				"The name of the folder %q in the repository is not valid UTF-8, so it stays. Remove or rename it by hand.", name))
		}
	}
	return diags
}
