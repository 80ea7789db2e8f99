// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/zclconf/go-cty/cty"
)

// strict is an attribute of objects that is read by a schema of its own, in which a name
// that the schema does not have is an error. In a nested attribute Terraform drops such a
// name without a word, and with it what it was to demand: a misspelled soak would be none.
type strict struct{ schema.Attribute }

// resourceAttribute returns the attribute as a resource has it.
func (s strict) resourceAttribute() schema.DynamicAttribute {
	return schema.DynamicAttribute{
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
