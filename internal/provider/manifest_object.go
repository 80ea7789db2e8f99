// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// objectManifest returns the manifest of an object. The object has kind and the attributes
// and blocks of a modelling resource. A block is an object or a list of objects. The
// manifest is unknown if a value in the object is unknown. Errors: all problems of the
// object.
func objectManifest(ctx context.Context, object cty.Value) (types.String, diag.Diagnostics) {
	var r objectReader
	unknown := types.StringUnknown()
	if !object.IsKnown() {
		return unknown, nil
	}
	if !object.Type().IsObjectType() && !object.Type().IsMapType() {
		r.diags.AddError("Wrong type of value", `An object is needed, such as { kind = "ClusterType", name = "drone", ... }.`)
		return unknown, r.diags
	}
	attributes := object.AsValueMap()
	kind, known := r.kind(attributes["kind"])
	if !known || r.diags.HasError() {
		return unknown, r.diags
	}
	delete(attributes, "kind")

	model := modelled()[kind]
	config := r.object(path.Empty(), attributes, model.block())
	raw, err := wireValue(config, model.configType(ctx))
	if err != nil {
		r.diags.AddError("Unreadable object", err.Error())
		return unknown, r.diags
	}
	r.diags.Append(checkConfig(ctx, model, raw)...)
	if r.diags.HasError() || !config.IsWhollyKnown() {
		return unknown, r.diags
	}
	return model.manifestOf(ctx, raw)
}

// objectID returns the beginning of a message about an object: "ClusterType/drone: ". It
// leaves out a kind or name that is not known.
func objectID(object cty.Value) string {
	if !object.IsKnown() || object.IsNull() || !object.Type().IsObjectType() && !object.Type().IsMapType() {
		return ""
	}
	attributes, id := object.AsValueMap(), ""
	for _, name := range []string{"kind", "name"} {
		value, set := attributes[name]
		if !set || value.IsNull() || !value.IsKnown() || value.Type() != cty.String {
			break
		}
		id += "/" + value.AsString()
	}
	if id == "" {
		return ""
	}
	return id[1:] + ": "
}

// ctyValue converts a function's argument to a cty value.
func ctyValue(ctx context.Context, argument types.Dynamic) (cty.Value, error) {
	value, err := argument.ToTerraformValue(ctx)
	if err != nil {
		return cty.NilVal, err
	}
	wire, err := tfprotov6.NewDynamicValue(tftypes.DynamicPseudoType, value)
	if err != nil {
		return cty.NilVal, err
	}
	return msgpack.Unmarshal(wire.MsgPack, cty.DynamicPseudoType)
}

// wireValue is the inverse of ctyValue. It returns a value of a framework type.
func wireValue(value cty.Value, as tftypes.Type) (tftypes.Value, error) {
	wire, err := msgpack.Marshal(value, ctyTypeOf(as))
	if err != nil {
		return tftypes.Value{}, err
	}
	return (&tfprotov6.DynamicValue{MsgPack: wire}).Unmarshal(as)
}

// objectReader reads an object as Terraform reads the configuration of a resource. A name
// that the resource does not have is an error at any depth.
type objectReader struct{ diags diag.Diagnostics }

func (r *objectReader) report(at path.Path, summary, format string, arguments ...any) {
	r.diags.AddAttributeError(at, summary, fmt.Sprintf(format, arguments...))
}

// kind returns the kind of an object, and whether the kind is known.
func (r *objectReader) kind(value cty.Value) (manifest.Kind, bool) {
	all := modelled()
	names := make([]string, 0, len(all))
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		names = append(names, string(kind))
	}
	list := "Valid kinds are " + strings.Join(names, ", ") + "."
	if value == cty.NilVal || value.IsNull() {
		r.report(path.Root("kind"), "Missing kind", "kind has to be set. %s", list)
		return "", false
	}
	if !value.IsKnown() {
		return "", false
	}
	name, err := convert.Convert(value, cty.String)
	if err != nil {
		r.report(path.Root("kind"), "Invalid kind", "kind: %s. %s", err, list)
		return "", false
	}
	kind := manifest.Kind(name.AsString())
	if _, found := all[kind]; !found {
		if kind.IsOCM() {
			list = "A hub of Open Cluster Management writes objects of this kind: write the object as YAML, or with yamlencode. " + list
		}
		r.report(path.Root("kind"), "Unknown kind", "The function has no kind %q. %s%s", name.AsString(), didYouMean(name.AsString(), names),
			list)
		return "", false
	}
	return kind, true
}

