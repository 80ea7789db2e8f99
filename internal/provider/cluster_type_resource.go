// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type clusterTypeModel struct {
	modelBase
	Reconciler       string  `tfsdk:"reconciler"`
	NamespaceService string  `tfsdk:"namespace_service"`
	ConfigType       *string `tfsdk:"config_type"`
}

func newClusterTypeResource() resource.Resource {
	return &modelResource[clusterTypeModel, *manifest.ClusterType]{
		typeName: "cluster_type",
		kind:     manifest.KindClusterType,
		schema: modelSchema("A cluster type: a group of similar clusters that get the same workloads.",
			dnsLabel, map[string]schema.Attribute{
				"labels": labelsAttribute("Labels by which scheduling policies and platform configuration select the cluster type, such as its " +
					"region or hardware."),
				"reconciler": requiredText("Name of the `kalypso_template` of type `reconciler`, which makes the clusters fetch a workload.",
					dnsSubdomain),
				"namespace_service": requiredText("Name of the `kalypso_template` of type `namespace`, which renders the namespace of an "+
					"assignment.", dnsSubdomain),
				"config_type": optionalText("Name of the `kalypso_template` of type `config`, which renders the platform configuration of an "+
					"assignment. Defaults to a ConfigMap named `platform-config`.", dnsSubdomain),
			}, nil),
		toObject: func(m clusterTypeModel) *manifest.ClusterType {
			return &manifest.ClusterType{Meta: m.meta(manifest.KindClusterType), Reconciler: m.Reconciler, NamespaceService: m.NamespaceService,
				ConfigType: text(m.ConfigType)}
		},
		toModel: func(o *manifest.ClusterType) clusterTypeModel {
			return clusterTypeModel{modelBase: baseOf(o.Meta), Reconciler: o.Reconciler, NamespaceService: o.NamespaceService,
				ConfigType: optional(o.ConfigType)}
		},
	}
}
