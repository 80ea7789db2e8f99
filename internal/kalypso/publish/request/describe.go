// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package request

import (
	"maps"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// describe shows a reviewer the difference between the packages of the base branch and the
// proposed ones: the packages and the placements.
func (q Wanted) describe(got Made) forge.Description {
	c := forge.Description{Summary: q.summary(got), Run: q.Run}
	before, after := ownership.DigestsOf(got.Found, q.Location, engine.DetailPackage), engine.Digests{}
	is := map[string]*placement.Assignment{}
	if q.Result != nil {
		after, c.Unassigned = q.Result.Digests(engine.DetailPackage), q.Result.Placement.UnassignedTargets
		for _, a := range q.Result.Placement.Assignments {
			is[a.Key()] = a
		}
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	for key := range all {
		kind := forge.Changed
		switch _, existed := before[key]; {
		case !engine.IsPackage(key) || before[key] == after[key]:
			continue
		case !existed:
			kind = forge.Added
		case after[key] == "":
			kind = forge.Removed
		}
		clusterType, target, _ := strings.Cut(key, "/")
		p := forge.PackageChange{ClusterType: clusterType, Package: target, Kind: kind}
		if a := is[key]; a != nil {
			p.Policies = a.Policies
		}
		c.Packages = append(c.Packages, p)
		c.Edges = append(c.Edges, forge.Edge{Target: target, ClusterType: clusterType, Kind: kind})
	}
	return c
}
