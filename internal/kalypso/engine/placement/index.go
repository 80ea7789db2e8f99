// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package placement

import (
	"github.com/bits-and-blooms/bitset"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// index finds the members of a list whose labels match a selector, by sets of
// positions and not by looking at every member.
type index struct {
	size uint
	// withKey has the members that have the label key, with any value.
	withKey map[string]*bitset.BitSet
	// withValue has the members that carry the label.
	withValue map[label]*bitset.BitSet
}

type label struct{ key, value string }

// newIndex indexes n members by their labels.
func newIndex(n int, labelsOf func(i int) map[string]string) *index {
	x := &index{size: uint(n), withKey: map[string]*bitset.BitSet{}, withValue: map[label]*bitset.BitSet{}}
	for i := range n {
		for key, value := range labelsOf(i) {
			mark(x, x.withKey, key, i)
			mark(x, x.withValue, label{key, value}, i)
		}
	}
	return x
}

func mark[K comparable](x *index, sets map[K]*bitset.BitSet, key K, member int) {
	set, ok := sets[key]
	if !ok {
		set = bitset.New(x.size)
		sets[key] = set
	}
	set.Set(uint(member))
}

// all returns every member.
func (x *index) all() *bitset.BitSet { return bitset.New(x.size).FlipRange(0, x.size) }

// match returns the members whose labels match the selector: its requirements
// are ANDed, and none at all matches everything.
func (x *index) match(selector labels.Selector) *bitset.BitSet {
	matching := x.all()
	requirements, selectable := selector.Requirements()
	if !selectable {
		return bitset.New(x.size)
	}
	for _, r := range requirements {
		switch r.Operator() {
		case selection.In, selection.Equals, selection.DoubleEquals:
			matching.InPlaceIntersection(x.anyOf(r))
		case selection.NotIn, selection.NotEquals:
			// Holds for a missing key too.
			matching.InPlaceDifference(x.anyOf(r))
		case selection.Exists:
			matching.InPlaceIntersection(x.having(r.Key()))
		case selection.DoesNotExist:
			matching.InPlaceDifference(x.having(r.Key()))
		default:
			// metav1.LabelSelector knows no other operator; an unknown one matches
			// nothing.
			return bitset.New(x.size)
		}
	}
	return matching
}

// anyOf returns the members that carry the requirement's key with one of its values.
func (x *index) anyOf(r labels.Requirement) *bitset.BitSet {
	found := bitset.New(x.size)
	for _, value := range r.ValuesUnsorted() {
		if set, ok := x.withValue[label{r.Key(), value}]; ok {
			found.InPlaceUnion(set)
		}
	}
	return found
}

// having returns the members that carry the key.
func (x *index) having(key string) *bitset.BitSet {
	if set, ok := x.withKey[key]; ok {
		return set
	}
	return bitset.New(x.size)
}
