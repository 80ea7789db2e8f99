// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

var (
	_ datasource.DataSourceWithConfigure      = (*promotionDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*promotionDataSource)(nil)
)

// promotionDataSource decides which release an environment gets.
type promotionDataSource struct{ configured }

func newPromotionDataSource() datasource.DataSource {
	return &promotionDataSource{configured{name: "promotion"}}
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

// Read decides.
func (d *promotionDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model promotionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || d.deferred(req, resp) {
		return
	}
	settings, diags := model.settings(ctx)
	timeout, more := model.Timeouts.Read(ctx, defaultTimeout)
	diags.Append(more...)
	if why := d.data.offline(); why != "" {
		diags.AddError(message.PromotionUndecided, why)
	}
	if d.data.Hold {
		settings.input.Hold = "hold of the provider (KALYPSO_HOLD)"
	}
	var result decision.Result
	if !diags.HasError() {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		ctx = remote.Trusting(ctx, settings.repositories()...)
		result, more = settings.decide(ctx, promote.Reader{Reader: record.Reader{Snapshots: d.data.Snapshots}, Forges: d.data.Forges})
		diags.Append(more...)
	}
	if d.data.Hold && diags.HasError() {
		d.data.spare(&diags)
		result = decision.Result{Release: settings.current(), Decision: decision.Held,
			Reason: "The provider is on hold, and something cannot be read."}
	}
	if result.Newer || result.Decision == decision.Nothing {
		diags.AddWarning(wording.Visible(result.Reason), "")
	}
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	model.take(result)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// repositories returns the repositories in the configuration. Their hosts get the
// credentials from environment variables.
func (s *promotionSettings) repositories() []string {
	urls := []string{s.target.Branch.Repo}
	if s.source != nil {
		urls = append(urls, s.source.Branch.Repo)
	}
	for _, p := range s.after {
		urls = append(urls, p.Branch.Repo)
	}
	return urls
}

// current returns the release that the environment is at; zero if it has none, or was not read.
func (s *promotionSettings) current() record.Release {
	if steps := s.input.Own.Track.Steps; len(steps) > 0 {
		return steps[len(steps)-1].Release
	}
	return record.Release{}
}

// maxSource is how many commits of a source are read if one of them is searched.
const maxSource = 50

// decide reads the tracks, and applies the rule, which asks for the reports.
func (s *promotionSettings) decide(ctx context.Context, r promote.Reader) (decision.Result, diag.Diagnostics) {
	var diags diag.Diagnostics
	in := &s.input
	fail := func(at path.Path, err error) {
		diags.AddAttributeError(at, message.PromotionUndecided, problem.Sentence(err))
	}
	failed := path.Empty() // the attribute whose reports the decision cannot read
	reports := func(at path.Path, repo string, checks []decision.Check) decision.Reports {
		if len(checks) == 0 {
			return nil
		}
		read, err := r.Reports(ctx, repo, s.reports)
		if err != nil {
			diags.AddAttributeError(at, "No reports to check", problem.Sentence(err)+noReports)
		}
		return func(commit string) ([]decision.Report, error) {
			found, err := read(commit)
			if err != nil {
				failed = at
			}
			return found, err
		}
	}
	var err error
	at := path.Root("target")
	if in.Own.Track, err = r.Track(ctx, s.target); err != nil {
		fail(at, err)
	}
	in.Own.Reports = reports(at, s.target.Branch.Repo, in.Own.Checks)
	for i := range in.After {
		at, after := path.Root("after").AtListIndex(s.blocks[i]), &in.After[i]
		if after.Track, err = r.Track(ctx, s.after[i]); err != nil {
			fail(at, err)
		}
		after.Reports = reports(at, s.after[i].Branch.Repo, after.Checks)
	}
	if s.source != nil {
		most := 1
		if in.Pin != "" || len(in.Source.Checks) > 0 {
			most = maxSource
		}
		at := path.Root("source").AtListIndex(0)
		if in.Source.Commits, err = r.Source(ctx, *s.source, most); err != nil {
			fail(at, err)
		}
		in.Source.Reports = reports(at, s.source.Branch.Repo, in.Source.Checks)
	}
	if diags.HasError() {
		return decision.Result{}, diags
	}
	in.Now = time.Now()
	result, err := decision.Decide(*in)
	if err != nil {
		fail(failed, err)
	}
	return result, diags
}

// noReports says what to do without a forge.
const noReports = " Checks need reports: commit statuses of GitHub, Gitea, GitLab or Azure Repos, or the attribute reports. Without " +
	"either, write checks_required = false in after: a release then only has to be in the environment and to have soaked there."
