// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Claimants finds the foreign records that list a path. It reads each record once. The
// cost depends neither on the number of paths that are asked for nor on the parent folders
// of the listed paths. This matters because others may have written many records with deep
// paths.
type Claimants struct {
	// byPath are the records of the paths that they list, and paths are those, sorted.
	byPath map[string][]Record
	paths  []string
}

// Claimants returns the paths that records list, except the record of an instance.
func (all Records) Claimants(except string) Claimants {
	c := Claimants{byPath: map[string][]Record{}}
	for _, instance := range slices.Sorted(maps.Keys(all)) {
		r := all[instance]
		if instance == except {
			continue
		}
		for _, path := range r.Paths() {
			c.byPath[path] = append(c.byPath[path], r.Record)
		}
		if r.PromotedCommit != "" {
			c.byPath[engine.PromotedCommitFile] = append(c.byPath[engine.PromotedCommitFile], r.Record)
		}
	}
	c.paths = slices.Sorted(maps.Keys(c.byPath))
	return c
}

// Of returns the records that list a path, then those that list folders around it, the
// nearest first, and then those of one path in it, if there is any.
func (c Claimants) Of(path string) []Record {
	var all []Record
	for at, left := path, true; left; {
		all = append(all, c.byPath[at]...)
		end := max(0, strings.LastIndexByte(at, '/'))
		at, left = at[:end], end > 0
	}
	in := path + "/"
	if i, _ := slices.BinarySearch(c.paths, in); i < len(c.paths) && strings.HasPrefix(c.paths[i], in) {
		all = append(all, c.byPath[c.paths[i]]...)
	}
	return all
}

// Claim reports whether a record of somebody else lists a path, a folder around it, or
// something in it.
func (c Claimants) Claim(path string) bool { return len(c.Of(path)) > 0 }

// Claimants returns the paths that the records of others list.
func (inv *Inventory) Claimants() Claimants { return inv.Records.Claimants(inv.Instance) }

// recorded returns our own record, if it counts at a location. Without it, it returns a
// zero one.
func (inv *Inventory) recorded(loc git.Location) Record {
	if r := inv.Records[inv.Instance]; r.At(loc) {
		return r.Record
	}
	return Record{}
}
