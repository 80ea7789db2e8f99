// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/scheduling"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// decisions reports what placements did not find for the policies that name them. It
// reports nothing for an environment without deployment targets.
func decisions(f *fleet.Fleet, p *placement.Placement) []Finding {
	var found []Finding
	if len(f.Targets) == 0 {
		return nil
	}
	words := sync.OnceValue(func() *vocabulary { return newVocabulary(f) })
	for _, o := range p.Outcomes {
		subject := string(manifest.KindPlacement) + "/" + o.Placement
		if o.Short {
			found = append(found, newFinding(PlacementUnsatisfied, subject, shortage(o)))
		}
		for _, m := range o.Missing {
			found = append(found, newFinding(ScoreMissing, subject, fmt.Sprintf(
				"Placement %s scores by %s, which %d of the %s do not have that it chooses among for policy %s: %s. It counts 0 for them.",
				o.Placement, m.Prioritizer, len(m.ClusterTypes), wording.Count(m.Among, "cluster type"), o.Policy,
				wording.First(m.ClusterTypes, maxListed))))
		}
		for _, g := range o.EmptyGroups {
			why := "none has all that it asks for, or groups before it have them"
			if doubts := words().clusterTypes.ofSelector(g.ClusterSelector.LabelSelector); len(doubts) > 0 {
				why = listed(doubts)
			}
			found = append(found, newFinding(DecisionGroupEmpty, subject, fmt.Sprintf(
				"Decision group %s of placement %s gets none of the %s that are chosen for policy %s: %s. The groups after it have lower indexes.",
				g.GroupName, o.Placement, wording.Count(o.Chosen, "cluster type"), o.Policy, why)))
		}
	}
	return found
}

func shortage(o scheduling.Selection) string {
	wanted := "at least one"
	if o.Wanted > 0 {
		wanted = strconv.Itoa(o.Wanted)
	}
	said := fmt.Sprintf("Placement %s finds %s for policy %s, but asks for %s. The policy selects %s",
		o.Placement, wording.Count(o.Chosen, "cluster type"), o.Policy, wanted, wording.Count(o.Among, "cluster type"))
	var drops []string
	for _, d := range o.Drops {
		drops = append(drops, fmt.Sprintf("%d %s, e.g. %s: wants %s, found %s", d.Count, d.Code, d.ClusterType, d.Asked, d.Found))
	}
	if len(drops) > 0 {
		said += ": " + strings.Join(drops, "; ")
	}
	return said + "."
}

// unusedPlacements reports the placements that decide nothing.
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

// unusedDecisions reports the PlacementDecisions that nothing reads: they are not the
// history of a placement, and no policy takes them for decisions of a scheduler elsewhere.
// They count as unread even if Balance counts them.
func unusedDecisions(f *fleet.Fleet) []Finding {
	known := map[string]bool{}
	for _, p := range f.Policies {
		if p.Placement != "" {
			known[p.Placement] = true
		}
	}
	placements := map[string]*manifest.Placement{}
	for _, p := range f.Placements {
		placements[p.Name], known[p.Name] = p, true
	}
	var found []Finding
	for _, d := range f.PlacementDecisions {
		p := placements[d.Placement()]
		if known[d.Placement()] && (p == nil || p.Disabled || scheduling.IsOf(d, p)) {
			continue
		}
		why := "no policy and no Placement has that name" + nearest(d.Placement(), known)
		if p != nil {
			why = fmt.Sprintf("the Placement is of the namespace %s, and the decision is of %s. Have them agree, or leave it out of one",
				p.InNamespace, d.Namespace)
		}
		found = append(found, newFinding(DecisionsUnused, d.ID(), fmt.Sprintf("Nothing reads what was decided for the placement %s: %s.",
			d.Placement(), why)))
	}
	return found
}

// unknownClusters reports objects about clusters that are not cluster types.
func unknownClusters(f *fleet.Fleet) []Finding {
	known := map[string]bool{}
	for _, ct := range f.ClusterTypes {
		known[ct.Name] = true
	}
	var found []Finding
	note := func(m manifest.Meta, name string) {
		if name != "" && !known[name] {
			found = append(found, newFinding(ClusterUnknown, m.ID(), fmt.Sprintf("%s is about the cluster %s, but there is no cluster type of that "+
				"name%s.", m.ID(), name, nearest(name, known))))
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

// untolerated reports taints that no placement tolerates.
func untolerated(f *fleet.Fleet) []Finding {
	if len(f.Placements) == 0 {
		return nil
	}
	var found []Finding
	for _, c := range f.ManagedClusters {
		for _, taint := range c.Spec.Taints {
			tolerates := func(t clusterv1beta1.Toleration) bool { return scheduling.Tolerates(t, taint) }
			if taint.Effect == clusterv1.TaintEffectPreferNoSelect || slices.ContainsFunc(f.Placements,
				func(p *manifest.Placement) bool { return slices.ContainsFunc(p.Spec.Tolerations, tolerates) }) {
				continue
			}
			found = append(found, newFinding(TaintUntolerated, c.ID(), fmt.Sprintf("No placement tolerates the taint %s of %s.",
				scheduling.TaintText(taint), c.Name)))
		}
	}
	return found
}
