// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package limits bounds the changes of one plan, so that a small mistake in a fleet does not
// empty its repository.
package limits

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Tally contains the changes to the packages of a repository, without other files. All lists
// are sorted keys, <cluster type>/<deployment target>.
type Tally struct {
	// A package has moved if its deployment target gets a package on another cluster type.
	// Moved contains its old key, Added its new key, and Removed neither.
	Added, Changed, Moved, Removed []string
	// Targets are the existing deployment targets. A target that left the fleet needs no
	// package.
	Targets []string
	// Kept are packages that stay as they are, because they cannot be rendered, if some of them
	// could be rendered before.
	Kept []string
	// KeptOf are the workspaces of these packages, sorted.
	KeptOf []string

	before, after engine.Digests // packages alone
}

// Compare returns the changes between two sets of digests. It treats a detail that is
// coarser than packages as packages.
func Compare(before, after engine.Digests) *Tally {
	c := &Tally{before: packages(before), after: packages(after)}
	for _, key := range slices.Sorted(maps.Keys(c.after)) {
		switch digest, existed := c.before[key]; {
		case !existed:
			c.Added = append(c.Added, key)
		case digest != c.after[key]:
			c.Changed = append(c.Changed, key)
		}
	}
	comes := homes(c.Added)
	for _, key := range slices.Sorted(maps.Keys(c.before)) {
		if _, stays := c.after[key]; stays {
			continue
		}
		if target := targetOf(key); comes[target] > 0 {
			comes[target]--
			c.Moved = append(c.Moved, key)
		} else {
			c.Removed = append(c.Removed, key)
		}
	}
	return c
}

func packages(digests engine.Digests) engine.Digests {
	only := maps.Clone(digests)
	maps.DeleteFunc(only, func(key, _ string) bool { return !engine.IsPackage(key) })
	return only
}

// clusterTypes returns the cluster types that the change touches, sorted.
func (c *Tally) clusterTypes() []string {
	var names []string
	for _, key := range c.All() {
		name, _, _ := strings.Cut(key, "/")
		names = append(names, name)
	}
	return wording.Sorted(names)
}

// All returns the keys of all packages that the change touches, sorted.
func (c *Tally) All() []string {
	return slices.Sorted(slices.Values(slices.Concat(c.Added, c.Changed, c.Moved, c.Removed)))
}

// leaving returns the packages that move or are removed and whose deployment targets have
// fewer packages afterwards, sorted. left is how many packages each deployment target has
// afterwards.
func (c *Tally) leaving() (keys []string, left map[string]int) {
	before, after := homes(slices.Collect(maps.Keys(c.before))), homes(slices.Collect(maps.Keys(c.after)))
	for _, key := range slices.Sorted(slices.Values(slices.Concat(c.Moved, c.Removed))) {
		if target := targetOf(key); after[target] < before[target] {
			keys = append(keys, key)
		}
	}
	return keys, after
}

// homes counts the packages of each deployment target.
func homes(keys []string) map[string]int {
	counts := map[string]int{}
	for _, key := range keys {
		counts[targetOf(key)]++
	}
	return counts
}

func targetOf(key string) string {
	_, target, _ := strings.Cut(key, "/")
	return target
}
