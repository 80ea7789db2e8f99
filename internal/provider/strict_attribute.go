// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/gocty"
)

// strict is an attribute of objects that is read by a schema of its own, in which a name
// that the schema does not have is an error. In a nested attribute Terraform drops such a
// name without a word, and with it what it was to demand: a misspelled soak would be none.
type strict struct{ schema.Attribute }

// attribute returns the attribute as a data source has it.
func (s strict) attribute() datasource.DynamicAttribute {
	return datasource.DynamicAttribute{
		Required: s.IsRequired(), Optional: s.IsOptional(),
		MarkdownDescription: s.documentation(),
		Validators:          []validator.Dynamic{s},
	}
}

func (s strict) documentation() string {
	return s.GetMarkdownDescription() + described(s.Attribute, "  ")
}

func (s strict) Description(context.Context) string {
	return "must have the attributes that are listed, and no others"
}

func (s strict) MarkdownDescription(ctx context.Context) string { return s.Description(ctx) }

// ValidateDynamic tells what is wrong with what is known of a value.
func (s strict) ValidateDynamic(ctx context.Context, req validator.DynamicRequest, resp *validator.DynamicResponse) {
	_, diags := s.value(ctx, req.Path, req.ConfigValue)
	resp.Diagnostics.Append(diags...)
}

// value returns a value with exactly the attributes of the schema. What is wrong is
// reported, and unknown.
func (s strict) value(ctx context.Context, at path.Path, value types.Dynamic) (cty.Value, diag.Diagnostics) {
	wanted := attributeType(s.Attribute)
	switch {
	case value.IsNull() || value.IsUnderlyingValueNull():
		return cty.NullVal(wanted), nil
	case value.IsUnknown() || value.IsUnderlyingValueUnknown():
		return cty.UnknownVal(wanted), nil
	}
	var r objectReader
	given, err := ctyValue(ctx, value)
	if err != nil {
		r.report(at, "Unreadable value", "%s: %s", at, err)
		return cty.UnknownVal(wanted), r.diags
	}
	read := r.attribute(at, given, s.Attribute)
	r.validate(ctx, at, read, s.Attribute)
	return read, r.diags
}

// read decodes a value that is known as a whole into a struct with tags of cty, and
// reports whether it is one; it is not where the value is null.
func (s strict) read(ctx context.Context, at path.Path, value types.Dynamic, into any) (bool, diag.Diagnostics) {
	read, diags := s.value(ctx, at, value)
	if diags.HasError() || read.IsNull() || !read.IsWhollyKnown() {
		return false, diags
	}
	if err := gocty.FromCtyValue(read, into); err != nil {
		diags.AddAttributeError(at, "Wrong type of value", fmt.Sprintf("%s: %s.", at, err))
		return false, diags
	}
	return true, diags
}

// nestedAttribute returns the value of an attribute for which the conversion of its type is
// not enough, and whether it is one: with a nested schema, or a number that is not whole.
func (r *objectReader) nestedAttribute(at path.Path, value cty.Value, attribute schema.Attribute) (cty.Value, bool) {
	wanted := attributeType(attribute)
	inner := func(at path.Path, value cty.Value, attributes map[string]schema.Attribute) cty.Value {
		of := schema.NestedBlockObject{Attributes: attributes}
		if value.IsNull() {
			return cty.NullVal(ctyType(of.Type()))
		}
		return r.nested(at, value, of)
	}
	switch attribute := attribute.(type) {
	case schema.Int64Attribute:
		if number, err := convert.Convert(value, cty.Number); err == nil && number.IsKnown() && !number.IsNull() && !number.AsBigFloat().IsInt() {
			r.report(at, "Wrong type of value", "%s: a whole number is needed.", at)
			return cty.UnknownVal(wanted), true
		}
	case schema.SingleNestedAttribute:
		return inner(at, value, attribute.Attributes), true
	case schema.ListNestedAttribute:
		if value.Type().IsTupleType() || value.Type().IsListType() || value.Type().IsSetType() {
			var elements []cty.Value
			for i, element := range value.AsValueSlice() {
				elements = append(elements, inner(at.AtListIndex(i), element, attribute.NestedObject.Attributes))
			}
			if len(elements) == 0 {
				return cty.ListValEmpty(wanted.ElementType()), true
			}
			return cty.ListVal(elements), true
		}
	case schema.MapNestedAttribute:
		if value.Type().IsObjectType() || value.Type().IsMapType() {
			elements := map[string]cty.Value{}
			given := value.AsValueMap()
			for _, key := range slices.Sorted(maps.Keys(given)) {
				elements[key] = inner(at.AtMapKey(key), given[key], attribute.NestedObject.Attributes)
			}
			if len(elements) == 0 {
				return cty.MapValEmpty(wanted.ElementType()), true
			}
			return cty.MapVal(elements), true
		}
	}
	return cty.NilVal, false
}

// described lists the attributes of a nested schema in Markdown, those that have to be
// set first.
func described(attribute schema.Attribute, indent string) string {
	var attributes map[string]schema.Attribute
	switch attribute := attribute.(type) {
	case schema.SingleNestedAttribute:
		attributes = attribute.Attributes
	case schema.ListNestedAttribute:
		attributes = attribute.NestedObject.Attributes
	case schema.MapNestedAttribute:
		attributes = attribute.NestedObject.Attributes
	}
	names := slices.SortedFunc(maps.Keys(attributes), func(a, b string) int {
		if attributes[a].IsRequired() != attributes[b].IsRequired() {
			return map[bool]int{true: -1, false: 1}[attributes[a].IsRequired()]
		}
		return strings.Compare(a, b)
	})
	var b strings.Builder
	for _, name := range names {
		inner := attributes[name]
		fmt.Fprintf(&b, "\n%s- `%s` (%s) %s%s", indent, name, docType(inner), inner.GetMarkdownDescription(), described(inner, indent+"  "))
	}
	return b.String()
}

// attributePath returns the path of an attribute as path.Path writes it: after["dev"].soak.
// It ends before what it cannot read.
func attributePath(where string) path.Path {
	at := path.Empty()
	for where != "" {
		switch {
		case strings.HasPrefix(where, `["`):
			quoted, err := strconv.QuotedPrefix(where[1:])
			if err != nil {
				return at
			}
			key, _ := strconv.Unquote(quoted) // it is quoted
			at, where = at.AtMapKey(key), strings.TrimPrefix(where[1+len(quoted):], "]")
		case strings.HasPrefix(where, "["):
			number, rest, _ := strings.Cut(where[1:], "]")
			i, err := strconv.Atoi(number)
			if err != nil {
				return at
			}
			at, where = at.AtListIndex(i), rest
		default:
			where = strings.TrimPrefix(where, ".")
			end := strings.IndexAny(where, ".[")
			if end < 0 {
				end = len(where)
			}
			at, where = at.AtName(where[:end]), where[end:]
		}
	}
	return at
}

// docType names the type of an attribute as the documentation does.
func docType(attribute schema.Attribute) string {
	var name string
	switch attribute.(type) {
	case schema.StringAttribute:
		name = "String"
	case schema.Int64Attribute:
		name = "Number"
	case schema.MapAttribute:
		name = "Map of String"
	case schema.ListAttribute:
		name = "List of String"
	case schema.SingleNestedAttribute:
		name = "Object"
	case schema.ListNestedAttribute:
		name = "List of Object"
	case schema.MapNestedAttribute:
		name = "Map of Object"
	default:
		panic(fmt.Sprintf("no name for a %T", attribute))
	}
	if attribute.IsRequired() {
		name += ", required"
	}
	return name
}
