// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
)

// IsPart reports whether only some of the fleet's cluster types are written, as of a wave.
func (in Input) IsPart() bool { return in.ClusterTypes != nil }

// part is the part of a fleet to write: all of it, or some cluster types and their
// assignments, in the order of the whole.
type part struct {
	clusterTypes []*manifest.ClusterType
	assignments  []*placement.Assignment
	// others are the names of the fleet's other cluster types.
	others []string
}

// partOf returns the part of a fleet and its placement that the input asks for. It ignores
// names that do not belong to a cluster type.
func (in Input) partOf(f *fleet.Fleet, placed *placement.Placement) part {
	if !in.IsPart() {
		return part{clusterTypes: f.ClusterTypes, assignments: placed.Assignments}
	}
	wanted := map[string]bool{}
	for _, name := range in.ClusterTypes {
		wanted[name] = true
	}
	var p part
	for _, ct := range f.ClusterTypes {
		if wanted[ct.Name] {
			p.clusterTypes = append(p.clusterTypes, ct)
		} else {
			p.others = append(p.others, ct.Name)
		}
	}
	p.assignments = slices.DeleteFunc(slices.Clone(placed.Assignments),
		func(a *placement.Assignment) bool { return !wanted[a.ClusterType.Name] })
	return p
}
