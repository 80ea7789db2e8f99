// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// selectorModel is a Kubernetes label selector.
type selectorModel struct {
	MatchLabels      map[string]string `tfsdk:"match_labels"`
	MatchExpressions []expressionModel `tfsdk:"match_expressions"`
	MatchAll         *bool             `tfsdk:"match_all"`
}

type expressionModel struct {
	Key      string   `tfsdk:"key"`
	Operator string   `tfsdk:"operator"`
	Values   []string `tfsdk:"values"`
}

// selectorBlock is a required Kubernetes label selector.
func selectorBlock(description, selected string) schema.SingleNestedBlock {
	return schema.SingleNestedBlock{
		MarkdownDescription: description + ": all conditions have to be met. Has to be set.",
		Validators:          []validator.Object{objectvalidator.IsRequired(), explicitSelector},
		Attributes: map[string]schema.Attribute{
			"match_labels": labelsAttribute("Labels that have exactly these values."),
			"match_all":    optionalBool("`true` selects all " + selected + ". Needed if there is no other condition."),
		},
		Blocks: map[string]schema.Block{"match_expressions": schema.ListNestedBlock{
			MarkdownDescription: "A condition on labels.",
			NestedObject: schema.NestedBlockObject{
				Validators: []validator.Object{expressionValues},
				Attributes: map[string]schema.Attribute{
					"key": requiredText("Key of the label.", labelKey),
					"operator": requiredText("`In`, `NotIn`, `Exists` or `DoesNotExist`. `NotIn` and `DoesNotExist` also match a missing key.",
						stringvalidator.OneOf(slices.Sorted(maps.Keys(operators))...)),
					"values": optionalTexts("Values for `In` and `NotIn`.", labelValue),
				},
			},
		}},
	}
}

// explicitSelector is a validator for selectors. To select everything, a user has to write
// match_all = true, because dynamic blocks can turn out empty.
var explicitSelector = objectCheck{"must have match_labels or match_expressions, or match_all = true",
	func(attributes map[string]attr.Value, at path.Path, diags *diag.Diagnostics) {
		all, byLabels, byExpressions := attributes["match_all"], attributes["match_labels"], attributes["match_expressions"]
		if all.IsUnknown() || byLabels.IsUnknown() || byExpressions.IsUnknown() {
			return
		}
		narrows, matchesAll := isFilled(byLabels) || isFilled(byExpressions), all.Equal(types.BoolValue(true))
		switch {
		case narrows && matchesAll:
			diags.AddAttributeError(at.AtName("match_all"), "Contradicting selector", fmt.Sprintf("%s has match_all = true and also match_labels "+
				"or match_expressions, which would have no effect. Remove match_all, or remove the requirements.", at))
		case !narrows && !matchesAll:
			diags.AddAttributeError(at, "Empty selector", fmt.Sprintf("%s has neither match_labels nor match_expressions, so it excludes "+
				"nothing. To exclude nothing, write match_all = true.", at))
		}
	}}

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

func (m selectorModel) selector() metav1.LabelSelector {
	s := metav1.LabelSelector{MatchLabels: m.MatchLabels}
	for _, e := range m.MatchExpressions {
		s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: e.Key, Operator: metav1.LabelSelectorOperator(e.Operator), Values: e.Values,
		})
	}
	return s
}

func selectorModelOf(s metav1.LabelSelector) selectorModel {
	m := selectorModel{MatchLabels: s.MatchLabels, MatchAll: optional(len(s.MatchLabels)+len(s.MatchExpressions) == 0)}
	for _, e := range s.MatchExpressions {
		m.MatchExpressions = append(m.MatchExpressions, expressionModel{Key: e.Key, Operator: string(e.Operator), Values: e.Values})
	}
	return m
}
