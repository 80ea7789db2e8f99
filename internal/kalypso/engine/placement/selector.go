// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package placement

import (
	"cmp"
	"slices"

	"github.com/bits-and-blooms/bitset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/ocm"
)

// requirement is one requirement of a scheduling policy for the objects of one kind.
type requirement[T any] struct {
	stage Stage
	text  string
	// of returns the actual value of an object, and CodeHolds if the object meets the requirement.
	of func(T) (found string, code ocm.Code)
}

// ofTargets and ofClusterTypes return what a policy asks of both sides, in the order of explanations. Place
// and Explain know no other selection.
func ofTargets(p *manifest.SchedulingPolicy) []requirement[*fleet.Target] {
	return append(inWorkspace(p),
		withLabels(StageDeploymentTarget, p.DeploymentTargets, func(t *fleet.Target) map[string]string { return t.Labels })...)
}

func ofClusterTypes(p *manifest.SchedulingPolicy) []requirement[*manifest.ClusterType] {
	return withLabels(StageClusterType, p.ClusterTypes, func(ct *manifest.ClusterType) map[string]string { return ct.Labels })
}

func inWorkspace(p *manifest.SchedulingPolicy) []requirement[*fleet.Target] {
	if p.Workspace == "" {
		return nil
	}
	return []requirement[*fleet.Target]{{StageWorkspace, "workspace = " + p.Workspace, func(t *fleet.Target) (string, ocm.Code) {
		if t.Workspace != p.Workspace {
			return cmp.Or(t.Workspace, ocm.None), CodeWorkspaceMismatch
		}
		return t.Workspace, CodeHolds
	}}}
}

func withLabels[T any](stage Stage, of metav1.LabelSelector, labels func(T) map[string]string) (all []requirement[T]) {
	for _, r := range ocm.Requirements(of) {
		all = append(all, requirement[T]{stage, "label " + r.Text, func(object T) (string, ocm.Code) {
			found, holds := r.Of(labels(object))
			switch {
			case holds:
				return found, CodeHolds
			case r.IsExpression:
				return found, CodeExpressionNotMet
			case found == ocm.None:
				return found, CodeLabelMissing
			}
			return found, CodeLabelValueMismatch
		}})
	}
	if len(all) == 0 {
		return []requirement[T]{{stage, "any labels", func(T) (string, ocm.Code) { return "", CodeHolds }}}
	}
	return all
}

// selection is a policy with its requirements, and the objects that meet them.
type selection struct {
	ocm.Use
	ofTarget      []requirement[*fleet.Target]
	ofClusterType []requirement[*manifest.ClusterType]
}

// selections evaluates every policy, in the order of the policies' names.
func selections(f *fleet.Fleet) []selection {
	all := make([]selection, len(f.Policies))
	for i, policy := range f.Policies {
		ofTarget, ofClusterType := ofTargets(policy), ofClusterTypes(policy)
		all[i] = selection{ocm.Use{Policy: policy, ClusterTypes: meeting(ofClusterType, f.ClusterTypes),
			Targets: meeting(ofTarget, f.Targets)}, ofTarget, ofClusterType}
	}
	return all
}

// meeting returns the positions of the objects that meet all requirements.
func meeting[T any](asked []requirement[T], objects []T) *bitset.BitSet {
	set := bitset.New(uint(len(objects)))
	for i, object := range objects {
		set.SetTo(uint(i), !slices.ContainsFunc(asked, func(r requirement[T]) bool {
			_, code := r.of(object)
			return code != CodeHolds
		}))
	}
	return set
}

func steps[T any](asked []requirement[T], object T) []Step {
	all := make([]Step, len(asked))
	for i, r := range asked {
		found, code := r.of(object)
		all[i] = Step{Stage: r.stage, Holds: code == CodeHolds, Requirement: r.text, Found: found, Code: code}
	}
	return all
}
