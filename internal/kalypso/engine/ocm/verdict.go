// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"fmt"
	"slices"
)

// Code says how a requirement came out: it holds, or the step that dropped a cluster type.
type Code string

// The codes, which never change.
const (
	CodeHolds      Code = "HOLDS"
	CodeClusterSet Code = "CLUSTER_SET"
	CodePredicate  Code = "PREDICATE_NOT_MET"
	CodeTaint      Code = "TAINT_NOT_TOLERATED"
	CodeNotAmongN  Code = "NOT_AMONG_N"
	CodeNotDecided Code = "NOT_DECIDED"
)

// Codes are all codes.
var Codes = []Code{CodeHolds, CodeClusterSet, CodePredicate, CodeTaint, CodeNotAmongN, CodeNotDecided}

// Verdict is the verdict about a cluster type.
type Verdict struct {
	Code Code
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
		v := Verdict{Code: CodeNotDecided, Asked: "a PlacementDecision that names the cluster type", Found: None}
		if d.union.Test(uint(clusterType)) {
			v.Code, v.Found = CodeHolds, "named"
		}
		return v, true
	}
	if by, dropped := d.dropped[clusterType]; dropped {
		v := Verdict{Code: by.code}
		v.Asked, v.Found = by.says(d.plan, d.hub.clusters[clusterType])
		return v, true
	}
	return d.placed(target, clusterType), true
}

// placed explains the rank of a cluster type that passed the filters.
func (d *Decision) placed(target, clusterType int) Verdict {
	if !d.use.Policy.PerTarget {
		target = everyTarget
	}
	ordered := d.ordered(target)
	rank := slices.IndexFunc(ordered, func(r ranked) bool { return r.at == clusterType })
	v := Verdict{Code: CodeHolds, Asked: "any rank", Found: fmt.Sprintf("rank %d of %d, total %d", rank+1, len(ordered), ordered[rank].total)}
	for i, p := range d.plan.prioritizers {
		at, _ := slices.BinarySearch(d.feasible, clusterType)
		v.Scores = append(v.Scores, Score{p, d.scores[i][at]})
	}
	if d.wanted < 0 {
		return v
	}
	v.Asked = fmt.Sprintf("a rank among the first %d", d.wanted)
	if d.takes(rank) {
		return v
	}
	v.Code = CodeNotAmongN
	if d.wanted > 0 {
		last := ordered[d.wanted-1]
		v.Found += fmt.Sprintf("; the last chosen cluster type, %s, has %d", d.hub.clusters[last.at].name, last.total)
		if last.total == ordered[rank].total {
			v.Found += ", the same total: a hash of names decides"
		}
	}
	return v
}
