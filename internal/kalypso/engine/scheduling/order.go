// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling

import (
	"cmp"
	"hash/fnv"
)

// ranked is a cluster with the values that determine its rank.
type ranked struct {
	at    int // the position of the cluster type
	total int64
	hash  uint64
}

// compare puts the higher total first. Ours: a hash of placement and cluster decides ties,
// not the name. So placements spread over the clusters. A new cluster moves only what it
// wins, and a removed cluster moves only what it had.
func compare(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(b.hash, a.hash), cmp.Compare(a.at, b.at))
}

// hashOf returns the hash of a name. It must never change, because decisions would move.
func hashOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, part := range parts {
		_, _ = h.Write([]byte(part)) // a hash never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// mix spreads the bits of a number (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
