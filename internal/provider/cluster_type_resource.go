// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type clusterTypeModel struct {
	modelBase
	Reconciler       string  `tfsdk:"reconciler"`
	NamespaceService string  `tfsdk:"namespace_service"`
	ConfigType       *string `tfsdk:"config_type"`
}

// NewClusterTypeResource models a ClusterType.
func NewClusterTypeResource() resource.Resource {
	return &modelResource[clusterTypeModel, *manifest.ClusterType]{
		typeName: "cluster_type",
		kind:     manifest.KindClusterType,
		schema: modelSchema("A cluster type: a group of alike clusters that workloads are assigned to as a whole.",
			dnsLabel, map[string]schema.Attribute{
				"labels": labelsAttribute("What the clusters of this type can do and where they are. " +
					"Scheduling policies select cluster types by these labels, and platform configuration applies by them."),
				"reconciler": schema.StringAttribute{
					Required: true,
					MarkdownDescription: "Name of the `kalypso_template` of type `reconciler`: " +
						"it renders what makes the clusters fetch a workload.",
					Validators: []validator.String{dnsSubdomain},
				},
				"namespace_service": schema.StringAttribute{
					Required: true,
					MarkdownDescription: "Name of the `kalypso_template` of type `namespace`: " +
						"it renders the namespace of an assignment.",
					Validators: []validator.String{dnsSubdomain},
				},
				"config_type": schema.StringAttribute{
					Optional: true,
					MarkdownDescription: "Name of the `kalypso_template` of type `config`: it renders the platform configuration of an assignment. " +
						"When not set, that is a ConfigMap named `platform-config`.",
					Validators: []validator.String{dnsSubdomain},
				},
			}),
		toObject: clusterTypeModel.object,
		toModel:  clusterTypeModelOf,
	}
}

func (m clusterTypeModel) object() *manifest.ClusterType {
	return &manifest.ClusterType{
		Meta:             m.meta(manifest.KindClusterType),
		Reconciler:       m.Reconciler,
		NamespaceService: m.NamespaceService,
		ConfigType:       text(m.ConfigType),
	}
}

func clusterTypeModelOf(o *manifest.ClusterType) clusterTypeModel {
	return clusterTypeModel{
		modelBase:        baseOf(o.Meta),
		Reconciler:       o.Reconciler,
		NamespaceService: o.NamespaceService,
		ConfigType:       optional(o.ConfigType),
	}
}
