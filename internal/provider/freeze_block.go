// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
)

// freezeSettings is a block freeze.
type freezeSettings struct {
	From     string `tfsdk:"from"`
	To       string `tfsdk:"to"`
	Timezone string `tfsdk:"timezone"`
	Reason   string `tfsdk:"reason"`
}

// Descriptions of a block freeze.
const (
	freezeFrom = "The first day, as `2026-12-18`; or a day with a time, as `2026-12-18T17:00`."
	freezeTo   = "The last day, which the freeze includes, as `2027-01-03`; or a day with the time at which the freeze ends, as " +
		"`2027-01-04T08:00`."
	freezeZone   = "The time zone of `from` and `to`, as `Europe/Berlin` or `UTC`."
	freezeReason = "Why nothing may change. Messages show it."
)

// freezeBlock and freezeDataBlock are the same block for a resource and for a data source.
func freezeBlock(description string) schema.ListNestedBlock {
	return schema.ListNestedBlock{MarkdownDescription: description, NestedObject: schema.NestedBlockObject{
		Attributes: map[string]schema.Attribute{
			"from": requiredText(freezeFrom), "to": requiredText(freezeTo), "timezone": requiredText(freezeZone),
			"reason": requiredText(freezeReason),
		}}}
}

func freezeDataBlock(description string) datasource.ListNestedBlock {
	return datasource.ListNestedBlock{MarkdownDescription: description, NestedObject: datasource.NestedBlockObject{
		Attributes: map[string]datasource.Attribute{
			"from": requiredArgument(freezeFrom), "to": requiredArgument(freezeTo), "timezone": requiredArgument(freezeZone),
			"reason": requiredArgument(freezeReason),
		}}}
}

// readPeriods returns the times of some freezes, with an error for each mistake; none if a part of
// them is not known yet.
func readPeriods(ctx context.Context, blocks types.List) ([]calendar.Period, diag.Diagnostics) {
	var settings []freezeSettings
	var diags diag.Diagnostics
	readKnown(ctx, blocks, &settings, &diags)
	freezes := make([]calendar.Freeze, len(settings))
	for i, s := range settings {
		freezes[i] = calendar.Freeze(s)
	}
	return calendar.Periods(freezes, calendarProblem("Invalid freeze", &diags)), diags
}

// calendarProblem returns a function that adds a problem at a place such as window[0].from.
func calendarProblem(summary string, diags *diag.Diagnostics) calendar.Report {
	return func(where, format string, args ...any) {
		diags.AddAttributeError(attributePath(where), summary, where+": "+fmt.Sprintf(format, args...))
	}
}

// attributePath returns the path of an attribute as path.Path writes it: freeze[0].from. It
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
