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
)

// Tally contains the changes to the packages of a repository, without other files. All lists
// are sorted keys, <cluster type>/<deployment target>.
type Tally struct {
	// A package that moves to another cluster type is in Removed with its old key, and in Added
	// with its new key.
	Added, Changed, Removed []string

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
