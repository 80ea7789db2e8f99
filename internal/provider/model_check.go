// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// checker is the provider as Terraform asks it: the validators of a schema run in
// the framework's own machinery, which there is no other way to.
var checker = sync.OnceValue(func() tfprotov6.ProviderServer {
	return providerserver.NewProtocol6(New("")())()
})

// checkConfig validates a configuration of a modelling resource that comes from
// elsewhere, an object or an import, just as Terraform has one validated.
func checkConfig(ctx context.Context, model modeller, config tftypes.Value) diag.Diagnostics {
	var diags diag.Diagnostics
	wire, err := tfprotov6.NewDynamicValue(config.Type(), config)
	if err == nil {
		var resp *tfprotov6.ValidateResourceConfigResponse
		resp, err = checker().ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: model.terraformName(),
			Config: &wire})
		if err == nil {
			return fromProtocol(resp.Diagnostics)
		}
	}
	diags.AddError("Unreadable object", err.Error())
	return diags
}

// fromProtocol returns diagnostics of the protocol as those of the framework, each with its
// place in its text, and sorted by that.
func fromProtocol(list []*tfprotov6.Diagnostic) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, d := range list {
		detail := d.Detail
		if at := attributeName(d.Attribute); !strings.Contains(detail, at) {
			detail = at + ": " + detail
		}
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			diags.AddWarning(d.Summary, detail)
			continue
		}
		diags.AddError(d.Summary, detail)
	}
	slices.SortFunc(diags, func(a, b diag.Diagnostic) int {
		return cmp.Or(strings.Compare(a.Detail(), b.Detail()), strings.Compare(a.Summary(), b.Summary()))
	})
	return diags
}
