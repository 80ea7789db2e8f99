// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type configModel struct {
	modelBase
	Data              map[string]string `tfsdk:"data"`
	IgnoreCredentials []string          `tfsdk:"ignore_credentials"`
}

// appliesDescription describes the scope of a ConfigMap or a ConfigSchema
// (docs/guides/semantics.md, section 3.2).
const appliesDescription = "Where it applies: all labels have to match. `cluster-type`, `deployment-target` and `workload` match names. " +
	"Other labels match labels of the cluster type and the deployment target."

// newConfigResource returns the resource of a ConfigMap with platform configuration.
func newConfigResource() resource.Resource {
	return &modelResource[configModel, *manifest.ConfigMap]{
		typeName: "config",
		kind:     manifest.KindConfigMap,
		schema: modelSchema("A platform configuration: a ConfigMap with values for every assignment that its labels match. Several ConfigMaps "+
			"are merged in the order of their names, and later values win.",
			dnsSubdomain, map[string]schema.Attribute{
				"labels": labelsAttribute(appliesDescription+" Without labels, it applies everywhere. The provider adds the label `platform-config "+
					"= \"true\"`, except if the name starts with `azure-app-config`.",
					reservedLabel{
						key:     manifest.LabelPlatformConfig,
						allowed: "true",
						advice: "The label marks a ConfigMap as platform configuration, which a kalypso_config always is. " +
							"Remove the label, or the resource.",
					}),
				"data": schema.MapAttribute{
					ElementType: types.StringType,
					Required:    true,
					MarkdownDescription: "Values by key. A YAML list or map (use `yamlencode`) stays a list or map; other values are text. Git and " +
						"plans show all values in clear text, even values that are sensitive in Terraform. A value that looks like a credential is an " +
						"error, unless `ignore_credentials` has its key: see [Keep secrets out](../guides/secrets.md).",
					Validators: []validator.Map{
						mapvalidator.NoNullValues(),
						mapvalidator.KeysAre(configKey),
						withoutCredentials{"must not contain credentials"},
					},
				},
				ignoreCredentials: schema.ListAttribute{
					ElementType: types.StringType,
					Optional:    true,
					MarkdownDescription: "Keys of `data` whose values look like credentials but are not. Plans and the state show these values. To " +
						"silence the finding `CREDENTIAL` of `kalypso_gitops_commit`, use its `ignore_findings`.",
					Validators: []validator.List{
						listvalidator.NoNullValues(),
						listvalidator.ValueStringsAre(configKey),
						keysOfData{"must be keys of data"},
					},
				},
			}, nil),
		toObjects: one(configModel.object),
		toModel:   sure(configModelOf),
	}
}

func (m configModel) object() *manifest.ConfigMap {
	meta := m.meta(manifest.KindConfigMap)
	if !strings.HasPrefix(m.Name, manifest.AppConfigPrefix) {
		meta.Labels = withLabel(meta.Labels, manifest.LabelPlatformConfig, "true")
	}
	return &manifest.ConfigMap{Meta: meta, Data: m.Data}
}

func configModelOf(o *manifest.ConfigMap) configModel {
	m := configModel{modelBase: baseOf(o.Meta), Data: o.Data}
	if !strings.HasPrefix(m.Name, manifest.AppConfigPrefix) {
		m.Labels = withoutLabel(m.Labels, manifest.LabelPlatformConfig)
	}
	return m
}

type configSchemaModel struct {
	modelBase
	Schema string `tfsdk:"schema"`
}

func newConfigSchemaResource() resource.Resource {
	return &modelResource[configSchemaModel, *manifest.ConfigSchema]{
		typeName: "config_schema",
		kind:     manifest.KindConfigSchema,
		schema: modelSchema("A configuration schema: rules for the composed platform configuration of an assignment.",
			dnsSubdomain, map[string]schema.Attribute{
				"labels": labelsAttribute(appliesDescription + " Without labels, it applies everywhere."),
				"schema": requiredText("JSON Schema, as JSON or YAML text. Texts in ConfigMaps such as `\"3\"` count as numbers.", jsonSchema),
			}, nil),
		toObjects: one(func(m configSchemaModel) *manifest.ConfigSchema {
			return &manifest.ConfigSchema{Meta: m.meta(manifest.KindConfigSchema), Schema: m.Schema}
		}),
		toModel: sure(func(o *manifest.ConfigSchema) configSchemaModel {
			return configSchemaModel{modelBase: baseOf(o.Meta), Schema: o.Schema}
		}),
	}
}
