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
