// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

var (
	_ datasource.DataSourceWithConfigure      = (*promotionDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*promotionDataSource)(nil)
)

// promotionDataSource decides which release an environment gets.
type promotionDataSource struct{ dataSource }

func newPromotionDataSource() datasource.DataSource {
	return &promotionDataSource{dataSource{name: "promotion"}}
}

func (d *promotionDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = promotionSchema(ctx)
}

// ValidateConfig compares the known settings with each other. Validators report the mistakes of a
// single attribute.
func (d *promotionDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse) {
	var model promotionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	_, diags := model.settings(ctx)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(model.check()...)
}

// check reports mistakes about the source and the environments before.
func (m *promotionModel) check() (diags diag.Diagnostics) {
	hasAfter, isSource := len(m.After.Elements()) > 0, len(m.Source.Elements()) > 0
	switch {
	case m.After.IsUnknown() || m.Source.IsUnknown():
	case !hasAfter && !isSource:
		diags.AddError("Missing source", "Write a block source if this is the first environment of a chain, or else a block after with the "+
			"environment before it.")
	case hasAfter && isSource:
		diags.AddAttributeError(path.Root("source"), "Source of a later environment", "Only the first environment of a chain follows a source. "+
			"An environment with after gets its releases from there: remove one of the two.")
	case !isSource && len(m.SourceCheck.Elements()) > 0:
		diags.AddAttributeError(path.Root("source_check"), "Check without effect", "source_check needs a block source.")
	}
	return diags
}

func (d *promotionDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model promotionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || d.deferred(req, resp) {
		return
	}
	settings, diags := model.settings(ctx)
	timeout, more := timeLimit{"read", model.Timeouts.Read}.read(ctx, defaultTimeout)
	diags.Append(more...)
	if why := d.data.offline(); why != "" {
		diags.AddError(message.PromotionUndecided, why)
	}
	if d.data.Hold {
		settings.Hold = "hold of the provider (KALYPSO_HOLD)"
	}
	var result decision.Result
	if !diags.HasError() {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		var problems []promote.Problem
		reader := promote.Reader{Reader: record.Reader{Snapshots: d.data.Snapshots}, Forges: d.data.Forges}
		result, problems = reader.Decide(ctx, settings)
		for _, p := range problems {
			diags.AddAttributeError(blockOf(p), message.PromotionUndecided, problem.Sentence(p.Err))
		}
	}
	if d.data.Hold && diags.HasError() {
		d.data.spare(&diags)
		result.Decision, result.Reason = decision.Held, "The provider is on hold, and something cannot be read."
	}
	if result.Newer || result.Decision == decision.Nothing {
		title, detail, _ := strings.Cut(wording.Visible(result.Reason), ". ")
		if message.Title(title) != title {
			title, detail = message.Title(title), wording.Visible(result.Reason)
		}
		diags.AddWarning(title, detail)
	}
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	model.take(result)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

func blockOf(p promote.Problem) path.Path {
	at := path.Root(p.Block)
	if p.Block == "after" || p.Block == "source" {
		at = at.AtListIndex(p.Index)
	}
	return at
}
