// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet

import (
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// labelClusterTypes adds the labels of managed clusters to those of the cluster types of
// the same names. The objects that were decoded stay as they are.
func (f *Fleet) labelClusterTypes(problems *problem.List) {
	for _, c := range f.ManagedClusters {
		i, found := slices.BinarySearchFunc(f.ClusterTypes, c.Name, compareName)
		if !found || len(c.Labels) == 0 {
			continue
		}
		labelled := *f.ClusterTypes[i]
		labelled.Labels = maps.Clone(c.Labels)
		for key, value := range f.ClusterTypes[i].Labels {
			if other, both := c.Labels[key]; both && other != value {
				problems.Add(c.Problem("Contradicting labels", "The label %s is %q here, but %q on the cluster type of the same name (%s), "+
					"which is the same cluster. Have them agree, or remove one.", key, other, value, labelled.Source))
			}
			labelled.Labels[key] = value
		}
		f.ClusterTypes[i] = &labelled
	}
}
