// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling

import (
	"fmt"
	"slices"
	"strings"
)

// Step is the step that dropped a cluster type.
type Step string

// The codes, which never change. CodeChosen is the code of a chosen cluster type.
const (
	CodeChosen     Step = "HOLDS"
	CodeClusterSet Step = "CLUSTER_SET"
	CodePredicate  Step = "PREDICATE_NOT_MET"
	CodeTaint      Step = "TAINT_NOT_TOLERATED"
	CodeSpread     Step = "SPREAD"
	CodeNotAmongN  Step = "NOT_AMONG_N"
	CodeNotDecided Step = "NOT_DECIDED"
)

// Codes are all codes.
var Codes = []Step{CodeChosen, CodeClusterSet, CodePredicate, CodeTaint, CodeSpread, CodeNotAmongN, CodeNotDecided}

// Verdict is the verdict about a cluster type.
type Verdict struct {
	Code Step
	// Asked is the requirement of the step, and Found the actual value.
	Asked, Found string
	// Scores are the scores by prioritizer; empty if a filter dropped the cluster type.
	Scores []Score
}

// Score is the score that a prioritizer gives to a cluster type.
type Score struct {
	Prioritizer
	Score int64
}

// Verdict returns the verdict about a cluster type for a target, by their positions, and
// whether the cluster type was a candidate.
func (d *Decision) Verdict(target, clusterType int) (Verdict, bool) {
	if !d.use.ClusterTypes.Test(uint(clusterType)) {
		return Verdict{}, false
	}
	if d.plan == nil {
		v := Verdict{Code: CodeNotDecided, Asked: "a PlacementDecision that names the cluster type", Found: none}
		if d.union.Test(uint(clusterType)) {
			v.Code, v.Found = CodeChosen, "named"
		}
		return v, true
	}
	if code, dropped := d.dropped[clusterType]; dropped {
		return d.filtered(code, clusterType), true
	}
	return d.placed(target, clusterType), true
}

// filtered explains a cluster type that a filter dropped.
func (d *Decision) filtered(code Step, clusterType int) Verdict {
	v := Verdict{Code: code}
	c, spec := d.hub.clusters[clusterType], &d.plan.placement.Spec
	switch code {
	case CodeClusterSet:
		v.Asked, v.Found = "label "+setLabel+" = "+strings.Join(spec.ClusterSets, " or "), labelOf(c.Labels, setLabel)
	case CodePredicate:
		v.Asked, v.Found = d.hub.explainPredicates(d.plan.predicates, c)
	case CodeTaint:
		taint := untolerated(c, spec.Tolerations, d.plan.decided[c.Name])
		v.Asked, v.Found = "only tolerated taints", "taint "+TaintText(*taint)
	default: // no other step is a filter
	}
	return v
}

// placed explains order, spread and number.
func (d *Decision) placed(target, clusterType int) Verdict {
	if !d.use.Policy.PerTarget {
		target = everyTarget
	}
	var v Verdict
	for i, p := range d.plan.prioritizers {
		at, _ := slices.BinarySearch(d.feasible, clusterType)
		v.Scores = append(v.Scores, Score{p, d.scores[i][at]})
	}
	ordered, chosen := d.ordered(target), d.choose(target)
	isOf := func(at int) func(ranked) bool { return func(r ranked) bool { return r.at == at } }
	rank := slices.IndexFunc(ordered, isOf(clusterType))
	last := -1 // the rank of the last chosen cluster type
	for _, r := range chosen {
		last = max(last, slices.IndexFunc(ordered, isOf(r.at)))
	}
	v.Asked = "any rank"
	if d.wanted >= 0 {
		v.Asked = fmt.Sprintf("a rank among the first %d", d.wanted)
	}
	v.Found = fmt.Sprintf("rank %d of %d, total %d", rank+1, len(ordered), ordered[rank].total)
	switch {
	case slices.ContainsFunc(chosen, isOf(clusterType)):
		v.Code = CodeChosen
	case rank < last || len(chosen) < d.wanted || d.wanted < 0:
		v.Code = CodeSpread
		asked, found := explainSpread(d.hub.clusters[clusterType], d.plan.placement.Spec.SpreadPolicy.SpreadConstraints)
		v.Asked, v.Found = asked, found+"; "+v.Found
	default:
		v.Code = CodeNotAmongN
		if last >= 0 {
			v.Found += fmt.Sprintf("; the last chosen cluster type, %s, has %d", d.hub.clusters[ordered[last].at].Name, ordered[last].total)
			if ordered[last].total == ordered[rank].total {
				v.Found += ", the same total: a hash of names decides"
			}
		}
	}
	return v
}
