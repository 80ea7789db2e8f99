// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// modelSchema returns the schema of a modelling resource: its own attributes and blocks,
// and the attributes that every kind has. An own attribute replaces a common attribute of
// the same name.
//
// Every value with parts is a block, because Terraform refuses a misspelled name in a
// block. Terraform drops a misspelled name in a nested attribute without a message.
func modelSchema(description string, name validator.String, own map[string]schema.Attribute, blocks map[string]schema.Block) schema.Schema {
	attributes := map[string]schema.Attribute{
		"id": resultText("The object's name."),
		"name": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "Name of the object, unique in its kind. A new name makes a new object.",
			Validators:          []validator.String{name},
			PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"labels":   labelsAttribute("Labels of the object."),
		"manifest": resultText("The object as YAML, for `manifests` elsewhere. Known at plan if the other attributes are."),
	}
	maps.Copy(attributes, own)
	return schema.Schema{
		MarkdownDescription: description + "\n\nThe object exists only in Terraform's state, in `manifest`.",
		Attributes:          attributes,
		Blocks:              blocks,
	}
}

// requiredText and optionalText are texts that a resource needs, or may have.
func requiredText(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Required: true, MarkdownDescription: description, Validators: validators}
}

func optionalText(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
}

// optionalTexts is a list of texts that a resource may have, each of which is checked.
func optionalTexts(description string, each validator.String) schema.ListAttribute {
	return schema.ListAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: description,
		Validators: []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(each)}}
}

// resultText is a text that a resource computes.
func resultText(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

// labelsAttribute is a map of labels that is checked key by key. More
// validators may narrow it further.
func labelsAttribute(description string, more ...validator.Map) schema.MapAttribute {
	return schema.MapAttribute{
		ElementType:         types.StringType,
		Optional:            true,
		MarkdownDescription: description,
		Validators: append([]validator.Map{
			mapvalidator.NoNullValues(),
			mapvalidator.KeysAre(labelKey),
			mapvalidator.ValueStringsAre(labelValue),
		}, more...),
	}
}

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
