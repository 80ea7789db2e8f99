// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// explicitSelector is a validator for selectors; names are the attributes with
// requirements. To select everything, a user has to write match_all = true, because dynamic
// blocks can turn out empty. For a selector without the attribute match_all, the user has
// to leave the block out.
func explicitSelector(names ...string) validator.Object {
	return objectCheck{described("must have " + strings.Join(names, " or ") + ", or match_all = true"),
		func(attributes map[string]attr.Value, at path.Path, diags *diag.Diagnostics) {
			narrows := false
			all, hasAll := attributes["match_all"]
			for _, name := range names {
				if attributes[name].IsUnknown() || hasAll && all.IsUnknown() {
					return
				}
				narrows = narrows || isFilled(attributes[name])
			}
			matchesAll := hasAll && all.Equal(types.BoolValue(true))
			advice := "leave the block out"
			if hasAll {
				advice = "write match_all = true"
			}
			switch {
			case narrows && matchesAll:
				diags.AddAttributeError(at.AtName("match_all"), "Contradicting selector", fmt.Sprintf("%s has match_all = true and also %s, "+
					"which would have no effect. Remove match_all, or remove the requirements.", at, strings.Join(names, " or ")))
			case !narrows && !matchesAll:
				diags.AddAttributeError(at, "Empty selector", fmt.Sprintf("%s has neither %s, so it excludes nothing. To exclude nothing, "+
					"%s.", at, strings.Join(names, " nor "), advice))
			}
		}}
}

// isFilled reports whether a known value is not null, and not an empty list or map.
func isFilled(value attr.Value) bool {
	switch value := value.(type) {
	case types.Map:
		return len(value.Elements()) > 0
	case types.List:
		return len(value.Elements()) > 0
	}
	return !value.IsNull()
}

// operators has the operators of Kubernetes' label selectors, and whether they need values.
var operators = map[string]bool{
	string(metav1.LabelSelectorOpIn):           true,
	string(metav1.LabelSelectorOpNotIn):        true,
	string(metav1.LabelSelectorOpExists):       false,
	string(metav1.LabelSelectorOpDoesNotExist): false,
}

// expressionValues is a validator for an element of match_expressions: In and
// NotIn need values, Exists and DoesNotExist take none.
var expressionValues = objectCheck{"must have values with In and NotIn, and none with Exists and DoesNotExist",
	func(attributes map[string]attr.Value, at path.Path, diags *diag.Diagnostics) {
		operator, isString := attributes["operator"].(types.String)
		values := attributes["values"]
		wantsValues, isOperator := operators[operator.ValueString()]
		if !isString || !isOperator || values.IsUnknown() {
			return // a missing operator is another error
		}
		at = at.AtName("values")
		switch {
		case wantsValues && !isFilled(values):
			diags.AddAttributeError(at, "Missing values",
				fmt.Sprintf("%s has to list at least one value: the operator is %s.", at, operator.ValueString()))
		case !wantsValues && isFilled(values):
			diags.AddAttributeError(at, "Superfluous values",
				fmt.Sprintf("%s has to be left out: the operator %s only looks at the key.", at, operator.ValueString()))
		}
	}}
