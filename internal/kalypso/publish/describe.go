// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"maps"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
)

// describe tells a reviewer what leads from the packages of the base branch
// to a result: which packages and placements.
func describe(before engine.Digests, result *engine.Result) forge.Description {
	var c forge.Description
	after := engine.Digests{}
	if result.Folders != nil {
		after = result.Digests(engine.DetailPackage)
	}
	is := assignments(result)
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
	if result.Placement != nil {
		c.Unassigned = result.Placement.UnassignedTargets
	}
	return c
}

// assignments returns the assignments of a result by their keys.
func assignments(result *engine.Result) map[string]*placement.Assignment {
	all := map[string]*placement.Assignment{}
	if result.Placement != nil {
		for _, a := range result.Placement.Assignments {
			all[a.Key()] = a
		}
	}
	return all
}
