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
const appliesDescription = "Where it applies: every label has to hold. `cluster-type`, `deployment-target` and `workload` mean names; " +
	"any other is compared with the labels of the cluster type and of the deployment target."

// NewConfigResource models a ConfigMap that is platform configuration.
func NewConfigResource() resource.Resource {
	return &modelResource[configModel, *manifest.ConfigMap]{
		typeName: "config",
		kind:     manifest.KindConfigMap,
		schema: modelSchema("A platform configuration: a ConfigMap whose values every assignment gets that its labels apply to. "+
			"Where several apply, they are merged in the order of their names, later over earlier.",
			dnsSubdomain, map[string]schema.Attribute{
				"labels": labelsAttribute(appliesDescription+" Without labels, the configuration applies everywhere. "+
					"The label `platform-config = \"true\"` is added, except where the name starts with `azure-app-config`.",
					reservedLabel{
						key:     manifest.LabelPlatformConfig,
						allowed: "true",
						advice: "The label marks a ConfigMap as platform configuration, which a kalypso_config always is. " +
							"Remove the label, or the resource.",
					}),
				"data": schema.MapAttribute{
					ElementType: types.StringType,
					Required:    true,
					MarkdownDescription: "Values by key. A value that is a YAML list or map counts as that structure (`yamlencode` writes one); " +
						"anything else is text. " +
						"They are written to Git in clear: no value may be a secret. That Terraform knows a value as sensitive is lost in `manifest`, so " +
						"plans show it. A value that looks like a credential is an error, so no plan shows it unless `ignore_credentials` names its key. " +
						"Say where a secret is kept instead, or encrypt it: see the guide [Keep secrets out](../guides/secrets.md).",
					Validators: []validator.Map{
						mapvalidator.NoNullValues(),
						mapvalidator.KeysAre(configKey),
						withoutCredentials{},
					},
				},
				ignoreCredentials: schema.ListAttribute{
					ElementType: types.StringType,
					Optional:    true,
					MarkdownDescription: "Keys of `data` whose values look like credentials and are not. " +
						"This turns off the error of this resource only, so plans and the state show those values. " +
						"`kalypso_gitops_commit` still has the finding `CREDENTIAL`, which its `ignore_findings` silences.",
					Validators: []validator.List{
						listvalidator.NoNullValues(),
						listvalidator.ValueStringsAre(configKey),
						keysOfData{},
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
