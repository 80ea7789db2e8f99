// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// toleratesSomething is a validator for a toleration: which of key, operator and value go
// together.
type toleratesSomething struct{}

func (toleratesSomething) Description(context.Context) string {
	return "must have a key, or the operator Exists, which takes no value"
}

func (v toleratesSomething) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (toleratesSomething) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	attributes := req.ConfigValue.Attributes()
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || attributes["operator"].IsUnknown() {
		return
	}
	exists := attributes["operator"].Equal(types.StringValue(string(clusterv1beta1.TolerationOpExists)))
	if attributes["key"].IsNull() && !exists {
		resp.Diagnostics.AddAttributeError(req.Path.AtName("key"), "Missing key",
			fmt.Sprintf("%s has to be set. To tolerate every key, set operator = \"Exists\".", req.Path.AtName("key")))
	}
	if exists && !attributes["value"].IsNull() {
		resp.Diagnostics.AddAttributeError(req.Path.AtName("value"), "Superfluous value",
			fmt.Sprintf("%s has to be left out: the operator Exists tolerates every value.", req.Path.AtName("value")))
	}
}

// oneScore is a validator for the source of a score: built_in with the type BuiltIn, add_on
// with AddOn.
type oneScore struct{}

func (oneScore) Description(context.Context) string {
	return "must have built_in with the type BuiltIn, and add_on with the type AddOn"
}

func (v oneScore) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (oneScore) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	attributes := req.ConfigValue.Attributes()
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || attributes["type"].IsUnknown() {
		return
	}
	kind, of, other := clusterv1beta1.ScoreCoordinateTypeBuiltIn, "built_in", "add_on"
	if attributes["type"].Equal(types.StringValue(clusterv1beta1.ScoreCoordinateTypeAddOn)) {
		kind, of, other = clusterv1beta1.ScoreCoordinateTypeAddOn, other, of
	}
	if attributes[of].IsNull() {
		resp.Diagnostics.AddAttributeError(req.Path.AtName(of), "Missing "+of,
			fmt.Sprintf("%s has to be set: the type is %s.", req.Path.AtName(of), kind))
	}
	if !attributes[other].IsNull() {
		resp.Diagnostics.AddAttributeError(req.Path.AtName(other), "Superfluous "+other,
			fmt.Sprintf("%s has to be left out: the type is %s.", req.Path.AtName(other), kind))
	}
}
