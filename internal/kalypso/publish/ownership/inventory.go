// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Inventory is the content of a location at our last look. It is kept between runs, as JSON.
// It makes the next look cheap. For an apply, it is the content that the plan used. For a
// plan, it is the location's content without the network.
type Inventory struct {
	// Location is the location; the zero value before the first apply. Location, Instance and
	// Packages are stored elsewhere.
	Location git.Location `json:"-"`
	// Instance is our instance; empty before the first apply.
	Instance string `json:"-"`
	// Packages are the digests of the location's content, in Detail.
	Packages engine.Digests `json:"-"`
	Detail   engine.Detail  `json:"-"`

	// Head is the commit of the branch.
	Head tree.ID `json:"head"`
	// Owned are the files and folders of the resource, by path from the repository's root, at
	// the last look. Missing ones have the zero id.
	Owned Objects `json:"owned"`
	// Applied are the objects that the last apply has written. Proposed objects are added after
	// the merge. No look at the branch changes Applied: see Owns.
	Applied Objects `json:"applied,omitempty"`
	// Records are the valid records of the branch, by instance. RecordsID is the id of their
	// folder, if it was read.
	Records   Records `json:"records,omitempty"`
	RecordsID tree.ID `json:"records_id,omitzero"`
	// Emptied are paths of emptied folders, and listed paths of our record that do not exist
	// any more, as far as known.
	Emptied map[string]bool `json:"emptied,omitempty"`
	// Guard is for the plan of a replacement, which gets no state from Terraform.
	Guard Guard `json:"guard,omitzero"`
	// State compares the branch with the last apply: see Settle.
	State State `json:"state,omitempty"`
	// Renderer is the version of the provider that rendered the written content. It is
	// empty if the last apply was on hold, or could not render all packages. Given are the parts
	// of the location that were set then.
	Renderer string `json:"renderer,omitempty"`
	Given    string `json:"given,omitempty"`
	// Trace names the commits that changed our paths after the last apply, or the reason why
	// they are not known. It is empty if nothing drifted.
	Trace string `json:"trace,omitempty"`
	// Proposal is the pull request of the last apply, open or closed without a merge; nil for
	// none.
	Proposal *Proposal `json:"proposal,omitempty"`
	// Merged is the last merged request, until an apply has deleted its branch.
	Merged *Proposal `json:"merged,omitempty"`
	// Branches is the number of our last branch for a request.
	Branches int `json:"branches,omitempty"`
	// Texts are manifests as they were before a file of their source was broken, while it is, by
	// the object that leads to the source. The key "" has manifests that could not be read on hold:
	// a file of them may be broken after the hold.
	Texts map[string][]string `json:"texts,omitempty"`
	// Sources are those in the record that the last apply wrote or proposed.
	Sources map[string]string `json:"sources,omitempty"`
}

// Note returns the inventory as JSON.
func (inv *Inventory) Note() ([]byte, error) {
	if inv.Proposal != nil {
		inv.Proposal.Base = inv.Packages
	}
	return json.Marshal(inv)
}

// Holding returns the inventory of a location after a decision is carried out.
func Holding(decision Decision, head tree.ID) *Inventory {
	inv := &Inventory{
		Location: decision.Location, Instance: decision.Instance, Head: head, Owned: Objects{}, Records: decision.Records, State: InSync,
	}
	for path, edit := range decision.Change.Edits {
		if edit.Writes() && !IsRecord(path) && edit.Want.ID != EmptiedFolder.ID {
			inv.Owned[path] = Object{Mode: edit.Want.Mode, ID: edit.Want.ID}
		}
	}
	inv.Applied = maps.Clone(inv.Owned)
	return inv
}

// IsNew reports whether the resource has never written anything.
func (inv *Inventory) IsNew() bool { return inv.Location == git.Location{} }

// IsForgotten reports whether there was an apply but its notes do not exist: Terraform keeps
// no notes of a tainted resource that it replaces.
func (inv *Inventory) IsForgotten() bool { return len(inv.Owned) == 0 && len(inv.Packages) > 0 }

