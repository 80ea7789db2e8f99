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
		schema: modelSchema("A cluster type: a group of alike clusters that get the same workloads.",
			dnsLabel, map[string]schema.Attribute{
				"labels": labelsAttribute("What the clusters can do and where they are. Scheduling policies and platform configuration select " +
					"cluster types by these labels."),
				"reconciler": requiredText("Name of the `kalypso_template` of type `reconciler`, which makes the clusters fetch a workload.",
					dnsSubdomain),
				"namespace_service": requiredText("Name of the `kalypso_template` of type `namespace`, which renders the namespace of an "+
					"assignment.", dnsSubdomain),
				"config_type": optionalText("Name of the `kalypso_template` of type `config`, which renders the platform configuration of an "+
					"assignment. Defaults to a ConfigMap named `platform-config`.", dnsSubdomain),
			}, map[string]schema.Block{"taints": taintsBlock()}),
		toObjects: clusterTypeModel.objects,
		toModel:   sure(clusterTypeModelOf),
		join:      (*clusterTypeModel).join,
	}
}

func taintsBlock() schema.ListNestedBlock {
	return schema.ListNestedBlock{
		MarkdownDescription: "A taint, which keeps placements away that do not tolerate it, such as while you drain the clusters. Scheduling " +
			"policies without a placement ignore it. The `manifest` has taints in a `ManagedCluster`. If the manifests already have a " +
			"`ManagedCluster` of this name, put the taints there.",
		NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
			"key":   requiredText("Key of the taint.", labelKey),
			"value": optionalText("Value of the taint."),
			"effect": oneOfAttribute(true, "`NoSelect` keeps all placements away, `NoSelectIfNew` those without a `PlacementDecision` for the "+
				"cluster type, and `PreferNoSelect` none.", manifest.TaintEffects...),
		}},
	}
}

// objects are the cluster type and, if it has taints, the managed cluster that has them.
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

// join takes the taints of a managed cluster that has nothing else.
func (m *clusterTypeModel) join(other manifest.Object) error {
	c, ok := other.(*manifest.ManagedCluster)
	if !ok || c.Name != m.Name {
		return fmt.Errorf("the import id holds %s beside ClusterType/%s, but a cluster type has only a ManagedCluster of its own name beside "+
			"it. Pass its documents alone",
			other.Metadata().ID(), m.Name)
	}
	for _, t := range c.Spec.Taints {
		m.Taints = append(m.Taints, taintModel{Key: t.Key, Value: optional(t.Value), Effect: string(t.Effect)})
	}
	if manifest.Encode(m.managedCluster()) != manifest.Encode(c) {
		return fmt.Errorf("%s says more than taints, which the resource cannot. Import the ClusterType alone, and keep the ManagedCluster "+
			"among the manifests as it is", c.ID())
	}
	return nil
}

func clusterTypeModelOf(o *manifest.ClusterType) clusterTypeModel {
	return clusterTypeModel{
		modelBase:        baseOf(o.Meta),
		Reconciler:       o.Reconciler,
		NamespaceService: o.NamespaceService,
		ConfigType:       optional(o.ConfigType),
	}
}
