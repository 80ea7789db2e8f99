// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Desired is the content that a resource wants at a location.
type Desired struct {
	Location git.Location
	// Environment is the environment of the content.
	Environment string
	// Paths are the complete desired files and folders. The keys are their paths from the
	// repository's root.
	Paths map[string]tree.Entry
	// Leave are paths that stay unchanged: folders of cluster types that are still in the
	// fleet, and the promoted commit's file if somebody else writes it.
	Leave []string
	// Removal is the treatment of folders that are ours and no longer desired.
	Removal Removal
	// GoesOn leaves our record unchanged, because we are now at another place of the same
	// branch.
	GoesOn bool
	// Propose is true if a pull request proposes changes.
	Propose bool
	// Promoted is the commit of the control plane that the content is rendered from, if the
	// file of the promoted commit has it; otherwise, Source is. Sources are the commits of the
	// followed branches. Version is the version that rendered the content. All are for the
	// record.
	Promoted, Source, Version string
	Sources                   map[string]string
}

// Nothing returns the desired state of a location in which we want no content any more.
func (d Desired) Nothing(at git.Location) Desired {
	return Desired{Location: at, Environment: d.Environment, Removal: d.Removal, Propose: d.Propose}
}

// Removes returns the folders that a change to the desired content removes. For a move, these
// are the folders of the old place.
func (d Desired) Removes(inv *Inventory) []string {
	if !inv.IsNew() && !d.Location.Same(inv.Location) {
		d = d.Nothing(inv.Location)
	}
	return Decide(d, inv).Removes(inv)
}

// Folders returns the desired folders, sorted.
func (d Desired) Folders() []string { return d.of(tree.ModeDir) }

func (d Desired) of(mode tree.Mode) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(d.Paths)), func(path string) bool { return d.Paths[path].Mode != mode })
}

func (d Desired) record(instance string) Record {
	r := Record{
		Instance: instance, Environment: d.Environment, Branch: d.Location.Branch,
		Path:           path.Join(append([]string{"."}, tree.SplitPath(d.Location.Path)...)...),
		PromotedCommit: d.Promoted, SourceCommit: d.Source, Sources: d.Sources, Provider: d.Version,
	}
	for _, at := range d.Folders() {
		r.ClusterTypes = append(r.ClusterTypes, KeyOf(d.Location, at))
	}
	slices.Sort(r.ClusterTypes)
	return r
}

// Rendered returns the files and folders of a result at a location, by their paths from the
// repository's root: the folders of cluster types, and the file of the promoted commit.
func Rendered(loc git.Location, result *engine.Result) map[string]tree.Entry {
	paths := make(map[string]tree.Entry, len(result.Folders)+1)
	for name, dir := range result.Folders {
		paths[loc.Join(name)] = tree.Subdir(name, dir)
	}
	for path, content := range result.OwnedFiles {
		paths[path] = tree.File(path, content)
	}
	return paths
}

// Removal is the treatment of a folder whose cluster type has left the fleet. It also
// counts for all folders on a destroy and at the old place of a move.
type Removal string

// The values of a Removal.
const (
	// Empty leaves only a README.md, so reconcilers prune the former content of the folder.
	// Without the folder, Flux reports an error and uninstalls nothing.
	Empty Removal = "empty"
	// Delete removes the folder.
	Delete Removal = "delete"
	// Retain leaves the folder unchanged, and to others.
	Retain Removal = "retain"
	// Forbid lets a plan fail that would remove the folder.
	Forbid Removal = "forbid"
)

// Means describes the treatment of folders.
func (r Removal) Means() string {
	switch r {
	case Delete:
		return "Their folders are deleted. Flux reports a missing folder as an error, and clusters keep running its former content."
	case Retain:
		return "Their folders stay unchanged."
	case Empty, Forbid:
	}
	return "Their folders keep only a README.md, so that clusters remove the former content (Argo CD only with allowEmpty)."
}

// emptiedMark distinguishes an emptied folder from all others. An emptied folder has no
// owner.
const emptiedMark = "<!-- emptied by terraform-provider-kalypso -->"

// EmptiedFolder is the content of an emptied folder.
var EmptiedFolder = tree.FromEntries([]tree.Entry{tree.File(engine.ReadmeFile, []byte(emptiedMark+`
# Nothing is assigned here any more

This folder is left so that clusters that still read it remove what it held. Delete it once no cluster reads it.
`))})

// IsEmptied reports whether a version of the provider emptied a folder.
func IsEmptied(folder *git.Found) bool {
	if folder.ID == EmptiedFolder.ID {
		return true
	}
	return folder.Mode == tree.ModeDir && len(folder.Entries) == 1 && folder.Entries[0].Name == engine.ReadmeFile &&
		strings.HasPrefix(string(folder.Entries[0].Content), emptiedMark)
}
