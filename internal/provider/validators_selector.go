// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// explicitSelector is a validator for selectors: whoever wants everything has to
// say so. Terraform drops misspelled names of nested attributes without a word,
// and "match_lables" must not become "everything".
type explicitSelector struct{}

func (explicitSelector) Description(context.Context) string {
	return "must have match_labels or match_expressions, or else match_all = true"
}

func (v explicitSelector) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (explicitSelector) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	attributes := req.ConfigValue.Attributes()
	labels, expressions, all := attributes["match_labels"], attributes["match_expressions"], attributes["match_all"]
	if labels.IsUnknown() || expressions.IsUnknown() || all.IsUnknown() {
		return
	}
	narrows := size(labels) > 0 || size(expressions) > 0
	matchesAll := all.Equal(types.BoolValue(true))
	switch {
	case narrows && matchesAll:
		resp.Diagnostics.AddAttributeError(req.Path.AtName("match_all"), "Contradicting selector",
			fmt.Sprintf("%s has match_all = true and also match_labels or match_expressions, which would have no effect. Remove the one or the others.", req.Path))
	case !narrows && !matchesAll:
		resp.Diagnostics.AddAttributeError(req.Path, "Empty selector",
			fmt.Sprintf("%s has neither match_labels nor match_expressions, so it would select everything. "+
				"If that is what you want, write match_all = true. If not, look for a misspelled name: Terraform drops attributes that it does not know.", req.Path))
	}
}

// size is the number of elements of a list or a map that is known; 0 for null.
func size(value attr.Value) int {
	switch value := value.(type) {
	case types.Map:
		return len(value.Elements())
	case types.List:
		return len(value.Elements())
	}
	return 0
}

// operators are those of Kubernetes' label selectors, with whether they compare with values.
var operators = map[string]bool{
	string(metav1.LabelSelectorOpIn):           true,
	string(metav1.LabelSelectorOpNotIn):        true,
	string(metav1.LabelSelectorOpExists):       false,
	string(metav1.LabelSelectorOpDoesNotExist): false,
}

// expressionValues is a validator for an element of match_expressions: In and
// NotIn need values, Exists and DoesNotExist take none.
type expressionValues struct{}

func (expressionValues) Description(context.Context) string {
	return "must have values with In and NotIn, and none with Exists and DoesNotExist"
}

func (v expressionValues) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (expressionValues) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	attributes := req.ConfigValue.Attributes()
	operator, isString := attributes["operator"].(types.String)
	values := attributes["values"]
	wantsValues, isOperator := operators[operator.ValueString()]
	if !isString || !isOperator || values.IsUnknown() {
		return // an unknown or missing operator is reported on its own
	}
	at := req.Path.AtName("values")
	switch {
	case wantsValues && size(values) == 0:
		resp.Diagnostics.AddAttributeError(at, "Missing values",
			fmt.Sprintf("%s has to list at least one value: the operator is %s.", at, operator.ValueString()))
	case !wantsValues && size(values) > 0:
		resp.Diagnostics.AddAttributeError(at, "Superfluous values",
			fmt.Sprintf("%s has to be left out: the operator %s only looks at the key.", at, operator.ValueString()))
	}
}
