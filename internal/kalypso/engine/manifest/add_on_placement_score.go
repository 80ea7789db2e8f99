// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	clusterv1alpha1 "open-cluster-management.io/api/cluster/v1alpha1"
)

// KindAddOnPlacementScore is the kind of Open Cluster Management's AddOnPlacementScore.
const KindAddOnPlacementScore Kind = "AddOnPlacementScore"

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