// object returns a value with exactly the attributes and blocks of a schema. It reports a
// wrong value and makes it unknown, so that the value causes no further errors.
func (r *objectReader) object(at path.Path, given map[string]cty.Value, of schema.NestedBlockObject) cty.Value {
	meant := r.unknownNames(at, given, of)
	values := map[string]cty.Value{}
	for _, name := range slices.Sorted(maps.Keys(of.Attributes)) {
		attribute, inner := of.Attributes[name], at.AtName(name)
		value, set := given[name]
		switch absent := !set || value.IsNull(); {
		case absent && meant[name]:
			values[name] = cty.UnknownVal(ctyType(attribute.GetType()))
		case absent && attribute.IsRequired():
			r.report(inner, "Missing "+name, "%s has to be set.", inner)
			values[name] = cty.UnknownVal(ctyType(attribute.GetType()))
		case absent, attribute.IsComputed():
			values[name] = cty.NullVal(ctyType(attribute.GetType()))
		default:
			values[name] = r.attribute(inner, value, attribute)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(of.Blocks)) {
		values[name] = r.block(at.AtName(name), given[name], of.Blocks[name], meant[name])
	}
	return cty.ObjectVal(values)
}

// unknownNames reports the names that a schema does not have, and returns the similar names
// of the schema.
func (r *objectReader) unknownNames(at path.Path, given map[string]cty.Value, of schema.NestedBlockObject) map[string]bool {
	settable := slices.Collect(maps.Keys(of.Blocks))
	for name, attribute := range of.Attributes {
		if !attribute.IsComputed() {
			settable = append(settable, name)
		}
	}
	slices.Sort(settable)
	meant := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, computed := of.Attributes[name]; computed || slices.Contains(settable, name) {
			continue
		}
		r.report(at.AtName(name), "Unknown attribute", "There is no attribute %s. %sThe attributes are %s.",
			at.AtName(name), didYouMean(name, settable), strings.Join(settable, ", "))
		meant[wording.Nearest(name, settable)] = true
	}
	return meant
}

// attribute returns a value converted to an attribute's type, by Terraform's rules.
func (r *objectReader) attribute(at path.Path, value cty.Value, attribute schema.Attribute) cty.Value {
	wanted := ctyType(attribute.GetType())
	if !value.IsKnown() {
		return cty.UnknownVal(wanted)
	}
	converted, err := convert.Convert(value, wanted)
	if err != nil {
		r.report(at, "Wrong type of value", "%s: %s.", at, err)
		return cty.UnknownVal(wanted)
	}
	return converted
}

// block returns the value of a block as a configuration has it: an object, or a list of
// objects that is never null. An absent block is unknown if it was probably meant.
func (r *objectReader) block(at path.Path, value cty.Value, block schema.Block, meant bool) cty.Value {
	list, isList := block.(schema.ListNestedBlock)
	wanted := ctyType(block.Type())
	switch absent := value == cty.NilVal || value.IsNull(); {
	case absent && meant, isList && !absent && !value.IsKnown():
		return cty.UnknownVal(wanted)
	case absent && isList:
		return cty.ListValEmpty(wanted.ElementType())
	case absent:
		return cty.NullVal(wanted)
	}
	if !isList {
		single, _ := block.(schema.SingleNestedBlock) // a schema has only these two
		return r.nested(at, value, schema.NestedBlockObject{Attributes: single.Attributes, Blocks: single.Blocks})
	}
	if !value.Type().IsTupleType() && !value.Type().IsListType() && !value.Type().IsSetType() {
		r.report(at, "Wrong type of value", "%s: list of objects required.", at)
		return cty.UnknownVal(wanted)
	}
	var elements []cty.Value
	for i, element := range value.AsValueSlice() {
		elements = append(elements, r.nested(at.AtListIndex(i), element, list.NestedObject))
	}
	if len(elements) == 0 {
		return cty.ListValEmpty(wanted.ElementType())
	}
	return cty.ListVal(elements)
}

// nested returns the value of an object inside another object.
func (r *objectReader) nested(at path.Path, value cty.Value, of schema.NestedBlockObject) cty.Value {
	switch {
	case !value.IsKnown():
		return unknownObject(of)
	case value.IsNull(), !value.Type().IsObjectType() && !value.Type().IsMapType():
		r.report(at, "Wrong type of value", "%s: object required.", at)
		return unknownObject(of)
	}
	return r.object(at, value.AsValueMap(), of)
}

// unknownObject is an object whose values are not known. If it needs attributes, it has
// them as unknown values. Otherwise the framework reports them as missing in an object
// that is unknown as a whole.
func unknownObject(of schema.NestedBlockObject) cty.Value {
	wanted := ctyType(of.Type())
	for _, attribute := range of.Attributes {
		if attribute.IsRequired() {
			values := map[string]cty.Value{}
			for name, inner := range wanted.AttributeTypes() {
				values[name] = cty.UnknownVal(inner)
			}
			return cty.ObjectVal(values)
		}
	}
	return cty.UnknownVal(wanted)
}

// ctyType converts a framework type to a cty type. Both have the same JSON.
func ctyType(t attr.Type) cty.Type { return ctyTypeOf(t.TerraformType(context.Background())) }

func ctyTypeOf(t tftypes.Type) cty.Type {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // a type of a schema always has its JSON
	}
	converted, err := ctyjson.UnmarshalType(text)
	if err != nil {
		panic(err)
	}
	return converted
}

// didYouMean returns a sentence with the nearest known word, and a space. It returns "" if
// no known word is near.
func didYouMean(word string, known []string) string {
	if nearest := wording.Nearest(word, known); nearest != "" {
		return fmt.Sprintf("Did you mean %s? ", nearest)
	}
	return ""
}
