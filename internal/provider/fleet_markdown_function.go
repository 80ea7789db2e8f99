// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleetview"
)

var _ function.Function = (*fleetMarkdownFunction)(nil)

// fleetMarkdownFunction shows as Markdown which version runs in which place.
type fleetMarkdownFunction struct{}

// NewFleetMarkdownFunction makes the function fleet_markdown.
func NewFleetMarkdownFunction() function.Function { return &fleetMarkdownFunction{} }

func (f *fleetMarkdownFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "fleet_markdown"
}

func (f *fleetMarkdownFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "What runs where, as Markdown",
		MarkdownDescription: "Returns Markdown for the summary of a job in CI, a wiki or a comment: the environments at a glance, how they " +
			"differ, and for each what runs where, its last changes and, up to 50 packages, a picture. Long lists are cut, and say so; " +
			"`fleet_page` has everything.",
		Parameters: []function.Parameter{deploymentsParameter()},
		Return:     function.StringReturn{},
	}
}

func (f *fleetMarkdownFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	fleet, failed := deploymentsArgument(ctx, req.Arguments, fleetOf)
	if resp.Error = failed; failed == nil {
		resp.Error = resp.Result.Set(ctx, fleetview.Markdown(fleet))
	}
}
