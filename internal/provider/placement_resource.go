// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// newPlacementResource models a Placement of Open Cluster Management.
func newPlacementResource() resource.Resource {
	return &modelResource[placementModel, *manifest.Placement]{
		typeName: "placement",
		kind:     manifest.KindPlacement,
		schema: modelSchema("A placement: chooses some of the cluster types that a scheduling policy selects, as Open Cluster Management "+
			"does, by predicates, taints, scores and spread.",
			dnsSubdomain, placementAttributes(), placementBlocks()),
		toObjects: placementModel.objects,
		toModel:   placementModelOf,
	}
}

// objects reads the placement as if it came from a YAML file, because the reader sets the
// defaults of Open Cluster Management.
func (m placementModel) objects() ([]manifest.Object, error) {
	text, err := json.Marshal(map[string]any{
		"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": manifest.KindPlacement,
		"metadata": map[string]any{"name": m.Name, "namespace": text(m.Namespace), "labels": m.Labels},
		"spec":     m.placementSpecModel,
	})
	if err != nil {
		return nil, err
	}
	return manifest.Decode([]manifest.Text{{Name: "placement", Text: string(text)}})
}

// placementModelOf converts a written placement, which leaves out defaults, into a
// configuration.
func placementModelOf(o *manifest.Placement) (placementModel, error) {
	m := placementModel{modelBase: baseOf(o.Meta), Namespace: optional(o.InNamespace)}
	if o.Disabled {
		return m, fmt.Errorf("%s leaves the decision to another scheduler, by an annotation: leave it out, and pass the PlacementDecisions of "+
			"that scheduler", o.ID())
	}
	var written struct {
		Spec map[string]any `yaml:"spec"`
	}
	if err := yaml.Unmarshal([]byte(manifest.Encode(o)), &written); err != nil {
		return m, err
	}
	spec, err := json.Marshal(written.Spec)
	if err == nil {
		err = json.Unmarshal(spec, &m.placementSpecModel)
	}
	m.sayAll()
	return m, err
}
