// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Removal is the treatment of a folder whose cluster type has left the fleet. It also
// counts for all folders on a destroy and at the old place of a move.
type Removal string

// The values of a Removal.
const (
	// Empty leaves only a README.md, so reconcilers prune the former content of the
	// folder. If the folder is gone, Flux reports an error and uninstalls nothing.
	Empty Removal = "empty"
	// Delete removes the folder.
	Delete Removal = "delete"
	// Retain leaves the folder as it is, and to others.
	Retain Removal = "retain"
	// Forbid keeps a plan from removing it.
	Forbid Removal = "forbid"
)

// Means describes the treatment of folders.
func (r Removal) Means() string {
	switch r {
	case Delete:
		return "Their folders are deleted: Flux takes a folder that is gone for an error, and clusters keep running what it held."
	case Retain:
		return "Their folders stay as they are."
	case Empty, Forbid:
	}
	return "Their folders stay with a README.md alone, so that clusters remove what they ran (Argo CD only with allowEmpty)."
}

// emptiedMark distinguishes an emptied folder from all others. An emptied folder has no
// owner.
const emptiedMark = "<!-- emptied by terraform-provider-kalypso -->"

// EmptiedFolder is the rest of a folder that was emptied.
var EmptiedFolder = tree.FromEntries([]tree.Entry{tree.File(engine.ReadmeFile, []byte(emptiedMark+`
# Nothing is assigned here any more

This folder is left so that clusters that still read it remove what it held. Delete it once no cluster reads it.
`))})

// IsEmptied reports whether a folder is one that was emptied, by any version.
func IsEmptied(folder *git.Found) bool {
	if folder.ID == EmptiedFolder.ID {
		return true
	}
	return folder.Mode == tree.ModeDir && len(folder.Entries) == 1 && folder.Entries[0].Name == engine.ReadmeFile &&
		strings.HasPrefix(string(folder.Entries[0].Content), emptiedMark)
}
