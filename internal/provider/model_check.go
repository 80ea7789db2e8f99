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

// checker is a server of the provider, because only the framework's server can run the
// validators of a schema.
var checker = sync.OnceValue(func() tfprotov6.ProviderServer {
	return providerserver.NewProtocol6(New("")())()
})

// checkConfig validates a configuration that comes from an object or an import, as
// Terraform validates the configuration of a modelling resource.
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

// fromProtocol converts diagnostics of the protocol to diagnostics of the framework. Each
// detail contains the attribute's path, and the diagnostics are sorted by detail.
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
