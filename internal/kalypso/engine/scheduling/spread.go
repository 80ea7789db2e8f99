// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling

import (
	"fmt"
	"maps"
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

// topologies are the values of the feasible clusters for constraints. Clusters of equal
// values are in one group.
type topologies struct {
	constraints []clusterv1beta1.SpreadConstraintsTerm
	sizes       []int   // how many values exist, by constraint
	groups      [][]int // the values, by group and constraint; from 0, or unknown
	group       []int   // by cluster; those of other clusters mean nothing
}

// unknown represents a missing value of a cluster.
const unknown = -1

func (h *hub) topologies(clusters []int, constraints []clusterv1beta1.SpreadConstraintsTerm) *topologies {
	t := &topologies{constraints: constraints, group: make([]int, len(h.clusters))}
	values := make([][]int, len(clusters))
	for i := range constraints {
		known := map[string]int{}
		for j, at := range clusters {
			of := unknown
			if value, exists := h.clusters[at].topology(&constraints[i]); exists {
				of = number(known, value)
			}
			values[j] = append(values[j], of)
		}
		t.sizes = append(t.sizes, len(known))
	}
	groups := map[string]int{}
	for j, at := range clusters {
		if t.group[at] = number(groups, fmt.Sprint(values[j])); t.group[at] == len(t.groups) {
			t.groups = append(t.groups, values[j])
		}
	}
	return t
}

// number returns the number of a text, which is the next one for a text that is not known.
func number(known map[string]int, text string) int {
	if _, exists := known[text]; !exists {
		known[text] = len(known)
	}
	return known[text]
}

// spreader counts the chosen clusters in each topology.
type spreader struct {
	*topologies
	counts [][]int // by constraint and value
	least  []int   // the lowest of counts, by constraint
}

// spread chooses up to n of the clusters, which are in their order. Each choice is the first
// cluster that breaks no mandatory constraint and as few optional constraints as possible.
// Earlier constraints weigh more.
func (t *topologies) spread(n int, clusters []ranked) (chosen []ranked) {
	s := spreader{topologies: t, least: make([]int, len(t.constraints))}
	for _, size := range t.sizes {
		s.counts = append(s.counts, make([]int, size))
	}
	heads, next := t.heads(clusters)
	for len(chosen) < n {
		best, bestBroken := -1, uint64(math.MaxUint64)
		for i, head := range heads {
			if broken, allowed := s.broken(t.of(clusters[head])); allowed && broken < bestBroken {
				best, bestBroken = i, broken
			}
			if bestBroken == 0 {
				break
			}
		}
		if best < 0 {
			break
		}
		head := heads[best]
		s.count(t.of(clusters[head]))
		chosen = append(chosen, clusters[head])
		heads = slices.Delete(heads, best, best+1)
		if following := next[head]; following > 0 {
			at, _ := slices.BinarySearch(heads, following)
			heads = slices.Insert(heads, at, following)
		}
	}
	return chosen
}

// of returns the values of a cluster.
func (t *topologies) of(r ranked) []int { return t.groups[t.group[r.at]] }

// heads returns the position of the first cluster of each group, in order. next has the
// following cluster of the same group by the position of a cluster; 0 if it is the last.
func (t *topologies) heads(clusters []ranked) (heads, next []int) {
	first := map[int]int{}
	next = make([]int, len(clusters))
	for i, r := range slices.Backward(clusters) {
		next[i], first[t.group[r.at]] = first[t.group[r.at]], i
	}
	return slices.Sorted(maps.Values(first)), next
}

// broken returns the optional constraints that one more cluster of the values would break,
// with earlier constraints in higher bits. allowed is false if the cluster would break a
// mandatory constraint.
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

func (s *spreader) count(values []int) {
	for i, value := range values {
		if value == unknown {
			continue
		}
		s.counts[i][value]++
		if !slices.Contains(s.counts[i], s.least[i]) {
			s.least[i]++
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
