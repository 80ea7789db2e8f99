// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"cmp"
	"slices"
	"strings"

	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// Outcome is the result of a decision, without its steps.
type Outcome struct {
	Policy, Placement string
	// Wanted is how many cluster types the placement asks for; -1 for all.
	Wanted int
	// Short reports whether the decision has fewer cluster types than wanted, or none.
	Short bool
	// Among is how many cluster types the policy selects. Chosen is how many the decision
	// chose.
	Among, Chosen int
	// Drops say why the other cluster types were dropped, if Short.
	Drops   []Drop
	Missing []MissingScore
	// EmptyGroups are the decision groups that contain no chosen cluster.
	EmptyGroups []clusterv1beta1.DecisionGroup
}

// Drop is a step that dropped cluster types, with the verdict about one of them.
type Drop struct {
	Verdict
	Count       int
	ClusterType string
}

// Outcome returns the result of the decision.
func (d *Decision) Outcome() Outcome {
	o := Outcome{
		Policy: d.use.Policy.Name, Placement: d.Name, Wanted: d.wanted, Missing: d.missing,
		Among: int(d.use.ClusterTypes.Count()), Chosen: int(d.union.Count()),
	}
	if d.use.Targets.None() {
		return o
	}
	// If a placement finds too few cluster types, it chooses all of them for every target.
	if o.Short = d.wanted != 0 && (o.Chosen == 0 || o.Chosen < d.wanted); o.Short {
		o.Drops = d.drops()
	}
	o.EmptyGroups = d.emptyGroups()
	return o
}

// drops counts the dropped cluster types by step.
func (d *Decision) drops() []Drop {
	by := map[Code]*Drop{}
	for i := range d.use.ClusterTypes.EachSet() {
		if d.union.Test(i) {
			continue
		}
		v, _ := d.Verdict(everyTarget, int(i))
		if by[v.Code] == nil {
			by[v.Code] = &Drop{Verdict: v, ClusterType: d.hub.clusters[i].name}
		}
		by[v.Code].Count++
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
	if d.plan == nil || d.union.None() {
		return nil
	}
	got := map[string]bool{}
	for _, g := range d.groups {
		got[g.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(d.plan.placement.Spec.DecisionStrategy.GroupStrategy.DecisionGroups),
		func(g clusterv1beta1.DecisionGroup) bool { return got[g.GroupName] })
}
