// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package direct speaks to a provider in this process as Terraform does, without Terraform.
package direct

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/dynblock"
	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// Plan is the first plan of a configuration. It validates and configures the provider, validates and
// plans resources, which do not exist yet, reads data sources and calls functions. So it shows what
// the provider answers, and nothing that Terraform does with the answers: that is for acceptance
// tests. It knows no count and no for_each.
type Plan struct {
	t       testing.TB
	Server  tfprotov6.ProviderServer
	Schemas *tfprotov6.GetProviderSchemaResponse
	// expressions are locals, variables and outputs, and blocks resources and data
	// sources, by their addresses.
	expressions map[string]hcl.Expression
	blocks      map[string]*hclsyntax.Block
	functions   map[string]function.Function
	// Values are the evaluated values, by address.
	Values map[string]cty.Value
	// Said are the messages of the provider, and the errors in the HCL.
	Said []*tfprotov6.Diagnostic
}

// New plans everything in a configuration of a provider.
func New(t testing.TB, server tfprotov6.ProviderServer, config string) *Plan {
	t.Helper()
	d := &Plan{t: t, Server: server, expressions: map[string]hcl.Expression{}, blocks: map[string]*hclsyntax.Block{},
		functions: maps.Clone(builtIn), Values: map[string]cty.Value{}}
	var err error
	d.Schemas, err = server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	d.must(err)
	for name, f := range d.Schemas.Functions {
		d.functions["provider::kalypso::"+name] = d.function(name, f)
	}
	file, diags := hclsyntax.ParseConfig([]byte(config), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	body, _ := file.Body.(*hclsyntax.Body)
	settings := &hclsyntax.Body{}
	for _, block := range body.Blocks {
		switch block.Type {
		case "provider":
			settings = block.Body
		case "resource":
			d.blocks[strings.Join(block.Labels, ".")] = block
		case "data":
			d.blocks["data."+strings.Join(block.Labels, ".")] = block
		case "locals":
			for name, attribute := range block.Body.Attributes {
				d.expressions["local."+name] = attribute.Expr
			}
		case "output":
			d.expressions["output."+block.Labels[0]] = block.Body.Attributes["value"].Expr
		case "variable":
			if block.Body.Attributes["type"] != nil {
				t.Fatalf("the type of the variable %s is not converted to here", block.Labels[0])
			}
			d.expressions["var."+block.Labels[0]] = block.Body.Attributes["default"].Expr
		default:
			t.Fatalf("a block %q", block.Type)
		}
	}
	if !d.configure(settings) { // the CLI stops here too
		return d
	}
	for _, address := range slices.Sorted(maps.Keys(d.blocks)) {
		d.value(address)
	}
	for _, address := range slices.Sorted(maps.Keys(d.expressions)) {
		d.value(address)
	}
	return d
}

// Imports imports a resource by an id.
func (d *Plan) Imports(typeName, id string) *Plan {
	d.t.Helper()
	imported, err := d.Server.ImportResourceState(d.t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: typeName, ID: id})
	d.must(err)
	d.hears(imported.Diagnostics)
	return d
}

func (d *Plan) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// configure has the provider configured by its block, and reports whether nothing is wrong
// with that.
func (d *Plan) configure(settings hcl.Body) bool {
	config, ok := d.Decode(settings, d.Schemas.Provider.Block)
	if !ok {
		return false
	}
	wire := d.Encode(config, d.Schemas.Provider.Block)
	validated, err := d.Server.ValidateProviderConfig(d.t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: wire})
	d.must(err)
	if !d.hears(validated.Diagnostics) {
		return false
	}
	configured, err := d.Server.ConfigureProvider(d.t.Context(), &tfprotov6.ConfigureProviderRequest{Config: wire})
	d.must(err)
	return d.hears(configured.Diagnostics)
}

// hears keeps the messages, and reports whether they have no error.
func (d *Plan) hears(said []*tfprotov6.Diagnostic) bool {
	d.Said = append(d.Said, said...)
	return !slices.ContainsFunc(said, func(s *tfprotov6.Diagnostic) bool { return s.Severity == tfprotov6.DiagnosticSeverityError })
}

func (d *Plan) hearsHCL(diags hcl.Diagnostics) bool {
	for _, each := range diags {
		d.hears([]*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: each.Summary, Detail: each.Detail}})
	}
	return !diags.HasErrors()
}

