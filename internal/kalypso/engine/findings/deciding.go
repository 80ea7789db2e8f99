// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"

	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/scheduling"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// decisions tells what placements did not find for the policies that name them; nothing of an
// environment without deployment targets.
func decisions(f *fleet.Fleet, p *placement.Placement) []Finding {
	var found []Finding
	if len(f.Targets) == 0 {
		return nil
	}
	for _, o := range p.Outcomes {
		subject := string(manifest.KindPlacement) + "/" + o.Placement
		if o.Short > 0 {
			found = append(found, newFinding(PlacementUnsatisfied, subject, shortage(o)))
		}
		for _, m := range o.Missing {
			found = append(found, newFinding(ScoreMissing, subject, fmt.Sprintf(
				"Placement %s scores by %s, which %d of the %s do not have that it chooses among for policy %s: %s. It counts 0 for them.",
				o.Placement, m.Prioritizer, len(m.ClusterTypes), wording.Count(m.Among, "cluster type"), o.Policy, wording.First(m.ClusterTypes, 5))))
		}
	}
	return found
}

func shortage(o scheduling.Outcome) string {
	wanted := "at least one"
	if o.Wanted > 0 {
		wanted = wording.Count(o.Wanted, "cluster type")
	}
	return fmt.Sprintf("Placement %s finds %d for %s of policy %s, but asks for %s.",
		o.Placement, o.Fewest, wording.Count(o.Short, "deployment target"), o.Policy, wanted)
}

// unusedPlacements tells which placements decide nothing.
func unusedPlacements(f *fleet.Fleet) []Finding {
	named := map[string]bool{}
	for _, p := range f.Policies {
		named[p.Placement] = true
	}
	var found []Finding
	for _, p := range f.Placements {
		if !named[p.Name] {
			found = append(found, newFinding(PlacementUnused, p.ID(), fmt.Sprintf("No scheduling policy names placement %s.", p.Name)))
		}
	}
	return found
}

// unknownClusters tells what is about clusters that are no cluster types.
func unknownClusters(f *fleet.Fleet) []Finding {
	known := map[string]bool{}
	for _, ct := range f.ClusterTypes {
		known[ct.Name] = true
	}
	var found []Finding
	note := func(m manifest.Meta, name string) {
		if name != "" && !known[name] {
			found = append(found, newFinding(ClusterUnknown, m.ID(), fmt.Sprintf("%s is about the cluster %s, but there is no cluster type of that name%s.", m.ID(), name, nearest(name, known))))
		}
	}
	for _, c := range f.ManagedClusters {
		note(c.Meta, c.Name)
	}
	for _, s := range f.AddOnScores {
		note(s.Meta, s.Namespace)
	}
	for _, d := range f.PlacementDecisions {
		for _, c := range d.Status.Decisions {
			note(d.Meta, c.ClusterName)
		}
	}
	return found
}

// untolerated tells of taints that no placement tolerates.
func untolerated(f *fleet.Fleet) []Finding {
	if len(f.Placements) == 0 {
		return nil
	}
	var found []Finding
	for _, c := range f.ManagedClusters {
		for _, taint := range c.Spec.Taints {
			if taint.Effect == clusterv1.TaintEffectPreferNoSelect || tolerated(f, taint) {
				continue
			}
			found = append(found, newFinding(TaintUntolerated, c.ID(), fmt.Sprintf("No placement tolerates the taint %s of %s.", scheduling.TaintText(taint), c.Name)))
		}
	}
	return found
}

func tolerated(f *fleet.Fleet, taint clusterv1.Taint) bool {
	for _, p := range f.Placements {
		for _, t := range p.Spec.Tolerations {
			if scheduling.Tolerates(t, taint) {
				return true
			}
		}
	}
	return false
}
