// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/zclconf/go-cty/cty"
)

// validate runs the validators of a schema on what is known of a value.
func (r *objectReader) validate(ctx context.Context, at path.Path, value cty.Value, attribute schema.Attribute) {
	if !value.IsKnown() || value.IsNull() {
		return
	}
	held, err := frameworkValue(ctx, value, attribute.GetType())
	if err != nil {
		r.report(at, "Wrong type of value", "%s: %s.", at, err)
		return
	}
	where := at.Expression()
	switch attribute := attribute.(type) {
	case schema.StringAttribute:
		for _, v := range attribute.Validators {
			var resp validator.StringResponse
			v.ValidateString(ctx, validator.StringRequest{Path: at, PathExpression: where, ConfigValue: held.(types.String)}, &resp)
			r.diags.Append(resp.Diagnostics...)
		}
	case schema.Int64Attribute:
		for _, v := range attribute.Validators {
			var resp validator.Int64Response
			v.ValidateInt64(ctx, validator.Int64Request{Path: at, PathExpression: where, ConfigValue: held.(types.Int64)}, &resp)
			r.diags.Append(resp.Diagnostics...)
		}
	case schema.ListAttribute:
		r.validateList(at, value)
		r.runList(ctx, at, held.(types.List), attribute.Validators)
	case schema.MapAttribute:
		r.validateLength(at, value)
		for _, v := range attribute.Validators {
			var resp validator.MapResponse
			v.ValidateMap(ctx, validator.MapRequest{Path: at, PathExpression: where, ConfigValue: held.(types.Map)}, &resp)
			r.diags.Append(resp.Diagnostics...)
		}
	case schema.SingleNestedAttribute:
		r.validateObject(ctx, at, value, schema.NestedAttributeObject{Attributes: attribute.Attributes, Validators: attribute.Validators})
	case schema.ListNestedAttribute:
		r.runList(ctx, at, held.(types.List), attribute.Validators)
		for i, element := range value.AsValueSlice() {
			r.validateObject(ctx, at.AtListIndex(i), element, attribute.NestedObject)
		}
	case schema.MapNestedAttribute:
		elements := value.AsValueMap()
		for _, key := range slices.Sorted(maps.Keys(elements)) {
			r.validateObject(ctx, at.AtMapKey(key), elements[key], attribute.NestedObject)
		}
	default:
		panic(fmt.Sprintf("%s: no rule for a %T", at, attribute)) // would go without its validators
	}
}

// frameworkValue returns a value as the framework has it.
func frameworkValue(ctx context.Context, value cty.Value, as attr.Type) (attr.Value, error) {
	held, err := wireValue(value, as.TerraformType(ctx))
	if err != nil {
		return nil, err
	}
	return as.ValueFromTerraform(ctx, held)
}

func (r *objectReader) runList(ctx context.Context, at path.Path, held types.List, validators []validator.List) {
	for _, v := range validators {
		var resp validator.ListResponse
		v.ValidateList(ctx, validator.ListRequest{Path: at, PathExpression: at.Expression(), ConfigValue: held}, &resp)
		r.diags.Append(resp.Diagnostics...)
	}
}

// validateList refuses lists that hold less than they seem to.
func (r *objectReader) validateList(at path.Path, value cty.Value) {
	r.validateLength(at, value)
	for i, element := range value.AsValueSlice() {
		if element.IsNull() {
			r.report(at.AtListIndex(i), "Null in "+lastName(at), "%s is null. Write what is meant, or remove it.", at.AtListIndex(i))
		}
	}
}

func (r *objectReader) validateLength(at path.Path, value cty.Value) {
	if value.LengthInt() == 0 {
		r.report(at, "Empty "+lastName(at), "%s is empty. Write what is meant, or leave it out.", at)
	}
}

func (r *objectReader) validateObject(ctx context.Context, at path.Path, value cty.Value, as schema.NestedAttributeObject) {
	switch {
	case !value.IsKnown():
		return
	case value.IsNull():
		r.report(at, "Null in "+lastName(at), "%s is null. Write what is meant, or remove it.", at)
		return
	}
	held, err := frameworkValue(ctx, value, as.Type())
	if err != nil {
		r.report(at, "Wrong type of value", "%s: %s.", at, err)
		return
	}
	for _, v := range as.Validators {
		var resp validator.ObjectResponse
		v.ValidateObject(ctx, validator.ObjectRequest{Path: at, PathExpression: at.Expression(), ConfigValue: held.(types.Object)}, &resp)
		r.diags.Append(resp.Diagnostics...)
	}
	for _, name := range slices.Sorted(maps.Keys(as.Attributes)) {
		r.validate(ctx, at.AtName(name), value.GetAttr(name), as.Attributes[name])
	}
}
