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
		there.idlePolicies(p.IdlePolicies, words),
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
	// areNamed reports whether Environment objects name some: the manifests may lack what
	// belongs to them.
	areNamed bool
	// isWaiting reports whether a deployment target of the environment at hand is placed
	// nowhere, which an idle policy may explain.
	isWaiting bool
}

func serving(in Input) otherEnvironments {
	// Selectors that cannot be used are told for this environment, and select nothing there.
	p, _ := placement.Place(in.Fleet.OtherEnvironments())
	return otherEnvironments{
		placement: p, unused: in.Composer.Usage(p.Assignments).Unused(),
		areNamed: in.Fleet.NamesOthers(), isWaiting: len(in.Placement.UnassignedTargets) > 0,
	}
}

// idlePolicies tells which policies serve no environment. It tells of one that is probably
// meant for another environment only where a label looks misspelled. That is a policy that
// selects targets of other environments alone. Where no target waits for a policy, it is
// also one that selects some targets of others, and any where others are named.
func (o otherEnvironments) idlePolicies(here []placement.IdlePolicy, words *vocabulary) []Finding {
	idleThere := map[string]placement.IdlePolicy{}
	for _, idle := range o.placement.IdlePolicies {
		idleThere[idle.Policy.Name] = idle
	}
	var found []Finding
	for _, policy := range here {
		there, isIdle := idleThere[policy.Policy.Name]
		selectsThere := !isIdle || !there.NoTargets
		isTheirs := policy.NoTargets && selectsThere || !o.isWaiting && (selectsThere || o.areNamed)
		policy.NoTargets = policy.NoTargets && !selectsThere
		if !policy.NoTargets && !policy.NoClusterTypes {
			continue
		}
		if f := idlePolicy(policy, words); !isTheirs || strings.Contains(f.Message, theNearestIs) {
			found = append(found, f)
		}
	}
	return found
}

// common returns what two sorted lists have in common.
func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(name string) bool {
		_, found := slices.BinarySearch(b, name)
		return !found
	})
}
