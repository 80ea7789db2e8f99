// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// Content is what a place has, or should have, by key: the folder of a cluster type with its entries, or
// a file. The entries of a folder that nobody had to read are not known: Dir is nil.
type Content map[string]tree.Entry

// Has reports whether something is at a key, except an emptied folder.
func (c Content) Has(key string) bool {
	id := c[key].ID
	return !id.IsZero() && id != EmptiedFolder.ID
}

// Keys returns the keys, sorted.
func (c Content) Keys() []string { return slices.Sorted(maps.Keys(c)) }

// IDs returns the ids by key, as a resource keeps them.
func (c Content) IDs() map[string]tree.ID {
	ids := make(map[string]tree.ID, len(c))
	for key, e := range c {
		ids[key] = e.ID
	}
	return ids
}

// Known returns content of which only the ids are known.
func Known(ids map[string]tree.ID) Content {
	c := make(Content, len(ids))
	for key, id := range ids {
		c[key] = tree.Entry{Mode: record.ModeOf(key), ID: id}
	}
	return c
}

// Digests returns the digests of the content at some keys, as the attribute packages has them.
func (c Content) Digests(keys []string, detail engine.Detail) engine.Digests {
	d := engine.Digests{}
	for _, key := range keys {
		switch e := c[key]; {
		case !c.Has(key):
		case !record.IsFolder(key):
			d[key] = e.ID.Short()
		case e.Dir != nil:
			d.AddFolder(detail, key, e.ID, e.Dir.Entries)
		case detail == engine.DetailClusterType:
			d.AddFolder(detail, key, e.ID, nil)
		}
	}
	return d
}

// Wanted is what a resource wants at a place.
type Wanted struct {
	Location git.Location
	// Environment is the environment of the content.
	Environment string
	// IsPart is true if the resource has cluster_types.
	IsPart bool
	// Content has the folders and files that the resource names. It is nil for a destroy.
	Content Content
	// Others are the cluster types of the fleet that the resource does not name.
	Others []string
	// Removal is the treatment of owned folders that are neither wanted nor in the fleet.
	Removal Removal
	// Release is the release, and Version is the version of the provider, for the record.
	Release record.Release
	Version string
}

// Destroys reports whether the resource wants nothing at the place any more.
func (w Wanted) Destroys() bool { return w.Content == nil }

// Seen is what a branch has at a place.
type Seen struct {
	// Head is the commit of the branch; zero if the branch does not exist.
	Head tree.ID
	// Records are the records that count on the branch, and Folder is the folder with all records.
	Records record.Records
	Folder  tree.Dir
	// Content is what exists at the keys that were asked for.
	Content Content
	// Differences are the files that differ from the wanted ones, by path, if they were asked for. If too
	// many files differ, some of those in folders are left out.
	Differences []git.Difference
}

// Record returns the record of an instance if it is for a place; otherwise the zero record.
func (s Seen) Record(instance string, at git.Location) record.Record {
	if r, ok := s.Records[instance]; ok && r.At(at) {
		return r
	}
	return record.Record{}
}

// IsShared reports whether another record lists one of the folders of a resource as owned, or a folder around it or in it.
func (s Seen) IsShared(instance string, at git.Location, keys []string) bool {
	claims := newClaims(s.Records)
	return slices.ContainsFunc(keys, func(key string) bool {
		path := record.PathOf(at, key)
		_, owned, _ := claims.on(path, instance)
		return slices.ContainsFunc(append(owned, claims.around(path, instance)...), func(c Claim) bool { return c.Line() == record.Owned })
	})
}

// Removal is the treatment of a folder whose cluster type has left the fleet, and of all
// folders at a destroy.
type Removal string

// The values of a Removal.
const (
	// Empty leaves only a README.md, so that reconcilers prune the former content of the folder.
	// Without the folder, Flux reports an error and uninstalls nothing.
	Empty Removal = "empty"
	// Delete removes the folder.
	Delete Removal = "delete"
	// Retain leaves the folder unchanged, and releases it.
	Retain Removal = "retain"
	// Forbid lets a plan fail that would remove the folder.
	Forbid Removal = "forbid"
)

// EmptiedFolder is the content of an emptied folder.
var EmptiedFolder = tree.FromEntries([]tree.Entry{tree.File(engine.ReadmeFile, []byte(
	"<!-- emptied by terraform-provider-kalypso -->"+`
# Nothing is assigned here any more

This folder is left so that clusters that still read it remove what it held. Delete it once no cluster reads it.
`))})
