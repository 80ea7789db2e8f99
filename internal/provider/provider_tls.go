// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

func clientCertificateAttribute() schema.StringAttribute {
	return providerText("Client certificate for HTTPS with its chain, as PEM text. Needs `client_key`.", certificates)
}

func clientKeyAttribute() schema.StringAttribute {
	return providerSecret("Private key of `client_certificate`, as PEM text without a password.", pemText)
}

// clientPair is a validator: a client's certificate and its key belong together.
var clientPair = objectCheck{"must have both client_certificate and client_key, or none",
	func(attributes map[string]attr.Value, at path.Path, diags *diag.Diagnostics) {
		certificate, isText := attributes["client_certificate"].(types.String)
		key, isKey := attributes["client_key"].(types.String)
		if !isText || !isKey || certificate.IsUnknown() || key.IsUnknown() {
			return // the provider checks it when it is configured
		}
		if err := (remote.TLS{ClientCertificate: certificate.ValueString(), ClientKey: key.ValueString()}).CheckClient(); err != nil {
			diags.AddAttributeError(at, "Invalid client certificate", at.String()+"."+err.Error()+".")
		}
	}}
