// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"strconv"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/ocm"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

func subjectOfPlacement(o ocm.Outcome) string {
	return string(manifest.KindPlacement) + "/" + o.Placement
}

// shortages reports placements that find too few cluster types for a policy.
func shortages(s *search) {
	for _, o := range s.Placement.Outcomes {
		if !o.Short {
			continue
		}
		wanted := "at least one"
		if o.Wanted > 0 {
			wanted = strconv.Itoa(o.Wanted)
		}
		why, separator := "", ": "
		for _, d := range o.Drops {
			why += fmt.Sprintf("%s%d %s, e.g. %s: wants %s, found %s", separator, d.Count, d.Code, d.ClusterType, d.Asked, d.Found)
			separator = "; "
		}
		s.note(subjectOfPlacement(o), "Placement %s finds %s for policy %s, but asks for %s. The policy selects %s%s.", o.Placement,
			wording.Count(o.Chosen, "cluster type"), o.Policy, wanted, wording.Count(o.Among, "cluster type"), why)
	}
}

// missingScores reports prioritizers that have no score for some cluster types.
func missingScores(s *search) {
	for _, o := range s.Placement.Outcomes {
		for _, m := range o.Missing {
			s.note(subjectOfPlacement(o), "Placement %s scores by %s for policy %s. These cluster types have no such score, which counts 0: %s (%d "+
				"of %d).", o.Placement, m.Prioritizer, o.Policy, wording.First(m.ClusterTypes, wording.MaxListed), len(m.ClusterTypes), m.Among)
		}
	}
}

func emptyGroups(s *search) {
	for _, o := range s.Placement.Outcomes {
		for _, g := range o.EmptyGroups {
			doubts := s.words().clusterTypes.ofSelector(g.ClusterSelector.LabelSelector)
			if len(doubts) == 0 {
				doubts = []string{"no cluster type matches the whole selector, or earlier groups contain the ones that do"}
			}
			s.note(subjectOfPlacement(o), "Decision group %s of placement %s contains none of the %s that are chosen for policy %s%s. The groups "+
				"after it have lower indexes.", g.GroupName, o.Placement, wording.Count(o.Chosen, "cluster type"), o.Policy, because(doubts))
		}
	}
}

func unusedPlacements(s *search) {
	named := map[string]bool{}
	for _, p := range s.Fleet.Policies {
		named[p.Placement] = true
	}
	for _, p := range s.Fleet.Placements {
		if !named[p.Name] {
			s.note(p.ID(), "No scheduling policy names placement %s.", p.Name)
		}
	}
}

// unknownClusters reports objects about clusters that are not cluster types.
func unknownClusters(s *search) {
	known := map[string]bool{}
	for _, ct := range s.Fleet.ClusterTypes {
		known[ct.Name] = true
	}
	check := func(m manifest.Meta, name string) {
		if name != "" && !known[name] {
			s.note(m.ID(), "%s is about the cluster %s, but no cluster type has that name%s.", m.ID(), name, nearest(name, known))
		}
	}
	for _, c := range s.Fleet.ManagedClusters {
		check(c.Meta, c.Name)
	}
	for _, score := range s.Fleet.AddOnScores {
		check(score.Meta, score.Namespace)
	}
	for _, d := range s.Fleet.PlacementDecisions {
		for _, c := range d.Status.Decisions {
			check(d.Meta, c.ClusterName)
		}
	}
}
