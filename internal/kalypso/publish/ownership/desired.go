// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Desired is the content that a resource wants at a place.
type Desired struct {
	Location git.Location
	// Environment is the environment of the content.
	Environment string
	// IsPart is true if the resource has cluster_types.
	IsPart bool
	// Content is the complete wanted content by key: the folders and files that the resource
	// names. It is empty for a destroy.
	Content map[string]tree.Entry
	// InFleet are the cluster types of the fleet that the resource does not name.
	InFleet []string
	// Removal is the treatment of owned folders that are neither wanted nor in the fleet.
	Removal Removal
	// Release is the release, and Version is the version of the provider, for the record.
	Release record.Release
	Version string
}

// Destroys reports whether the resource wants nothing at the place any more.
func (d Desired) Destroys() bool { return d.Content == nil }

// Keys returns the keys of the wanted content, sorted.
func (d Desired) Keys() []string { return slices.Sorted(maps.Keys(d.Content)) }

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
