// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling

import (
	"fmt"
	"math"
	"strings"

	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// Ours: Open Cluster Management's API has a spread policy, but no scheduler follows it.

// topology returns the value that a cluster has for a constraint, and whether it has one.
// What has none is in no topology, and breaks the constraint.
func (c *cluster) topology(of *clusterv1beta1.SpreadConstraintsTerm) (value string, known bool) {
	from := c.Labels
	if of.TopologyKeyType == clusterv1beta1.TopologyKeyTypeClaim {
		from = c.claims
	}
	value, known = from[of.TopologyKey]
	return value, known
}

// spreader counts what is chosen in each topology.
type spreader struct {
	constraints []clusterv1beta1.SpreadConstraintsTerm
	counts      []map[string]int // by constraint
	least       []int            // the lowest of counts
}

// alike are clusters of the same topologies, in their order.
type alike struct {
	values  []string
	known   []bool
	waiting []int // positions in the order
}

// spread chooses up to n of the clusters, which are in their order: each time the first
// one that breaks no constraint that must hold, and of those rather one that keeps what
// should hold, where earlier constraints weigh more.
func (h *hub) spread(n int, clusters []ranked, constraints []clusterv1beta1.SpreadConstraintsTerm) []ranked {
	s := &spreader{constraints: constraints, counts: make([]map[string]int, len(constraints)), least: make([]int, len(constraints))}
	for i := range s.counts {
		s.counts[i] = map[string]int{}
	}
	groups := s.group(h, clusters)
	var chosen []ranked
	for len(chosen) < n {
		best, bestBroken := -1, uint64(math.MaxUint64)
		for i, g := range groups {
			if len(g.waiting) == 0 {
				continue
			}
			broken, allowed := s.broken(g)
			if !allowed || broken > bestBroken || broken == bestBroken && groups[best].waiting[0] < g.waiting[0] {
				continue
			}
			best, bestBroken = i, broken
		}
		if best < 0 {
			break
		}
		g := groups[best]
		chosen = append(chosen, clusters[g.waiting[0]])
		g.waiting = g.waiting[1:]
		s.count(g)
	}
	return chosen
}

// group puts clusters of the same topologies together.
func (s *spreader) group(h *hub, clusters []ranked) []*alike {
	var groups []*alike
	byValues := map[string]*alike{}
	for position, r := range clusters {
		g := &alike{}
		var key strings.Builder
		for i := range s.constraints {
			value, known := h.clusters[r.at].topology(&s.constraints[i])
			g.values, g.known = append(g.values, value), append(g.known, known)
			fmt.Fprintf(&key, "%t %q ", known, value)
			if known {
				s.counts[i][value] = 0
			}
		}
		if same, exists := byValues[key.String()]; exists {
			g = same
		} else {
			byValues[key.String()], groups = g, append(groups, g)
		}
		g.waiting = append(g.waiting, position)
	}
	return groups
}

// broken returns which constraints one more of the group would break, those that weigh
// more in higher bits, and whether it may.
func (s *spreader) broken(g *alike) (broken uint64, allowed bool) {
	for i := range s.constraints {
		broken <<= 1
		if g.known[i] && s.counts[i][g.values[i]]+1-s.least[i] <= int(s.constraints[i].MaxSkew) {
			continue
		}
		if s.constraints[i].WhenUnsatisfiable == clusterv1beta1.DoNotSchedule {
			return 0, false
		}
		broken++
	}
	return broken, true
}

// count counts one more of the group.
func (s *spreader) count(g *alike) {
	for i := range s.constraints {
		if !g.known[i] {
			continue
		}
		s.counts[i][g.values[i]]++
		least := math.MaxInt
		for _, n := range s.counts[i] {
			least = min(least, n)
		}
		s.least[i] = least
	}
}

// explainSpread says what the constraints ask for, and where the cluster is.
func explainSpread(c *cluster, constraints []clusterv1beta1.SpreadConstraintsTerm) (asked, found string) {
	var wants, finds []string
	for i := range constraints {
		s := &constraints[i]
		what := strings.ToLower(string(s.TopologyKeyType)) + " " + s.TopologyKey
		wants = append(wants, fmt.Sprintf("at most %d more for one value of %s than for another", s.MaxSkew, what))
		value, known := c.topology(s)
		if !known {
			value = none
		}
		finds = append(finds, what+" = "+value)
	}
	return strings.Join(wants, ", "), strings.Join(finds, ", ")
}
