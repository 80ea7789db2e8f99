// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"slices"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// SchedulingPolicy says which deployment targets go on which cluster types.
type SchedulingPolicy struct {
	Meta `json:"-"`
	// Workspace narrows the deployment targets to one workspace unless it is empty.
	Workspace         string               `json:"deploymentTargetSelector.workspace,omitempty"`
	DeploymentTargets metav1.LabelSelector `json:"deploymentTargetSelector.labelSelector"`
	ClusterTypes      metav1.LabelSelector `json:"clusterTypeSelector.labelSelector"`
	// Placement names the Placement that decides among the cluster types; empty for all of them.
	Placement string `annotation:"kalypso-gitops.io/placement,omitempty"`
	// PerTarget has the Placement decide for each deployment target on its own.
	PerTarget bool `annotation:"kalypso-gitops.io/placement-scope,omitempty" words:"deployment-target" true:"deployment-target"`
}

// annotationPrefix begins the annotations of a scheduling policy. Kalypso's own API has no fields
// for them. A misspelled one of ours is a problem, because the policy would place everywhere.
const annotationPrefix = "kalypso-gitops.io/"

// Operators are those of label selectors.
var Operators = []string{
	string(metav1.LabelSelectorOpIn), string(metav1.LabelSelectorOpNotIn),
	string(metav1.LabelSelectorOpExists), string(metav1.LabelSelectorOpDoesNotExist),
}

// Compiled returns a decoded selector in the form that matches labels. Decoding refuses every
// selector that Kubernetes refuses.
func Compiled(s metav1.LabelSelector) labels.Selector {
	compiled, err := metav1.LabelSelectorAsSelector(&s)
	if err != nil {
		panic("a selector that was not decoded: " + err.Error())
	}
	return compiled
}

// checkRequirement reports one of a selector's matchExpressions that Kubernetes refuses.
func checkRequirement(r *metav1.LabelSelectorRequirement, m *mapping) {
	if r.Key == "" || !slices.Contains(Operators, string(r.Operator)) || m.has("values") && m.at("values").Kind != yaml.SequenceNode {
		return // reported already
	}
	if _, err := metav1.LabelSelectorAsSelector(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{*r}}); err != nil {
		m.doc.report(m.node, "Invalid selector", "%s has the operator %s and cannot be used: %s. In and NotIn need values, Exists and "+
			"DoesNotExist take none.", m.path, r.Operator, err)
	}
}
