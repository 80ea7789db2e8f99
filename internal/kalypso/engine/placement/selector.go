// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package placement

import (
	"cmp"

	"github.com/bits-and-blooms/bitset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/scheduling"
)

// selector is a part of a scheduling policy that selects objects of one kind by requirements.
type selector[T any] struct {
	stage Stage
	asks  func(p *manifest.SchedulingPolicy) []requirement[T]
}

// requirement is one requirement for an object.
type requirement[T any] struct {
	stage Stage
	text  string
	// of returns the actual value of an object, and CodeHolds if the object meets the requirement.
	of func(T) (found string, code scheduling.Code)
}

// The selectors of a policy, in the order of explanations. A new selector is a row: Place and Explain
// know no other selection.
var (
	targetSelectors = []selector[*fleet.Target]{
		{StageWorkspace, workspaceRequirement},
		{StageDeploymentTarget, func(p *manifest.SchedulingPolicy) []requirement[*fleet.Target] {
			return labelRequirements(p.DeploymentTargets, func(t *fleet.Target) map[string]string { return t.Labels })
		}},
	}
	clusterTypeSelectors = []selector[*manifest.ClusterType]{
		{StageClusterType, func(p *manifest.SchedulingPolicy) []requirement[*manifest.ClusterType] {
			return labelRequirements(p.ClusterTypes, func(ct *manifest.ClusterType) map[string]string { return ct.Labels })
		}},
	}
)

func workspaceRequirement(p *manifest.SchedulingPolicy) []requirement[*fleet.Target] {
	if p.Workspace == "" {
		return nil
	}
	return []requirement[*fleet.Target]{{text: "workspace = " + p.Workspace, of: func(t *fleet.Target) (found string, code scheduling.Code) {
		if t.Workspace != p.Workspace {
			return cmp.Or(t.Workspace, scheduling.None), CodeWorkspaceMismatch
		}
		return t.Workspace, CodeHolds
	}}}
}

// labelRequirements returns the requirements of a selector for labels.
func labelRequirements[T any](of metav1.LabelSelector, labels func(T) map[string]string) []requirement[T] {
	var all []requirement[T]
	for _, r := range scheduling.Requirements(of) {
		all = append(all, requirement[T]{text: "label " + r.Text, of: func(object T) (found string, code scheduling.Code) {
			found, holds := r.Of(labels(object))
			switch {
			case holds:
				return found, CodeHolds
			case r.IsExpression:
				return found, CodeExpressionNotMet
			case found == scheduling.None:
				return found, CodeLabelMissing
			}
			return found, CodeLabelValueMismatch
		}})
	}
	if len(all) == 0 {
		return []requirement[T]{{text: "any labels", of: func(T) (found string, code scheduling.Code) { return "", CodeHolds }}}
	}
	return all
}

// selection is a policy with its requirements, and the objects that meet them.
type selection struct {
	scheduling.Use
	ofTarget      []requirement[*fleet.Target]
	ofClusterType []requirement[*manifest.ClusterType]
}

// selections evaluates every policy, in the order of the policies' names.
func selections(f *fleet.Fleet) []selection {
	all := make([]selection, len(f.Policies))
	for i, policy := range f.Policies {
		s := selection{ofTarget: requirementsOf(policy, targetSelectors), ofClusterType: requirementsOf(policy, clusterTypeSelectors)}
		s.Use = scheduling.Use{Policy: policy, ClusterTypes: selected(s.ofClusterType, f.ClusterTypes), Targets: selected(s.ofTarget, f.Targets)}
		all[i] = s
	}
	return all
}

// requirementsOf returns what the selectors of a policy ask.
func requirementsOf[T any](policy *manifest.SchedulingPolicy, selectors []selector[T]) (all []requirement[T]) {
	for _, s := range selectors {
		for _, r := range s.asks(policy) {
			r.stage = s.stage
			all = append(all, r)
		}
	}
	return all
}

// selected returns the positions of the objects that meet all requirements.
func selected[T any](asked []requirement[T], objects []T) *bitset.BitSet {
	set := bitset.New(uint(len(objects)))
	for i, object := range objects {
		if meets(asked, object) {
			set.Set(uint(i))
		}
	}
	return set
}

func meets[T any](asked []requirement[T], object T) bool {
	for _, r := range asked {
		if _, code := r.of(object); code != CodeHolds {
			return false
		}
	}
	return true
}

// steps explains the requirements for an object.
func steps[T any](asked []requirement[T], object T) []Step {
	all := make([]Step, len(asked))
	for i, r := range asked {
		found, code := r.of(object)
		all[i] = Step{Stage: r.stage, Holds: code == CodeHolds, Requirement: r.text, Found: found, Code: code}
	}
	return all
}
