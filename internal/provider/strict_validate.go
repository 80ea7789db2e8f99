// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
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
	where := at.Expression()
	switch attribute := attribute.(type) {
	case schema.StringAttribute:
		judged(ctx, r, at, value, attribute.GetType(), attribute.Validators, func(v validator.String, held types.String) diag.Diagnostics {
			var resp validator.StringResponse
			v.ValidateString(ctx, validator.StringRequest{Path: at, PathExpression: where, ConfigValue: held}, &resp)
			return resp.Diagnostics
		})
	case schema.Int64Attribute:
		judged(ctx, r, at, value, attribute.GetType(), attribute.Validators, func(v validator.Int64, held types.Int64) diag.Diagnostics {
			var resp validator.Int64Response
			v.ValidateInt64(ctx, validator.Int64Request{Path: at, PathExpression: where, ConfigValue: held}, &resp)
			return resp.Diagnostics
		})
	case schema.ListAttribute:
		r.validateList(at, value)
		r.runList(ctx, at, value, attribute.GetType(), attribute.Validators)
	case schema.MapAttribute:
		r.validateLength(at, value)
		judged(ctx, r, at, value, attribute.GetType(), attribute.Validators, func(v validator.Map, held types.Map) diag.Diagnostics {
			var resp validator.MapResponse
			v.ValidateMap(ctx, validator.MapRequest{Path: at, PathExpression: where, ConfigValue: held}, &resp)
			return resp.Diagnostics
		})
	case schema.SingleNestedAttribute:
		r.validateObject(ctx, at, value, schema.NestedAttributeObject{Attributes: attribute.Attributes, Validators: attribute.Validators})
	case schema.ListNestedAttribute:
		r.runList(ctx, at, value, attribute.GetType(), attribute.Validators)
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

// judged has validators judge a value, as the framework has it.
func judged[Validator any, Value attr.Value](ctx context.Context, r *objectReader, at path.Path, value cty.Value, as attr.Type, validators []Validator, judge func(Validator, Value) diag.Diagnostics) {
	if len(validators) == 0 {
		return
	}
	held, err := frameworkValue[Value](ctx, value, as)
	if err != nil {
		r.report(at, "Wrong type of value", "%s: %s.", at, err)
		return
	}
	for _, v := range validators {
		r.diags.Append(judge(v, held)...)
	}
}

// frameworkValue returns a value as the framework has it.
func frameworkValue[Value attr.Value](ctx context.Context, value cty.Value, as attr.Type) (Value, error) {
	var none Value
	wire, err := wireValue(value, as.TerraformType(ctx))
	if err != nil {
		return none, err
	}
	converted, err := as.ValueFromTerraform(ctx, wire)
	if err != nil {
		return none, err
	}
	held, ok := converted.(Value)
	if !ok {
		return none, fmt.Errorf("%s is no %T", converted, none)
	}
	return held, nil
}

func (r *objectReader) runList(ctx context.Context, at path.Path, value cty.Value, as attr.Type, validators []validator.List) {
	judged(ctx, r, at, value, as, validators, func(v validator.List, held types.List) diag.Diagnostics {
		var resp validator.ListResponse
		v.ValidateList(ctx, validator.ListRequest{Path: at, PathExpression: at.Expression(), ConfigValue: held}, &resp)
		return resp.Diagnostics
	})
}

// validateList refuses lists that hold less than they seem to.
func (r *objectReader) validateList(at path.Path, value cty.Value) {
	if name := lastName(at); name == "cluster_types" && value.LengthInt() == 0 {
		r.report(at, "Empty "+name, "%s is empty, so there is nothing to look at. Leave out what it is in as long as there is no cluster type: without %s, all of the branch would count.", at, name)
		return
	}
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
	judged(ctx, r, at, value, as.Type(), as.Validators, func(v validator.Object, held types.Object) diag.Diagnostics {
		var resp validator.ObjectResponse
		v.ValidateObject(ctx, validator.ObjectRequest{Path: at, PathExpression: at.Expression(), ConfigValue: held}, &resp)
		return resp.Diagnostics
	})
	for _, name := range slices.Sorted(maps.Keys(as.Attributes)) {
		r.validate(ctx, at.AtName(name), value.GetAttr(name), as.Attributes[name])
	}
}
