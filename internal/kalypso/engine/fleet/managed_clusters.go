// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// labelClusterTypes adds the labels of managed clusters to those of the cluster types of
// the same names. The objects that were decoded stay as they are.
func (f *Fleet) labelClusterTypes(problems *problem.List) {
	for _, c := range f.ManagedClusters {
		i, found := slices.BinarySearchFunc(f.ClusterTypes, c.Name,
			func(ct *manifest.ClusterType, name string) int { return strings.Compare(ct.Name, name) })
		if !found || len(c.Labels) == 0 {
			continue
		}
		labelled := *f.ClusterTypes[i]
		labelled.Labels = maps.Clone(c.Labels)
		for key, value := range f.ClusterTypes[i].Labels {
			if other, both := c.Labels[key]; both && other != value {
				problems.Add(contradictingLabels(f.ClusterTypes[i], c, key))
			}
			labelled.Labels[key] = value
		}
		f.ClusterTypes[i] = &labelled
	}
}

func contradictingLabels(ct *manifest.ClusterType, c *manifest.ManagedCluster, key string) problem.Problem {
	return problem.Problem{
		Summary: "Contradicting labels",
		Subject: c.ID(),
		Where:   c.Source.String(),
		Detail: fmt.Sprintf("The label %s is %q here, but %q on the cluster type of the same name (%s), which is the same cluster. Have them "+
			"agree, or remove one.",
			key, c.Labels[key], ct.Labels[key], ct.Source),
	}
}
