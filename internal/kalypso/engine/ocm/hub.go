// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1alpha1 "open-cluster-management.io/api/cluster/v1alpha1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// hub contains what a hub knows about its clusters, by which placements decide.
type hub struct {
	fleet      *fleet.Fleet
	clusters   []*cluster // at the positions of their cluster types
	placements map[string]*manifest.Placement
	// histories are earlier decisions, or decisions of another scheduler, by the names of the
	// placements.
	histories map[string][]*manifest.PlacementDecision
	scores    map[scoreKey]*clusterv1alpha1.AddOnPlacementScoreStatus
	// counts has how many decisions of other placements name each cluster. most is the highest
	// of these numbers.
	counts map[string]int64
	most   int64
}

// cluster is a cluster type as a hub knows it.
type cluster struct {
	name           string
	labels, claims map[string]string
	taints         []clusterv1.Taint
	status         *clusterv1.ManagedClusterStatus
	hash           uint64
}

type scoreKey struct{ cluster, resource string }

func newHub(f *fleet.Fleet) *hub {
	h := &hub{
		fleet:      f,
		placements: map[string]*manifest.Placement{},
		histories:  map[string][]*manifest.PlacementDecision{},
		scores:     map[scoreKey]*clusterv1alpha1.AddOnPlacementScoreStatus{},
		counts:     map[string]int64{},
	}
	for _, p := range f.Placements {
		h.placements[p.Name] = p
	}
	for _, d := range f.PlacementDecisions {
		h.histories[d.Placement()] = append(h.histories[d.Placement()], d)
	}
	for _, s := range f.AddOnScores {
		h.scores[scoreKey{s.Namespace, s.Name}] = &s.Status
	}
	managed := map[string]*manifest.ManagedCluster{}
	for _, c := range f.ManagedClusters {
		managed[c.Name] = c
	}
	h.clusters = make([]*cluster, len(f.ClusterTypes))
	for i, ct := range f.ClusterTypes {
		h.clusters[i] = newCluster(ct, managed[ct.Name])
	}
	return h
}

// newCluster returns a cluster type with the data of its managed cluster, if managed is not
// nil.
func newCluster(ct *manifest.ClusterType, managed *manifest.ManagedCluster) *cluster {
	c := &cluster{
		name: ct.Name, labels: ct.Labels, claims: map[string]string{},
		status: &clusterv1.ManagedClusterStatus{}, hash: mix(hashOf(ct.Name)),
	}
	if managed != nil {
		c.taints, c.status = managed.Spec.Taints, &managed.Status
	}
	for _, claim := range c.status.ClusterClaims {
		c.claims[claim.Name] = claim.Value
	}
	return c
}

// placement returns the placement with this name that decides here; nil if it does not
// exist.
func (h *hub) placement(name string) *manifest.Placement {
	if p, exists := h.placements[name]; exists && !p.Disabled {
		return p
	}
	return nil
}

// history returns the names of the clusters that earlier decisions chose.
func (h *hub) history(p *manifest.Placement) map[string]bool {
	decided := map[string]bool{}
	for _, d := range h.histories[p.Name] {
		if !isOf(d, p) {
			continue
		}
		for _, c := range d.Status.Decisions {
			decided[c.ClusterName] = true
		}
	}
	return decided
}

// isOf reports whether a decision belongs to the placement. On a hub, another namespace may have a
// placement of the same name.
func isOf(d *manifest.PlacementDecision, p *manifest.Placement) bool {
	return d.Namespace == p.Namespace || d.Namespace == "" || p.Namespace == ""
}

// countOthers counts the decisions of placements that this run does not evaluate.
func (h *hub) countOthers(evaluated map[string]bool) {
	for _, d := range h.fleet.PlacementDecisions {
		if name := d.Placement(); evaluated[name] && isOf(d, h.placements[name]) {
			continue
		}
		for _, c := range d.Status.Decisions {
			h.countOne(c.ClusterName)
		}
	}
}

func (h *hub) countOne(cluster string) {
	h.counts[cluster]++
	h.most = max(h.most, h.counts[cluster])
}
