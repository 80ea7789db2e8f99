// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/dynblock"
	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// unconfigured is a provider for what needs no configuration: schemas and functions. It is
// made once, since its schemas take time.
var unconfigured = sync.OnceValue(func() tfprotov6.ProviderServer { return providerserver.NewProtocol6(New("test")())() })

// direct is the first plan of a configuration without Terraform: it speaks to the provider
// in this process as Terraform does. It validates and configures the provider, validates
// and plans resources, which do not exist yet, reads data sources and calls functions. So
// it shows what the provider answers, and nothing that Terraform does with the answers:
// that is for acceptance tests. It knows no count and no for_each.
type direct struct {
	t       testing.TB
	server  tfprotov6.ProviderServer
	schemas *tfprotov6.GetProviderSchemaResponse
	// expressions are locals, variables and outputs, and blocks resources and data
	// sources, by their addresses.
	expressions map[string]hcl.Expression
	blocks      map[string]*hclsyntax.Block
	functions   map[string]function.Function
	// values are the evaluated values, by address.
	values map[string]cty.Value
	// said are the messages of the provider, and the errors in the HCL.
	said []*tfprotov6.Diagnostic
}

// planDirectly evaluates everything in a configuration.
func planDirectly(t testing.TB, config string) *direct {
	t.Helper()
	return planDirectlyWith(t, protoV6ProviderFactories, config)
}

// planDirectlyWith is planDirectly with another provider.
func planDirectlyWith(t testing.TB, providers factories, config string) *direct {
	t.Helper()
	server, err := providers["kalypso"]()
	if err != nil {
		t.Fatal(err)
	}
	d := &direct{t: t, server: server, expressions: map[string]hcl.Expression{}, blocks: map[string]*hclsyntax.Block{},
		functions: maps.Clone(builtIn), values: map[string]cty.Value{}}
	d.schemas, err = server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	d.must(err)
	for name, f := range d.schemas.Functions {
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

// imports imports a resource by an id.
func (d *direct) imports(typeName, id string) *direct {
	d.t.Helper()
	imported, err := d.server.ImportResourceState(d.t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: typeName, ID: id})
	d.must(err)
	d.hears(imported.Diagnostics)
	return d
}

func (d *direct) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// configure has the provider configured by its block, and reports whether nothing is wrong
// with that.
func (d *direct) configure(settings hcl.Body) bool {
	config, ok := d.decode(settings, d.schemas.Provider.Block)
	if !ok {
		return false
	}
	wire := d.encode(config, d.schemas.Provider.Block)
	validated, err := d.server.ValidateProviderConfig(d.t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: wire})
	d.must(err)
	if !d.hears(validated.Diagnostics) {
		return false
	}
	configured, err := d.server.ConfigureProvider(d.t.Context(), &tfprotov6.ConfigureProviderRequest{Config: wire})
	d.must(err)
	return d.hears(configured.Diagnostics)
}

// hears keeps the messages, and reports whether they have no error.
func (d *direct) hears(said []*tfprotov6.Diagnostic) bool {
	d.said = append(d.said, said...)
	return !slices.ContainsFunc(said, func(s *tfprotov6.Diagnostic) bool { return s.Severity == tfprotov6.DiagnosticSeverityError })
}

func (d *direct) hearsHCL(diags hcl.Diagnostics) bool {
	for _, each := range diags {
		d.hears([]*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: each.Summary, Detail: each.Detail}})
	}
	return !diags.HasErrors()
}

