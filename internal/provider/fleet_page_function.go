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
		MarkdownDescription: "Returns a page for browsers: the environments at a glance, a matrix of workloads by cluster type for each, how " +
			"any two of them differ, and the history of each environment, workload and deployment target. It has a filter, and works with the " +
			"keyboard alone and in print.\n\nThe page is one file, which neither loads nor sends anything. Open it from a disk, keep it as an " +
			"artifact of CI, or put it on Pages. Write it with `local_file`, or print a sensitive output of it with `terraform output -raw`; in " +
			"both cases, the state has it. The page shows the names, sources and configuration values of the fleet to everyone who can read it.",
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
