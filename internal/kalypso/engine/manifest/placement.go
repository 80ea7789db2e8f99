// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// KindPlacement is the kind of Open Cluster Management's Placement.
const KindPlacement Kind = "Placement"

// Placement decides on some of the cluster types, each of which is a managed cluster.
type Placement struct {
	Meta
	// InNamespace is where it is on a hub; it counts for which PlacementDecisions are its own.
	InNamespace string
	Spec        clusterv1beta1.PlacementSpec
	// Disabled leaves the decision to another scheduler, whose PlacementDecisions count.
	Disabled bool
}

func decodePlacement(_ *document, m Meta, root *fields) Object {
	root.ignore("status")
	p := &Placement{Meta: m, InNamespace: root.mapping("metadata").text("namespace")}
	if !root.has("spec") {
		root.missing("spec", "what a Placement consists of; {} selects every cluster type")
	}
	readField(root, "spec", &p.Spec)
	p.Disabled = annotations(root).text(clusterv1beta1.PlacementDisableAnnotation) == "true"
	return p
}

func (p *Placement) encode(to *envelope) {
	to.Metadata.Namespace = text(p.InNamespace)
	if p.Disabled {
		to.Metadata.Annotations = map[text]text{clusterv1beta1.PlacementDisableAnnotation: "true"}
	}
	if to.Spec = written(p.Spec); to.Spec == nil {
		to.Spec = struct{}{}
	}
}