// Files returns those of some paths at which the inventory has a file.
func (inv *Inventory) Files(paths []string) map[string]bool {
	files := map[string]bool{}
	for _, path := range paths {
		if inv.Owned[path].Mode == tree.ModeFile {
			files[path] = true
		}
	}
	return files
}

// Owns reports whether a path is ours (rule 2): this state applied the path, and our record
// lists it. Somebody may have deleted or edited our record. So a path that no record lists is
// ours while it has the applied content. The parameter others has the other records.
func (inv *Inventory) Owns(path string, others Claimants) bool {
	applied, known := inv.Applied[path]
	switch {
	case !known || others.Claim(path):
		return false
	case inv.Records[inv.Instance].Lists(path):
		return true
	}
	return !applied.ID.IsZero() && inv.Owned[path].ID == applied.ID
}

// Listed returns the folders at the location that our record lists but the inventory does not
// own: the configuration no longer names them, or the state is older.
func (inv *Inventory) Listed() (paths []string) {
	for _, path := range FoldersAt(inv.Location, inv.recorded(inv.Location).ClusterTypes) {
		if _, ours := inv.Owned[path]; !ours {
			paths = append(paths, path)
		}
	}
	return paths
}

// Kept returns the listed folders that still exist, as far as known, and that no record of
// another instance lists.
func (inv *Inventory) Kept() []string {
	others := inv.Claimants()
	return slices.DeleteFunc(inv.Listed(), func(path string) bool { return inv.Emptied[path] || others.Claim(path) })
}

// Arriving returns the inventory of a location that the packages move to, before the first
// look there. In the same branch, owned files and records are already known.
func (inv *Inventory) Arriving(to git.Location, sameBranch bool) *Inventory {
	next := &Inventory{Location: to, Instance: inv.Instance, Branches: inv.Branches, Owned: Objects{}, State: inv.State}
	if !sameBranch {
		return next
	}
	next.Head, next.Records, next.RecordsID = inv.Head, inv.Records, inv.RecordsID
	isFolder := func(path string, _ Object) bool { return !engine.IsOwnedFile(path) }
	next.Owned, next.Applied = maps.Clone(inv.Owned), maps.Clone(inv.Applied)
	maps.DeleteFunc(next.Owned, isFolder)
	maps.DeleteFunc(next.Applied, isFolder)
	return next
}

// Folders returns our folders that exist, sorted.
func (inv *Inventory) Folders() []string {
	return slices.DeleteFunc(inv.Paths(), func(path string) bool {
		return inv.Owned[path].Mode != tree.ModeDir ||
			inv.Owned[path].ID.IsZero()
	})
}

// Paths returns our paths that exist in the branch, sorted.
func (inv *Inventory) Paths() []string {
	return slices.Sorted(maps.Keys(inv.Owned))
}

// Guard has the notes of a resource for the cases in which Terraform shows no state: the
// plan of a replacement, and the plan of its destroy.
type Guard struct {
	// Instance is the instance that noted the guard. Place is the place of the last apply, as
	// text.
	Instance string `json:"instance,omitempty"`
	Place    string `json:"place,omitempty"`
	// Protected are the packages that are never removed.
	Protected []string `json:"protected,omitempty"`
}

// Object is a file (tree.ModeFile) or folder (tree.ModeDir) with its id. A missing object has
// the zero id.
type Object struct {
	Mode tree.Mode
	ID   tree.ID
}

// IsFolder reports whether the object is a folder that exists.
func (o Object) IsFolder() bool { return o.Mode == tree.ModeDir && !o.ID.IsZero() }

// Objects are files and folders by their paths from the repository's root.
type Objects map[string]Object

// MarshalText writes an object as git lists it: "tree <id>" or "blob <id>".
func (o Object) MarshalText() ([]byte, error) {
	kind := "blob"
	if o.Mode == tree.ModeDir {
		kind = "tree"
	}
	return []byte(kind + " " + o.ID.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (o *Object) UnmarshalText(text []byte) error {
	kind, id, _ := strings.Cut(string(text), " ")
	switch kind {
	case "blob":
		o.Mode = tree.ModeFile
	case "tree":
		o.Mode = tree.ModeDir
	default:
		return fmt.Errorf("%q is neither a blob nor a tree", text)
	}
	return o.ID.UnmarshalText([]byte(id))
}
