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
	// Wanted is how many cluster types the placement asks for; -1 for all.
	Wanted int
	// Short is how many targets got too few cluster types, or no cluster type. Fewest is the
	// smallest number that a target got.
	Short, Fewest int
	// Among is how many cluster types the policy selects. Chosen is how many the decision
	// chose.
	Among, Chosen int
	// Drops say why other clusters were dropped, for a target with the fewest; nil if Short
	// is 0.
	Drops   []Drop
	Missing []MissingScore
	// EmptyGroups are the decision groups that contain no chosen cluster.
	EmptyGroups []clusterv1beta1.DecisionGroup
	// Topologies are the topologies of the spread that no feasible cluster type has.
	Topologies []Topology
	// Unanswered are the expressions without true or false as the result for any cluster
	// type.
	Unanswered []Unanswered
}

// Drop is a step that dropped cluster types.
type Drop struct {
	Code  Step
	Count int
	// ClusterType is one of the dropped cluster types. Asked is the requirement of the step,
	// and Found the actual value.
	ClusterType, Asked, Found string
}

// Topology is a label or a claim by which a spread divides clusters.
type Topology struct {
	Claim bool
	Key   string
	// Among is how many cluster types were checked.
	Among int
}

// Unanswered is an expression without an answer, with the first cluster type and the result
// for it.
type Unanswered struct{ Expression, ClusterType, Said string }

// Outcome returns the result of the decision. Expressions count for all decisions of the
// run.
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

// drops counts the dropped clusters by step, for a target that got too few. Only the spread
// can drop a cluster that passed the filters.
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

// emptyGroups returns the decision groups without clusters, if any cluster was chosen.
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

// unanswered returns the expressions that were evaluated and never returned true or false.
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
