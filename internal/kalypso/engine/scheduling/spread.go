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

// topology returns the value of a cluster for a constraint, and whether the value exists. A
// cluster without a value breaks the constraint.
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
	values      [][]int // by constraint and cluster, numbered from 0; or unknown
	counts      [][]int // by constraint and value
	least       []int   // the lowest of counts, by constraint
}

// unknown represents a missing value of a cluster.
const unknown = -1

// topologies returns the values of clusters by constraint and position, for a spreader. The
// values of other clusters mean nothing.
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

// spread chooses up to n of the clusters, which are in their order. Each choice is the first
// cluster that breaks no mandatory constraint and as few optional constraints as possible.
// Earlier constraints weigh more. spread changes clusters.
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

// broken returns the optional constraints that one more cluster would break, with earlier
// constraints in higher bits. allowed is false if the cluster would break a mandatory
// constraint.
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

// explainSpread returns the requirements of the constraints, and the topologies of the
// cluster.
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
