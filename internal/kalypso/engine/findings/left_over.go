// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// emptyEnvironment reports an environment without deployment targets. No object has a part in it,
// so the rows about assignments are left out.
func emptyEnvironment(s *search) {
	if len(s.Fleet.Targets) > 0 {
		return
	}
	named := wording.Sorted(slices.Concat(slices.Collect(maps.Values(s.Fleet.Elsewhere))...))
	subject, environment := "Environment/"+s.Fleet.Environment, wording.Escaped(s.Fleet.Environment)
	if len(named) == 0 {
		s.note(subject, "No deployment target names %s: the manifests hold no deployment target.", environment)
		return
	}
	s.note(subject, "No deployment target names %s%s; the manifests name %s.", environment, wording.Hint(s.Fleet.Environment, named),
		wording.First(named, wording.MaxListed))
}

// unassignedTargets names the deployment targets without an assignment, and their labels that a
// policy nearly asks for.
func unassignedTargets(s *search) {
	for _, name := range s.Placement.UnassignedTargets {
		target, _ := s.Fleet.Target(name)
		var doubts []string
		for _, key := range slices.Sorted(maps.Keys(target.Labels)) {
			value, known := target.Labels[key], s.words().wanted[key]
			if near := nearest(value, known); near != "" && !known[value] {
				doubts = append(doubts, fmt.Sprintf("no scheduling policy asks for the label %s = %s%s", key, value, near))
			}
		}
		s.note("DeploymentTarget/"+name, "No scheduling policy puts deployment target %s (%s) on any cluster type%s.", name, target.Source,
			because(doubts))
	}
}

// idleClusterTypes names the cluster types that have no deployment target in any environment.
func idleClusterTypes(s *search) {
	for _, name := range s.Placement.IdleClusterTypes {
		if slices.Contains(s.there().IdleClusterTypes, name) {
			s.note("ClusterType/"+name, "Cluster type %s has no deployment target.", name)
		}
	}
}

// idlePolicies names the policies that serve no environment among the manifests: which objects they
// do not find, and which of their labels occur nowhere. Other environments may read the same policies, so this does
// not warn.
func idlePolicies(s *search) {
	if len(s.Placement.IdlePolicies) == 0 {
		return
	}
	idleThere := map[string]bool{}
	for _, idle := range s.there().IdlePolicies {
		idleThere[idle.Policy.Name] = true
	}
	isRead := slices.ContainsFunc(s.Fleet.Metadata(), func(m manifest.Meta) bool {
		return strings.Contains(m.Source.File, "#") // repo#branch:file
	})
	for _, idle := range s.Placement.IdlePolicies {
		policy := idle.Policy
		if !idleThere[policy.Name] {
			continue
		}
		var sides []string
		if idle.NoTargets {
			doubts := s.words().targets.ofSelector(policy.DeploymentTargets)
			if known := s.words().workspaces; policy.Workspace != "" && !known[policy.Workspace] {
				doubts = append([]string{"no deployment target is of the workspace " + policy.Workspace + nearest(policy.Workspace, known)}, doubts...)
			}
			sides = append(sides, selectsNo("deployment target", doubts))
		}
		if idle.NoClusterTypes {
			sides = append(sides, selectsNo("cluster type", s.words().clusterTypes.ofSelector(policy.ClusterTypes)))
		}
		text := fmt.Sprintf("Scheduling policy %s selects %s.", policy.Name, strings.Join(sides, "; and it selects "))
		if isRead {
			text += " Objects in other folders, and in files that .sourceignore excludes, are not read."
		}
		s.note(policy.ID(), "%s", text)
	}
}

// selectsNo says that a selector finds nothing of a sort, and why that may be.
func selectsNo(what string, doubts []string) string {
	if len(doubts) == 0 {
		doubts = []string{"each label occurs, but no " + what + " matches the whole selector"}
	}
	return "no " + what + because(doubts)
}

func unusedTemplates(s *search) {
	used := map[string]bool{}
	for _, ct := range s.Fleet.ClusterTypes {
		used[ct.Reconciler], used[ct.NamespaceService], used[ct.ConfigType] = true, true, true
	}
	for name, template := range s.Fleet.Templates {
		if !used[name] {
			s.note(template.ID(), "No cluster type uses template %s.", name)
		}
	}
}
