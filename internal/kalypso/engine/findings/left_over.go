// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
)

// leftOver tells what takes no part in the environment. Of an environment without
// deployment targets it is told once, since nothing takes part in it. What serves
// another environment is not left over: the same manifests are used for all of them.
func leftOver(in Input, usage *composition.Usage) []Finding {
	all := notFollowed(in.Fleet)
	if len(in.Fleet.Targets) == 0 {
		return append(all, emptyEnvironment(in.Fleet))
	}
	p := in.Placement
	unused := usage.Unused()
	all = append(all, unassigned(p)...)
	if len(p.IdlePolicies)+len(p.IdleClusterTypes)+len(unused) == 0 {
		return all
	}
	words, there := newVocabulary(in.Fleet), serving(in)
	return slices.Concat(all,
		idlePolicies(there.idlePolicies(p.IdlePolicies), words),
		idleClusterTypes(common(p.IdleClusterTypes, there.placement.IdleClusterTypes)),
		unusedConfigMaps(in.Fleet, common(unused, there.unused), words))
}

func emptyEnvironment(f *fleet.Fleet) Finding {
	named := map[string]bool{}
	for _, environments := range f.Elsewhere {
		for _, environment := range environments {
			named[environment] = true
		}
	}
	message := fmt.Sprintf("No deployment target names %s: the manifests hold no deployment target.", f.Environment)
	if len(named) > 0 {
		message = fmt.Sprintf("No deployment target names %s%s; the manifests name %s.",
			f.Environment, nearest(f.Environment, named), strings.Join(slices.Sorted(maps.Keys(named)), ", "))
	}
	return newFinding(EnvironmentEmpty, "Environment/"+f.Environment, message)
}

// otherEnvironments are what the manifests place and leave over in all environments
// but the one at hand.
type otherEnvironments struct {
	placement *placement.Placement
	unused    []string
}

func serving(in Input) otherEnvironments {
	// Selectors that cannot be used are told for this environment, and select nothing there.
	p, _ := placement.Place(in.Fleet.OtherEnvironments())
	return otherEnvironments{p, in.Composer.Usage(p.Assignments).Unused()}
}

// idlePolicies returns those of the policies that serve no other environment either. A
// policy that selects targets there is idle for its cluster types alone.
func (o otherEnvironments) idlePolicies(here []placement.IdlePolicy) []placement.IdlePolicy {
	idleThere := map[string]placement.IdlePolicy{}
	for _, idle := range o.placement.IdlePolicies {
		idleThere[idle.Policy.Name] = idle
	}
	var idle []placement.IdlePolicy
	for _, policy := range here {
		there, isIdle := idleThere[policy.Policy.Name]
		policy.NoTargets = policy.NoTargets && isIdle && there.NoTargets
		if policy.NoTargets || policy.NoClusterTypes {
			idle = append(idle, policy)
		}
	}
	return idle
}

// common returns what two sorted lists have in common.
func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(name string) bool {
		_, found := slices.BinarySearch(b, name)
		return !found
	})
}
