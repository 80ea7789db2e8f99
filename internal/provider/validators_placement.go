// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// toleratesSomething is a validator for a toleration. It refuses a toleration whose key,
// operator and value contradict each other.
var toleratesSomething = objectCheck{"must have a key, or the operator Exists, which takes no value",
	func(attributes map[string]attr.Value, at path.Path, diags *diag.Diagnostics) {
		if attributes["operator"].IsUnknown() {
			return
		}
		exists := attributes["operator"].Equal(types.StringValue(string(clusterv1beta1.TolerationOpExists)))
		if attributes["key"].IsNull() && !exists {
			diags.AddAttributeError(at.AtName("key"), "Missing key",
				fmt.Sprintf("%s has to be set. To tolerate every key, set operator = \"Exists\".", at.AtName("key")))
		}
		if exists && !attributes["value"].IsNull() {
			diags.AddAttributeError(at.AtName("value"), "Superfluous value",
				fmt.Sprintf("%s has to be left out: the operator Exists tolerates every value.", at.AtName("value")))
		}
	}}

// oneScore is a validator for the source of a score: the type BuiltIn needs built_in, and
// AddOn needs add_on.
var oneScore = objectCheck{"must have built_in with the type BuiltIn, and add_on with the type AddOn",
	func(attributes map[string]attr.Value, at path.Path, diags *diag.Diagnostics) {
		if attributes["type"].IsUnknown() {
			return
		}
		kind, of, other := clusterv1beta1.ScoreCoordinateTypeBuiltIn, "built_in", "add_on"
		if attributes["type"].Equal(types.StringValue(clusterv1beta1.ScoreCoordinateTypeAddOn)) {
			kind, of, other = clusterv1beta1.ScoreCoordinateTypeAddOn, other, of
		}
		if attributes[of].IsNull() {
			diags.AddAttributeError(at.AtName(of), "Missing "+of,
				fmt.Sprintf("%s has to be set: the type is %s.", at.AtName(of), kind))
		}
		if !attributes[other].IsNull() {
			diags.AddAttributeError(at.AtName(other), "Superfluous "+other,
				fmt.Sprintf("%s has to be left out: the type is %s.", at.AtName(other), kind))
		}
	}}
