// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/page"
)

// newFleetPageFunction returns the function fleet_page, which shows what runs where as a
// page.
func newFleetPageFunction() function.Function {
	return providerFunction{"fleet_page", function.Definition{
		Summary: "What runs where, as one page of HTML",
		MarkdownDescription: "Returns a page for browsers: the environments at a glance, a matrix of workloads by cluster type for each, the " +
			"differences between any two, and the history of each environment, workload and deployment target. The page has a filter, and works " +
			"with the keyboard alone and in print.\n\nThe page is one file, which neither loads nor sends anything. It shows the names, sources " +
			"and configuration values of the fleet. [See what runs where](../guides/what-runs-where.md) publishes it. Write it with `local_file`, " +
			"or print it as a sensitive output with `terraform output -raw`; in both cases, the state contains the page.",
		Parameters: []function.Parameter{function.StringParameter{
			Name: "json",
			MarkdownDescription: "The attribute `json` of a data source `kalypso_deployments`. To show a time, add `time`: " +
				"`jsonencode(merge(jsondecode(data.kalypso_deployments.fleet.json), { time = plantimestamp() }))`.",
		}},
		Return: function.StringReturn{},
	}, fleetPage}
}

func fleetPage(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
	var text string
	if failed := arguments.Get(ctx, &text); failed != nil {
		return nil, failed
	}
	fleet, err := inventory.Parse(text)
	if err != nil {
		return nil, function.NewArgumentFuncError(0, err.Error()+". Pass the attribute json of a data source, such as "+
			"data.kalypso_deployments.fleet.json")
	}
	return page.Page(fleet), nil
}
