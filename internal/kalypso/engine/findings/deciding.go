// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"slices"
	"strconv"

	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/scheduling"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

func subjectOfPlacement(o scheduling.Outcome) string {
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

// emptyGroups reports decision groups that no chosen cluster type is in.
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

// unusedPlacements reports the placements that decide nothing.
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

// unusedDecisions reports the PlacementDecisions that nothing reads: they are not the
// history of a placement, and no policy takes them for decisions of a scheduler elsewhere.
// They count as unread even if Balance counts them.
func unusedDecisions(s *search) {
	known := map[string]bool{}
	for _, p := range s.Fleet.Policies {
		if p.Placement != "" {
			known[p.Placement] = true
		}
	}
	placements := map[string]*manifest.Placement{}
	for _, p := range s.Fleet.Placements {
		placements[p.Name], known[p.Name] = p, true
	}
	for _, d := range s.Fleet.PlacementDecisions {
		p := placements[d.Placement()]
		if known[d.Placement()] && (p == nil || p.Disabled || scheduling.IsOf(d, p)) {
			continue
		}
		why := "no policy and no Placement has that name" + nearest(d.Placement(), known)
		if p != nil {
			why = fmt.Sprintf("the Placement has the namespace %s, and the decision has %s. Write the same namespace in both, or leave it out "+
				"of one", p.Namespace, d.Namespace)
		}
		s.note(d.ID(), "Nothing reads the decision for the placement %s: %s.", d.Placement(), why)
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

// untolerated reports taints that no placement tolerates.
func untolerated(s *search) {
	if len(s.Fleet.Placements) == 0 {
		return
	}
	for _, c := range s.Fleet.ManagedClusters {
		for _, taint := range c.Spec.Taints {
			tolerates := func(t clusterv1beta1.Toleration) bool { return scheduling.Tolerates(t, taint) }
			isTolerated := slices.ContainsFunc(s.Fleet.Placements, func(p *manifest.Placement) bool {
				return slices.ContainsFunc(p.Spec.Tolerations, tolerates)
			})
			if taint.Effect != clusterv1.TaintEffectPreferNoSelect && !isTolerated {
				s.note(c.ID(), "No placement tolerates the taint %s of %s.", scheduling.TaintText(taint), c.Name)
			}
		}
	}
}
