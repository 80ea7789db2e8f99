// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// Claim is the line of a record.
type Claim struct {
	record.Record
	Key string
}

// Line is the value of the line.
func (c Claim) Line() record.Line { return c.Folders[c.Key] }

// claims finds the records that list a path, or a path above or below it.
type claims struct {
	by    map[string][]Claim // by path from the root
	paths []string
}

func newClaims(records record.Records) claims {
	c := claims{by: map[string][]Claim{}}
	for _, r := range records {
		for key := range r.Folders {
			at := r.PathOf(key)
			c.by[at] = append(c.by[at], Claim{r, key})
		}
	}
	for at, all := range c.by {
		slices.SortFunc(all, func(a, b Claim) int { return strings.Compare(a.Instance, b.Instance) })
		c.paths = append(c.paths, at)
	}
	slices.Sort(c.paths)
	return c
}

// on returns the claims of an instance to a path as owned, those of others, and those of others that have
// released it.
func (c claims) on(at, instance string) (mine, owned, released []Claim) {
	for _, one := range c.by[at] {
		switch {
		case one.Line() == record.Released && one.Instance != instance:
			released = append(released, one)
		case one.Line() == record.Released:
		case one.Instance == instance:
			mine = append(mine, one)
		default:
			owned = append(owned, one)
		}
	}
	return mine, owned, released
}

// around returns the claims of others to paths above and below a path.
func (c claims) around(at, instance string) (all []Claim) {
	for i, char := range at {
		if char == '/' {
			all = append(all, c.by[at[:i]]...)
		}
	}
	first, _ := slices.BinarySearch(c.paths, at+"/")
	for _, below := range c.paths[first:] {
		if !strings.HasPrefix(below, at+"/") {
			break
		}
		all = append(all, c.by[below]...)
	}
	return slices.DeleteFunc(all, func(one Claim) bool { return one.Instance == instance })
}
