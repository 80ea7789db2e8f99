// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// diagnostics converts messages to diagnostics of the framework.
func diagnostics(m message.Messages) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, warning := range m.Warnings {
		diags.AddWarning(wording.Visible(warning.Summary), wording.Visible(warning.Detail))
	}
	for _, failure := range m.Errors {
		summary, detail := wording.Visible(failure.Summary), wording.Visible(failure.Detail)
		if failure.Setting != "" {
			diags.AddAttributeError(path.Root(failure.Setting), summary, detail)
			continue
		}
		diags.AddError(summary, detail)
	}
	return diags
}

// warning returns a warning about an environment and a place. An empty environment or place
// is not known.
func warning(summary, detail, environment, place string) diag.Diagnostics {
	m := message.Messages{Warnings: []message.Message{{Summary: summary, Detail: detail}}}
	return diagnostics(m.About(environment, place))
}

// problemDiagnostics returns an error for each problem that the engine found, and none if
// err is nil.
func problemDiagnostics(err error) diag.Diagnostics {
	return diagnostics(message.Messages{Errors: message.Problems(err)})
}
