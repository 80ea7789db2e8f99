// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package placement decides which deployment target goes on which cluster type
// (docs/guides/semantics.md, section 2).
package placement

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bits-and-blooms/bitset"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/ocm"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Placement is the assignments, and the objects that were left over. Every list is sorted.
type Placement struct {
	Assignments []*Assignment
	// UnassignedTargets are the full names of deployment targets on no cluster type.
	UnassignedTargets []string
	// IdleClusterTypes are the names of cluster types without any target.
	IdleClusterTypes []string
	// IdlePolicies are the policies that select no pair.
	IdlePolicies []IdlePolicy
	// Outcomes are the results of placements for the policies that name them.
	Outcomes []ocm.Outcome
}

// IdlePolicy is a policy that selects no pair, since it selects nothing on one
// side or on both.
type IdlePolicy struct {
	Policy                    *manifest.SchedulingPolicy
	NoTargets, NoClusterTypes bool
}

// Assignment is one deployment target on one cluster type.
type Assignment struct {
	ClusterType *manifest.ClusterType
	Target      *fleet.Target
	// Policies are the names of the scheduling policies that select the pair, sorted.
	Policies []string
	// Decided is the decisions of placements; nil if none of the policies names one.
	Decided *Decided
	// Namespace is <environment>-<clusterType>-<workload>-<target>.
	Namespace string
}

// NewAssignment returns the assignment of a deployment target to a cluster type of a fleet, without
// policies.
func NewAssignment(f *fleet.Fleet, ct *manifest.ClusterType, t *fleet.Target) *Assignment {
	return &Assignment{ClusterType: ct, Target: t, Namespace: f.Environment + "-" + ct.Name + "-" + t.FullName}
}

// Decided is the decisions of placements about an assignment.
type Decided struct {
	// Placements are those that have decided, sorted by the policies that name them.
	Placements []string
	// Group is the decision group of the cluster type in the first of them.
	Group ocm.Group
}

// Key returns <cluster type>/<deployment target>, which is unique in an
// environment and the assignment's folder in the GitOps repository.
func (a *Assignment) Key() string { return Key(a.ClusterType.Name, a.Target.FullName) }

// Compare orders assignments by cluster type, then by deployment target.
func Compare(a, b *Assignment) int {
	return cmp.Or(strings.Compare(a.ClusterType.Name, b.ClusterType.Name), strings.Compare(a.Target.FullName, b.Target.FullName))
}

// Key joins the names of a cluster type and a deployment target.
func Key(clusterType, target string) string { return clusterType + "/" + target }

// ClusterTypes returns the cluster types that have an assignment.
func (p *Placement) ClusterTypes() []*manifest.ClusterType {
	var used []*manifest.ClusterType
	for _, a := range p.Assignments { // sorted by cluster type
		used = append(used, a.ClusterType)
	}
	return slices.Compact(used)
}

// Place puts every deployment target on the cluster types that the scheduling
// policies select for it. A pair that several policies select is one
// assignment that lists them all. A policy that names a placement gets those cluster types
// that the placement decides on. Errors (a problem.List): those of ocm.Decide.
// Cost: policies times objects, and the size of the result; that of ocm.Decide where placements
// are named.
func Place(f *fleet.Fleet) (*Placement, error) {
	all := selections(f)
	decisions, err := decide(f, all)
	pairs := newPairs(f)
	var idle []IdlePolicy
	var outcomes []ocm.Outcome
	for _, s := range all { // by name, so the lists of policies in the assignments are sorted
		d := decisions[s.Policy.Name]
		pairs.add(s.Use, d)
		if s.ClusterTypes.None() || s.Targets.None() {
			idle = append(idle, IdlePolicy{Policy: s.Policy, NoTargets: s.Targets.None(), NoClusterTypes: s.ClusterTypes.None()})
		}
		if d != nil {
			outcomes = append(outcomes, d.Outcome())
		}
	}
	result := pairs.placement()
	result.IdlePolicies, result.Outcomes = idle, outcomes
	return result, err
}

// decide has the placements decide that policies name.
func decide(f *fleet.Fleet, all []selection) (map[string]*ocm.Decision, error) {
	var uses []ocm.Use
	for _, s := range all {
		if s.Policy.Placement != "" {
			uses = append(uses, s.Use)
		}
	}
	if len(uses) == 0 {
		return nil, nil
	}
	return ocm.Decide(f, uses)
}

// Explicit makes a placement of assignments that were decided elsewhere: a map
// from <cluster type>/<deployment target> to the names of the policies that
// want it, which may be empty. Errors (a problem.List): a key that names no
// cluster type or no deployment target of the fleet.
func Explicit(f *fleet.Fleet, assignments map[string][]string) (*Placement, error) {
	var problems problem.List
	pairs := newPairs(f)
	for key, policies := range assignments {
		clusterType, target, _ := strings.Cut(key, "/")
		c, haveClusterType := slices.BinarySearchFunc(f.ClusterTypes, clusterType,
			func(ct *manifest.ClusterType, name string) int { return strings.Compare(ct.Name, name) })
		t, haveTarget := slices.BinarySearchFunc(f.Targets, target,
			func(t *fleet.Target, name string) int { return strings.Compare(t.FullName, name) })
		problems.AddErr("Unknown assignment", UnknownPair(f, target, clusterType))
		if haveClusterType && haveTarget {
			pairs.policies[pair{c, t}] = slices.Sorted(slices.Values(policies))
		}
	}
	return pairs.placement(), problems.Err()
}

