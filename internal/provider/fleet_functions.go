// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/zclconf/go-cty/cty"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleetview"
)

// tellsDeployments is the name of the function whose result bypasses the framework.
const tellsDeployments = "deployments"

// newDeploymentsFunction returns the function deployments, which unpacks the content of a
// kalypso_deployments.
func newDeploymentsFunction() function.Function {
	return providerFunction{tellsDeployments, function.Definition{
		Summary: "What runs where, as data",
		MarkdownDescription: "Returns the data of a `kalypso_deployments`. Keep them in a `local`: the state has only the compressed " +
			"`content`. The result has the `environments` of the data source, and:\n\n" +
			listed(toldAttributes, ""),
		Parameters: []function.Parameter{deploymentsParameter()},
		Return:     function.DynamicReturn{},
	}, ofDeployments(dynamically)}
}

// newFleetPageFunction returns the function fleet_page, which shows what runs where as a
// page.
func newFleetPageFunction() function.Function {
	return providerFunction{"fleet_page", function.Definition{
		Summary: "What runs where, as one page of HTML",
		MarkdownDescription: "Returns a page for browsers: the environments at a glance, a matrix of workloads by cluster type for each, the " +
			"differences between any two, and the history of each environment, workload and deployment target. The page has a filter, and works " +
			"with the keyboard alone and in print.\n\nThe page is one file, which neither loads nor sends anything. Open it from a disk, keep it " +
			"as an artifact of CI, or publish it. Write the page with `local_file`, or print it as a sensitive output with `terraform output " +
			"-raw`; in both cases, the state contains the page. The page shows the names, sources and configuration values of the fleet to " +
			"everyone who can read it.",
		Parameters: []function.Parameter{deploymentsParameter()},
		Return:     function.StringReturn{},
	}, ofDeployments(func(t deployedFleet) (any, error) { return fleetview.Page(t.Fleet), nil })}
}

// newFleetMarkdownFunction returns the function fleet_markdown, which shows what runs where
// as Markdown.
func newFleetMarkdownFunction() function.Function {
	return providerFunction{"fleet_markdown", function.Definition{
		Summary: "What runs where, as Markdown",
		MarkdownDescription: "Returns Markdown for the summary of a job in CI, a wiki or a comment: the environments at a glance, their " +
			"differences, and for each environment the packages, the last changes and, up to 50 packages, a picture. Long lists are shortened, " +
			"with a note; `fleet_page` has everything.",
		Parameters: []function.Parameter{deploymentsParameter()},
		Return:     function.StringReturn{},
	}, ofDeployments(func(t deployedFleet) (any, error) { return fleetview.Markdown(t.Fleet), nil })}
}

// dynamically returns the values of a fleet as a value of any type, which Terraform encodes
// together with its type.
func dynamically(t deployedFleet) (any, error) {
	attributes := map[string]cty.Type{"environments": ctyType(deployedEnvironments.GetType())}
	for name, attribute := range toldAttributes {
		attributes[name] = ctyType(attribute.GetType())
	}
	typed, err := cty.Object(attributes).MarshalJSON()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	_ = e.EncodeArrayLen(2) // a buffer takes everything
	_ = e.EncodeBytes(typed)
	err = e.Encode(deploymentsOf(t))
	return types.DynamicValue(types.StringValue(b.String())), err
}

// listed returns a Markdown list of attributes and their nested attributes.
func listed(attributes map[string]datasource.Attribute, indent string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		a := attributes[name]
		fmt.Fprintf(&b, "%s- `%s`: %s\n", indent, name, a.GetMarkdownDescription())
		switch a := a.(type) {
		case datasource.ListNestedAttribute:
			b.WriteString(listed(a.NestedObject.Attributes, indent+"  "))
		case datasource.MapNestedAttribute:
			b.WriteString(listed(a.NestedObject.Attributes, indent+"  "))
		case datasource.SingleNestedAttribute:
			b.WriteString(listed(a.Attributes, indent+"  "))
		}
	}
	return b.String()
}
