// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// diagnostics converts what a person is to be told.
func diagnostics(m publish.Messages) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, warning := range m.Warnings {
		diags.AddWarning(warning.Summary, warning.Detail)
	}
	for _, failure := range m.Errors {
		if failure.Setting != "" {
			diags.AddAttributeError(path.Root(failure.Setting), failure.Summary, failure.Detail)
			continue
		}
		diags.AddError(failure.Summary, failure.Detail)
	}
	return diags
}

// problemDiagnostics returns an error for each problem that the engine found, and
// none where err is nil.
func problemDiagnostics(err error) diag.Diagnostics {
	return diagnostics(publish.Messages{Errors: publish.Problems(err)})
}
