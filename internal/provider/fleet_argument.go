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

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
)

// The framework makes a value of its own of every text in an argument, and makes it anew
// several times over: for three environments of 2,000 packages that took five seconds. So
// the argument of functions that show a fleet goes through it packed, as the text of what
// Terraform has sent.

// showsFleet are the functions whose argument is packed.
var showsFleet = map[string]bool{"fleet_page": true, "fleet_markdown": true}

// packArgument packs an argument of any type.
func packArgument(argument *tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	_ = e.EncodeArrayLen(2) // a buffer takes everything
	_ = e.EncodeBytes([]byte(`"string"`))
	_ = e.EncodeString(string(argument.MsgPack))
	return &tfprotov6.DynamicValue{MsgPack: b.Bytes()}
}

// deploymentsParameter is what functions that show a fleet take.
func deploymentsParameter() function.Parameter {
	return function.DynamicParameter{
		Name: "deployments",
		MarkdownDescription: "A data source `kalypso_deployments`, as `data.kalypso_deployments.fleet`: `environments`, `packages`, `discrepancies` and `history` are read. " +
			"To show less, pass an object with less in them: what belongs to an environment that `environments` lacks is left out. " +
			"A `time` in it is shown as that of the whole: `merge(data.kalypso_deployments.fleet, { time = plantimestamp() })`.",
	}
}

// deploymentsArgument reads deploymentsParameter, which is packed.
func deploymentsArgument(ctx context.Context, arguments function.ArgumentsData) (deployments.Fleet, *function.FuncError) {
	var argument types.Dynamic
	if failed := arguments.Get(ctx, &argument); failed != nil {
		return deployments.Fleet{}, failed
	}
	packed, ok := argument.UnderlyingValue().(types.String)
	if !ok {
		return deployments.Fleet{}, function.NewFuncError("the argument has not come packed: the function is missing in showsFleet, which is a mistake in the provider. Report it")
	}
	value, err := ctymsgpack.Unmarshal([]byte(packed.ValueString()), cty.DynamicPseudoType)
	if err != nil {
		return deployments.Fleet{}, function.NewArgumentFuncError(0, err.Error())
	}
	fleet, err := fleetOf(ctx, value)
	if err != nil {
		return deployments.Fleet{}, function.NewArgumentFuncError(0, visible(err.Error()))
	}
	return fleet, nil
}
