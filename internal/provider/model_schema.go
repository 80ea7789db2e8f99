// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
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
