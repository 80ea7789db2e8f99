// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
)

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
	return calendar.Periods(freezes, calendarProblem(path.Root("freeze"), &diags)), diags
}

// calendarProblem returns a function that adds a problem of one of the blocks.
func calendarProblem(blocks path.Path, diags *diag.Diagnostics) calendar.Complain {
	return func(block int, attribute, format string, args ...any) {
		at := blocks.AtListIndex(block)
		if attribute != "" {
			at = at.AtName(attribute)
		}
		diags.AddAttributeError(at, "Invalid "+blocks.String(), at.String()+": "+fmt.Sprintf(format, args...))
	}
}
