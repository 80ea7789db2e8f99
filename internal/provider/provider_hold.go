// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// envHold is the variable that holds every environment, even if the provider block does
// not.
const envHold = "KALYPSO_HOLD"

func holdAttribute() schema.Attribute {
	return schema.BoolAttribute{
		Optional: true,
		MarkdownDescription: "Holds every environment in an emergency, as if each `kalypso_gitops_commit` had `hold = true`: the provider " +
			"writes nothing, and no environment can be destroyed. Errors of data sources become warnings, so plans work without a control plane. `" +
			envHold + "=1` does the same, even with `hold = false`.",
	}
}

// holds reports whether the provider holds every environment: the block, the environment
// variable or both say so. An unknown value counts as a hold.
func holds(configured types.Bool, getenv func(string) string, diags *diag.Diagnostics) bool {
	hold := configured.IsUnknown() || configured.ValueBool()
	text := getenv(envHold)
	if text == "" {
		return hold
	}
	said, err := strconv.ParseBool(text)
	if err != nil {
		diags.AddError("Invalid environment variable "+envHold, fmt.Sprintf("%s must be 1 or 0, and is %q.", envHold, text))
	}
	return hold || said
}

// spare turns errors into warnings if the provider is on hold. The provider then writes
// nothing, so the errors can do no harm.
func (d *providerData) spare(diags *diag.Diagnostics) {
	if !d.Hold {
		return
	}
	for i, e := range *diags {
		if e.Severity() != diag.SeverityError {
			continue
		}
		var warning diag.Diagnostic = diag.NewWarningDiagnostic(e.Summary(), e.Detail())
		if at, ok := e.(diag.DiagnosticWithPath); ok {
			warning = diag.NewAttributeWarningDiagnostic(at.Path(), e.Summary(), e.Detail())
		}
		(*diags)[i] = warning
	}
}
