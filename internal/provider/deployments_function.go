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
	"github.com/vmihailenco/msgpack/v5"
	"github.com/zclconf/go-cty/cty"
)

var _ function.Function = (*deploymentsFunction)(nil)

// deploymentsFunction returns the deployments that a kalypso_deployments has read.
type deploymentsFunction struct{}

// tellsDeployments is the name of the function. Its result bypasses the framework.
const tellsDeployments = "deployments"

// NewDeploymentsFunction makes the function deployments.
func NewDeploymentsFunction() function.Function { return &deploymentsFunction{} }

func (f *deploymentsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = tellsDeployments
}

func (f *deploymentsFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "What runs where, as data",
		MarkdownDescription: "Returns what a `kalypso_deployments` has read. The state has only the compressed `content`, so put the result " +
			"into a `local`, which is not in the state. It has `environments`, as in the data source, and:\n\n" +
			listed(toldAttributes, ""),
		Parameters: []function.Parameter{deploymentsParameter()},
		Return:     function.DynamicReturn{},
	}
}

func (f *deploymentsFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	state, failed := deploymentsArgument(ctx, req.Arguments, stateGiven)
	if failed != nil {
		resp.Error = failed
		return
	}
	state.leaveOut()
	wire, err := dynamically(state)
	if err != nil {
		resp.Error = function.NewFuncError(err.Error())
		return
	}
	resp.Error = resp.Result.Set(ctx, types.DynamicValue(types.StringValue(wire)))
}

// leaveOut removes the entries of an environment that is not there.
func (s *deploymentsState) leaveOut() {
	gone := func(name string) bool { _, there := s.Environments[name]; return !there }
	maps.DeleteFunc(s.Packages, func(_ string, p packageState) bool { return gone(p.Environment) })
	s.History = slices.DeleteFunc(s.History, func(c changeState) bool { return gone(c.Environment) })
	s.Discrepancies = slices.DeleteFunc(s.Discrepancies, func(d discrepancyState) bool { return gone(d.Left) || gone(d.Right) })
}

// dynamically returns a state as Terraform takes a value of any type: with its type.
func dynamically(state deploymentsState) (string, error) {
	typed, err := cty.Object(toldTypes()).MarshalJSON()
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	_ = e.EncodeArrayLen(2) // a buffer takes everything
	_ = e.EncodeBytes(typed)
	err = e.Encode(state)
	return b.String(), err
}

// listed lists attributes, with those below them.
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
