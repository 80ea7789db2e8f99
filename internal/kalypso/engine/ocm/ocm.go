// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package ocm decides on cluster types by Open Cluster Management's Placements,
// offline, with the meaning that they have on a hub. Each cluster type is a managed cluster
// there. "Ours" marks each difference from a hub.
//
// The steps are: candidates, cluster sets and taints (filter.go), predicates (predicate.go),
// scores (score.go), order and number (decision.go), and groups (group.go). Verdict names the step
// that drops a cluster type.
//
//	hub       what decides: the clusters, earlier decisions and scores
//	cluster   a cluster type as a hub knows it
//	use       a scheduling policy that names a placement
//	plan      a placement that is ready to decide
//	history   the clusters that earlier decisions of the placement chose
//	feasible  the candidates that pass all filters
//	decision  the chosen clusters of a use; outcome is its result in numbers
package ocm

import (
	"fmt"
	"maps"
	"slices"

	"github.com/bits-and-blooms/bitset"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Use is a scheduling policy that leaves the decision to a placement.
type Use struct {
	Policy *manifest.SchedulingPolicy
	// ClusterTypes and Targets are the objects that the policy's selectors select, as
	// positions in the fleet.
	ClusterTypes, Targets *bitset.BitSet
}

// Decide returns the decision for each use, by the names of the policies. Placements decide
// in the order of their names, because Balance reads earlier decisions.
//
// Errors (a problem.List): a placement that does not exist, and PlacementDecisions of several
// namespaces. Cost: the placements times their cluster types, and times the targets if a
// placement decides for each target.
func Decide(f *fleet.Fleet, uses []Use) (map[string]*Decision, error) {
	var problems problem.List
	h := newHub(f)
	byPlacement, evaluated := map[string][]Use{}, map[string]bool{}
	for _, u := range uses {
		name := u.Policy.Placement
		byPlacement[name], evaluated[name] = append(byPlacement[name], u), h.placement(name) != nil
	}
	h.countOthers(evaluated)

	decisions := make(map[string]*Decision, len(uses))
	for _, name := range slices.Sorted(maps.Keys(byPlacement)) {
		made, err := h.decideAll(name, byPlacement[name])
		problems.AddErr("Invalid placement", err)
		for _, d := range made {
			decisions[d.use.Policy.Name] = d
		}
	}
	return decisions, problems.Err()
}

// decideAll returns the decisions of one placement, which count for the Balance of the next
// ones.
func (h *hub) decideAll(name string, uses []Use) ([]*Decision, error) {
	p := h.placement(name)
	if p == nil {
		return h.followAll(name, uses)
	}
	prepared := &plan{
		placement: p, predicates: newPredicates(p), prioritizers: h.prioritizers(p), groupings: newGroupings(p), decided: h.history(p),
	}
	var all []*Decision
	union := bitset.New(uint(len(h.clusters)))
	for _, u := range uses {
		d := &Decision{hub: h, plan: prepared, Name: name, use: u, wanted: -1}
		d.decide()
		union.InPlaceUnion(d.union)
		all = append(all, d)
	}
	for i := range union.EachSet() {
		h.countOne(h.clusters[i].name)
	}
	return all, nil
}

// followAll returns the decisions that another scheduler has made.
func (h *hub) followAll(name string, uses []Use) ([]*Decision, error) {
	if h.histories[name] == nil {
		return nil, h.unknown(uses)
	}
	var all []*Decision
	for _, u := range uses {
		d := &Decision{hub: h, Name: name, use: u, wanted: -1}
		if err := d.follow(h.histories[name]); err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// unknown returns the problems of policies that name a placement that does not exist.
func (h *hub) unknown(uses []Use) error {
	var problems problem.List
	known := make([]string, 0, len(h.fleet.Placements))
	for _, p := range h.fleet.Placements {
		known = append(known, p.Name)
	}
	for name := range h.histories {
		known = append(known, name)
	}
	slices.Sort(known)
	for _, u := range uses {
		detail := fmt.Sprintf("The policy names the placement %q, but the manifests contain neither a Placement nor a PlacementDecision of this "+
			"name%s.", u.Policy.Placement, wording.Hint(u.Policy.Placement, known))
		if p, exists := h.placements[u.Policy.Placement]; exists && p.Disabled {
			detail = fmt.Sprintf("The placement %q leaves the decision to another scheduler, by an annotation, but the manifests contain no "+
				"PlacementDecision of this name.", p.Name)
		}
		problems.Add(problem.Problem{
			Summary: "Unknown placement", Subject: u.Policy.ID(), Where: u.Policy.Source.String(),
			Detail: detail + " Add the object, or correct the name.",
		})
	}
	return problems.Err()
}
