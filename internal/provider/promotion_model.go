// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
)

// promotionModel has the attributes of the data source.
type promotionModel struct {
	ID           types.String      `tfsdk:"id"`
	Environment  types.String      `tfsdk:"environment"`
	Source       types.Object      `tfsdk:"source"`
	Candidate    types.String      `tfsdk:"candidate"`
	Target       types.Object      `tfsdk:"target"`
	After        types.List        `tfsdk:"after"`
	SourceChecks types.List        `tfsdk:"source_checks"`
	Windows      types.List        `tfsdk:"windows"`
	Freeze       types.List        `tfsdk:"freeze"`
	OnFailure    types.String      `tfsdk:"on_failure"`
	FailureGrace types.String      `tfsdk:"failure_grace"`
	Pin          types.String      `tfsdk:"pin"`
	Hold         types.Bool        `tfsdk:"hold"`
	Commit       types.String      `tfsdk:"commit"`
	Sources      map[string]string `tfsdk:"sources"`
	Current      types.String      `tfsdk:"current"`
	Decision     types.String      `tfsdk:"decision"`
	Reason       types.String      `tfsdk:"reason"`
	Candidates   []candidateModel  `tfsdk:"candidates"`
	Verified     types.Bool        `tfsdk:"verified"`
	Timeouts     timeouts.Value    `tfsdk:"timeouts"`
}

type candidateModel struct {
	Commit  string            `tfsdk:"commit"`
	Sources map[string]string `tfsdk:"sources"`
	Subject *string           `tfsdk:"subject"`
	Author  *string           `tfsdk:"author"`
	Time    *string           `tfsdk:"time"`
	State   string            `tfsdk:"state"`
	Reason  string            `tfsdk:"reason"`
}

// The blocks that people write.
type (
	branchSettings struct {
		Repo    string  `tfsdk:"repo"`
		Branch  string  `tfsdk:"branch"`
		Path    *string `tfsdk:"path"`
		History *int    `tfsdk:"history"`
	}
	targetSettings struct {
		branchSettings
		ClusterTypes []string        `tfsdk:"cluster_types"`
		Checks       []checkSettings `tfsdk:"checks"`
	}
	gateSettings struct {
		targetSettings
		Environment string  `tfsdk:"environment"`
		NoChecks    *bool   `tfsdk:"no_checks"`
		Soak        *string `tfsdk:"soak"`
	}
	checkSettings struct {
		Context  string   `tfsdk:"context"`
		AtLeast  *int     `tfsdk:"at_least"`
		Creators []string `tfsdk:"creators"`
	}
	windowSettings struct {
		Days     []string `tfsdk:"days"`
		From     string   `tfsdk:"from"`
		To       string   `tfsdk:"to"`
		Timezone string   `tfsdk:"timezone"`
	}
)

// The values of on_failure, and the default of failure_grace.
const (
	onFailureStay     = "stay"
	onFailurePrevious = "previous"
	defaultGrace      = "15m"
)

// promotionSettings are the known settings in the configuration.
type promotionSettings struct {
	rules  promotion.Rules
	source *history.Source
	target history.Place
	// after has the places of the environments before, by their names in rules, and blocks
	// the positions of their blocks.
	after  map[string]history.Place
	blocks map[string]int
}

// settings reads the known part of the configuration. It leaves out a block that has an
// unknown value.
func (m *promotionModel) settings(ctx context.Context) (promotionSettings, diag.Diagnostics) {
	s := promotionSettings{
		rules: promotion.Rules{
			Environment: m.Environment.ValueString(), After: map[string]promotion.Gate{}, Candidate: history.CommitID(m.Candidate.ValueString()),
			Pin: history.CommitID(m.Pin.ValueString()), Hold: m.Hold.ValueBool(),
		},
		after: map[string]history.Place{}, blocks: map[string]int{},
	}
	var diags diag.Diagnostics
	var source branchSettings
	if readKnown(ctx, m.Source, &source, &diags) {
		s.source = &history.Source{Branch: source.branch(), Path: text(source.Path), Most: orElse(source.History, history.DefaultSource)}
	}
	var target targetSettings
	hasTarget := readKnown(ctx, m.Target, &target, &diags)
	s.target = target.place(m.Environment.ValueString())
	var checks []checkSettings
	readKnown(ctx, m.SourceChecks, &checks, &diags)
	s.rules.SourceChecks = rulesOf(checks)
	var windows []windowSettings
	readKnown(ctx, m.Windows, &windows, &diags)
	for _, w := range windows {
		s.rules.Windows = append(s.rules.Windows, calendar.Window(w))
	}
	s.rules.Freezes = readFreezes(ctx, m.Freeze, &diags)
	if m.OnFailure.ValueString() == onFailurePrevious && hasTarget {
		grace, _ := time.ParseDuration(orElse(m.FailureGrace.ValueStringPointer(), defaultGrace)) // it was validated
		s.rules.OnFailure = &promotion.Fallback{Checks: rulesOf(target.Checks), Grace: grace}
	} else if len(target.Checks) > 0 && !m.OnFailure.IsUnknown() {
		diags.AddAttributeError(path.Root("target").AtName("checks"), "Checks without effect", "The checks of target show whether a release "+
			"fails in the environment itself. Only on_failure = \"previous\" uses them. Set it, or remove the checks. Checks of earlier "+
			"environments belong to the blocks after.")
	}
	for i, block := range m.After.Elements() {
		var gate gateSettings
		if readKnown(ctx, block, &gate, &diags) {
			diags.Append(s.addGate(i, gate)...)
		}
	}
	return s, diags
}

