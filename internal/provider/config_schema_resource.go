// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type configSchemaModel struct {
	modelBase
	Schema string `tfsdk:"schema"`
}

// NewConfigSchemaResource models a ConfigSchema.
func NewConfigSchemaResource() resource.Resource {
	return &modelResource[configSchemaModel, *manifest.ConfigSchema]{
		typeName: "config_schema",
		kind:     manifest.KindConfigSchema,
		schema: modelSchema("A configuration schema: rules for the composed platform configuration of an assignment.",
			dnsSubdomain, map[string]schema.Attribute{
				"labels": labelsAttribute(appliesDescription + " Without labels, it applies everywhere."),
				"schema": requiredText("JSON Schema, as JSON or YAML text. Texts in ConfigMaps that read as numbers count as numbers.", jsonSchema),
			}, nil),
		toObjects: one(configSchemaModel.object),
		toModel:   sure(configSchemaModelOf),
	}
}

func (m configSchemaModel) object() *manifest.ConfigSchema {
	return &manifest.ConfigSchema{Meta: m.meta(manifest.KindConfigSchema), Schema: m.Schema}
}

func configSchemaModelOf(o *manifest.ConfigSchema) configSchemaModel {
	return configSchemaModel{modelBase: baseOf(o.Meta), Schema: o.Schema}
}
