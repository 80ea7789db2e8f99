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

// ignoreCredentials is the attribute with the keys of data whose values are not
// credentials.
const ignoreCredentials = "ignore_credentials" //nolint:gosec // it is the name of an attribute.

// withoutCredentials is a validator for the data of a configuration. It refuses the values
// that the finding CREDENTIAL recognises, before a plan shows them. Terraform validates
// again when values become known, so this validator sees all values. Its errors have no
// path into data, because Terraform would quote the line with the value.
type withoutCredentials struct{ described }

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
			"%s The repository's history would keep the value in clear text, and so would Terraform's state. Write a reference to a secret store "+
				"instead; the guide \"Keep secrets out\" shows how. If the value is not a credential, write %s = [%s]. An import cannot set this "+
				"attribute: create the resource instead.", strings.Join(reasons, " "),
			ignoreCredentials, strings.Join(keys, ", ")))
	}
}

// keysOfData is a validator for ignore_credentials. It refuses keys that data does not
// have.
type keysOfData struct{ described }

func (keysOfData) ValidateList(ctx context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	var data types.Map
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("data"), &data)...)
	if resp.Diagnostics.HasError() || data.IsUnknown() {
		return
	}
	known := slices.Sorted(maps.Keys(data.Elements()))
	for i, element := range req.ConfigValue.Elements() {
		key, isText := element.(types.String)
		if !isText || key.IsNull() || key.IsUnknown() || slices.Contains(known, key.ValueString()) {
			continue
		}
		at := req.Path.AtListIndex(i)
		resp.Diagnostics.AddAttributeError(at, "Unknown key", fmt.Sprintf(
			"%s is %q, and data has no such key. %sRemove the key, or correct it.", at, key.ValueString(),
			didYouMean(key.ValueString(), known)))
	}
}
