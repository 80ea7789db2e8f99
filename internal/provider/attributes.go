// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	provider "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// requiredText and optionalText are texts that a resource needs, or may have. Numbers are texts too, in
// every schema of the provider: Terraform (not OpenTofu) treats a refreshed number as another value
// than the same number in the state, so terraform plan -refresh-only -detailed-exitcode would report a
// change that does not exist. Terraform converts a number that somebody writes to a text.
func requiredText(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Required: true, MarkdownDescription: description, Validators: validators}
}

func optionalText(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
}

// optionalTexts is a set of texts that a resource may have, each of which is checked.
func optionalTexts(description string, each validator.String) schema.SetAttribute {
	return schema.SetAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: description,
		Validators: []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(each)}}
}

// resultText is a text that a resource computes.
func resultText(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

// requiredArgument and optionalArgument are texts that a data source needs, or may have.
func requiredArgument(description string, validators ...validator.String) datasource.StringAttribute {
	return datasource.StringAttribute{Required: true, MarkdownDescription: description, Validators: validators}
}

func optionalArgument(description string, validators ...validator.String) datasource.StringAttribute {
	return datasource.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
}

// optionalSet is a set of texts that a data source may have.
func optionalSet(description string, validators ...validator.Set) datasource.SetAttribute {
	return datasource.SetAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: description,
		Validators: append(validators, setvalidator.NoNullValues())}
}

// computedText and computedTexts are what a data source computes.
func computedText(description string) datasource.StringAttribute {
	return datasource.StringAttribute{Computed: true, MarkdownDescription: description}
}

func computedTexts(description string) datasource.ListAttribute {
	return datasource.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: description}
}

// providerNeeds is a text that a block of the provider needs. providerText and providerSecret are
// texts that the provider's configuration may have.
func providerNeeds(description string, validators ...validator.String) provider.StringAttribute {
	return provider.StringAttribute{Required: true, MarkdownDescription: description, Validators: validators}
}

func providerText(description string, validators ...validator.String) provider.StringAttribute {
	return provider.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
}

func providerSecret(description string, validators ...validator.String) provider.StringAttribute {
	return provider.StringAttribute{Optional: true, Sensitive: true, MarkdownDescription: description, Validators: validators}
}

// providerBlock is a block that the provider's configuration may have once. It is a list, because the framework
// demands what a single block needs even without the block.
func providerBlock(description string, attributes map[string]provider.Attribute) provider.ListNestedBlock {
	return provider.ListNestedBlock{MarkdownDescription: description, Validators: []validator.List{listvalidator.SizeAtMost(1)},
		NestedObject: provider.NestedBlockObject{Attributes: attributes}}
}
