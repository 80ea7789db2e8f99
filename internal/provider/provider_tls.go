// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

func clientCertificateAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Client certificate for HTTPS with its chain, as PEM text. Needs `client_key`.",
		Validators:          []validator.String{certificates},
	}
}

func clientKeyAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		Sensitive:           true,
		MarkdownDescription: "Private key of `client_certificate`, as PEM text without a password.",
		Validators:          []validator.String{pemText},
	}
}

// clientPair is a validator: a client's certificate and its key belong together.
type clientPair struct{}

func (clientPair) Description(context.Context) string {
	return "must have both client_certificate and client_key, or none"
}

func (v clientPair) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (clientPair) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	attributes := req.ConfigValue.Attributes()
	certificate, isText := attributes["client_certificate"].(types.String)
	key, isKey := attributes["client_key"].(types.String)
	if !isText || !isKey || certificate.IsUnknown() || key.IsUnknown() {
		return // the provider checks it when it is configured
	}
	if err := (remote.TLS{ClientCertificate: certificate.ValueString(), ClientKey: key.ValueString()}).CheckClient(); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid client certificate", req.Path.String()+"."+err.Error()+".")
	}
}
