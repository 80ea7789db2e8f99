// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	clusterv1 "open-cluster-management.io/api/cluster/v1"
)

// KindManagedCluster is the kind of Open Cluster Management's ManagedCluster.
const KindManagedCluster Kind = "ManagedCluster"

// ManagedCluster says more about the cluster type of its name: labels, taints, claims and
// resources. Expressions of Placements see all of it.
type ManagedCluster struct {
	Meta
	Annotations map[string]string
	Spec        clusterv1.ManagedClusterSpec
	Status      clusterv1.ManagedClusterStatus
}

func decodeManagedCluster(_ *document, m Meta, root *fields) Object {
	c := &ManagedCluster{Meta: m}
	c.Annotations = root.mapping("metadata").texts("annotations", func(string, entry, string) {})
	readField(root, "spec", &c.Spec)
	readField(root, "status", &c.Status)
	return c
}

func (c *ManagedCluster) encode(to *envelope) {
	to.Metadata.Annotations = texts(c.Annotations)
	to.Spec, to.Status = written(c.Spec), written(c.Status)
}
