// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// sourceCommits are the validators for maps of "<repo>#<branch>" to a commit: what a record can have.
var sourceCommits = []validator.Map{
	mapvalidator.SizeAtMost(ownership.MaxSources), mapvalidator.NoNullValues(), mapvalidator.KeysAre(sourceName),
	mapvalidator.ValueStringsAre(fullCommitID),
}

// checkSources checks sources again, because Terraform does not validate values that it knows only
// during the apply.
func checkSources(ctx context.Context, sources types.Map, at path.Path) diag.Diagnostics {
	var resp validator.MapResponse
	for _, v := range sourceCommits {
		v.ValidateMap(ctx, validator.MapRequest{Path: at, ConfigValue: sources}, &resp)
	}
	return resp.Diagnostics
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