// value is the value at an address, evaluated once. A value with an error is unknown.
func (d *Plan) value(address string) cty.Value {
	if value, done := d.Values[address]; done {
		return value
	}
	d.Values[address] = cty.DynamicVal
	block, expression := d.blocks[address], d.expressions[address]
	switch {
	case expression != nil:
		value, diags := expression.Value(d.scope(expression.Variables()))
		if d.hearsHCL(diags) {
			d.Values[address] = value
		}
	case block == nil:
		d.t.Fatalf("there is no %s", address)
	case block.Labels[0] == "terraform_data":
		if config, ok := d.Decode(block.Body, terraformData); ok {
			d.Values[address] = cty.ObjectVal(map[string]cty.Value{"input": config.GetAttr("input"), "output": cty.DynamicVal,
				"id": cty.UnknownVal(cty.String)})
		}
	case block.Type == "data":
		d.Values[address] = d.read(block)
	default:
		d.Values[address] = d.plan(block)
	}
	return d.Values[address]
}

// terraformData is the part of Terraform's own resource that tests use.
var terraformData = &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
	{Name: "input", Type: tftypes.DynamicPseudoType, Optional: true}, {Name: "triggers_replace", Type: tftypes.DynamicPseudoType,
		Optional: true},
}}

// scope has the values that expressions refer to.
func (d *Plan) scope(references []hcl.Traversal) *hcl.EvalContext {
	named := map[string]map[string]cty.Value{}
	add := func(kind, name string, value cty.Value) {
		if named[kind] == nil {
			named[kind] = map[string]cty.Value{}
		}
		named[kind][name] = value
	}
	sources := map[string]map[string]cty.Value{}
	for _, reference := range references {
		names := []string{reference.RootName()}
		for _, step := range reference[1:] {
			if attribute, ok := step.(hcl.TraverseAttr); ok {
				names = append(names, attribute.Name)
			}
		}
		if names[0] != "data" {
			add(names[0], names[1], d.value(strings.Join(names[:2], ".")))
			continue
		}
		if sources[names[1]] == nil {
			sources[names[1]] = map[string]cty.Value{}
		}
		sources[names[1]][names[2]] = d.value(strings.Join(names[:3], "."))
	}
	for kind, all := range sources {
		add("data", kind, cty.ObjectVal(all))
	}
	scope := &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: d.functions}
	for kind, all := range named {
		scope.Variables[kind] = cty.ObjectVal(all)
	}
	return scope
}

// plan validates a resource and plans to create it.
func (d *Plan) plan(block *hclsyntax.Block) cty.Value {
	name, schema := block.Labels[0], d.Schemas.ResourceSchemas[block.Labels[0]].Block
	config, ok := d.Decode(block.Body, schema)
	if !ok {
		return cty.DynamicVal
	}
	wire := d.Encode(config, schema)
	validated, err := d.Server.ValidateResourceConfig(d.t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: wire})
	if d.must(err); !d.hears(validated.Diagnostics) {
		return cty.DynamicVal
	}
	planned, err := d.Server.PlanResourceChange(d.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: name, PriorState: d.Encode(cty.NullVal(config.Type()), schema), ProposedNewState: wire, Config: wire,
	})
	if d.must(err); !d.hears(planned.Diagnostics) {
		return cty.DynamicVal
	}
	return d.Decoded(planned.PlannedState, schema)
}

// read validates a data source, and reads it if its configuration is known.
func (d *Plan) read(block *hclsyntax.Block) cty.Value {
	name, schema := block.Labels[0], d.Schemas.DataSourceSchemas[block.Labels[0]].Block
	config, ok := d.Decode(block.Body, schema)
	if !ok {
		return cty.DynamicVal
	}
	wire := d.Encode(config, schema)
	validated, err := d.Server.ValidateDataResourceConfig(d.t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name,
		Config: wire})
	if d.must(err); !d.hears(validated.Diagnostics) || !config.IsWhollyKnown() {
		return cty.DynamicVal
	}
	read, err := d.Server.ReadDataSource(d.t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: wire})
	if d.must(err); !d.hears(read.Diagnostics) {
		return cty.DynamicVal
	}
	return d.Decoded(read.State, schema)
}

// Decode reads a body by a schema, as Terraform does.
func (d *Plan) Decode(body hcl.Body, schema *tfprotov6.SchemaBlock) (config cty.Value, ok bool) {
	spec := specOf(schema)
	scope := d.scope(dynblock.VariablesHCLDec(body, spec))
	value, diags := hcldec.Decode(dynblock.Expand(body, scope), spec, scope)
	return value, d.hearsHCL(diags)
}

