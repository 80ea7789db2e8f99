// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// explicitSelector is a validator for selectors. To select everything, a user has to write
// match_all = true, because dynamic blocks can turn out empty.
var explicitSelector = objectCheck{"must have match_labels or match_expression, or match_all = true",
	func(attributes map[string]attr.Value, at path.Path, diags *diag.Diagnostics) {
		all, byLabels, byExpressions := attributes["match_all"], attributes["match_labels"], attributes["match_expression"]
		if all.IsUnknown() || byLabels.IsUnknown() || byExpressions.IsUnknown() {
			return
		}
		narrows, matchesAll := isFilled(byLabels) || isFilled(byExpressions), all.Equal(types.BoolValue(true))
		switch {
		case narrows && matchesAll:
			diags.AddAttributeError(at.AtName("match_all"), "Contradicting selector", fmt.Sprintf("%s has match_all = true and also match_labels "+
				"or match_expression, which would have no effect. Remove match_all, or remove the requirements.", at))
		case !narrows && !matchesAll:
			diags.AddAttributeError(at, "Empty selector", fmt.Sprintf("%s has neither match_labels nor match_expression, so it excludes "+
				"nothing. To exclude nothing, write match_all = true.", at))
		}
	}}

// oneTargetPerName is a validator for deployment targets: two of one name in one
// environment would share a folder (docs/guides/semantics.md, section 1).
type oneTargetPerName struct{ described }

func (oneTargetPerName) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	type place struct{ name, environment string }
	seen := map[place]int{}
	for i, element := range req.ConfigValue.Elements() {
		target, _ := element.(types.Object)
		name, _ := target.Attributes()["name"].(types.String)
		environment, _ := target.Attributes()["environment"].(types.String)
		p := place{name.ValueString(), environment.ValueString()}
		if p.name == "" || environment.IsUnknown() {
			continue
		}
		if other, taken := seen[p]; taken {
			at := req.Path.AtListIndex(i)
			resp.Diagnostics.AddAttributeError(at, "Two deployment targets of the same name",
				fmt.Sprintf("%s and %s are both called %q in the same environment, so they would share a folder. Rename one of them.",
					req.Path.AtListIndex(other), at, p.name))
			continue
		}
		seen[p] = i
	}
}
