// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling

import (
	"fmt"
	"math"
	"slices"
	"strings"

	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// Ours: Open Cluster Management's API has a spread policy, but no scheduler follows it.

// topology returns the value that a cluster has for a constraint, and whether it has one.
// A cluster without a value is in no topology, and breaks the constraint.
func (c *cluster) topology(of *clusterv1beta1.SpreadConstraintsTerm) (value string, known bool) {
	from := c.Labels
	if of.TopologyKeyType == clusterv1beta1.TopologyKeyTypeClaim {
		from = c.claims
	}
	value, known = from[of.TopologyKey]
	return value, known
}

// spreader counts the chosen clusters in each topology.
type spreader struct {
	constraints []clusterv1beta1.SpreadConstraintsTerm
	values      [][]int // by constraint and cluster, counted from 0; unknown where it has none
	counts      [][]int // by constraint and value
	least       []int   // the lowest of counts, by constraint
}

// unknown stands for the value of a cluster that is in no topology.
const unknown = -1

// topologies returns the values of clusters by constraint and position, as a spreader has
// them. Those of other clusters say nothing.
func (h *hub) topologies(clusters []int, constraints []clusterv1beta1.SpreadConstraintsTerm) [][]int {
	all := make([][]int, len(constraints))
	for i := range constraints {
		all[i] = make([]int, len(h.clusters))
		numbers := map[string]int{}
		for _, at := range clusters {
			value, exists := h.clusters[at].topology(&constraints[i])
			if _, counted := numbers[value]; exists && !counted {
				numbers[value] = len(numbers)
			}
			if all[i][at] = unknown; exists {
				all[i][at] = numbers[value]
			}
		}
	}
	return all
}

// spread chooses up to n of the clusters, which are in their order. Each time it chooses
// the first one that breaks no mandatory constraint. Of those it prefers one that keeps
// the optional constraints, and earlier constraints weigh more. It changes clusters.
func spread(n int, clusters []ranked, values [][]int, constraints []clusterv1beta1.SpreadConstraintsTerm) (chosen []ranked) {
	s := spreader{constraints: constraints, values: values, least: make([]int, len(constraints))}
	for i := range constraints {
		s.counts = append(s.counts, make([]int, 1+slices.Max(values[i])))
	}
	for len(chosen) < n {
		best, bestBroken := -1, uint64(math.MaxUint64)
		for i, r := range clusters {
			if broken, allowed := s.broken(r.at); allowed && broken < bestBroken {
				best, bestBroken = i, broken
			}
			if bestBroken == 0 {
				break
			}
		}
		if best < 0 {
			break
		}
		s.count(clusters[best].at)
		chosen = append(chosen, clusters[best])
		clusters = slices.Delete(clusters, best, best+1)
	}
	return chosen
}

// broken returns which constraints one more cluster would break, those that weigh more in
// higher bits, and whether it may.
func (s *spreader) broken(cluster int) (broken uint64, allowed bool) {
	for i := range s.constraints {
		value := s.values[i][cluster]
		broken <<= 1
		if value != unknown && s.counts[i][value]+1-s.least[i] <= int(s.constraints[i].MaxSkew) {
			continue
		}
		if s.constraints[i].WhenUnsatisfiable == clusterv1beta1.DoNotSchedule {
			return 0, false
		}
		broken++
	}
	return broken, true
}

// count counts one more cluster.
func (s *spreader) count(cluster int) {
	for i, values := range s.values {
		if value := values[cluster]; value != unknown {
			s.counts[i][value]++
			s.least[i] = slices.Min(s.counts[i])
		}
	}
}

// explainSpread says what the constraints ask for, and the topologies of the cluster.
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
