// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type templateModel struct {
	modelBase
	Type        string   `tfsdk:"type"`
	ContentType *string  `tfsdk:"content_type"`
	Manifests   []string `tfsdk:"manifests"`
}

func newTemplateResource() resource.Resource {
	return &modelResource[templateModel, *manifest.Template]{
		typeName: "template",
		kind:     manifest.KindTemplate,
		schema: modelSchema("A template for the files of an assignment. Cluster types name templates.",
			dnsSubdomain, map[string]schema.Attribute{
				"type": requiredText("What the template renders: `reconciler`, `namespace` or `config`.",
					stringvalidator.OneOf(string(manifest.TemplateReconciler), string(manifest.TemplateNamespace), string(manifest.TemplateConfig))),
				"content_type": optionalText("The type of the rendered file: `yaml` or `sh`. Defaults to `yaml`.",
					stringvalidator.OneOf("yaml", manifest.ContentTypeShell)),
				"manifests": schema.ListAttribute{
					ElementType: types.StringType,
					Required:    true,
					MarkdownDescription: "Go `text/template` sources of Kubernetes manifests or scripts, with " +
						"[functions](../guides/templates.md#functions). Templates see `.DeploymentTargetName`, `.Namespace`, `.Environment`, `.Workspace`, " +
						"`.Workload`, `.Labels`, `.Manifests`, `.ClusterType`, `.ClusterTypeLabels` and `.ConfigData`. A plan checks the syntax.",
					Validators: []validator.List{
						listvalidator.SizeAtLeast(1),
						listvalidator.NoNullValues(),
						listvalidator.ValueStringsAre(templateSyntax{"must be a valid Go template"}),
					},
				},
			}, nil),
		toObject: func(m templateModel) *manifest.Template {
			return &manifest.Template{Meta: m.meta(manifest.KindTemplate), Type: manifest.TemplateType(m.Type), ContentType: text(m.ContentType),
				Manifests: m.Manifests}
		},
		toModel: func(o *manifest.Template) templateModel {
			return templateModel{modelBase: baseOf(o.Meta), Type: string(o.Type), ContentType: optional(o.ContentType), Manifests: o.Manifests}
		},
	}
}
