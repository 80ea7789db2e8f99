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

// topologies are the topologies of a decision's clusters, for all targets.
type topologies struct {
	constraints []clusterv1beta1.SpreadConstraintsTerm
	values      []int   // how many values there are, by constraint
	alike       [][]int // the values of clusters of the same topologies, by constraint; unknown where they have none
	of          []int   // which of alike a cluster is of, by its position; those of others say nothing
}

// unknown stands for the value of a cluster that is in no topology.
const unknown = -1

// topologies puts clusters of the same topologies together.
func (h *hub) topologies(clusters []int, constraints []clusterv1beta1.SpreadConstraintsTerm) *topologies {
	t := &topologies{constraints: constraints, values: make([]int, len(constraints)), of: make([]int, len(h.clusters))}
	numbers := make([]map[string]int, len(constraints))
	for i := range numbers {
		numbers[i] = map[string]int{}
	}
	known := map[string]int{}
	for _, at := range clusters {
		values := make([]int, len(constraints))
		for i := range constraints {
			value, exists := h.clusters[at].topology(&constraints[i])
			if !exists {
				values[i] = unknown
				continue
			}
			number, counted := numbers[i][value]
			if !counted {
				number = len(numbers[i])
				numbers[i][value] = number
			}
			values[i] = number
		}
		key := fmt.Sprint(values)
		if _, exists := known[key]; !exists {
			known[key], t.alike = len(t.alike), append(t.alike, values)
		}
		t.of[at] = known[key]
	}
	for i := range numbers {
		t.values[i] = len(numbers[i])
	}
	return t
}

// spreader counts the chosen clusters in each topology.
type spreader struct {
	constraints []clusterv1beta1.SpreadConstraintsTerm
	counts      [][]int // by constraint and value
	least       []int   // the lowest of counts, by constraint
	atLeast     []int   // how many values have the lowest
}

// spread chooses up to n of the clusters, which are in their order. Each time it chooses
// the first one that breaks no mandatory constraint. Of those it prefers one that keeps
// the optional constraints, and earlier constraints weigh more. kept reports whether n
// break none, so that nothing behind the clusters could have been chosen instead.
func (t *topologies) spread(n int, clusters []ranked) (chosen []ranked, kept bool) {
	s := &spreader{constraints: t.constraints, least: make([]int, len(t.values)), atLeast: slices.Clone(t.values)}
	for _, values := range t.values {
		s.counts = append(s.counts, make([]int, values))
	}
	heads, next := t.group(clusters)
	kept = true
	for len(chosen) < n {
		best, bestBroken := -1, uint64(math.MaxUint64)
		for i, position := range heads {
			if broken, allowed := s.broken(t.at(clusters[position])); allowed && broken < bestBroken {
				best, bestBroken = i, broken
			}
			if bestBroken == 0 {
				break
			}
		}
		if best < 0 {
			return chosen, false
		}
		kept = kept && bestBroken == 0
		head := heads[best]
		chosen = append(chosen, clusters[head])
		s.count(t.at(clusters[head]))
		heads = slices.Delete(heads, best, best+1)
		if following := next[head]; following > 0 {
			at, _ := slices.BinarySearch(heads, following)
			heads = slices.Insert(heads, at, following)
		}
	}
	return chosen, kept
}

// at returns the values of a cluster.
func (t *topologies) at(r ranked) []int { return t.alike[t.of[r.at]] }

// group returns the positions of the first clusters of each topologies, in order, and for
// each position that of the next one of the same topologies, 0 if there is none.
func (t *topologies) group(clusters []ranked) (heads, next []int) {
	next = make([]int, len(clusters))
	last := make([]int, len(t.alike)) // the last position so far, counted from 1
	for position, r := range clusters {
		of := t.of[r.at]
		if last[of] == 0 {
			heads = append(heads, position)
		} else {
			next[last[of]-1] = position
		}
		last[of] = position + 1
	}
	return heads, next
}

// broken returns which constraints one more of the values would break, those that weigh
// more in higher bits, and whether it may.
func (s *spreader) broken(values []int) (broken uint64, allowed bool) {
	for i, value := range values {
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

// count counts one more of the values.
func (s *spreader) count(values []int) {
	for i, value := range values {
		if value == unknown {
			continue
		}
		s.counts[i][value]++
		if s.counts[i][value] != s.least[i]+1 {
			continue
		}
		if s.atLeast[i]--; s.atLeast[i] > 0 {
			continue
		}
		s.least[i]++
		for _, n := range s.counts[i] {
			if n == s.least[i] {
				s.atLeast[i]++
			}
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
