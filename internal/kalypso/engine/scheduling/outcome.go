// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// Selection is the result of a decision, without its steps.
type Selection struct {
	Policy, Placement string
	// Wanted is how many cluster types are asked for; -1 for all that can be had.
	Wanted int
	// Short is for how many targets fewer were found, or none at all, and Fewest how many at least.
	Short, Fewest int
	// Among is how many cluster types the policy selects, and Chosen how many are decided on.
	Among, Chosen int
	// Drops say why the other clusters were dropped, for a target with the fewest; nil if
	// Short is 0.
	Drops   []Drop
	Missing []MissingScore
	// EmptyGroups are the decision groups that get none of the chosen clusters.
	EmptyGroups []clusterv1beta1.DecisionGroup
	// Topologies are those to spread over that no cluster type is in which came through the filters.
	Topologies []Topology
	// Unanswered are the expressions that were neither true nor false for any cluster type.
	Unanswered []Unanswered
}

// Drop is a step that has dropped cluster types.
type Drop struct {
	Code  Step
	Count int
	// ClusterType is one of them. Asked is the requirement of the step, and Found is the
	// actual value.
	ClusterType, Asked, Found string
}

// Topology is a label or a claim that is spread over.
type Topology struct {
	Claim bool
	Key   string
	// Among is of how many cluster types none has it.
	Among int
}

// Unanswered is an expression without an answer, with a cluster type and the result there.
type Unanswered struct{ Expression, ClusterType, Said string }

// Outcome returns the result of the decision. For expressions, it covers all decisions
// that were made.
func (d *Decision) Outcome() Selection {
	o := Selection{
		Policy: d.use.Policy.Name, Placement: d.Name, Wanted: d.wanted, Missing: d.missing,
		Among: int(d.use.ClusterTypes.Count()), Chosen: int(d.union.Count()),
	}
	shortest := everyTarget
	for _, target := range slices.Sorted(maps.Keys(d.chosen)) {
		got := int(d.chosen[target].Count())
		if got > 0 && got >= d.wanted || d.wanted == 0 {
			continue
		}
		if o.Short == 0 || got < o.Fewest {
			o.Fewest, shortest = got, target
		}
		o.Short++
		if target == everyTarget {
			o.Short = int(d.use.Targets.Count())
		}
	}
	if o.Short > 0 {
		o.Drops = d.drops(shortest)
	}
	if d.plan != nil && d.use.Targets.Any() {
		o.EmptyGroups, o.Topologies, o.Unanswered = d.emptyGroups(), d.unknownTopologies(), d.plan.unanswered()
	}
	return o
}

// drops counts the dropped clusters for a target that got too few, by step. A cluster that
// passes the filters can then fail only by the spread.
func (d *Decision) drops(target int) []Drop {
	by := map[Step]*Drop{}
	for i := range d.use.ClusterTypes.EachSet() {
		at := int(i)
		if d.chosen[target].Test(i) {
			continue
		}
		code, dropped := d.dropped[at]
		switch {
		case d.plan == nil:
			code = CodeNotDecided
		case !dropped:
			code = CodeSpread
		}
		if by[code] == nil {
			v, _ := d.Verdict(target, at)
			by[code] = &Drop{Code: code, ClusterType: d.hub.clusters[at].Name, Asked: v.Asked, Found: v.Found}
		}
		by[code].Count++
	}
	var all []Drop
	for _, drop := range by {
		all = append(all, *drop)
	}
	slices.SortFunc(all, func(a, b Drop) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(string(a.Code), string(b.Code)))
	})
	return all
}

// emptyGroups returns the decision groups that get nothing, if there is something to get.
func (d *Decision) emptyGroups() []clusterv1beta1.DecisionGroup {
	if d.union.None() {
		return nil
	}
	got := map[string]bool{}
	for _, g := range d.groups {
		got[g.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(d.plan.placement.Spec.DecisionStrategy.GroupStrategy.DecisionGroups),
		func(g clusterv1beta1.DecisionGroup) bool { return got[g.GroupName] })
}

// unknownTopologies returns the topologies that a spread names and no cluster has.
func (d *Decision) unknownTopologies() []Topology {
	var all []Topology
	constraints := d.plan.placement.Spec.SpreadPolicy.SpreadConstraints
	for i := range constraints {
		has := func(at int) bool { _, known := d.hub.clusters[at].topology(&constraints[i]); return known }
		if len(d.feasible) > 0 && !slices.ContainsFunc(d.feasible, has) {
			all = append(all, Topology{constraints[i].TopologyKeyType == clusterv1beta1.TopologyKeyTypeClaim, constraints[i].TopologyKey,
				len(d.feasible)})
		}
	}
	return all
}

// unanswered returns the expressions that were asked and never gave an answer.
func (p *plan) unanswered() []Unanswered {
	var all []Unanswered
	for i := range p.predicates {
		for _, e := range p.predicates[i].expressions {
			if e.asked != "" && !e.answered {
				all = append(all, Unanswered{e.text, e.asked, e.said})
			}
		}
	}
	return all
}
