// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// sourceCommits is a validator for maps of "<repo>#<branch>" to a commit.
type sourceCommits struct{}

func (sourceCommits) Description(context.Context) string {
	return "must have <repo>#<branch> as keys, and full commit ids as values"
}
func (v sourceCommits) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (sourceCommits) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	resp.Diagnostics.Append(checkSources(req.ConfigValue, req.Path)...)
}

// checkSources reports known elements that a record cannot have.
func checkSources(sources types.Map, at path.Path) diag.Diagnostics {
	var diags diag.Diagnostics
	elements := sources.Elements()
	if len(elements) > ownership.MaxSources {
		diags.AddAttributeError(at, "Invalid "+lastName(at), fmt.Sprintf("%s has %d entries, and a record has at most %d. Follow fewer "+
			"repositories in one environment.", at, len(elements), ownership.MaxSources))
	}
	for _, name := range slices.Sorted(maps.Keys(elements)) {
		commit, isText := elements[name].(types.String)
		if !isText || commit.IsUnknown() {
			continue
		}
		if err := ownership.CheckSource(name, commit.ValueString()); err != nil {
			diags.AddAttributeError(at.AtMapKey(name), "Invalid "+lastName(at), problem.Sentence(err))
		}
	}
	return diags
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