// Encode returns a value as the protocol has it, and Decoded does the reverse.
func (d *Plan) Encode(value cty.Value, schema *tfprotov6.SchemaBlock) *tfprotov6.DynamicValue {
	wire, err := msgpack.Marshal(value, TypeOf(schema.ValueType()))
	d.must(err)
	return &tfprotov6.DynamicValue{MsgPack: wire}
}

// Decoded returns a value of the protocol.
func (d *Plan) Decoded(wire *tfprotov6.DynamicValue, schema *tfprotov6.SchemaBlock) cty.Value {
	value, err := msgpack.Unmarshal(wire.MsgPack, TypeOf(schema.ValueType()))
	d.must(err)
	return value
}

// specOf is how HCL reads a block of a schema.
func specOf(schema *tfprotov6.SchemaBlock) hcldec.ObjectSpec {
	spec := hcldec.ObjectSpec{}
	for _, a := range schema.Attributes {
		spec[a.Name] = &hcldec.AttrSpec{Name: a.Name, Type: writtenType(a), Required: a.Required}
	}
	for _, b := range schema.BlockTypes {
		if b.Nesting == tfprotov6.SchemaNestedBlockNestingModeList {
			spec[b.TypeName] = &hcldec.BlockListSpec{TypeName: b.TypeName, Nested: specOf(b.Block)}
			continue
		}
		spec[b.TypeName] = &hcldec.BlockSpec{TypeName: b.TypeName, Nested: specOf(b.Block)}
	}
	return spec
}

// BodyOf reads the body of a block.
func BodyOf(t testing.TB, text string) hcl.Body {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text+"\n"), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return file.Body
}

// writtenType is the type of an attribute without its optional parts.
func writtenType(a *tfprotov6.SchemaAttribute) cty.Type {
	if a.NestedType == nil {
		return TypeOf(a.Type)
	}
	types, optional := map[string]cty.Type{}, []string{}
	for _, inner := range a.NestedType.Attributes {
		if types[inner.Name] = writtenType(inner); !inner.Required {
			optional = append(optional, inner.Name)
		}
	}
	object := cty.ObjectWithOptionalAttrs(types, optional)
	switch a.NestedType.Nesting {
	case tfprotov6.SchemaObjectNestingModeList:
		return cty.List(object)
	case tfprotov6.SchemaObjectNestingModeSet:
		return cty.Set(object)
	case tfprotov6.SchemaObjectNestingModeMap:
		return cty.Map(object)
	default:
		return object
	}
}

// function calls a function of the provider.
func (d *Plan) function(name string, of *tfprotov6.Function) function.Function {
	spec := &function.Spec{Type: function.StaticReturnType(TypeOf(of.Return.Type))}
	for _, p := range of.Parameters {
		spec.Params = append(spec.Params, function.Parameter{Name: p.Name, Type: TypeOf(p.Type), AllowNull: p.AllowNullValue,
			AllowUnknown: true, AllowDynamicType: true})
	}
	spec.Impl = func(arguments []cty.Value, returns cty.Type) (cty.Value, error) {
		request := &tfprotov6.CallFunctionRequest{Name: name}
		for i, p := range of.Parameters {
			if !p.AllowUnknownValues && !arguments[i].IsWhollyKnown() {
				return cty.UnknownVal(returns), nil
			}
			wire, err := msgpack.Marshal(arguments[i], spec.Params[i].Type)
			d.must(err)
			request.Arguments = append(request.Arguments, &tfprotov6.DynamicValue{MsgPack: wire})
		}
		called, err := d.Server.CallFunction(d.t.Context(), request)
		if d.must(err); called.Error != nil {
			return cty.DynamicVal, errors.New(called.Error.Text)
		}
		return msgpack.Unmarshal(called.Result.MsgPack, returns)
	}
	return function.New(spec)
}

// builtIn are functions of Terraform itself.
var builtIn = map[string]function.Function{
	"coalesce": stdlib.CoalesceFunc, "concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc, "distinct": stdlib.DistinctFunc,
	"flatten": stdlib.FlattenFunc, "join": stdlib.JoinFunc, "jsondecode": stdlib.JSONDecodeFunc, "jsonencode": stdlib.JSONEncodeFunc,
	"keys": stdlib.KeysFunc, "length": stdlib.LengthFunc, "merge": stdlib.MergeFunc, "range": stdlib.RangeFunc, "replace": stdlib.ReplaceFunc,
	"sort": stdlib.SortFunc,
}

// TypeOf converts a type of the protocol to a cty type. Both have the same JSON.
func TypeOf(t tftypes.Type) cty.Type {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	converted, err := ctyjson.UnmarshalType(text)
	if err != nil {
		panic(err)
	}
	return converted
}
