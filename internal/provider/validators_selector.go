// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// explicitSelector is a validator for selectors, by the names of its requirements. To select
// everything, a user has to write match_all = true, because dynamic blocks may turn out
// empty. If a kind of selector has no attribute match_all, the user leaves the block out.
type explicitSelector []string

func (v explicitSelector) Description(context.Context) string {
	return "must have " + strings.Join(v, " or ") + ", or else match_all = true"
}

func (v explicitSelector) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v explicitSelector) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	attributes, narrows := req.ConfigValue.Attributes(), false
	all, hasAll := attributes["match_all"]
	for _, name := range v {
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
		resp.Diagnostics.AddAttributeError(req.Path.AtName("match_all"), "Contradicting selector",
			fmt.Sprintf("%s has match_all = true and also %s, which would have no effect. Remove match_all, or remove the requirements.", req.Path,
				strings.Join(v, " or ")))
	case !narrows && !matchesAll:
		resp.Diagnostics.AddAttributeError(req.Path, "Empty selector",
			fmt.Sprintf("%s has neither %s, so none of these narrows what it selects. If that is what you want, %s.", req.Path,
				strings.Join(v, " nor "), advice))
	}
}

// isFilled reports whether a value that is known is there, and no empty list or map.
func isFilled(value attr.Value) bool {
	switch value := value.(type) {
	case types.Map:
		return len(value.Elements()) > 0
	case types.List:
		return len(value.Elements()) > 0
	}
	return !value.IsNull()
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
	case wantsValues && !isFilled(values):
		resp.Diagnostics.AddAttributeError(at, "Missing values",
			fmt.Sprintf("%s has to list at least one value: the operator is %s.", at, operator.ValueString()))
	case !wantsValues && isFilled(values):
		resp.Diagnostics.AddAttributeError(at, "Superfluous values",
			fmt.Sprintf("%s has to be left out: the operator %s only looks at the key.", at, operator.ValueString()))
	}
}
