// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type clusterTypeModel struct {
	modelBase
	Reconciler       string       `tfsdk:"reconciler"`
	NamespaceService string       `tfsdk:"namespace_service"`
	ConfigType       *string      `tfsdk:"config_type"`
	Taints           []taintModel `tfsdk:"taints"`
}

type taintModel struct {
	Key    string  `tfsdk:"key"`
	Value  *string `tfsdk:"value"`
	Effect string  `tfsdk:"effect"`
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
			}, map[string]schema.Block{"taints": taintsBlock()}),
		toObjects: clusterTypeModel.objects,
		toModel: sure(func(o *manifest.ClusterType) clusterTypeModel {
			return clusterTypeModel{modelBase: baseOf(o.Meta), Reconciler: o.Reconciler, NamespaceService: o.NamespaceService,
				ConfigType: optional(o.ConfigType)}
		}),
		join: (*clusterTypeModel).join,
	}
}

func taintsBlock() schema.ListNestedBlock {
	return schema.ListNestedBlock{
		MarkdownDescription: "A taint, such as while you drain the clusters: placements that do not tolerate the taint do not choose the " +
			"cluster type. Scheduling policies without a placement ignore it. The `manifest` has taints in a `ManagedCluster`. If the manifests " +
			"already have a `ManagedCluster` of this name, put the taints there.",
		NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
			"key":   requiredText("Key of the taint.", labelKey),
			"value": optionalText("Value of the taint."),
			"effect": oneOfAttribute(true, "`NoSelect` excludes the cluster type from all placements, `NoSelectIfNew` from placements without a "+
				"`PlacementDecision` for it, and `PreferNoSelect` from none.", manifest.TaintEffects...),
		}},
	}
}

// objects returns the cluster type and, if it has taints, a managed cluster with the
// taints.
func (m clusterTypeModel) objects() ([]manifest.Object, error) {
	objects := []manifest.Object{&manifest.ClusterType{
		Meta:             m.meta(manifest.KindClusterType),
		Reconciler:       m.Reconciler,
		NamespaceService: m.NamespaceService,
		ConfigType:       text(m.ConfigType),
	}}
	if len(m.Taints) > 0 {
		objects = append(objects, m.managedCluster())
	}
	return objects, nil
}

func (m clusterTypeModel) managedCluster() *manifest.ManagedCluster {
	c := &manifest.ManagedCluster{Meta: manifest.Meta{Kind: manifest.KindManagedCluster, Name: m.Name}}
	for _, t := range m.Taints {
		c.Spec.Taints = append(c.Spec.Taints, clusterv1.Taint{Key: t.Key, Value: text(t.Value), Effect: clusterv1.TaintEffect(t.Effect)})
	}
	return c
}

// join adds the taints of a managed cluster to the cluster type. Errors: the managed
// cluster has another name, or more than taints.
func (m *clusterTypeModel) join(other manifest.Object) error {
	c, ok := other.(*manifest.ManagedCluster)
	if !ok || c.Name != m.Name {
		return fmt.Errorf("the import id contains %s beside ClusterType/%s, but next to a cluster type it can contain only a ManagedCluster of "+
			"the same name. Remove the other documents from the import id",
			other.Metadata().ID(), m.Name)
	}
	for _, t := range c.Spec.Taints {
		m.Taints = append(m.Taints, taintModel{Key: t.Key, Value: optional(t.Value), Effect: string(t.Effect)})
	}
	if manifest.Encode(m.managedCluster()) != manifest.Encode(c) {
		return fmt.Errorf("%s has fields other than taints, and the resource has only taints. Import the ClusterType alone, and keep the "+
			"ManagedCluster in the manifests unchanged", c.ID())
	}
	return nil
}
