// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"strconv"

	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// KindPlacementDecision is the kind of Open Cluster Management's PlacementDecision.
const KindPlacementDecision Kind = "PlacementDecision"

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