// readKnown decodes a value. It returns false if the value is null, or has a part that is
// not known yet.
func readKnown(ctx context.Context, given attr.Value, into any, diags *diag.Diagnostics) (isThere bool) {
	value, err := given.ToTerraformValue(ctx)
	if err != nil || !value.IsFullyKnown() || value.IsNull() {
		return false
	}
	wrong := tfsdk.ValueAs(ctx, given, into)
	diags.Append(wrong...)
	return !wrong.HasError()
}

// addGate adds an environment before, from its block.
func (s *promotionSettings) addGate(block int, gate gateSettings) diag.Diagnostics {
	var diags diag.Diagnostics
	at := path.Root("after").AtListIndex(block)
	name := gate.name()
	if _, isThere := s.after[name]; isThere {
		name += " in " + gate.Branch
	}
	if other, isThere := s.blocks[name]; isThere {
		diags.AddAttributeError(at, "Environment named twice", fmt.Sprintf(
			"after[%d] and after[%d] are both about %s. Remove one of these blocks, or give them different cluster_types, path or "+
				"branch.", other, block,
			name))
		return diags
	}
	checks, noChecks := rulesOf(gate.Checks), orElse(gate.NoChecks, false)
	if noChecks && checks != nil {
		diags.AddAttributeError(at.AtName("no_checks"), "Checks and none", fmt.Sprintf("The block after of %s has both checks and no_checks = "+
			"true. Remove one of these settings.", name))
	}
	s.after[name], s.blocks[name] = gate.place(gate.Environment), block
	soak, _ := time.ParseDuration(orElse(gate.Soak, "0")) // it was validated
	if noChecks {
		checks = []promotion.Check{}
	}
	s.rules.After[name] = promotion.Gate{Checks: checks, Soak: soak}
	return diags
}

// name names an environment before in texts for people. If it is a part of an environment,
// the name contains its cluster types or its path.
func (g gateSettings) name() string {
	switch {
	case len(g.ClusterTypes) > 0:
		return fmt.Sprintf("%s (%s)", g.Environment, wording.First(g.ClusterTypes, maxNamed))
	case text(g.Path) != "":
		return fmt.Sprintf("%s (%s)", g.Environment, text(g.Path))
	}
	return g.Environment
}

// maxNamed is how many cluster types such a name contains.
const maxNamed = 3

// path returns the path of an attribute that rules name: after["dev"].soak.
func (s promotionSettings) path(where string) path.Path {
	for name, block := range s.blocks {
		where = strings.Replace(where, fmt.Sprintf("after[%q]", name), fmt.Sprintf("after[%d]", block), 1)
	}
	return attributePath(where)
}

func (b branchSettings) branch() git.Branch { return git.Branch{Repo: b.Repo, Name: b.Branch} }

func (t targetSettings) place(environment string) history.Place {
	return history.Place{
		Branch: t.branch(), Environment: environment, Path: t.Path, ClusterTypes: t.ClusterTypes,
		Most: orElse(t.History, history.DefaultGitOps),
	}
}

// rulesOf converts checks into the form of rules; nil if there are none.
func rulesOf(checks []checkSettings) []promotion.Check {
	if len(checks) == 0 {
		return nil
	}
	all := make([]promotion.Check, len(checks))
	for i, c := range checks {
		all[i] = promotion.Check{Context: c.Context, AtLeast: orElse(c.AtLeast, 1), Creators: c.Creators}
	}
	return all
}

// take fills the computed attributes.
func (m *promotionModel) take(r promotion.Result) {
	m.ID = m.Environment
	m.Commit = types.StringPointerValue(optional(r.Commit))
	m.Sources = maps.Collect(maps.All(r.Sources)) // not null
	m.Current = types.StringPointerValue(optional(r.Current))
	m.Decision = types.StringValue(string(r.Decision))
	m.Reason = types.StringValue(r.Reason)
	m.Verified = types.BoolNull()
	if !m.Candidate.IsNull() {
		m.Verified = types.BoolValue(r.Verified)
	}
	m.Candidates = []candidateModel{}
	for _, c := range r.Candidates {
		model := candidateModel{Commit: c.Commit, Sources: maps.Collect(maps.All(c.Sources)), State: string(c.State), Reason: c.Reason}
		if m.Candidate.IsNull() {
			subject, author, when := visible(c.Subject), visible(c.Author), c.Time.UTC().Format(time.RFC3339)
			model.Subject, model.Author, model.Time = &subject, &author, &when
		}
		m.Candidates = append(m.Candidates, model)
	}
}

// attributePath returns the path of an attribute as path.Path writes it: after[0].soak. It
// ends before the first step that it cannot read.
func attributePath(where string) path.Path {
	at := path.Empty()
	for step := range strings.SplitSeq(where, ".") {
		name, rest, _ := strings.Cut(step, "[")
		if name == "" {
			return at
		}
		at = at.AtName(name)
		for rest != "" {
			number, more, _ := strings.Cut(rest, "]")
			i, err := strconv.Atoi(number)
			if err != nil {
				return at
			}
			at, rest = at.AtListIndex(i), strings.TrimPrefix(more, "[")
		}
	}
	return at
}
