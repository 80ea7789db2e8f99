// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

func unassigned(f *fleet.Fleet, p *placement.Placement) []Finding {
	if len(p.UnassignedTargets) == 0 {
		return nil
	}
	var found []Finding
	wanted := wantedOfTargets(f)
	for _, name := range p.UnassignedTargets {
		message := fmt.Sprintf("No scheduling policy puts deployment target %s on any cluster type", name)
		target, _ := f.Target(name)
		if doubts := wanted.misspelled(target.Labels); len(doubts) > 0 {
			message += ": " + listed(doubts)
		}
		found = append(found, newFinding(TargetUnassigned, "DeploymentTarget/"+name, message+"."))
	}
	return found
}

// wantedOfTargets returns the labels that scheduling policies ask of deployment targets.
func wantedOfTargets(f *fleet.Fleet) *lexicon {
	wanted := newLexicon("scheduling policy")
	for _, policy := range f.Policies {
		wanted.addAll(policy.DeploymentTargets.MatchLabels)
		for _, e := range policy.DeploymentTargets.MatchExpressions {
			if e.Operator == metav1.LabelSelectorOpIn {
				for _, value := range e.Values {
					wanted.add(e.Key, value)
				}
			}
		}
	}
	return wanted
}

// misspelled returns the doubts about those labels whose values are nearly, but not quite, asked for.
func (l *lexicon) misspelled(labels map[string]string) []string {
	var doubts []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		value, known := labels[key], l.values[key]
		if near := nearest(value, known); near != "" && !known[value] {
			doubts = append(doubts, fmt.Sprintf("no %s asks for the label %s = %s%s", l.what, key, value, near))
		}
	}
	return doubts
}

func idleClusterTypes(names []string) []Finding {
	var found []Finding
	for _, name := range names {
		found = append(found, newFinding(ClusterTypeIdle, "ClusterType/"+name,
			fmt.Sprintf("Cluster type %s has no deployment target.", name)))
	}
	return found
}

// idlePolicy says which objects an idle policy does not find, and which of its labels
// occur nowhere. The policy may be meant for one of the other environments, whose objects
// are kept elsewhere.
func idlePolicy(idle placement.IdlePolicy, words *vocabulary, others []string) Finding {
	var sides []string
	if policy := idle.Policy; idle.NoTargets {
		doubts := words.targets.ofSelector(policy.DeploymentTargets)
		if policy.Workspace != "" {
			doubts = append(words.workspaces.doubts("", policy.Workspace), doubts...)
		}
		sides = append(sides, selects("deployment target", doubts))
	}
	if idle.NoClusterTypes {
		sides = append(sides, selects("cluster type", words.clusterTypes.ofSelector(idle.Policy.ClusterTypes)))
	}
	found := newFinding(PolicyIdle, idle.Policy.ID(),
		fmt.Sprintf("Scheduling policy %s selects %s.", idle.Policy.Name, strings.Join(sides, "; and it selects ")))
	if len(others) > 0 {
		found.Severity = SeverityInfo
		found.Message += fmt.Sprintf(" It may be meant for another environment: no deployment target of %s is among the manifests.",
			wording.First(others, maxListed))
	}
	return found
}

// selects says that a selector finds nothing of a sort, and why that may be.
func selects(what string, doubts []string) string {
	if len(doubts) == 0 {
		return fmt.Sprintf("no %s, since none has all that it asks for", what)
	}
	return fmt.Sprintf("no %s: %s", what, listed(doubts))
}

// ofSelector returns the doubts about the labels that a selector asks for.
func (l *lexicon) ofSelector(selector metav1.LabelSelector) []string {
	var doubts []string
	for _, key := range slices.Sorted(maps.Keys(selector.MatchLabels)) {
		doubts = append(doubts, l.doubts(key, selector.MatchLabels[key])...)
	}
	for _, e := range selector.MatchExpressions {
		switch e.Operator {
		case metav1.LabelSelectorOpIn:
			doubts = append(doubts, l.doubts(e.Key, e.Values...)...)
		case metav1.LabelSelectorOpExists:
			doubts = append(doubts, l.doubts(e.Key)...)
		default: // NotIn and DoesNotExist hold for labels that occur nowhere
		}
	}
	return doubts
}

func unusedTemplates(f *fleet.Fleet) []Finding {
	used := map[string]bool{}
	for _, ct := range f.ClusterTypes {
		used[ct.Reconciler], used[ct.NamespaceService], used[ct.ConfigType] = true, true, true
	}
	var found []Finding
	for name, template := range f.Templates {
		if !used[name] {
			found = append(found, newFinding(TemplateUnused, template.ID(), fmt.Sprintf("No cluster type uses template %s.", name)))
		}
	}
	return found
}
