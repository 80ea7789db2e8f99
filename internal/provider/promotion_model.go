// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

type promotionModel struct {
	Environment  types.String     `tfsdk:"environment"`
	Target       types.Object     `tfsdk:"target"`
	After        types.List       `tfsdk:"after"`
	Source       types.List       `tfsdk:"source"`
	SourceCheck  types.List       `tfsdk:"source_check"`
	Reports      types.String     `tfsdk:"reports"`
	Window       types.List       `tfsdk:"window"`
	Freeze       types.List       `tfsdk:"freeze"`
	Hold         types.Bool       `tfsdk:"hold"`
	Pin          types.String     `tfsdk:"pin"`
	ResumeAfter  types.String     `tfsdk:"resume_after"`
	OnFailure    types.String     `tfsdk:"on_failure"`
	FailureGrace types.String     `tfsdk:"failure_grace"`
	Release      types.Object     `tfsdk:"release"`
	Decision     types.String     `tfsdk:"decision"`
	Reason       types.String     `tfsdk:"reason"`
	Candidates   []candidateModel `tfsdk:"candidates"`
	Timeouts     timeouts.Value   `tfsdk:"timeouts"`
}

type candidateModel struct {
	Release types.Object `tfsdk:"release"`
	State   string       `tfsdk:"state"`
	Reason  string       `tfsdk:"reason"`
}

