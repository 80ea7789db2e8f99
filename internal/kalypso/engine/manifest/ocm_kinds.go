// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"strconv"

	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1alpha1 "open-cluster-management.io/api/cluster/v1alpha1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// Placement decides on some of the cluster types, each of which is a managed cluster.
type Placement struct {
	Meta
	Spec clusterv1beta1.PlacementSpec
	// Disabled leaves the decision to another scheduler, whose PlacementDecisions count.
	Disabled bool
}

func decodePlacement(_ *document, m Meta, root *fields) Object {
	root.ignore("status")
	p := &Placement{Meta: m}
	p.InNamespace = root.mapping("metadata").text("namespace")
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

// PlacementDecision is what a scheduler has decided on earlier, or elsewhere, for the
// Placement that its label names.
type PlacementDecision struct {
	Meta
	Status clusterv1beta1.PlacementDecisionStatus
}

// Placement returns the name of the Placement that was decided for.
func (p *PlacementDecision) Placement() string { return p.Labels[clusterv1beta1.PlacementLabel] }

// Group returns the name and index of the decision group; no name and 0 if its labels
// say nothing.
func (p *PlacementDecision) Group() (name string, index int) {
	index, _ = strconv.Atoi(p.Labels[clusterv1beta1.DecisionGroupIndexLabel]) // checked where it was read
	return p.Labels[clusterv1beta1.DecisionGroupNameLabel], index
}

func decodePlacementDecision(d *document, m Meta, root *fields) Object {
	p := &PlacementDecision{Meta: m}
	readField(root, "status", &p.Status)
	labels := root.mapping("metadata").mapping("labels")
	if p.Placement() == "" {
		d.report(root.at("metadata"), "Missing field", "The label %s is missing. Set it to the name of the Placement that was decided for.",
			clusterv1beta1.PlacementLabel)
	}
	if index, ok := p.Labels[clusterv1beta1.DecisionGroupIndexLabel]; ok {
		if n, err := strconv.ParseInt(index, 10, 32); err != nil || n < 0 {
			d.report(labels.at(clusterv1beta1.DecisionGroupIndexLabel), "Invalid value", "The label %s is %s, but a number from 0 on is needed.",
				clusterv1beta1.DecisionGroupIndexLabel, quote(index))
		}
	}
	return p
}

func (p *PlacementDecision) encode(to *envelope) { to.Status = written(p.Status) }

// ManagedCluster says more about the cluster type of its name: labels, taints, claims and
// resources.
type ManagedCluster struct {
	Meta
	Spec   clusterv1.ManagedClusterSpec
	Status clusterv1.ManagedClusterStatus
}

func decodeManagedCluster(_ *document, m Meta, root *fields) Object {
	c := &ManagedCluster{Meta: m}
	readField(root, "spec", &c.Spec)
	readField(root, "status", &c.Status)
	return c
}

func (c *ManagedCluster) encode(to *envelope) {
	to.Spec, to.Status = written(c.Spec), written(c.Status)
}

// AddOnPlacementScore holds scores of the cluster type that its namespace names.
type AddOnPlacementScore struct {
	Meta
	Status clusterv1alpha1.AddOnPlacementScoreStatus
}

func decodeAddOnPlacementScore(d *document, m Meta, root *fields) Object {
	s := &AddOnPlacementScore{Meta: m}
	if m.Namespace == "" {
		d.report(root.at("metadata"), "Missing field", "metadata.namespace is missing or empty. Set it to the name of the cluster type that is "+
			"scored.")
	}
	readField(root, "status", &s.Status)
	return s
}

func (s *AddOnPlacementScore) encode(to *envelope) { to.Status = written(s.Status) }
