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

// Claimants finds the foreign records that list a path. It reads each record once. The cost
// does not depend on the number of questions or on the depth of the listed paths, because
// others may have written many records with deep paths.
type Claimants struct {
	// byPath has the records by their listed paths. paths has the keys, sorted.
	byPath map[string][]Record
	paths  []string
}

// Claimants returns the paths that records list, except the record of one instance.
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

// Of returns the records that list a path; then those that list a folder above the path, the
// nearest first; then those of one path below.
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

// Claim reports whether a foreign record lists a path, a folder above the path, or something
// below the path.
func (c Claimants) Claim(path string) bool { return len(c.Of(path)) > 0 }

// Claimants returns the paths that foreign records list.
func (inv *Inventory) Claimants() Claimants { return inv.Records.Claimants(inv.Instance) }

// recorded returns our own record if it is for a location; otherwise the zero record.
func (inv *Inventory) recorded(loc git.Location) Record {
	if r := inv.Records[inv.Instance]; r.At(loc) {
		return r.Record
	}
	return Record{}
}
