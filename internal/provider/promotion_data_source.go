// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

var (
	_ datasource.DataSourceWithConfigure        = (*promotionDataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*promotionDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig   = (*promotionDataSource)(nil)
)

// promotionDataSource decides which commit an environment should be at.
type promotionDataSource struct{ configured }

func newPromotionDataSource() datasource.DataSource {
	return &promotionDataSource{configured{name: "promotion"}}
}

func (d *promotionDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = promotionSchema(ctx)
}

func (d *promotionDataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{datasourcevalidator.ExactlyOneOf(path.MatchRoot("source"), path.MatchRoot("candidate"))}
}

// ValidateConfig compares the known values of the rules with each other. Validators report
// the mistakes of a single attribute.
func (d *promotionDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse) {
	var model promotionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if settings, diags := model.settings(ctx); !diags.HasError() {
		resp.Diagnostics.Append(settings.diagnostics(settings.rules.Check())...)
	}
}

// Read decides, and reads only the facts that the decision needs.
func (d *promotionDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model promotionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	settings, diags := model.settings(ctx)
	resp.Diagnostics.Append(diags...)
	timeout, diags := model.Timeouts.Read(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if len(d.data.Unknown) > 0 {
		resp.Diagnostics.AddError(message.PromotionUndecided, problem.Sentence(errors.New(d.data.offline())))
	}
	if d.data.Hold {
		d.stay(ctx, settings, timeout, &model, resp)
		return
	}
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ctx = remote.Trusting(ctx, settings.repositories()...)
	facts, environments, diags := settings.facts(ctx, history.Reader{Snapshots: d.data.Snapshots, Forges: d.data.Forges})
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	result, err := promotion.Decide(ctx, settings.rules, facts, time.Now())
	resp.Diagnostics.Append(settings.diagnostics(err)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(beginsAnew(settings, result, environments["target"])...)
	resp.Diagnostics.Append(overlooked(settings.rules.Environment, environments)...)
	resp.Diagnostics.Append(soaksByCommitTime(settings.rules, result)...)
	model.take(result)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// stay reads only the present commit of the environment, because the provider is on hold.
// A value that cannot be read is null.
func (d *promotionDataSource) stay(ctx context.Context, settings promotionSettings, timeout time.Duration, model *promotionModel,
	resp *datasource.ReadResponse) {
	settings.rules.Hold, settings.rules.SourceChecks, settings.source, settings.after = true, nil, nil, nil
	settings.rules.OnFailure = nil
	result := promotion.Result{Decision: promotion.Held, Reason: "The provider is on hold, and the environment cannot be read."}
	if !resp.Diagnostics.HasError() {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		ctx = remote.Trusting(ctx, settings.repositories()...)
		facts, _, diags := settings.facts(ctx, history.Reader{Snapshots: d.data.Snapshots, Forges: d.data.Forges})
		resp.Diagnostics.Append(diags...)
		if facts.Target.History != nil {
			decided, err := promotion.Decide(ctx, settings.rules, facts, time.Now())
			resp.Diagnostics.Append(settings.diagnostics(err)...)
			if err == nil {
				result = decided
			}
		}
	}
	d.data.spare(&resp.Diagnostics)
	model.take(result)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// repositories returns the repositories in the configuration. Their hosts get the
// credentials from environment variables.
func (s promotionSettings) repositories() []string {
	urls := []string{s.target.Branch.Repo}
	if s.source != nil {
		urls = append(urls, s.source.Branch.Repo)
	}
	for _, p := range s.after {
		urls = append(urls, p.Branch.Repo)
	}
	return urls
}

// facts returns the sources of the facts for a decision, and the histories of the
// environments by the attributes that name them.
func (s promotionSettings) facts(ctx context.Context, r history.Reader) (promotion.Facts, map[string]*history.Environment,
	diag.Diagnostics) {
	var diags diag.Diagnostics
	facts := promotion.Facts{After: map[string]promotion.Branch{}, SourceKey: history.SourceKey}
	environments := map[string]*history.Environment{}
	open := func(where string, p history.Place, eager bool) promotion.History {
		e, err := r.Environment(ctx, p, eager)
		if err != nil {
			diags.Append(s.diagnostics(atAttribute(where, err))...)
			return nil
		}
		environments[where] = e
		return located(where, e.History)
	}
	reports := func(where, repo string, checks []promotion.Check) promotion.Reports {
		if len(checks) == 0 {
			return nil
		}
		asked, err := r.Reports(ctx, repo)
		if err != nil {
			diags.AddAttributeError(s.path(where), "No forge to ask for checks", visible(noReports(err)))
			return nil
		}
		return func(commit string) ([]promotion.Report, error) {
			found, err := asked(commit)
			return found, atAttribute(where, err)
		}
	}
	facts.Target.History = open("target", s.target, false)
	if s.rules.OnFailure != nil {
		facts.Target.Reports = reports("target.checks", s.target.Branch.Repo, s.rules.OnFailure.Checks)
	}
	for _, name := range slices.Sorted(maps.Keys(s.after)) {
		where, place := fmt.Sprintf("after[%q]", name), s.after[name]
		facts.After[name] = promotion.Branch{History: open(where, place, true),
			Reports: reports(where+".checks", place.Branch.Repo, s.rules.After[name].Checks)}
	}
	if s.source != nil {
		facts.SourceReports = reports("source_checks", s.source.Branch.Repo, s.rules.SourceChecks)
		source, err := r.Source(ctx, *s.source)
		diags.Append(s.diagnostics(atAttribute("source", err))...)
		facts.Source = located("source", source)
	}
	return facts, environments, diags
}

// noReports explains why the reports on commits cannot be read. It advises no_checks = true
// only if the repository has no forge, not if a token is missing.
func noReports(err error) string {
	text := problem.Sentence(err) + " Checks need commit statuses of GitHub or Gitea (Forgejo)."
	if errors.Is(err, forge.ErrNoForge) {
		text += " If the repository has no such forge, write no_checks = true: then a commit only has to be in the environment and to have " +
			"soaked, even if the clusters do not run it."
	}
	return text
}

// attributeError is an error whose cause is an attribute.
type attributeError struct {
	where string
	error
}

func (e attributeError) Unwrap() error { return e.error }

// atAttribute adds to an error the attribute that caused it. It returns nil for nil.
func atAttribute(where string, err error) error {
	if err == nil {
		return nil
	}
	return attributeError{where, err}
}

// located adds to the errors of a history the attribute that caused them.
func located[T any](where string, history func(i int) (T, bool, error)) func(i int) (T, bool, error) {
	return func(i int) (T, bool, error) {
		element, ok, err := history(i)
		return element, ok, atAttribute(where, err)
	}
}

// diagnostics returns an error for each problem of a promotion, at the attribute that
// caused the problem.
func (s promotionSettings) diagnostics(err error) diag.Diagnostics {
	var diags diag.Diagnostics
	var list problem.List
	var at attributeError
	switch {
	case err == nil:
	case errors.As(err, &list):
		for _, p := range list {
			diags.AddAttributeError(s.path(p.Subject), p.Summary, visible(p.Text()))
		}
	case errors.As(err, &at):
		diags.AddAttributeError(s.path(at.where), message.PromotionUndecided, visible(problem.Sentence(err)))
	default:
		diags.AddError(message.PromotionUndecided, visible(problem.Sentence(err)))
	}
	return diags
}

// beginsAnew refuses to promote to an unknown environment if others are recorded in its
// place. With a misspelled name, the environment would return to commits that were
// reverted.
func beginsAnew(s promotionSettings, result promotion.Result, target *history.Environment) diag.Diagnostics {
	var diags diag.Diagnostics
	others := target.OfOthers()
	if others == "" || result.Decision != promotion.Promote {
		return nil
	}
	diags.AddAttributeError(path.Root("environment"), message.NothingCarried, visible(fmt.Sprintf(
		"No record in %s is of environment %q, but the same place has: %s. A promotion would begin a new environment there, at %s. Correct "+
			"environment or target; if environments share the branch, set path in target. If the environment is new, set pin to that commit until "+
			"the first apply has written it.",
		s.target.Branch, s.rules.Environment, others, result.Commit)))
	return diags
}

// overlooked warns about environments that were not found if others were found in their
// place. The promotion would wait for a misspelled environment for ever.
func overlooked(environment string, all map[string]*history.Environment) diag.Diagnostics {
	var told []string
	for _, where := range slices.Sorted(maps.Keys(all)) {
		if why := all[where].Overlooked(); why != "" {
			told = append(told, where+": "+why)
		}
	}
	if len(told) == 0 {
		return nil
	}
	return warning(message.NothingCarried, strings.Join(told, "\n")+"\n\nThe promotion treats such an environment as empty. If no apply has "+
		"written it yet, do nothing. Otherwise correct the attribute.", environment, "")
}

// soaksByCommitTime warns if a commit that the decision used has soaked, or soaks, by the
// times of commits.
func soaksByCommitTime(rules promotion.Rules, result promotion.Result) diag.Diagnostics {
	soaks := slices.ContainsFunc(result.Candidates, func(c promotion.Candidate) bool {
		return c.State == promotion.Soaking || c.State == promotion.Verified
	})
	var told []string
	for _, name := range slices.Sorted(maps.Keys(rules.After)) {
		if gate := rules.After[name]; soaks && gate.Soak > 0 && len(gate.Checks) == 0 {
			told = append(told, fmt.Sprintf("SOAK_BY_COMMIT_TIME: after[%q] has no_checks = true and soak. The soak begins at the time in the "+
				"GitOps commit, and anyone who can push to that branch can set any time.", name))
		}
	}
	if len(told) == 0 {
		return nil
	}
	return warning("A soak uses the times of commits",
		strings.Join(told, "\n")+"\n\nWrite checks: the soak then begins when the forge received a "+
			"report. Without a forge, restrict pushes to that branch to people who may promote.", rules.Environment, "")
}
