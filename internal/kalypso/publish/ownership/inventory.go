// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Inventory is the content of a location as far as we last looked. It is kept between
// runs, as JSON. It makes the next look cheap. An apply learns from it what its plan was
// made against. A plan learns from it the location's content without the network.
type Inventory struct {
	// Location is the location; the zero value if nobody has looked anywhere yet. It is
	// Kept elsewhere, as Instance and Packages are.
	Location git.Location `json:"-"`
	// Instance is our instance; empty before the first apply.
	Instance string `json:"-"`
	// Packages are the digests of the location's content, in Detail.
	Packages engine.Digests `json:"-"`
	Detail   engine.Detail  `json:"-"`

	// Head is the commit that the branch pointed at.
	Head tree.ID `json:"head"`
	// Owned are the files and folders that we look after, by path from the repository's
	// root, as they were at the last look. Missing ones have the zero id.
	Owned Objects `json:"owned"`
	// Applied are the objects that the last apply has written, as it wrote them. Proposed
	// objects are added once they are merged. No look at the branch changes Applied: see
	// owns.
	Applied Objects `json:"applied,omitempty"`
	// Foreign are claimed folders of others; nil if nobody looked for them.
	Foreign Objects `json:"foreign,omitzero"`
	// Records are the records that count on the branch, by instance. RecordsID is the id
	// of their folder, if it was read.
	Records   Records `json:"records,omitempty"`
	RecordsID tree.ID `json:"records_id,omitzero"`
	// Emptied are paths of emptied folders, and paths that our record lists but that do
	// not exist any more, as far as somebody has looked.
	Emptied map[string]bool `json:"emptied,omitempty"`
	// Guard is for a replacement, which must respect it: Terraform hands it no state.
	Guard Guard `json:"guard,omitzero"`
	// State compares the branch with the last apply: see Settle.
	State State `json:"state,omitempty"`
	// Renderer is the version of the provider that rendered the written content. It is
	// empty if the last apply wrote nothing, because it was on hold. Given are the parts
	// of the location that were set then.
	Renderer string `json:"renderer,omitempty"`
	Given    string `json:"given,omitempty"`
	// Trace names the commits that changed something of ours since the last apply, or the
	// reason why they are not known. It is empty if nothing drifted.
	Trace string `json:"trace,omitempty"`
	// Proposal is the pull request of the last apply, open or closed without a merge; nil
	// without one.
	Proposal *Proposal `json:"proposal,omitempty"`
	// Merged is the request that was merged last, until an apply has deleted its branch.
	Merged *Proposal `json:"merged,omitempty"`
	// Branches is the number of the last branch that we have made for a request.
	Branches int `json:"branches,omitempty"`
	// Texts are manifests as they were before a file of their source was broken, while it is, by
	// the object that leads to the source.
	Texts map[string][]string `json:"texts,omitempty"`
}

// Note returns the inventory as text.
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

// IsNew reports whether we never wrote anything.
func (inv *Inventory) IsNew() bool { return inv.Location == git.Location{} }

// IsForgotten reports whether there was an apply but no notes of it exist: Terraform keeps
// no notes of a tainted resource that it replaces.
func (inv *Inventory) IsForgotten() bool { return len(inv.Owned) == 0 && len(inv.Packages) > 0 }

// Known returns all paths of the inventory, those of others included.
func (inv *Inventory) Known() Objects {
	all := maps.Clone(inv.Owned)
	if all == nil {
		all = Objects{}
	}
	maps.Copy(all, inv.Foreign)
	return all
}

// Files returns which of some of its paths are files, and no folders.
func (inv *Inventory) Files(paths []string) map[string]bool {
	files, known := map[string]bool{}, inv.Known()
	for _, path := range paths {
		if known[path].Mode == tree.ModeFile {
			files[path] = true
		}
	}
	return files
}

// claimed returns the paths that go if they are no longer desired: ours, and with
// exclusive also the seen paths of others.
func (inv *Inventory) claimed(exclusive bool) Objects {
	if exclusive {
		return inv.Known()
	}
	return inv.Owned
}

// Owns reports whether a path is ours (rule 2): the state has applied it, and our record
// lists it. Our record may be deleted, edited or never written. If no record lists the
// path, it is ours as long as it holds the applied content. others are the records of
// others.
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

// Listed are the folders at the location that our record lists and that we do not look after:
// a configuration that named them does not any more, or the state is an older one.
func (inv *Inventory) Listed() (paths []string) {
	for _, path := range FoldersAt(inv.Location, inv.recorded(inv.Location).ClusterTypes) {
		if _, ours := inv.Owned[path]; !ours {
			paths = append(paths, path)
		}
	}
	return paths
}

// Kept are those that are listed and still there, as far as somebody has looked, and that no
// record of another instance lists.
func (inv *Inventory) Kept() []string {
	others := inv.Claimants()
	return slices.DeleteFunc(inv.Listed(), func(path string) bool { return inv.Emptied[path] || others.Claim(path) })
}

// Arriving returns the inventory of a location that the packages move to, before
// anybody has looked there: of one in the same branch, owned files and records are known.
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

// Folders names our folders that are there, sorted.
func (inv *Inventory) Folders() []string {
	return slices.DeleteFunc(inv.Paths(), func(path string) bool {
		return inv.Owned[path].Mode != tree.ModeDir ||
			inv.Owned[path].ID.IsZero()
	})
}

// Paths names our paths as they are in the branch, sorted.
func (inv *Inventory) Paths() []string {
	return slices.Sorted(maps.Keys(inv.Owned))
}

// Claimable reports whether exclusive claims a folder of that name: Kalypso's rule.
func Claimable(name string) bool { return !strings.HasPrefix(name, ".") }

// Guard has the notes of a resource for the cases in which Terraform shows no state: the
// plan of a replacement, and the plan of its destroy.
type Guard struct {
	// Instance is the instance that noted it. Place is the place of the last apply, in
	// words.
	Instance string `json:"instance,omitempty"`
	Place    string `json:"place,omitempty"`
	// Protected are the packages that are never removed.
	Protected []string `json:"protected,omitempty"`
}
