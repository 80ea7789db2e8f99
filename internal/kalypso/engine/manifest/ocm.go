// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1alpha1 "open-cluster-management.io/api/cluster/v1alpha1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// The prioritizers that Open Cluster Management has built in.
const (
	PrioritizerSteady  = "Steady"
	PrioritizerBalance = "Balance"
	PrioritizerCPU     = "ResourceAllocatableCPU"
	PrioritizerMemory  = "ResourceAllocatableMemory"
)

// Prioritizers are all of them.
var Prioritizers = []string{PrioritizerBalance, PrioritizerCPU, PrioritizerMemory, PrioritizerSteady}

// TaintEffects are those that Open Cluster Management has.
var TaintEffects = []string{
	string(clusterv1.TaintEffectNoSelect), string(clusterv1.TaintEffectNoSelectIfNew), string(clusterv1.TaintEffectPreferNoSelect),
}

// Placement decides on some of the cluster types, each of which is a managed cluster.
type Placement struct {
	Meta `json:"-"`
	Spec clusterv1beta1.PlacementSpec `json:"spec" needs:"what a Placement consists of; {} selects every cluster type"`
	// Disabled leaves the decision to another scheduler, whose PlacementDecisions count.
	Disabled bool `annotation:"cluster.open-cluster-management.io/experimental-scheduling-disable,omitempty" true:"true"`
}

// PlacementDecision is what a scheduler has decided on earlier, or elsewhere, for the
// Placement that its label names.
type PlacementDecision struct {
	Meta   `json:"-"`
	Status clusterv1beta1.PlacementDecisionStatus `json:"status,omitempty"`
}

// Placement returns the name of the Placement that was decided for.
func (p *PlacementDecision) Placement() string { return p.Labels[clusterv1beta1.PlacementLabel] }

// Group returns the name and index of the decision group; no name and 0 if its labels
// say nothing.
func (p *PlacementDecision) Group() (name string, index int) {
	index, _ = strconv.Atoi(p.Labels[clusterv1beta1.DecisionGroupIndexLabel]) // hubs write it
	return p.Labels[clusterv1beta1.DecisionGroupNameLabel], index
}

// ManagedCluster says more about the cluster type of its name: labels, taints, claims and
// resources.
type ManagedCluster struct {
	Meta   `json:"-"`
	Spec   clusterv1.ManagedClusterSpec   `json:"spec,omitempty"`
	Status clusterv1.ManagedClusterStatus `json:"status,omitempty"`
}

// AddOnPlacementScore holds scores of the cluster type that its namespace names.
type AddOnPlacementScore struct {
	Meta   `json:"-"`
	Status clusterv1alpha1.AddOnPlacementScoreStatus `json:"status,omitempty"`
}

func checkToleration(t *clusterv1beta1.Toleration, m *mapping) {
	if t.Operator == clusterv1beta1.TolerationOpExists && t.Value != "" {
		m.report("value", "Invalid value", "is set, but the operator Exists tolerates all values. Remove the value, or the operator.")
	}
}

// groupSize is what Open Cluster Management takes for the size of decision groups.
var groupSize = regexp.MustCompile(`^((100|[1-9][0-9]?)%|[1-9][0-9]{0,9})$`)

func checkGroupSize(g *clusterv1beta1.GroupStrategy, m *mapping) {
	size := g.ClustersPerDecisionGroup
	if isQuoted := size.Type == intstr.String && !strings.HasSuffix(size.StrVal, "%"); isQuoted || !groupSize.MatchString(size.String()) {
		m.report("clustersPerDecisionGroup", "Invalid value", "is %s, but a number from 1 on without quotes, or a percentage from 1%% to "+
			"100%%, is needed.", describe(m.at("clustersPerDecisionGroup")))
	}
}
