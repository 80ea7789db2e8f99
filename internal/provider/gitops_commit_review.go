// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
)

// review tells what a reviewer should know of a change, and stops one that the
// configuration does not allow.
func (m *gitOpsCommitModel) review(ctx context.Context, state *gitOpsCommitModel, known *record, result *engine.Result) diag.Diagnostics {
	diags := m.reviewFindings(ctx, result)
	diags.Append(m.reviewLimits(ctx, state, known, result)...)
	return diags
}

// reviewFindings tells what was found in the fleet that is probably not meant
// so: as one error what fail_on names, as one warning the rest.
func (m *gitOpsCommitModel) reviewFindings(ctx context.Context, result *engine.Result) diag.Diagnostics {
	var rules findings.Rules
	diags := m.IgnoreFindings.ElementsAs(ctx, &rules.Ignore, false)
	diags.Append(m.FailOn.ElementsAs(ctx, &rules.FailOn, false)...)
	if diags.HasError() {
		return diags
	}
	kept, failing := rules.Apply(result.Findings())
	diags.Append(failingFindings(failing)...)
	if len(failing) == 0 && len(kept) > 0 {
		diags.AddWarning(fmt.Sprintf("Findings in environment %s", m.Environment.ValueString()), findings.Report(kept)+
			"\n\nignore_findings silences a code, or one finding as \"CODE:subject\"; fail_on makes it an error.")
	}
	return diags
}
