// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package placement

import (
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/scheduling"
)

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

// Decided is the decisions of placements about an assignment.
type Decided struct {
	// Placements are those that have decided, sorted by the policies that name them.
	Placements []string
	// Group is the decision group of the cluster type in the first of them.
	Group scheduling.Group
}

// Key returns <cluster type>/<deployment target>, which is unique in an
// environment and the assignment's folder in the GitOps repository.
func (a *Assignment) Key() string { return Key(a.ClusterType.Name, a.Target.FullName) }

// Key joins the names of a cluster type and a deployment target.
func Key(clusterType, target string) string { return clusterType + "/" + target }