// value is the value at an address, evaluated once. A value with an error is unknown.
func (d *direct) value(address string) cty.Value {
	if value, done := d.values[address]; done {
		return value
	}
	d.values[address] = cty.DynamicVal
	block, expression := d.blocks[address], d.expressions[address]
	switch {
	case expression != nil:
		value, diags := expression.Value(d.scope(expression.Variables()))
		if d.hearsHCL(diags) {
			d.values[address] = value
		}
	case block == nil:
		d.t.Fatalf("there is no %s", address)
	case block.Labels[0] == "terraform_data":
		if config, ok := d.decode(block.Body, terraformData); ok {
			d.values[address] = cty.ObjectVal(map[string]cty.Value{"input": config.GetAttr("input"), "output": cty.DynamicVal,
				"id": cty.UnknownVal(cty.String)})
		}
	case block.Type == "data":
		d.values[address] = d.read(block)
	default:
		d.values[address] = d.plan(block)
	}
	return d.values[address]
}

// terraformData is the part of Terraform's own resource that tests use.
var terraformData = &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
	{Name: "input", Type: tftypes.DynamicPseudoType, Optional: true}, {Name: "triggers_replace", Type: tftypes.DynamicPseudoType,
		Optional: true},
}}

// scope has the values that expressions refer to.
func (d *direct) scope(references []hcl.Traversal) *hcl.EvalContext {
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
func (d *direct) plan(block *hclsyntax.Block) cty.Value {
	name, schema := block.Labels[0], d.schemas.ResourceSchemas[block.Labels[0]].Block
	config, ok := d.decode(block.Body, schema)
	if !ok {
		return cty.DynamicVal
	}
	wire := d.encode(config, schema)
	validated, err := d.server.ValidateResourceConfig(d.t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: wire})
	if d.must(err); !d.hears(validated.Diagnostics) {
		return cty.DynamicVal
	}
	planned, err := d.server.PlanResourceChange(d.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: name, PriorState: d.encode(cty.NullVal(config.Type()), schema), ProposedNewState: wire, Config: wire,
	})
	if d.must(err); !d.hears(planned.Diagnostics) {
		return cty.DynamicVal
	}
	return d.decoded(planned.PlannedState, schema)
}

// read validates a data source, and reads it if its configuration is known.
func (d *direct) read(block *hclsyntax.Block) cty.Value {
	name, schema := block.Labels[0], d.schemas.DataSourceSchemas[block.Labels[0]].Block
	config, ok := d.decode(block.Body, schema)
	if !ok {
		return cty.DynamicVal
	}
	wire := d.encode(config, schema)
	validated, err := d.server.ValidateDataResourceConfig(d.t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name,
		Config: wire})
	if d.must(err); !d.hears(validated.Diagnostics) || !config.IsWhollyKnown() {
		return cty.DynamicVal
	}
	read, err := d.server.ReadDataSource(d.t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: wire})
	if d.must(err); !d.hears(read.Diagnostics) {
		return cty.DynamicVal
	}
	return d.decoded(read.State, schema)
}

// decode reads a body by a schema, as Terraform does.
func (d *direct) decode(body hcl.Body, schema *tfprotov6.SchemaBlock) (config cty.Value, ok bool) {
	spec := specOf(schema)
	scope := d.scope(dynblock.VariablesHCLDec(body, spec))
	value, diags := hcldec.Decode(dynblock.Expand(body, scope), spec, scope)
	return value, d.hearsHCL(diags)
}

func (d *direct) encode(value cty.Value, schema *tfprotov6.SchemaBlock) *tfprotov6.DynamicValue {
	wire, err := msgpack.Marshal(value, ctyTypeOf(schema.ValueType()))
	d.must(err)
	return &tfprotov6.DynamicValue{MsgPack: wire}
}

func (d *direct) decoded(wire *tfprotov6.DynamicValue, schema *tfprotov6.SchemaBlock) cty.Value {
	value, err := msgpack.Unmarshal(wire.MsgPack, ctyTypeOf(schema.ValueType()))
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

// bodyOf reads the body of a block.
func bodyOf(t testing.TB, text string) hcl.Body {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text+"\n"), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return file.Body
}

// block writes a block of HCL.
func block(name string, lines ...string) string {
	return name + " {\n" + strings.Join(lines, "\n") + "\n}"
}

