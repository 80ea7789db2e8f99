// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type placementModel struct {
	modelBase
	Namespace         *string       `tfsdk:"namespace"`
	ClusterSets       []string      `tfsdk:"cluster_sets"`
	NumberOfClusters  *int64        `tfsdk:"number_of_clusters"`
	Predicates        types.Dynamic `tfsdk:"predicates"`
	Tolerations       types.Dynamic `tfsdk:"tolerations"`
	PrioritizerPolicy types.Dynamic `tfsdk:"prioritizer_policy"`
	SpreadPolicy      types.Dynamic `tfsdk:"spread_policy"`
	DecisionStrategy  types.Dynamic `tfsdk:"decision_strategy"`
}

// objects are the attributes of placementAttributes.
func (m *placementModel) objects() map[string]*types.Dynamic {
	return map[string]*types.Dynamic{
		"predicates":         &m.Predicates,
		"tolerations":        &m.Tolerations,
		"prioritizer_policy": &m.PrioritizerPolicy,
		"spread_policy":      &m.SpreadPolicy,
		"decision_strategy":  &m.DecisionStrategy,
	}
}

// NewPlacementResource models a Placement of Open Cluster Management.
func NewPlacementResource() resource.Resource {
	attributes := map[string]schema.Attribute{
		"labels": labelsAttribute("Labels of the placement, by Kubernetes' rules for label keys and values."),
		"namespace": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Namespace of the placement on a hub. It counts where the manifests hold `PlacementDecision`s of several placements of one name: " +
				"those of this namespace are its own.",
			Validators: []validator.String{dnsLabel},
		},
		"cluster_sets": schema.ListAttribute{
			ElementType: types.StringType, Optional: true,
			MarkdownDescription: "Only cluster types in one of these sets: the label `cluster.open-cluster-management.io/clusterset` of a cluster type says which it is in. The set `global` is all of them.",
			Validators:          []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(), listvalidator.ValueStringsAre(filledLabelValue)},
		},
		"number_of_clusters": schema.Int64Attribute{
			Optional:            true,
			MarkdownDescription: "How many cluster types are chosen; all that come into question when not set. Fewer are a finding, `PLACEMENT_UNSATISFIED`.",
			Validators:          []validator.Int64{int64validator.Between(0, 1<<31-1)},
		},
	}
	for name, of := range placementAttributes {
		attributes[name] = of.resourceAttribute()
	}
	return &modelResource[placementModel, *manifest.Placement]{
		typeName: "placement",
		kind:     manifest.KindPlacement,
		schema: modelSchema("A placement: decides on some of the cluster types that a scheduling policy selects, by predicates, taints, scores and spread. "+
			"It is Open Cluster Management's `Placement`, and a hub would decide the same; a scheduling policy names it as its `placement`. "+
			"In the objects of its attributes, a name that is not listed here is an error.",
			dnsSubdomain, attributes),
		toObjects: placementModel.object,
		toModel:   placementModelOf,
	}
}

// object has the placement read as if somebody had written it down as YAML: Open Cluster
// Management's defaults are those of the reader.
func (m placementModel) object() ([]manifest.Object, error) {
	ctx, spec := context.Background(), map[string]any{}
	if len(m.ClusterSets) > 0 {
		spec["clusterSets"] = m.ClusterSets
	}
	if m.NumberOfClusters != nil {
		spec["numberOfClusters"] = *m.NumberOfClusters
	}
	for name, given := range m.objects() {
		value, diags := placementAttributes[name].value(ctx, path.Root(name), *given)
		if diags.HasError() {
			return nil, errors.New(diagnosticsText(diags))
		}
		if !value.IsNull() {
			spec[fieldName(name)] = fieldsOf(value)
		}
	}
	parseGroupSize(spec)
	text, err := json.Marshal(map[string]any{
		"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": manifest.KindPlacement,
		"metadata": map[string]any{"name": m.Name, "namespace": text(m.Namespace), "labels": m.Labels},
		"spec":     spec,
	})
	if err != nil {
		return nil, err
	}
	return manifest.Decode([]manifest.Text{{Name: "placement", Text: string(text)}})
}

// parseGroupSize makes a number of the size of decision groups where it is one: the
// attribute is a text, which may be a percentage, and the API takes no number in quotes.
func parseGroupSize(spec map[string]any) {
	strategy, _ := spec["decisionStrategy"].(map[string]any)
	groups, _ := strategy["groupStrategy"].(map[string]any)
	if size, ok := groups["clustersPerDecisionGroup"].(string); ok {
		groups["clustersPerDecisionGroup"] = intstr.Parse(size)
	}
}

func placementModelOf(o *manifest.Placement) (placementModel, error) {
	m := placementModel{modelBase: baseOf(o.Meta), Namespace: optional(o.InNamespace), ClusterSets: o.Spec.ClusterSets}
	if o.Disabled {
		return m, fmt.Errorf("%s leaves the decision to another scheduler, by an annotation: leave it out, and pass the PlacementDecisions of that scheduler", o.ID())
	}
	if n := o.Spec.NumberOfClusters; n != nil {
		m.NumberOfClusters = new(int64(*n))
	}
	var written struct {
		Spec map[string]any `yaml:"spec"`
	}
	if err := yaml.Unmarshal([]byte(manifest.Encode(o)), &written); err != nil {
		return m, err
	}
	given := m.objects()
	for _, name := range slices.Sorted(maps.Keys(given)) {
		*given[name] = types.DynamicNull()
		fields, set := written.Spec[fieldName(name)]
		if !set {
			continue
		}
		value, err := frameworkValue[types.Dynamic](context.Background(), writtenValue(fields, placementAttributes[name].Attribute), types.DynamicType)
		if err != nil {
			return m, err
		}
		*given[name] = value
	}
	return m, nil
}
