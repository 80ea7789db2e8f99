// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"github.com/bits-and-blooms/bitset"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// Group is the decision group of a cluster type.
type Group struct {
	Placement string
	// Name is empty for the clusters that no group of the placement selects.
	Name string
	// Index counts the groups of the placement from 0.
	Index int
}

// grouping is a decision group of a placement.
type grouping struct {
	name string
	selector
}

func newGroupings(p *manifest.Placement) []grouping {
	var all []grouping
	for _, g := range p.Spec.DecisionStrategy.GroupStrategy.DecisionGroups {
		all = append(all, grouping{g.GroupName, newSelector(g.ClusterSelector.LabelSelector, g.ClusterSelector.ClaimSelector)})
	}
	return append(all, grouping{}) // selects every cluster
}

// group divides the chosen clusters into groups: the groups of the placement in their order,
// then the other clusters. It divides each group, sorted by name, into parts of the
// requested size.
func (h *hub) group(p *plan, chosen *bitset.BitSet) map[int]Group {
	size := groupSize(p.placement.Spec.DecisionStrategy.GroupStrategy.ClustersPerDecisionGroup, int(chosen.Count()))
	groups := make(map[int]Group, chosen.Count())
	index := 0
	for _, g := range p.groupings {
		in := 0
		for at := range chosen.EachSet() { // sorted by name, like cluster types
			if _, taken := groups[int(at)]; taken || !g.matches(h.clusters[at]) {
				continue
			}
			groups[int(at)] = Group{Placement: p.placement.Name, Name: g.name, Index: index + in/size}
			in++
		}
		index += (in + size - 1) / size
	}
	return groups
}

// groupSize returns how many of all clusters form a group: a number, or a percentage rounded
// up. It returns all if the size is missing.
func groupSize(of intstr.IntOrString, all int) int {
	size, err := intstr.GetScaledValueFromIntOrPercent(&of, all, true)
	if err != nil || size <= 0 || size > all {
		size = all
	}
	return max(size, 1)
}
