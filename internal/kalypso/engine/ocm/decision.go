// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/bits-and-blooms/bitset"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Decision is the decision of a placement for a policy.
type Decision struct {
	// Name is the name of the placement.
	Name string

	wanted  int // how many cluster types the placement asks for; -1 for all
	missing []MissingScore

	hub  *hub
	use  Use
	plan *plan // nil if PlacementDecisions have decided

	dropped  map[int]*filter // the filter that dropped each cluster type
	feasible []int           // the cluster types that passed the filters
	scores   [][]int64       // by prioritizer, of the feasible cluster types
	order    []ranked        // the feasible cluster types with their totals

	chosen map[int]*bitset.BitSet // by target if the placement decides for each; otherwise of everyTarget
	union  *bitset.BitSet
	groups map[int]Group
}

// MissingScore is a score that some cluster types lack. It counts 0.
type MissingScore struct {
	Prioritizer string
	// ClusterTypes are the cluster types without the score, sorted. Among is how many are
	// scored.
	ClusterTypes []string
	Among        int
}

// everyTarget represents all targets in a decision.
const everyTarget = -1

// plan is a placement that is ready to decide.
type plan struct {
	placement    *manifest.Placement
	predicates   []selector
	prioritizers []Prioritizer
	groupings    []grouping
	decided      map[string]bool
}

func (d *Decision) decide() {
	d.filter()
	d.rank()
	if n := d.plan.placement.Spec.NumberOfClusters; n != nil {
		d.wanted = int(*n)
	}
	d.chosen, d.union = map[int]*bitset.BitSet{}, bitset.New(uint(len(d.hub.clusters)))
	if d.use.Policy.PerTarget {
		for target := range d.use.Targets.EachSet() {
			d.choose(int(target))
		}
	} else {
		d.choose(everyTarget)
	}
	d.groups = d.hub.group(d.plan, d.union)
}

// filter divides the candidates into feasible and dropped ones.
func (d *Decision) filter() {
	d.dropped = map[int]*filter{}
	for i := range d.use.ClusterTypes.EachSet() {
		at := int(i)
		by := slices.IndexFunc(filters, func(f *filter) bool { return !f.keeps(d.plan, d.hub.clusters[at]) })
		if by < 0 {
			d.feasible = append(d.feasible, at)
			continue
		}
		d.dropped[at] = filters[by]
	}
}

func (d *Decision) rank() {
	d.order = make([]ranked, len(d.feasible))
	for i, at := range d.feasible {
		d.order[i].at = at
	}
	for _, p := range d.plan.prioritizers {
		scores, missing := d.hub.score(p, d.feasible, d.plan.decided)
		for i, score := range scores {
			d.order[i].total += score * p.Weight
		}
		d.scores = append(d.scores, scores)
		if len(missing) > 0 {
			of := MissingScore{Prioritizer: p.Name, Among: len(d.feasible)}
			for _, at := range missing {
				of.ClusterTypes = append(of.ClusterTypes, d.hub.clusters[at].name)
			}
			d.missing = append(d.missing, of)
		}
	}
}

func (d *Decision) choose(target int) {
	set := bitset.New(uint(len(d.hub.clusters)))
	for rank, r := range d.ordered(target) {
		if d.takes(rank) {
			set.Set(uint(r.at))
		}
	}
	d.chosen[target] = set
	d.union.InPlaceUnion(set)
}

func (d *Decision) takes(rank int) bool { return d.wanted < 0 || rank < d.wanted }

// ordered returns the feasible clusters, in their order for a target.
func (d *Decision) ordered(target int) []ranked {
	seed := hashOf(d.Name)
	if target != everyTarget {
		seed = hashOf(d.Name, d.hub.fleet.Targets[target].FullName)
	}
	ordered := slices.Clone(d.order)
	for i := range ordered {
		ordered[i].hash = mix(seed ^ d.hub.clusters[ordered[i].at].hash)
	}
	slices.SortFunc(ordered, compare)
	return ordered
}

// follow reads the decision of another scheduler from PlacementDecisions.
func (d *Decision) follow(decisions []*manifest.PlacementDecision) error {
	for _, other := range decisions {
		if other.Namespace != decisions[0].Namespace {
			return problem.List{{
				Summary: "Invalid placement", Subject: d.use.Policy.ID(), Where: d.use.Policy.Source.String(),
				Detail: fmt.Sprintf("The manifests contain PlacementDecisions of the placement %s in two namespaces, %s and %s. Keep those of one "+
					"namespace.", d.Name, decisions[0].Namespace, other.Namespace),
			}}
		}
	}
	d.union, d.groups = bitset.New(uint(len(d.hub.clusters))), map[int]Group{}
	for _, of := range decisions {
		name, index := of.Group()
		for _, c := range of.Status.Decisions {
			at, found := slices.BinarySearchFunc(d.hub.clusters, c.ClusterName,
				func(c *cluster, name string) int { return strings.Compare(c.name, name) })
			if found && d.use.ClusterTypes.Test(uint(at)) {
				d.union.Set(uint(at))
				d.groups[at] = Group{Placement: d.Name, Name: name, Index: index}
			}
		}
	}
	d.chosen = map[int]*bitset.BitSet{everyTarget: d.union}
	return nil
}

// Chosen returns the cluster types for a target. Both are positions in the fleet.
func (d *Decision) Chosen(target int) *bitset.BitSet {
	if set, own := d.chosen[target]; own {
		return set
	}
	return d.chosen[everyTarget]
}

// Group returns the decision group of a chosen cluster type.
func (d *Decision) Group(clusterType int) Group { return d.groups[clusterType] }

// ranked is a cluster with the values that determine its rank.
type ranked struct {
	at    int // the position of the cluster type
	total int64
	hash  uint64
}

// compare puts the higher total first. Ours: if totals are equal, a hash of placement and cluster
// decides, not the name. So placements spread over the clusters. A new cluster takes over only what it
// wins, and a removed cluster gives up only what it had.
func compare(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(b.hash, a.hash), cmp.Compare(a.at, b.at))
}

// hashOf returns the hash of a name. It must never change, because decisions would move.
func hashOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, part := range parts {
		_, _ = h.Write([]byte(part)) // a hash never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// mix spreads the bits of a number (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
