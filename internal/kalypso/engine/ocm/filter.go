// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"fmt"
	"slices"
	"strings"

	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// filter is a step that drops candidates.
type filter struct {
	code  Code
	keeps func(p *plan, c *cluster) bool
	// says returns the requirement of the step, and the actual value of a dropped cluster.
	says func(p *plan, c *cluster) (asked, found string)
}

// filters are the filters, in their order. A new filter is a row.
var filters = []*filter{
	{CodeClusterSet, inSets, func(p *plan, c *cluster) (asked, found string) {
		return "label " + setLabel + " = " + strings.Join(p.placement.Spec.ClusterSets, " or "), valueOf(c.labels, setLabel)
	}},
	{CodePredicate, meetsPredicates, explainPredicates},
	{CodeTaint, func(p *plan, c *cluster) bool { return untolerated(p, c) == nil }, func(p *plan, c *cluster) (asked, found string) {
		return "only tolerated taints", "taint " + taintText(*untolerated(p, c))
	}},
}

const setLabel = "cluster.open-cluster-management.io/clusterset"

// globalSet is the set that contains every cluster, on every hub.
const globalSet = "global"

// inSets reports whether the cluster is in one of the sets. Without sets, every cluster is.
func inSets(p *plan, c *cluster) bool {
	sets := p.placement.Spec.ClusterSets
	if len(sets) == 0 || slices.Contains(sets, globalSet) {
		return true
	}
	set, labelled := c.labels[setLabel]
	return labelled && slices.Contains(sets, set)
}

// untolerated returns the first taint of the cluster that the placement does not tolerate;
// nil if it tolerates all.
func untolerated(p *plan, c *cluster) *clusterv1.Taint {
	for i := range c.taints {
		taint := &c.taints[i]
		switch {
		case taint.Effect == clusterv1.TaintEffectPreferNoSelect:
		case taint.Effect == clusterv1.TaintEffectNoSelectIfNew && p.decided[c.name]:
		case slices.ContainsFunc(p.placement.Spec.Tolerations, func(t clusterv1beta1.Toleration) bool { return tolerates(t, *taint) }):
		default:
			return taint
		}
	}
	return nil
}

// tolerates reports whether a toleration matches the taint.
func tolerates(t clusterv1beta1.Toleration, taint clusterv1.Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	return t.Operator == clusterv1beta1.TolerationOpExists || t.Value == taint.Value
}

// taintText returns a taint in the form of kubectl: key=value:effect.
func taintText(t clusterv1.Taint) string {
	if t.Value == "" {
		return fmt.Sprintf("%s:%s", t.Key, t.Effect)
	}
	return fmt.Sprintf("%s=%s:%s", t.Key, t.Value, t.Effect)
}