// pair is a cluster type and a target by their positions in the fleet.
type pair struct{ clusterType, target int }

type pairs struct {
	fleet    *fleet.Fleet
	policies map[pair][]string
	// decided has the decisions about pairs, of policies that name a placement.
	decided map[pair][]*ocm.Decision
}

func newPairs(f *fleet.Fleet) *pairs {
	return &pairs{fleet: f, policies: map[pair][]string{}, decided: map[pair][]*ocm.Decision{}}
}

// add records that a policy selects every target for every cluster type that it selects.
// If the policy names a placement, it is every target for the cluster types that the
// placement chose.
func (p *pairs) add(s ocm.Use, d *ocm.Decision) {
	if s.Policy.Placement != "" && d == nil {
		return // it could not be decided, which is a problem
	}
	for t := range s.Targets.EachSet() {
		chosen := s.ClusterTypes
		if d != nil {
			chosen = d.Chosen(int(t))
		}
		for c := range chosen.EachSet() {
			key := pair{int(c), int(t)}
			p.policies[key] = append(p.policies[key], s.Policy.Name)
			if d != nil {
				p.decided[key] = append(p.decided[key], d)
			}
		}
	}
}

// placement sorts the pairs into assignments and finds the objects that were left over.
func (p *pairs) placement() *Placement {
	sorted := slices.SortedFunc(maps.Keys(p.policies), func(a, b pair) int {
		return cmp.Or(a.clusterType-b.clusterType, a.target-b.target)
	})
	result := &Placement{Assignments: make([]*Assignment, len(sorted))}
	usedClusterTypes, usedTargets := bitset.New(0), bitset.New(0)
	for i, key := range sorted {
		result.Assignments[i] = NewAssignment(p.fleet, p.fleet.ClusterTypes[key.clusterType], p.fleet.Targets[key.target])
		result.Assignments[i].Policies = p.policies[key]
		if by := p.decided[key]; len(by) > 0 {
			decided := &Decided{Group: by[0].Group(key.clusterType)}
			for _, d := range by {
				decided.Placements = append(decided.Placements, d.Name)
			}
			result.Assignments[i].Decided = decided
		}
		usedClusterTypes.Set(uint(key.clusterType))
		usedTargets.Set(uint(key.target))
	}
	for i, ct := range p.fleet.ClusterTypes {
		if !usedClusterTypes.Test(uint(i)) {
			result.IdleClusterTypes = append(result.IdleClusterTypes, ct.Name)
		}
	}
	for i, t := range p.fleet.Targets {
		if !usedTargets.Test(uint(i)) {
			result.UnassignedTargets = append(result.UnassignedTargets, t.FullName)
		}
	}
	return result
}

// UnknownPair returns a problem.List that says which half of a pair does not exist in the
// environment, and which name was probably meant; nil if both halves exist.
func UnknownPair(f *fleet.Fleet, targetName, clusterTypeName string) error {
	var problems problem.List
	add := func(what, hint string) {
		problems.Add(problem.Problem{
			Summary: "Unknown assignment",
			Subject: Key(wording.Escaped(clusterTypeName), wording.Escaped(targetName)),
			Detail:  fmt.Sprintf("There is no %s. %s", what, hint),
		})
	}
	if _, exists := f.Target(targetName); !exists {
		names := make([]string, len(f.Targets))
		for i, t := range f.Targets {
			names[i] = t.FullName
		}
		hint := whatExists(targetName, "deployment target", names)
		if environments := f.Elsewhere[targetName]; len(environments) > 0 {
			hint = fmt.Sprintf("It belongs to environment %s.", wording.First(environments, wording.MaxOffered))
		}
		add(fmt.Sprintf("deployment target %s in environment %s", wording.Quoted(targetName), f.Environment), hint)
	}
	if _, exists := f.ClusterType(clusterTypeName); !exists {
		names := make([]string, len(f.ClusterTypes))
		for i, ct := range f.ClusterTypes {
			names[i] = ct.Name
		}
		add("cluster type "+wording.Quoted(clusterTypeName), whatExists(clusterTypeName, "cluster type", names))
	}
	return problems.Err()
}

// whatExists is the sentence that offers the name that was probably meant, or else the
// names that exist.
func whatExists(name, what string, known []string) string {
	if meant := wording.DidYouMean(name, known); meant != "" {
		return strings.TrimSuffix(meant, " ")
	}
	if len(known) == 0 {
		return fmt.Sprintf("The manifests hold no %s for this environment.", what)
	}
	return fmt.Sprintf("The %ss are %s.", what, wording.First(known, wording.MaxOffered))
}