// writtenType is the type of an attribute without its optional parts.
func writtenType(a *tfprotov6.SchemaAttribute) cty.Type {
	if a.NestedType == nil {
		return ctyTypeOf(a.Type)
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
func (d *direct) function(name string, of *tfprotov6.Function) function.Function {
	spec := &function.Spec{Type: function.StaticReturnType(ctyTypeOf(of.Return.Type))}
	for _, p := range of.Parameters {
		spec.Params = append(spec.Params, function.Parameter{Name: p.Name, Type: ctyTypeOf(p.Type), AllowNull: p.AllowNullValue,
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
		called, err := d.server.CallFunction(d.t.Context(), request)
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

// expectDirectly plans a configuration directly and expects no error. It checks the known
// values as those of a state.
func expectDirectly(t testing.TB, config string, checks ...statecheck.StateCheck) *direct {
	t.Helper()
	return planDirectly(t, config).expect(t, checks...)
}

func (d *direct) expect(t testing.TB, checks ...statecheck.StateCheck) *direct {
	t.Helper()
	if told := d.told(); strings.Contains(told, "ERROR: ") {
		t.Fatal(told)
	}
	checkState(t, d.state(), checks)
	return d
}

// checkState checks a state.
func checkState(t testing.TB, state *tfjson.State, checks []statecheck.StateCheck) {
	t.Helper()
	for _, check := range checks {
		var resp statecheck.CheckStateResponse
		if check.CheckState(t.Context(), statecheck.CheckStateRequest{State: state}, &resp); resp.Error != nil {
			t.Error(resp.Error)
		}
	}
}

// state is what is known of outputs, resources and data sources.
func (d *direct) state() *tfjson.State {
	module, outputs := &tfjson.StateModule{}, map[string]*tfjson.StateOutput{}
	for address, value := range d.values {
		if name, ok := strings.CutPrefix(address, "output."); ok && value.IsWhollyKnown() {
			outputs[name] = &tfjson.StateOutput{Value: d.plain(value)}
		}
		if d.blocks[address] == nil || !value.IsKnown() {
			continue
		}
		known := map[string]any{}
		for name, attribute := range value.AsValueMap() {
			if attribute.IsWhollyKnown() {
				known[name] = d.plain(attribute)
			}
		}
		module.Resources = append(module.Resources, &tfjson.StateResource{Address: address, AttributeValues: known})
	}
	return &tfjson.State{Values: &tfjson.StateValues{Outputs: outputs, RootModule: module}}
}

// plain is a value as JSON has it.
func (d *direct) plain(value cty.Value) (plain any) {
	text, err := ctyjson.Marshal(value, value.Type())
	d.must(err)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	d.must(decoder.Decode(&plain))
	return plain
}

// fails wants an error that says these words, and warns a warning.
func (d *direct) fails(t testing.TB, words string) {
	t.Helper()
	d.says(t, "ERROR", words)
}

func (d *direct) warns(t testing.TB, words string) {
	t.Helper()
	d.says(t, "WARNING", words)
}

func (d *direct) says(t testing.TB, severity, words string) {
	t.Helper()
	told := d.told()
	for line := range strings.Lines(told) {
		if strings.HasPrefix(line, severity+": ") && strings.Contains(line, strings.Join(strings.Fields(words), " ")) {
			return
		}
	}
	t.Errorf("no %s says %q:\n%s", severity, words, told)
}

// told returns all messages, each on one line.
func (d *direct) told() string {
	var b strings.Builder
	for _, each := range d.said {
		fmt.Fprintf(&b, "%s: %s\n", each.Severity, strings.Join(strings.Fields(each.Summary+": "+each.Detail), " "))
	}
	return b.String()
}

// ctyTypeOf converts a type of the protocol to a cty type. Both have the same JSON.
func ctyTypeOf(t tftypes.Type) cty.Type {
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
