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
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/spelling"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// objectManifest returns the manifest of an object that has the attributes of a
// modelling resource and kind; unknown while something in the object is. Errors:
// everything that is wrong with it.
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
	config := r.object(path.Empty(), attributes, model.attributes())
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

// objectID names an object for a message: "ClusterType/drone: ", or less where less is known.
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

// ctyValue returns a function's argument as the value that Terraform has.
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

// wireValue is the way back: the value as one of a type of the framework.
func wireValue(value cty.Value, as tftypes.Type) (tftypes.Value, error) {
	wire, err := msgpack.Marshal(value, ctyTypeOf(as))
	if err != nil {
		return tftypes.Value{}, err
	}
	return (&tfprotov6.DynamicValue{MsgPack: wire}).Unmarshal(as)
}

// objectReader reads an object as Terraform reads a resource's configuration, but
// for attributes that the schema does not have: those Terraform drops in nested
// attributes, and here they are errors.
type objectReader struct{ diags diag.Diagnostics }

func (r *objectReader) report(at path.Path, summary, format string, arguments ...any) {
	r.diags.AddAttributeError(at, summary, fmt.Sprintf(format, arguments...))
}

// kind returns the kind that an object says it has, and whether it is known.
func (r *objectReader) kind(value cty.Value) (manifest.Kind, bool) {
	all := modelled()
	names := make([]string, 0, len(all))
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		names = append(names, string(kind))
	}
	list := "Known are " + strings.Join(names, ", ") + "."
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
			list = "It stands for what a hub knows: write it as YAML, or with yamlencode. " + list
		}
		r.report(path.Root("kind"), "Unknown kind", "The function has no kind %q. %s%s", name.AsString(), didYouMean(name.AsString(), names), list)
		return "", false
	}
	return kind, true
}

// object returns a value with exactly the attributes of a schema. What is wrong is
// reported and becomes unknown, so that nothing else is held against it.
func (r *objectReader) object(at path.Path, given map[string]cty.Value, attributes map[string]schema.Attribute) cty.Value {
	meant := map[string]bool{}
	names := slices.Sorted(maps.Keys(attributes))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, known := attributes[name]; known {
			continue
		}
		settable := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return attributes[name].IsComputed() })
		r.report(at.AtName(name), message.UnknownAttribute.Title, "There is no attribute %s. %sThe attributes are %s.",
			at.AtName(name), didYouMean(name, settable), strings.Join(settable, ", "))
		meant[spelling.Nearest(name, settable)] = true
	}
	values := map[string]cty.Value{}
	for _, name := range names {
		attribute, inner := attributes[name], at.AtName(name)
		value, set := given[name]
		switch absent := !set || value.IsNull(); {
		case absent && meant[name]:
			values[name] = cty.UnknownVal(attributeType(attribute))
		case absent && attribute.IsRequired():
			r.report(inner, "Missing "+name, "%s has to be set.", inner)
			values[name] = cty.UnknownVal(attributeType(attribute))
		case absent, attribute.IsComputed():
			values[name] = cty.NullVal(attributeType(attribute))
		default:
			values[name] = r.attribute(inner, value, attribute)
		}
	}
	return cty.ObjectVal(values)
}

// attribute returns a value converted to an attribute's type, by Terraform's rules.
func (r *objectReader) attribute(at path.Path, value cty.Value, attribute schema.Attribute) cty.Value {
	wanted := attributeType(attribute)
	if !value.IsKnown() {
		return cty.UnknownVal(wanted)
	}
	switch attribute := attribute.(type) {
	case schema.SingleNestedAttribute:
		return r.nested(at, value, attribute.Attributes)
	case schema.ListNestedAttribute:
		if value.Type().IsTupleType() || value.Type().IsListType() || value.Type().IsSetType() {
			var elements []cty.Value
			for i, element := range value.AsValueSlice() {
				elements = append(elements, r.nested(at.AtListIndex(i), element, attribute.NestedObject.Attributes))
			}
			if len(elements) == 0 {
				return cty.ListValEmpty(wanted.ElementType())
			}
			return cty.ListVal(elements)
		}
	case schema.MapNestedAttribute:
		if value.Type().IsObjectType() || value.Type().IsMapType() {
			elements := map[string]cty.Value{}
			given := value.AsValueMap()
			for _, key := range slices.Sorted(maps.Keys(given)) {
				elements[key] = r.nested(at.AtMapKey(key), given[key], attribute.NestedObject.Attributes)
			}
			if len(elements) == 0 {
				return cty.MapValEmpty(wanted.ElementType())
			}
			return cty.MapVal(elements)
		}
	}
	converted, err := convert.Convert(value, wanted)
	if err != nil {
		r.report(at, "Wrong type of value", "%s: %s.", at, err)
		return cty.UnknownVal(wanted)
	}
	if _, whole := attribute.(schema.Int64Attribute); whole && converted.IsKnown() && !converted.AsBigFloat().IsInt() {
		r.report(at, "Wrong type of value", "%s: a whole number is needed.", at)
		return cty.UnknownVal(wanted)
	}
	return converted
}

// nested returns the value of a nested object.
func (r *objectReader) nested(at path.Path, value cty.Value, attributes map[string]schema.Attribute) cty.Value {
	switch wanted := objectType(attributes); {
	case value.IsNull():
		return cty.NullVal(wanted)
	case !value.IsKnown():
		return cty.UnknownVal(wanted)
	case !value.Type().IsObjectType() && !value.Type().IsMapType():
		r.report(at, "Wrong type of value", "%s: object required.", at)
		return cty.UnknownVal(wanted)
	}
	return r.object(at, value.AsValueMap(), attributes)
}

// objectType is the type of an object with the attributes of a schema.
func objectType(attributes map[string]schema.Attribute) cty.Type {
	inner := map[string]cty.Type{}
	for name, attribute := range attributes {
		inner[name] = attributeType(attribute)
	}
	return cty.Object(inner)
}

// attributeType is the type of an attribute as cty has it. Both sides write types
// as the same JSON.
func attributeType(attribute schema.Attribute) cty.Type {
	return ctyType(attribute.GetType())
}

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

// didYouMean is the sentence that offers the nearest of the known words, with a
// space behind it; nothing where none is near.
func didYouMean(word string, known []string) string {
	if nearest := spelling.Nearest(word, known); nearest != "" {
		return fmt.Sprintf("Did you mean %s? ", nearest)
	}
	return ""
}
