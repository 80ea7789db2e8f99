// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
)

// claimants tells who has recorded a folder, or an overview. Its cost is that of the records once, not
// that of the records for each folder that is asked for, nor that of the folders around
// theirs: others may have written many, and deep ones.
type claimants struct {
	// folders are the records of the folders that they name, and paths are the folders,
	// sorted.
	folders map[string][]Record
	paths   []string
	// released are the records that have left a folder as it stands.
	released map[string][]Record
	// promotes is true where one of them writes the promoted commit's file.
	promotes bool
}

// claimants returns who has recorded what, but for an instance and for those whose
// records are older than its own.
func (all Records) claimants(but string) claimants {
	c := claimants{folders: map[string][]Record{}, released: map[string][]Record{}}
	for _, instance := range slices.Sorted(maps.Keys(all)) {
		r := all[instance]
		if instance == but || r.Earlier {
			continue
		}
		for _, folder := range r.paths() {
			c.folders[folder] = append(c.folders[folder], r.Record)
		}
		for _, name := range r.Released {
			at := r.location().Join(name)
			c.released[at] = append(c.released[at], r.Record)
		}
		c.promotes = c.promotes || r.PromotedCommit != ""
	}
	c.paths = slices.Sorted(maps.Keys(c.folders))
	return c
}

// of returns the records that name a path, then those that name folders around it, the
// nearest first, and then those of one folder in it, if there is any.
func (c claimants) of(file string) []Record {
	var all []Record
	for at, left := file, true; left; {
		all = append(all, c.folders[at]...)
		end := max(0, strings.LastIndexByte(at, '/'))
		at, left = at[:end], end > 0
	}
	in := file + "/"
	if i, _ := slices.BinarySearch(c.paths, in); i < len(c.paths) && strings.HasPrefix(c.paths[i], in) {
		all = append(all, c.folders[c.paths[i]]...)
	}
	return all
}

// claim reports whether a path is claimed: as a folder or an overview, or as the promoted
// commit's file.
func (c claimants) claim(file string) bool {
	return len(c.of(file)) > 0 || c.promotes && file == engine.PromotedCommitFile
}

// claimants returns what others have recorded.
func (inv *Inventory) claimants() claimants { return inv.Records.claimants(inv.Instance) }
