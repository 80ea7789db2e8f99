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
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// leftOver reports the objects that have no part in the environment. For an environment
// without deployment targets it reports this once, because nothing has a part in it. An
// object that serves another environment is not left over: all environments use the same
// manifests.
func leftOver(in Facts, usage *composition.Usage, replacing map[string][]string) []Finding {
	all := notFollowed(in.Fleet)
	if len(in.Fleet.Targets) == 0 {
		return append(all, emptyEnvironment(in.Fleet))
	}
	p := in.Placement
	unused := usage.Unused()
	all = append(all, unassigned(in.Fleet, p)...)
	if len(p.IdlePolicies)+len(p.IdleClusterTypes)+len(unused)+len(replacing) == 0 {
		return all
	}
	words := newVocabulary(in.Fleet)
	// Selectors that cannot be used are reported for this environment, and select nothing
	// there.
	there, _ := placement.Place(in.Fleet.OtherEnvironments())
	everywhere := in.Composer.Usage(slices.Concat(p.Assignments, there.Assignments))
	return slices.Concat(all,
		idlePolicies(in.Fleet, p.IdlePolicies, there.IdlePolicies, words),
		idleClusterTypes(common(p.IdleClusterTypes, there.IdleClusterTypes)),
		unusedConfigMaps(in.Fleet, everywhere.Unused(), words),
		overridden(replacing, everywhere.Overridden()))
}

func emptyEnvironment(f *fleet.Fleet) Finding {
	named := wording.Sorted(slices.Concat(slices.Collect(maps.Values(f.Elsewhere))...))
	environment := wording.Escaped(f.Environment)
	message := fmt.Sprintf("No deployment target names %s: the manifests hold no deployment target.", environment)
	if len(named) > 0 {
		message = fmt.Sprintf("No deployment target names %s%s; the manifests name %s.",
			environment, wording.Hint(f.Environment, named), wording.First(named, maxListed))
	}
	return newFinding(EnvironmentEmpty, "Environment/"+f.Environment, message)
}

// idlePolicies reports the policies that serve no environment: not this one, and no other
// one whose targets are among the manifests. If the objects of another environment are
// kept elsewhere, each of these policies may be meant for it.
func idlePolicies(f *fleet.Fleet, here, there []placement.IdlePolicy, words *vocabulary) []Finding {
	idleThere := map[string]bool{}
	for _, idle := range there {
		idleThere[idle.Policy.Name] = true
	}
	others := f.KeptElsewhere()
	isRead := slices.ContainsFunc(f.Metadata(), func(m manifest.Meta) bool {
		return strings.Contains(m.Source.Origin, "#") // repo#branch:file
	})
	var found []Finding
	for _, idle := range here {
		if idleThere[idle.Policy.Name] {
			one := idlePolicy(idle, words, others)
			if isRead {
				one.Message += " Objects in other folders, and in files that .sourceignore excludes, are not read."
			}
			found = append(found, one)
		}
	}
	return found
}

// common returns the common elements of two sorted lists.
func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(name string) bool {
		_, found := slices.BinarySearch(b, name)
		return !found
	})
}
