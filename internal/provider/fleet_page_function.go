// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleetview"
)

var _ function.Function = (*fleetPageFunction)(nil)

// fleetPageFunction shows as a page which version runs in which place.
type fleetPageFunction struct{}

// NewFleetPageFunction makes the function fleet_page.
func NewFleetPageFunction() function.Function { return &fleetPageFunction{} }

func (f *fleetPageFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "fleet_page"
}

func (f *fleetPageFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "What runs where, as one page of HTML",
		MarkdownDescription: "Gives a page for browsers: the environments at a glance, a matrix of workloads by cluster type for each, in what " +
			"any two of them differ, and the history of each environment, workload and deployment target. " +
			"It has a filter, a light and a dark scheme, prints, and can be used with the keyboard alone.\n\n" +
			"The page is one file that holds all it needs, and neither loads nor sends anything: it can be opened from a disk, kept as an " +
			"artifact of CI, or put on Pages. " +
			"Print an output of it with `terraform output -raw`, a sensitive one so that no log has it, or write it with `local_file`; either way " +
			"it is in the state, as the data source does. " +
			"It shows the names, sources and configuration values of the fleet to everyone who can read it.",
		Parameters: []function.Parameter{deploymentsParameter()},
		Return:     function.StringReturn{},
	}
}

func (f *fleetPageFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	fleet, failed := deploymentsArgument(ctx, req.Arguments, fleetOf)
	if resp.Error = failed; failed == nil {
		resp.Error = resp.Result.Set(ctx, fleetview.Page(fleet))
	}
}
