// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"
)

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
		Name:                "deployments",
		MarkdownDescription: "A data source `kalypso_deployments`. To show less, pass an object with its `content` and fewer `environments`. To show a time, add `time`: `merge(data.kalypso_deployments.fleet, { time = plantimestamp() })`.",
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
