// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const releaseCommit = "The promoted commit, or the name of a release such as `v1.4.0`. Null means that nothing is verified yet."

var releaseParts = map[string]attr.Type{"commit": types.StringType, "sources": types.MapType{ElemType: types.StringType}}

// releaseValue converts a release. It is never null, because Terraform cannot distinguish null from a missing argument: if nothing is
// verified yet, its commit is null.
func releaseValue(r record.Release) types.Object {
	return types.ObjectValueMust(releaseParts, map[string]attr.Value{"commit": stringOrNull(r.Commit), "sources": textMap(r.Sources)})
}

// releaseOf converts the value of an attribute release. A missing one, and one without a commit, is
// the zero Release.
func releaseOf(value types.Object) record.Release {
	commit, _ := value.Attributes()["commit"].(types.String)
	sources, _ := value.Attributes()["sources"].(types.Map)
	if commit.ValueString() == "" {
		return record.Release{}
	}
	return record.Release{Commit: commit.ValueString(), Sources: plainTexts(sources)}
}

// isUnverified reports whether a release says that nothing is verified yet.
func isUnverified(release types.Object) bool {
	commit, isThere := release.Attributes()["commit"].(types.String)
	return isThere && commit.IsNull()
}

// checkRelease refuses a release that says that nothing is verified yet, unless the environment is on hold, and one whose sources are
// not valid. If something is read at the release, missing sources are an error: Terraform drops a misspelled name without a word, and the
// heads would be read. Terraform validates values that are not known before the apply only here.
func checkRelease(ctx context.Context, value types.Object, isHeld, isRead bool, at path.Path) (diags diag.Diagnostics) {
	if value.IsNull() || value.IsUnknown() {
		return nil
	}
	sources, _ := value.Attributes()["sources"].(types.Map)
	switch {
	case isUnverified(value) && isHeld:
	case isUnverified(value):
		diags.AddAttributeError(at.AtName("commit"), "Nothing is verified yet", at.String()+".commit is null, so this environment has no "+
			"release yet, and nothing is read or written. If the release comes from kalypso_promotion, its reason says what is missing; to begin "+
			"with a commit of your choice, set pin there. If you wrote the release yourself, look for a misspelled name: it has commit and sources.")
	case sources.IsNull() && isRead:
		diags.AddAttributeError(at.AtName("sources"), "Missing sources", at.String()+" has a commit and no sources. A release has commit and "+
			"sources: look for a misspelled name. Write sources = {} for the heads of the sources, or if there are none.")
	default:
		diags = checkSources(ctx, sources, at.AtName("sources"))
	}
	return diags
}

// releaseRule validates a release in the configuration. Whether a missing commit is an error depends on hold, so only the plan checks that.
type releaseRule struct{ described }

func (releaseRule) ValidateObject(ctx context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	resp.Diagnostics.Append(checkRelease(ctx, req.ConfigValue, true, true, req.Path)...)
}
