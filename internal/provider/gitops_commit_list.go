// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

var (
	_ provider.ProviderWithListResources = (*kalypsoProvider)(nil)
	_ list.ListResourceWithConfigure     = (*gitOpsCommitList)(nil)
)

// gitOpsCommitList lists the environments that have records in a repository, for terraform query.
type gitOpsCommitList struct{ gitOpsCommitResource }

func newGitOpsCommitList() list.ListResource { return &gitOpsCommitList{} }

// gitOpsCommitListModel is what to list.
type gitOpsCommitListModel struct {
	Repo   types.String `tfsdk:"repo"`
	Branch types.String `tfsdk:"branch"`
}

func (l *gitOpsCommitList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest,
	resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the environments that `kalypso_gitops_commit` has written to a GitOps repository, by the records in " +
			"`.kalypso`. An environment that several resources write to one path, in waves, is one result. `terraform query` (Terraform " +
			"1.14 and later) shows the results and generates `import` blocks.",
		Attributes: map[string]schema.Attribute{
			"repo": schema.StringAttribute{
				Required: true, MarkdownDescription: "The URL of the GitOps repository.", Validators: []validator.String{gitURL},
			},
			"branch": schema.StringAttribute{
				Optional: true, MarkdownDescription: "The branch to list. By default, all branches.", Validators: []validator.String{gitBranch},
			},
		},
	}
}

// List reads the records, and with include_resource also the packages of each environment.
func (l *gitOpsCommitList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config gitOpsCommitListModel
	if diags := req.Config.Get(ctx, &config); diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	if why := l.data.offline(); why != "" {
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{diag.NewErrorDiagnostic(message.Unreadable, why)})
		return
	}
	stream.Results = l.results(ctx, req, config)
}

// results lists at most so many environments as the request asks for. Errors come after the results.
func (l *gitOpsCommitList) results(ctx context.Context, req list.ListRequest, config gitOpsCommitListModel) iter.Seq[list.ListResult] {
	return func(push func(list.ListResult) bool) {
		ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
		defer cancel()
		found, messages := l.data.Publisher.List(ctx, config.Repo.ValueString(), config.Branch.ValueString())
		for i, one := range found {
			if req.Limit > 0 && int64(i) == req.Limit || !push(l.result(ctx, req, one)) {
				return
			}
		}
		for _, each := range diagnostics(messages) {
			if !push(list.ListResult{Diagnostics: diag.Diagnostics{each}}) {
				return
			}
		}
	}
}

// result describes one environment. Its resource is the one that an import would give.
func (l *gitOpsCommitList) result(ctx context.Context, req list.ListRequest, one publish.Listed) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = wording.Visible(one.String())
	result.Diagnostics.Append(result.Identity.Set(ctx, identityAt(one.Location, types.StringValue(one.Environment)))...)
	if !req.IncludeResource {
		return result
	}
	imported, messages := l.data.Publisher.Import(ctx, one.Location, one.Environment)
	if result.Diagnostics.Append(diagnostics(messages)...); result.Diagnostics.HasError() {
		return result
	}
	resource, diags := importedModel(ctx, result.Resource, one.Location, imported)
	result.Diagnostics.Append(diags...)
	result.Diagnostics.Append(result.Resource.Set(ctx, &resource)...)
	return result
}
