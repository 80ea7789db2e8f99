// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

// TestSpreadIsPlain compares decisions with a plain form of the rule: every choice looks at
// every cluster and every value.
func TestSpreadIsPlain(t *testing.T) {
	t.Parallel()
	for seed := range race.Seeds(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		h := &hub{}
		var order []ranked
		var feasible []int
		for i := range 1 + r.IntN(40) {
			c := &cluster{ManagedCluster: &clusterv1.ManagedCluster{}}
			c.Labels = map[string]string{}
			for _, key := range []string{"a", "b"} {
				if n := r.IntN(8); n > 0 {
					c.Labels[key] = string(rune('0' + n))
				}
			}
			h.clusters, feasible, order = append(h.clusters, c), append(feasible, i), append(order, ranked{at: i})
		}
		var constraints []clusterv1beta1.SpreadConstraintsTerm
		for _, key := range []string{"a", "b"}[:1+r.IntN(2)] {
			when := []clusterv1beta1.UnsatisfiableMaxSkewAction{clusterv1beta1.DoNotSchedule, clusterv1beta1.ScheduleAnyway}[r.IntN(2)]
			constraints = append(constraints, clusterv1beta1.SpreadConstraintsTerm{MaxSkew: int32(1 + r.IntN(2)), TopologyKey: key,
				TopologyKeyType: clusterv1beta1.TopologyKeyTypeLabel, WhenUnsatisfiable: when})
		}
		n := 1 + r.IntN(len(order))
		want := plain(h, n, order, constraints)
		if got := h.topologies(feasible, constraints).spread(n, order); !slices.Equal(got, want) {
			t.Fatalf("seed %d: got %v, want %v", seed, got, want)
		}
	}
}

func plain(h *hub, n int, order []ranked, constraints []clusterv1beta1.SpreadConstraintsTerm) []ranked {
	var chosen []ranked
	for len(chosen) < n {
		best, least := -1, math.MaxInt
		for i, candidate := range order {
			if slices.Contains(chosen, candidate) {
				continue
			}
			if broken := plainlyBroken(h, candidate, order, chosen, constraints); broken < least {
				best, least = i, broken
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, order[best])
	}
	return chosen
}

// plainlyBroken weighs the constraints that one more cluster would break; the highest weight
// if the cluster is not allowed.
func plainlyBroken(h *hub, candidate ranked, order, chosen []ranked, constraints []clusterv1beta1.SpreadConstraintsTerm) int {
	broken := 0
	for i := range constraints {
		counts := map[string]int{}
		for _, r := range order {
			if value, known := h.clusters[r.at].topology(&constraints[i]); known {
				counts[value] += 0
			}
		}
		for _, r := range chosen {
			if value, known := h.clusters[r.at].topology(&constraints[i]); known {
				counts[value]++
			}
		}
		least := math.MaxInt
		for _, count := range counts {
			least = min(least, count)
		}
		broken *= 2
		if value, known := h.clusters[candidate.at].topology(&constraints[i]); known && counts[value]+1-least <= int(constraints[i].MaxSkew) {
			continue
		}
		if constraints[i].WhenUnsatisfiable == clusterv1beta1.DoNotSchedule {
			return math.MaxInt
		}
		broken++
	}
	return broken
}