// The blocks that people write.
type (
	branchSettings struct {
		Repo   string  `tfsdk:"repo"`
		Branch string  `tfsdk:"branch"`
		Path   *string `tfsdk:"path"`
	}
	targetSettings struct {
		branchSettings
		ClusterTypes []string        `tfsdk:"cluster_types"`
		Check        []checkSettings `tfsdk:"check"`
	}
	afterSettings struct {
		targetSettings
		Environment    string  `tfsdk:"environment"`
		ChecksRequired *bool   `tfsdk:"checks_required"`
		Soak           *string `tfsdk:"soak"`
	}
	checkSettings struct {
		Context  string   `tfsdk:"context"`
		AtLeast  *string  `tfsdk:"at_least"`
		MinGreen *string  `tfsdk:"min_green"`
		Expected []string `tfsdk:"expected"`
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

// settings reads the known part of the configuration. It leaves out a block that has an
// unknown value.
func (m *promotionModel) settings(ctx context.Context) (promote.Settings, diag.Diagnostics) {
	var s promote.Settings
	var diags diag.Diagnostics
	in := &s.Input
	in.Pin, in.ResumeAfter = record.CommitID(m.Pin.ValueString()), record.CommitID(m.ResumeAfter.ValueString())
	if m.Hold.ValueBool() {
		in.Hold = "its hold"
	}
	in.Fallback = m.OnFailure.ValueString() == onFailurePrevious
	in.Grace, _ = time.ParseDuration(orElse(m.FailureGrace.ValueStringPointer(), defaultGrace)) // it was validated
	var target targetSettings
	if readKnown(ctx, m.Target, &target, &diags) {
		s.Target, in.Own.Checks = target.place(m.Environment.ValueString()), rulesOf(path.Root("target").AtName("check"), target.Check, &diags)
		switch at := path.Root("target").AtName("check"); {
		case in.Fallback && len(in.Own.Checks) == 0:
			diags.AddAttributeError(at, "Missing check", "on_failure = \"previous\" needs a check in target that shows that a release fails there.")
		case !in.Fallback && len(in.Own.Checks) > 0 && !m.OnFailure.IsUnknown():
			diags.AddAttributeError(at, "Check without effect", "Only on_failure = \"previous\" uses the checks of target. Set it, or move the "+
				"checks to the block after in the promotion of the next environment.")
		}
	}
	for i, block := range m.After.Elements() {
		var after afterSettings
		if readKnown(ctx, block, &after, &diags) {
			addAfter(&s, i, after, &diags)
		}
	}
	var source []branchSettings
	var checks []checkSettings
	readKnown(ctx, m.SourceCheck, &checks, &diags)
	readKnown(ctx, m.Source, &source, &diags)
	for _, b := range source { // at most one
		s.From, in.Source = &promote.Source{Branch: b.branch(), Path: text(b.Path)},
			&decision.Source{Checks: rulesOf(path.Root("source_check"), checks, &diags)}
	}
	var windows []windowSettings
	readKnown(ctx, m.Window, &windows, &diags)
	given := make([]calendar.Window, len(windows))
	for i, w := range windows {
		given[i] = calendar.Window(w)
	}
	in.Windows = calendar.Openings(given, calendarProblem(path.Root("window"), &diags))
	freezes, more := readPeriods(ctx, m.Freeze)
	diags.Append(more...)
	in.Freezes = freezes
	s.Given = readReports(m.Reports, &diags)
	return s, diags
}

// readReports reads the attribute reports; nil if it is null, or not known yet.
func readReports(text types.String, diags *diag.Diagnostics) map[string][]decision.Report {
	if text.IsNull() || text.IsUnknown() {
		return nil
	}
	reports, err := decision.ParseReports(text.ValueString(), time.Now())
	if err != nil {
		diags.AddAttributeError(path.Root("reports"), "Invalid reports", problem.Sentence(err))
	}
	return reports
}

// addAfter adds an environment before, from its block.
func addAfter(s *promote.Settings, block int, after afterSettings, diags *diag.Diagnostics) {
	at := path.Root("after").AtListIndex(block)
	name, checks, isRequired := after.Environment, rulesOf(at.AtName("check"), after.Check, diags), orElse(after.ChecksRequired, true)
	switch {
	case isRequired && len(checks) == 0:
		diags.AddAttributeError(at, "Missing check", fmt.Sprintf("The block after of %s has no check: nothing would show that a release works "+
			"there. Write a check, or checks_required = false if a release only has to be in the environment and to have soaked there.", name))
	case !isRequired && len(checks) > 0:
		diags.AddAttributeError(at.AtName("checks_required"), "Checks that are not required", fmt.Sprintf("The block after of %s has a check "+
			"and checks_required = false. Remove one of them.", name))
	}
	soak, _ := time.ParseDuration(orElse(after.Soak, "0")) // it was validated
	s.After = append(s.After, decision.After{Environment: decision.Environment{Checks: checks}, Soak: soak})
	s.Before = append(s.Before, after.place(after.Environment))
}

func (b branchSettings) branch() git.Branch { return git.Branch{Repo: b.Repo, Name: b.Branch} }

func (t targetSettings) place(environment string) record.Place {
	return record.Place{Branch: t.branch(), Environment: environment, Path: t.Path, ClusterTypes: t.ClusterTypes}
}

// rulesOf converts checks into the form of the rule. at is the path of the first one's block, without its position.
func rulesOf(at path.Path, checks []checkSettings, diags *diag.Diagnostics) []decision.Check {
	all := make([]decision.Check, len(checks))
	for i, c := range checks {
		all[i] = decision.Check{Context: c.Context, AtLeast: int(number(text(c.AtLeast))), Expected: c.Expected, Creators: c.Creators}
		if c.MinGreen != nil {
			share, _ := decision.ParseShare(*c.MinGreen) // it was validated
			all[i].MinGreen = &share
		}
		if err := all[i].Valid(); err != nil {
			diags.AddAttributeError(at.AtListIndex(i).AtName("min_green"), "Invalid min_green", problem.Sentence(err))
		}
	}
	return all
}

func (m *promotionModel) take(r decision.Result) {
	m.Release = releaseValue(r.Release)
	m.Decision, m.Reason = types.StringValue(string(r.Decision)), types.StringValue(wording.Visible(r.Reason))
	m.Candidates = []candidateModel{}
	for _, c := range r.Candidates {
		m.Candidates = append(m.Candidates, candidateModel{Release: releaseValue(c.Release), State: string(c.Stage),
			Reason: wording.Visible(c.Reason)})
	}
}
