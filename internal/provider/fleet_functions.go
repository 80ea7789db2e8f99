// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

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

// The framework makes its own value from every text in an argument, and does this several
// times. For three environments of 2,000 packages that took five seconds. Therefore
// functions that show a fleet get a packed argument: for the framework, it is a single text
// with the bytes that Terraform has sent.

// showsFleet are the functions whose argument is packed.
var showsFleet = map[string]bool{"deployments": true, "fleet_page": true, "fleet_markdown": true}

// packArgument packs an argument of any type.
func packArgument(argument *tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	_ = e.EncodeArrayLen(2) // a buffer takes everything
	_ = e.EncodeBytes([]byte(`"string"`))
	_ = e.EncodeString(string(argument.MsgPack))
	return &tfprotov6.DynamicValue{MsgPack: b.Bytes()}
}

// deploymentsParameter is the parameter of functions that show a fleet.
func deploymentsParameter() function.Parameter {
	return function.DynamicParameter{
		Name: "deployments",
		MarkdownDescription: "A data source `kalypso_deployments`. To show less, pass an object with its `content` and fewer " +
			"`environments`. To show a time, add `time`: `merge(data.kalypso_deployments.fleet, { time = plantimestamp() })`.",
	}
}

// ofDeployments returns the run of a function with deploymentsParameter, which is packed.
func ofDeployments(show func(deployedFleet) (any, error)) functionRun {
	return func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
		var argument types.Dynamic
		if failed := arguments.Get(ctx, &argument); failed != nil {
			return nil, failed
		}
		packed, ok := argument.UnderlyingValue().(types.String)
		if !ok {
			return nil, function.NewFuncError("the provider did not pack the argument, because the function is missing in showsFleet. This is a " +
				"bug in the provider: report it")
		}
		value, err := ctymsgpack.Unmarshal([]byte(packed.ValueString()), cty.DynamicPseudoType)
		if err != nil {
			return nil, function.NewArgumentFuncError(0, err.Error())
		}
		fleet, err := fleetGiven(value)
		if err != nil {
			return nil, function.NewArgumentFuncError(0, visible(err.Error()))
		}
		result, err := show(fleet)
		if err != nil {
			return nil, function.NewFuncError(err.Error())
		}
		return result, nil
	}
}

// unpackResult unpacks a result of any type, which is a text for the framework.
func unpackResult(result *tfprotov6.DynamicValue) (*tfprotov6.DynamicValue, error) {
	d := msgpack.NewDecoder(bytes.NewReader(result.MsgPack))
	_, err := d.DecodeArrayLen()
	if err == nil {
		_, err = d.DecodeBytes()
	}
	if err != nil {
		return nil, err
	}
	packed, err := d.DecodeString()
	return &tfprotov6.DynamicValue{MsgPack: []byte(packed)}, err
}
