// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

var (
	_ resource.ResourceWithConfigure  = (*commitStatusResource)(nil)
	_ resource.ResourceWithModifyPlan = (*commitStatusResource)(nil)
)

// commitStatusResource posts a commit status on a forge whenever its attributes change. Forges
// cannot delete a status, so a destroy does nothing.
type commitStatusResource struct{ data *providerData }

func newCommitStatusResource() resource.Resource { return &commitStatusResource{} }

func (r *commitStatusResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_commit_status"
}

func (r *commitStatusResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.data = dataOf(req.ProviderData, &resp.Diagnostics)
}

func (r *commitStatusResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replaces := func(attribute schema.StringAttribute) schema.StringAttribute {
		attribute.PlanModifiers = []planmodifier.String{stringplanmodifier.RequiresReplace()}
		return attribute
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Posts a commit status on GitHub, Gitea, Forgejo, GitLab or Azure Repos, and posts it again whenever an attribute " +
			"changes. The token needs the right to write commit statuses. Set it in a block `forge` of the provider, or in " +
			"`KALYPSO_FORGE_TOKEN`.\n\nForges cannot delete a status. So after a destroy, or after a change of `repo`, `commit` or " +
			"`context`, the old status stays. Nothing is read either: the provider does not repair the statuses that others post with the same " +
			"context. To post a status again, use `terraform apply -replace`.",
		Attributes: map[string]schema.Attribute{
			"id": resultText("`<repo>@<commit>/<context>`. Null if the status is not posted yet because the provider was on hold."),
			"repo": replaces(requiredText("The URL of the repository. Its host gets the credentials from environment variables, so do "+
				"not take this "+
				"URL from a source that others can write, such as the result of `kalypso_deployments`. Changing `repo`, `commit` or `context` "+
				"replaces the resource.", gitURL)),
			"commit": replaces(requiredText("The full id of a commit in the repository.", fullCommitID)),
			"context": replaces(requiredText("The name of the status, at most 255 characters. `kalypso/<environment>/<cluster type>/<cluster>` on "+
				"a commit of a GitOps branch is the report of a cluster, which promotions read.", statusContext)),
			"state": requiredText("`success`, `failure`, `pending` or `error`.", stringvalidator.OneOf(string(forge.Success),
				string(forge.Failure), string(forge.Pending), "error")),
			"description": optionalText("A line of text. The provider shortens it to 140 bytes."),
			"target_url":  optionalText("The URL of a web page with details.", webPage),
		},
		Blocks: map[string]schema.Block{"timeouts": timeouts.Block(ctx, timeouts.Opts{
			Create: true, CreateDescription: statusTimeoutText, Update: true, UpdateDescription: statusTimeoutText,
		})},
	}
}

type commitStatusModel struct {
	ID          types.String   `tfsdk:"id"`
	Repo        types.String   `tfsdk:"repo"`
	Commit      types.String   `tfsdk:"commit"`
	Context     types.String   `tfsdk:"context"`
	State       types.String   `tfsdk:"state"`
	Description types.String   `tfsdk:"description"`
	TargetURL   types.String   `tfsdk:"target_url"`
	Timeouts    timeouts.Value `tfsdk:"timeouts"`
}

// isAs reports whether a status is posted as another one is.
func (m *commitStatusModel) isAs(other *commitStatusModel) bool {
	texts := func(m *commitStatusModel) [6]types.String {
		return [...]types.String{m.Repo, m.Commit, m.Context, m.State, m.Description, m.TargetURL}
	}
	return texts(m) == texts(other)
}

// id returns the id of the status; unknown if a part of it is unknown.
func (m *commitStatusModel) id() types.String {
	if m.Repo.IsUnknown() || m.Commit.IsUnknown() || m.Context.IsUnknown() {
		return types.StringUnknown()
	}
	return types.StringValue(m.Repo.ValueString() + "@" + m.Commit.ValueString() + "/" + m.Context.ValueString())
}

func (m *commitStatusModel) status() forge.Status {
	return forge.Status{Context: m.Context.ValueString(), State: forge.StatusState(m.State.ValueString()),
		Description: m.Description.ValueString(), URL: m.TargetURL.ValueString()}
}

// statusTimeout limits how long the provider waits for a forge, for example after a rate limit, unless
// timeouts says otherwise.
const (
	statusTimeout     = time.Minute
	statusTimeoutText = "The longest time, as `30s` or `5m`. Defaults to `1m`."
)

// repository returns the status's repository. A user has written the URL into the configuration, so its
// host gets the credentials from environment variables.
func (r *commitStatusResource) repository(ctx context.Context, m *commitStatusModel) (*forge.Repository, error) {
	return r.data.Forges.Repository(remote.Trusting(ctx, m.Repo.ValueString()), m.Repo.ValueString())
}

// ModifyPlan plans the id: a new id, or an attribute that changes, posts the status. On hold,
// a status that changes has no id, so the first plan after the hold posts it.
func (r *commitStatusResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan commitStatusModel
	var state *commitStatusModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	isSame := state != nil && plan.isAs(state)
	switch plan.ID = plan.id(); {
	case r.data.Hold && !isSame:
		plan.ID = types.StringNull()
		resp.Diagnostics.AddWarning(message.OnHold, "The provider is on hold, so an apply does not post the status "+
			plan.Context.ValueString()+". The first apply after the hold posts it.")
	case r.data.Hold:
		plan.ID = state.ID
	case isSame && plan.ID == state.ID || plan.Repo.IsUnknown() || r.data.Forges == nil:
	default:
		switch _, err := r.repository(ctx, &plan); {
		case err == nil:
		case state != nil && state.ID.IsNull(): // not posted, so a destroy must not need a forge: Terraform plans this first
			resp.Diagnostics.AddAttributeWarning(path.Root("repo"), message.NoStatus, problem.Sentence(err))
		default:
			resp.Diagnostics.AddAttributeError(path.Root("repo"), message.NoStatus, problem.Sentence(err))
		}
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *commitStatusResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	r.post(ctx, req.Plan, "create", &resp.State, &resp.Diagnostics)
}

func (r *commitStatusResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	r.post(ctx, req.Plan, "update", &resp.State, &resp.Diagnostics)
}

func (r *commitStatusResource) post(ctx context.Context, plan tfsdk.Plan, operation string, state *tfsdk.State, diags *diag.Diagnostics) {
	var model commitStatusModel
	diags.Append(plan.Get(ctx, &model)...)
	limit := timeLimit{operation, model.Timeouts.Create}
	if operation == "update" {
		limit.get = model.Timeouts.Update
	}
	timeout, wrong := limit.read(ctx, statusTimeout)
	diags.Append(wrong...)
	switch {
	case diags.HasError():
		return
	case model.ID.IsNull(): // planned on hold
	case r.data.Hold:
		diags.AddError(message.OnHold, "The provider is on hold, but was not on hold when the plan was made, so the status was not "+
			"posted. Plan again.")
		return
	default:
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		model.ID = model.id()
		repo, err := r.repository(ctx, &model)
		if err == nil {
			err = repo.SetStatus(ctx, model.Commit.ValueString(), model.status())
		}
		if err != nil {
			diags.AddError("The commit status was not set", limit.named(problem.Sentence(err)))
			return
		}
	}
	diags.Append(state.Set(ctx, &model)...)
}

// Read keeps the state: others may post the same context later, and two writers would then post forever.
func (r *commitStatusResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Delete leaves the status, because forges cannot delete one.
func (r *commitStatusResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}
