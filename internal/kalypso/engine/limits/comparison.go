// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package limits bounds what one plan may change, so that a small mistake in a
// fleet does not empty its repository.
package limits

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
)

// Comparison is what happens to the packages of a repository. Files beside the
// packages do not count. All lists are sorted keys, <cluster type>/<deployment target>.
type Comparison struct {
	Added, Changed, Removed []string
	// Targets are the deployment targets that exist: what left the fleet needs no package.
	Targets []string

	before, after engine.Digests // packages alone
}

// Compare returns what leads from the digests of the current packages to others.
// A detail coarser than packages is taken for packages.
func Compare(before, after engine.Digests) *Comparison {
	c := &Comparison{before: packages(before), after: packages(after)}
	for _, key := range slices.Sorted(maps.Keys(c.after)) {
		switch digest, existed := c.before[key]; {
		case !existed:
			c.Added = append(c.Added, key)
		case digest != c.after[key]:
			c.Changed = append(c.Changed, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.before)) {
		if _, stays := c.after[key]; !stays {
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
func (c *Comparison) clusterTypes() []string {
	var names []string
	for _, key := range slices.Concat(c.Added, c.Changed, c.Removed) {
		name, _, _ := strings.Cut(key, "/")
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// homes counts the packages of each deployment target.
func homes(digests engine.Digests) map[string]int {
	counts := map[string]int{}
	for key := range digests {
		if _, target, found := strings.Cut(key, "/"); found {
			counts[target]++
		}
	}
	return counts
}
