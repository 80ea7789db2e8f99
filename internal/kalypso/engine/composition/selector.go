// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bits-and-blooms/bitset"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// selector decides by labels which members of a list apply to an assignment
// (docs/guides/semantics.md, section 3.2). It computes in advance everything that depends on
// one cluster type alone, or on one target alone.
type selector struct {
	// ids numbers the distinct labels of all members.
	ids map[label]uint
	// empty are the labels without a value, which also match a missing label.
	empty []label
	// needs are the labels of each member, by id.
	needs [][]uint

	clusterTypes map[*manifest.ClusterType]clusterTypeSide
	targets      map[*fleet.Target]*bitset.BitSet
}

type label struct{ key, value string }

// clusterTypeSide is the part of the decision that depends on a cluster type alone.
type clusterTypeSide struct {
	// applying are the members whose labels all match.
	applying *bitset.BitSet
	// open are the members with more labels, which the target may match.
	open []openMember
}

type openMember struct {
	member uint
	needs  []uint
}

// newSelector prepares the selection among members with these labels.
func newSelector(f *fleet.Fleet, members []map[string]string) *selector {
	s := &selector{
		ids:          map[label]uint{},
		needs:        make([][]uint, len(members)),
		clusterTypes: make(map[*manifest.ClusterType]clusterTypeSide, len(f.ClusterTypes)),
		targets:      make(map[*fleet.Target]*bitset.BitSet, len(f.Targets)),
	}
	for i, labels := range members {
		for key, value := range labels {
			if IsSelecting(key) {
				s.needs[i] = append(s.needs[i], s.id(label{key, value}))
			}
		}
	}
	for _, ct := range f.ClusterTypes {
		s.clusterTypes[ct] = s.ofClusterType(ct)
	}
	for _, t := range f.Targets {
		s.targets[t] = s.ofTarget(t)
	}
	return s
}

// IsSelecting reports whether a label of a ConfigMap says where it applies.
func IsSelecting(key string) bool {
	return key != manifest.LabelPlatformConfig && !strings.HasPrefix(key, manifest.LabelFluxPrefix)
}

// IsName reports whether a label is compared with a name instead of a label.
func IsName(key string) bool {
	return key == manifest.LabelClusterType || key == manifest.LabelDeploymentTarget || key == manifest.LabelWorkload
}

func (s *selector) id(l label) uint {
	id, known := s.ids[l]
	if !known {
		id = uint(len(s.ids))
		s.ids[l] = id
		if l.value == "" && !IsName(l.key) {
			s.empty = append(s.empty, l)
		}
	}
	return id
}

// match returns the members that apply to the pair, as a new set.
func (s *selector) match(ct *manifest.ClusterType, t *fleet.Target) *bitset.BitSet {
	side, known := s.clusterTypes[ct]
	if !known {
		side = s.ofClusterType(ct)
	}
	held, known := s.targets[t]
	if !known {
		held = s.ofTarget(t)
	}
	applying := side.applying.Clone()
	for _, o := range side.open {
		if !slices.ContainsFunc(o.needs, func(id uint) bool { return !held.Test(id) }) {
			applying.Set(o.member)
		}
	}
	return applying
}

func (s *selector) ofClusterType(ct *manifest.ClusterType) clusterTypeSide {
	held := s.held(ct.Labels, label{manifest.LabelClusterType, ct.Name})
	side := clusterTypeSide{applying: bitset.New(uint(len(s.needs)))}
	for i, needs := range s.needs {
		var missing []uint
		for _, id := range needs {
			if !held.Test(id) {
				missing = append(missing, id)
			}
		}
		if missing == nil {
			side.applying.Set(uint(i))
		} else {
			side.open = append(side.open, openMember{uint(i), missing})
		}
	}
	return side
}

func (s *selector) ofTarget(t *fleet.Target) *bitset.BitSet {
	return s.held(t.Labels,
		label{manifest.LabelDeploymentTarget, t.FullName},
		label{manifest.LabelWorkload, t.Workload})
}

// held returns the ids of the labels that match an object with these labels and names.
func (s *selector) held(labels map[string]string, names ...label) *bitset.BitSet {
	held := bitset.New(uint(len(s.ids)))
	for _, name := range names {
		if id, wanted := s.ids[name]; wanted {
			held.Set(id)
		}
	}
	for key, value := range labels {
		if id, wanted := s.ids[label{key, value}]; wanted && !IsName(key) {
			held.Set(id)
		}
	}
	for _, l := range s.empty {
		if labels[l.key] == "" {
			held.Set(s.ids[l])
		}
	}
	return held
}

// NearMiss is a ConfigMap that one label prevents from applying.
type NearMiss struct {
	ConfigMap string
	// AppKey is the key that would apply, if the ConfigMap comes from Azure App
	// Configuration; otherwise empty.
	AppKey string
	Label  string
	Wants  string
	// Found are the actual values: the cluster type's and the deployment target's, if they
	// exist.
	Found []string
}

// NearMisses returns the ConfigMaps that would apply to the pair if one of their labels
// matched, sorted by ConfigMap.
func (c *Composer) NearMisses(ct *manifest.ClusterType, t *fleet.Target) []NearMiss {
	var near []NearMiss
	for _, l := range c.layers {
		if missed := missedLabels(l.labels, ct, t); len(missed) == 1 {
			label := missed[0]
			near = append(near, NearMiss{l.configMap, l.appKey, label.key, label.value, valuesOf(label.key, ct, t)})
		}
	}
	slices.SortStableFunc(near, func(a, b NearMiss) int { return cmp.Compare(a.ConfigMap, b.ConfigMap) })
	return near
}

// missedLabels returns the labels that do not match the pair (docs/guides/semantics.md,
// section 3.2). It decides label by label what selector decides with sets.
func missedLabels(labels map[string]string, ct *manifest.ClusterType, t *fleet.Target) []label {
	var missed []label
	for key, value := range labels {
		have := valuesOf(key, ct, t)
		missing := value == "" && !IsName(key) && (ct.Labels[key] == "" || t.Labels[key] == "")
		if IsSelecting(key) && !missing && !slices.Contains(have, value) {
			missed = append(missed, label{key, value})
		}
	}
	return missed
}

// valuesOf returns the values with which a ConfigMap's label of this key is compared.
func valuesOf(key string, ct *manifest.ClusterType, t *fleet.Target) []string {
	switch key {
	case manifest.LabelClusterType:
		return []string{ct.Name}
	case manifest.LabelDeploymentTarget:
		return []string{t.FullName}
	case manifest.LabelWorkload:
		return []string{t.Workload}
	}
	var values []string
	for _, labels := range []map[string]string{ct.Labels, t.Labels} {
		if value, exists := labels[key]; exists && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}
