// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// optional returns null for the zero value.
func optional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// orElse returns the value of a pointer, or a default if it is nil.
func orElse[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

// text returns the empty string for null.
func text(s *string) string { return orElse(s, "") }

func stringOrNull(text string) types.String { return types.StringPointerValue(optional(text)) }

// textMap converts a map of texts. plainTexts is its inverse.
func textMap(texts map[string]string) types.Map {
	elements := make(map[string]attr.Value, len(texts))
	for key, text := range texts {
		elements[key] = types.StringValue(text)
	}
	return types.MapValueMust(types.StringType, elements)
}

// plainTexts returns a map of texts; nil if it is unknown.
func plainTexts(all types.Map) map[string]string {
	if all.IsUnknown() {
		return nil
	}
	plain := map[string]string{}
	for key, element := range all.Elements() {
		if text, ok := element.(types.String); ok && !text.IsNull() {
			plain[key] = text.ValueString()
		}
	}
	return plain
}

func textsValue(texts []string) types.List {
	elements := make([]attr.Value, len(texts))
	for i, text := range texts {
		elements[i] = types.StringValue(text)
	}
	return types.ListValueMust(types.StringType, elements)
}

// fullyKnown reports whether all parts of a value are known.
func fullyKnown(value attr.Value) bool {
	raw, err := value.ToTerraformValue(context.Background())
	return err == nil && raw.IsFullyKnown()
}

// readKnown decodes a value. It returns false if the value is null, or has a part that is
// not known yet.
func readKnown(ctx context.Context, given attr.Value, into any, diags *diag.Diagnostics) (isThere bool) {
	if given.IsNull() || !fullyKnown(given) {
		return false
	}
	wrong := tfsdk.ValueAs(ctx, given, into)
	diags.Append(wrong...)
	return !wrong.HasError()
}

// manifestInputs names each element of a list of manifests for messages.
func manifestInputs(list types.List) []manifest.Text {
	elements := list.Elements()
	inputs := make([]manifest.Text, len(elements))
	for i, element := range elements {
		inputs[i].Name = fmt.Sprintf("manifests[%d]", i)
		if text, ok := element.(types.String); ok {
			inputs[i].Text = text.ValueString()
		}
	}
	return inputs
}
