// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
)

// promotionModel is the data source as Terraform holds it.
type promotionModel struct {
	ID           types.String     `tfsdk:"id"`
	Environment  types.String     `tfsdk:"environment"`
	Source       types.Dynamic    `tfsdk:"source"`
	Candidate    types.String     `tfsdk:"candidate"`
	Target       types.Dynamic    `tfsdk:"target"`
	After        types.Dynamic    `tfsdk:"after"`
	SourceChecks types.Dynamic    `tfsdk:"source_checks"`
	Windows      types.Dynamic    `tfsdk:"windows"`
	Pin          types.String     `tfsdk:"pin"`
	Hold         types.Bool       `tfsdk:"hold"`
	Commit       types.String     `tfsdk:"commit"`
	Current      types.String     `tfsdk:"current"`
	Decision     types.String     `tfsdk:"decision"`
	Reason       types.String     `tfsdk:"reason"`
	Candidates   []candidateModel `tfsdk:"candidates"`
	Verified     types.Bool       `tfsdk:"verified"`
	Timeouts     timeouts.Value   `tfsdk:"timeouts"`
}

type candidateModel struct {
	Commit  string  `tfsdk:"commit"`
	Subject *string `tfsdk:"subject"`
	Author  *string `tfsdk:"author"`
	Time    *string `tfsdk:"time"`
	State   string  `tfsdk:"state"`
	Reason  string  `tfsdk:"reason"`
}

// The objects that people write.
type (
	sourceSettings struct {
		Repo    string  `cty:"repo"`
		Branch  string  `cty:"branch"`
		Path    *string `cty:"path"`
		History *int    `cty:"history"`
	}
	targetSettings struct {
		Repo         string   `cty:"repo"`
		Branch       string   `cty:"branch"`
		Path         *string  `cty:"path"`
		ClusterTypes []string `cty:"cluster_types"`
		History      *int     `cty:"history"`
	}
	gateSettings struct {
		Environment  *string         `cty:"environment"`
		Repo         string          `cty:"repo"`
		Branch       string          `cty:"branch"`
		Path         *string         `cty:"path"`
		ClusterTypes []string        `cty:"cluster_types"`
		History      *int            `cty:"history"`
		Checks       []checkSettings `cty:"checks"`
		Soak         *string         `cty:"soak"`
	}
	checkSettings struct {
		Context  string   `cty:"context"`
		AtLeast  *int     `cty:"at_least"`
		Creators []string `cty:"creators"`
	}
	windowSettings struct {
		Days     []string `cty:"days"`
		From     string   `cty:"from"`
		To       string   `cty:"to"`
		Timezone string   `cty:"timezone"`
	}
)

// promotionSettings are what people have written down, as far as it is known.
type promotionSettings struct {
	rules  promotion.Rules
	source *history.Source
	target history.Place
	after  map[string]history.Place
}

// settings reads what is known of the configuration. An environment of after that is not
// known as a whole is left out.
func (m *promotionModel) settings(ctx context.Context) (promotionSettings, diag.Diagnostics) {
	s := promotionSettings{
		rules: promotion.Rules{
			Environment: m.Environment.ValueString(), After: map[string]promotion.Gate{}, Candidate: history.CommitID(m.Candidate.ValueString()),
			Pin: history.CommitID(m.Pin.ValueString()), Hold: m.Hold.ValueBool(),
		},
		after: map[string]history.Place{},
	}
	var source sourceSettings
	known, diags := promotionAttributes.source.read(ctx, path.Root("source"), m.Source, &source)
	if known {
		s.source = &history.Source{Branch: git.Branch{Repo: source.Repo, Name: source.Branch}, Path: text(source.Path), Most: orElse(source.History, history.DefaultSource)}
	}
	var target targetSettings
	_, more := promotionAttributes.target.read(ctx, path.Root("target"), m.Target, &target)
	diags.Append(more...)
	s.target = target.place(m.Environment.ValueString())
	var checks []checkSettings
	_, more = promotionAttributes.sourceChecks.read(ctx, path.Root("source_checks"), m.SourceChecks, &checks)
	diags.Append(more...)
	s.rules.SourceChecks = rulesOf(checks)
	var windows []windowSettings
	_, more = promotionAttributes.windows.read(ctx, path.Root("windows"), m.Windows, &windows)
	diags.Append(more...)
	for _, w := range windows {
		s.rules.Windows = append(s.rules.Windows, promotion.Window(w))
	}
	diags.Append(s.readAfter(ctx, m.After)...)
	return s, diags
}

// readAfter reads the environments before.
func (s *promotionSettings) readAfter(ctx context.Context, after types.Dynamic) diag.Diagnostics {
	at := path.Root("after")
	value, diags := promotionAttributes.after.value(ctx, at, after)
	if diags.HasError() || value.IsNull() || !value.IsKnown() {
		return diags
	}
	environments := value.AsValueMap()
	for _, name := range slices.Sorted(maps.Keys(environments)) {
		var gate gateSettings
		if !environments[name].IsWhollyKnown() {
			continue
		}
		if err := gocty.FromCtyValue(environments[name], &gate); err != nil {
			diags.AddAttributeError(at.AtMapKey(name), "Wrong type of value", err.Error())
			continue
		}
		place := targetSettings{Repo: gate.Repo, Branch: gate.Branch, Path: gate.Path, ClusterTypes: gate.ClusterTypes, History: gate.History}
		s.after[name] = place.place(orElse(gate.Environment, name))
		soak, _ := time.ParseDuration(orElse(gate.Soak, "0")) // it was validated
		s.rules.After[name] = promotion.Gate{Checks: rulesOf(gate.Checks), Soak: soak}
	}
	return diags
}

func (t targetSettings) place(environment string) history.Place {
	return history.Place{
		Branch: git.Branch{Repo: t.Repo, Name: t.Branch}, Environment: environment, Path: t.Path, ClusterTypes: t.ClusterTypes,
		Most: orElse(t.History, history.DefaultGitOps),
	}
}

// rulesOf returns checks as rules have them: nil where there are none, and empty where it
// is written down that there are none.
func rulesOf(checks []checkSettings) []promotion.Check {
	if checks == nil {
		return nil
	}
	all := make([]promotion.Check, len(checks))
	for i, c := range checks {
		all[i] = promotion.Check{Context: c.Context, AtLeast: orElse(c.AtLeast, 1), Creators: c.Creators}
	}
	return all
}

// orElse returns what a pointer points to, or else something.
func orElse[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

// take fills the computed attributes.
func (m *promotionModel) take(r promotion.Result) {
	m.ID = m.Environment
	m.Commit = types.StringPointerValue(optional(r.Commit))
	m.Current = types.StringPointerValue(optional(r.Current))
	m.Decision = types.StringValue(string(r.Decision))
	m.Reason = types.StringValue(r.Reason)
	m.Verified = types.BoolNull()
	if !m.Candidate.IsNull() {
		m.Verified = types.BoolValue(r.Verified)
	}
	m.Candidates = []candidateModel{}
	for _, c := range r.Candidates {
		model := candidateModel{Commit: c.Commit, State: string(c.State), Reason: c.Reason}
		if m.Candidate.IsNull() {
			subject, author, when := visible(c.Subject), visible(c.Author), c.Time.UTC().Format(time.RFC3339)
			model.Subject, model.Author, model.Time = &subject, &author, &when
		}
		m.Candidates = append(m.Candidates, model)
	}
}
