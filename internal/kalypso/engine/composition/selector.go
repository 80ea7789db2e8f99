// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"slices"
	"strings"

	"github.com/bits-and-blooms/bitset"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// selector decides by labels which members of a list apply to an assignment
// (docs/guides/semantics.md, section 3.2). It computes in advance everything that depends on
// one cluster type alone.
type selector struct {
	// wants are the labels of each member that say where it applies.
	wants        [][]label
	clusterTypes map[*manifest.ClusterType]clusterTypeSide
}

type label struct{ key, value string }

func (l label) isOf(ct *manifest.ClusterType) bool {
	if IsName(l.key) {
		return l == label{manifest.LabelClusterType, ct.Name}
	}
	return ct.Labels[l.key] == l.value // an empty value also matches a missing label
}

func (l label) isOfTarget(t *fleet.Target) bool {
	if IsName(l.key) {
		return l == label{manifest.LabelDeploymentTarget, t.FullName} || l == label{manifest.LabelWorkload, t.Workload}
	}
	return t.Labels[l.key] == l.value
}

// clusterTypeSide is the part of the decision that depends on a cluster type alone.
type clusterTypeSide struct {
	// applying are the members whose labels all match.
	applying *bitset.BitSet
	// open are the members with more labels, which the target may match.
	open []openMember
}

type openMember struct {
	member uint
	wants  []label
}

func newSelector(f *fleet.Fleet, members []map[string]string) *selector {
	s := &selector{
		wants:        make([][]label, len(members)),
		clusterTypes: make(map[*manifest.ClusterType]clusterTypeSide, len(f.ClusterTypes)),
	}
	for i, labels := range members {
		s.wants[i] = selecting(labels)
	}
	for _, ct := range f.ClusterTypes {
		s.clusterTypes[ct] = s.ofClusterType(ct)
	}
	return s
}

// selecting returns the labels that say where a member applies.
func selecting(labels map[string]string) (wants []label) {
	for key, value := range labels {
		if IsSelecting(key) {
			wants = append(wants, label{key, value})
		}
	}
	return wants
}

// IsSelecting reports whether a label of a ConfigMap says where it applies.
func IsSelecting(key string) bool {
	return key != manifest.LabelPlatformConfig && !strings.HasPrefix(key, manifest.LabelFluxPrefix)
}

// IsName reports whether a label is compared with a name instead of a label.
func IsName(key string) bool {
	return key == manifest.LabelClusterType || key == manifest.LabelDeploymentTarget || key == manifest.LabelWorkload
}

// match returns the members that apply to the pair, as a new set.
func (s *selector) match(ct *manifest.ClusterType, t *fleet.Target) *bitset.BitSet {
	side := s.clusterTypes[ct]
	applying := side.applying.Clone()
	for _, o := range side.open {
		if !slices.ContainsFunc(o.wants, func(l label) bool { return !l.isOfTarget(t) }) {
			applying.Set(o.member)
		}
	}
	return applying
}

func (s *selector) ofClusterType(ct *manifest.ClusterType) clusterTypeSide {
	side := clusterTypeSide{applying: bitset.New(uint(len(s.wants)))}
	for i, wants := range s.wants {
		missing := slices.DeleteFunc(slices.Clone(wants), func(l label) bool { return l.isOf(ct) })
		if len(missing) == 0 {
			side.applying.Set(uint(i))
		} else {
			side.open = append(side.open, openMember{uint(i), missing})
		}
	}
	return side
}
