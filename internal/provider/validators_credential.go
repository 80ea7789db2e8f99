// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
)

// ignoreCredentials is the attribute with the keys of data that hold no credential.
const ignoreCredentials = "ignore_credentials" //nolint:gosec // it is the name of an attribute.

// withoutCredentials is a validator for the data of a configuration: it refuses what the
// finding CREDENTIAL recognises, before a plan shows it. Terraform validates once more when
// values become known, so this sees all of them. Its errors have no path into data, or
// Terraform would quote the line with the value.
type withoutCredentials struct{}

func (withoutCredentials) Description(context.Context) string { return "must hold no credential" }

func (v withoutCredentials) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (withoutCredentials) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	var ignored types.List
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(ignoreCredentials), &ignored)...)
	isUnknown := func(v attr.Value) bool { return v.IsUnknown() }
	if resp.Diagnostics.HasError() || ignored.IsUnknown() || slices.ContainsFunc(ignored.Elements(), isUnknown) {
		return
	}
	isIgnored := func(key string) bool {
		return slices.ContainsFunc(ignored.Elements(), func(v attr.Value) bool { return v.Equal(types.StringValue(key)) })
	}
	elements := req.ConfigValue.Elements()
	var keys, reasons []string
	for _, key := range slices.Sorted(maps.Keys(elements)) {
		value, isText := elements[key].(types.String)
		if !isText || value.IsUnknown() || isIgnored(key) {
			continue
		}
		if reason := credential.Of(key, value.ValueString()); reason != "" {
			keys = append(keys, fmt.Sprintf("%q", key))
			reasons = append(reasons, fmt.Sprintf("The value of %s %s.", key, reason))
		}
	}
	if len(keys) > 0 {
		resp.Diagnostics.AddError("Credential in data", fmt.Sprintf(
			"%s The repository would hold it in clear, for good, and so would Terraform's state. Write a reference to a secret store instead; the guide \"Keep secrets out\" shows how. "+
				"If it is no credential, say so: %s = [%s].", strings.Join(reasons, " "), ignoreCredentials, strings.Join(keys, ", ")))
	}
}
