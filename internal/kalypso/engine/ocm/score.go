// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"slices"

	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// maxScore is the highest score of a prioritizer. The lowest score is its negative.
const maxScore = 100

// Prioritizer scores cluster types. Its score times its weight is a part of the total.
type Prioritizer struct {
	// Name is the name of a built-in prioritizer, or AddOn/<resource>/<score>.
	Name   string
	Weight int64
	addOn  *clusterv1beta1.AddOnScore
}

// prioritizers returns the prioritizers of a placement that have a weight, in the order of
// explanations.
func (h *hub) prioritizers(p *manifest.Placement) []Prioritizer {
	policy := p.Spec.PrioritizerPolicy
	var all []Prioritizer
	if policy.Mode != clusterv1beta1.PrioritizerPolicyModeExact {
		all = append(all, Prioritizer{Name: manifest.PrioritizerSteady, Weight: 1})
		// Ours: without history, Balance would move everything at each change.
		if len(h.fleet.PlacementDecisions) > 0 {
			all = append(all, Prioritizer{Name: manifest.PrioritizerBalance, Weight: 1})
		}
	}
	for _, c := range policy.Configurations {
		added := Prioritizer{Weight: int64(c.Weight)}
		if s := c.ScoreCoordinate; s.Type == clusterv1beta1.ScoreCoordinateTypeAddOn {
			added.Name, added.addOn = "AddOn/"+s.AddOn.ResourceName+"/"+s.AddOn.ScoreName, s.AddOn
		} else {
			added.Name = s.BuiltIn
			all = slices.DeleteFunc(all, func(p Prioritizer) bool { return p.Name == s.BuiltIn })
		}
		all = append(all, added)
	}
	return slices.DeleteFunc(all, func(p Prioritizer) bool { return p.Weight == 0 })
}

// score returns the scores of clusters, and the clusters that lack the value for a score.
func (h *hub) score(p Prioritizer, clusters []int, decided map[string]bool) (scores []int64, missing []int) {
	if p.addOn != nil {
		return h.scoreEach(clusters, func(c *cluster) (int64, bool) { return h.addOnScore(c, p.addOn) })
	}
	switch p.Name {
	case manifest.PrioritizerSteady:
		return h.scoreEach(clusters, func(c *cluster) (int64, bool) {
			if decided[c.name] {
				return maxScore, true
			}
			return 0, true
		})
	case manifest.PrioritizerBalance:
		return h.scoreEach(clusters, func(c *cluster) (int64, bool) {
			if h.counts[c.name] == 0 {
				return maxScore, true
			}
			return 2 * int64(maxScore*(0.5-float64(h.counts[c.name])/float64(h.most))), true
		})
	case manifest.PrioritizerCPU:
		return h.scoreResource(clusters, clusterv1.ResourceCPU)
	case manifest.PrioritizerMemory:
		return h.scoreResource(clusters, clusterv1.ResourceMemory)
	default:
		panic("no score for the prioritizer " + p.Name) // manifest.Prioritizers has one more
	}
}

// scoreEach scores clusters one by one. An unknown value scores 0.
func (h *hub) scoreEach(clusters []int, of func(*cluster) (score int64, known bool)) (scores []int64, missing []int) {
	scores = make([]int64, len(clusters))
	for i, at := range clusters {
		score, known := of(h.clusters[at])
		if !known {
			missing = append(missing, at)
			continue
		}
		scores[i] = score
	}
	return scores, missing
}

// scoreResource gives the highest score to the cluster with the most of a resource, and the
// lowest score to the cluster with the least.
func (h *hub) scoreResource(clusters []int, of clusterv1.ResourceName) (scores []int64, missing []int) {
	least, most, some := 0.0, 0.0, false
	for _, at := range clusters {
		amount, known := allocatable(h.clusters[at], of)
		if known && (!some || amount < least) {
			least = amount
		}
		if known && (!some || amount > most) {
			most = amount
		}
		some = some || known
	}
	return h.scoreEach(clusters, func(c *cluster) (int64, bool) {
		amount, known := allocatable(c, of)
		if most == least {
			return maxScore, known
		}
		return int64(((amount-least)/(most-least) - 0.5) * 2 * maxScore), known
	})
}

// allocatable returns how much of a resource a cluster has left. As on a hub, the amount is
// known only if the capacity is known.
func allocatable(c *cluster, of clusterv1.ResourceName) (amount float64, known bool) {
	quantity, known := c.status.Allocatable[of]
	if _, capacity := c.status.Capacity[of]; !known || !capacity {
		return 0, false
	}
	return quantity.AsApproximateFloat64(), true
}

func (h *hub) addOnScore(c *cluster, of *clusterv1beta1.AddOnScore) (score int64, known bool) {
	scores, exist := h.scores[scoreKey{c.name, of.ResourceName}]
	if !exist {
		return 0, false
	}
	for _, s := range scores.Scores {
		if s.Name == of.ScoreName {
			return int64(s.Value), true
		}
	}
	return 0, false
}
