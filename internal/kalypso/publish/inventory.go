// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Inventory is what stands at a location as far as we last looked. It is kept
// between runs, as JSON: it makes the next look cheap, tells an apply what its plan
// was made against, and a plan what is there without the network.
type Inventory struct {
	// Location is where; the zero value where nobody has looked anywhere yet. It is
	// kept elsewhere, as Packages are.
	Location git.Location `json:"-"`
	// Packages are the digests of what stands there, in Detail.
	Packages engine.Digests `json:"-"`
	Detail   engine.Detail  `json:"-"`

	// Head is the commit that the branch pointed at.
	Head ObjectID `json:"head"`
	// Owned are our files and folders, by path from the repository's root; with the
	// zero id where they are gone.
	Owned Objects `json:"owned"`
	// Foreign are folders of others that are claimed; nil where nobody looked for them.
	Foreign Objects `json:"foreign,omitzero"`
	// Imported is true from an import until the first change.
	Imported bool `json:"imported,omitempty"`
	// Renderer is the version of the provider that rendered what was written, and
	// Given are the parts of the location that were set then.
	Renderer string `json:"renderer,omitempty"`
	Given    string `json:"given,omitempty"`
	// Drifted is true where the branch no longer holds what was written, and Drift
	// what differs then.
	Drifted bool   `json:"drifted,omitempty"`
	Drift   *Drift `json:"drift,omitempty"`
	// Proposal is the pull request that is open; nil without one.
	Proposal *Proposal `json:"proposal,omitempty"`
	// Unmerged is true while what was applied last was proposed and has not come into
	// the branch, whether a request for it is open or not.
	Unmerged bool `json:"unmerged,omitempty"`
	// Config are values that were proposed and not merged, for the text of the next
	// request; those beyond maxKeptConfig are not kept.
	Config []forge.ConfigChange `json:"config,omitempty"`
}

// maxKeptConfig changes of values are kept between runs.
const maxKeptConfig = 2000

// ReadInventory reads what Note has written about what was applied last; nil, for
// a resource that is new, is an empty inventory. Errors: what is no inventory.
func ReadInventory(noted []byte, was *Applied) (*Inventory, error) {
	inv := &Inventory{}
	if was == nil {
		return inv, nil
	}
	if len(noted) > 0 {
		if err := json.Unmarshal(noted, inv); err != nil {
			return nil, err
		}
	}
	inv.Location, inv.Packages, inv.Detail = was.Location, maps.Clone(was.Packages), was.Detail
	if inv.Proposal != nil { // the packages that were applied are what it proposes
		inv.Packages = inv.Proposal.Base
	}
	return inv, nil
}

// Note returns the inventory as text.
func (inv *Inventory) Note() ([]byte, error) {
	if inv.Proposal != nil {
		inv.Proposal.Base = inv.Packages
	}
	return json.Marshal(inv)
}

// holding returns the inventory of a location that holds what was decided.
func holding(decision Decision, head tree.ID) *Inventory {
	inv := &Inventory{Location: decision.Location, Head: ObjectID(head), Owned: Objects{}}
	for path, edit := range decision.Change.Edits {
		if edit.Writes() {
			inv.Owned[path] = Object{Mode: edit.Want.Mode, ID: ObjectID(edit.Want.ID)}
		}
	}
	return inv
}

// isNew reports whether nothing of ours was ever written.
func (inv *Inventory) isNew() bool { return inv.Location == git.Location{} }

// isForgotten reports whether something was applied and nothing noted of it: of a
// tainted resource that it replaces, Terraform keeps no notes.
func (inv *Inventory) isForgotten() bool { return len(inv.Owned) == 0 && len(inv.Packages) > 0 }

// known returns all paths of the inventory, those of others included.
func (inv *Inventory) known() Objects {
	all := maps.Clone(inv.Owned)
	if all == nil {
		all = Objects{}
	}
	maps.Copy(all, inv.Foreign)
	return all
}

// arriving returns the inventory of a location that the packages move to, before
// anybody has looked there: of one in the same branch, owned files are known.
func (inv *Inventory) arriving(to git.Location, sameBranch bool) *Inventory {
	next := &Inventory{Location: to, Owned: Objects{}, Imported: inv.Imported}
	for path, object := range inv.Owned {
		if sameBranch && engine.IsOwnedFile(path) {
			next.Owned[path] = object
		}
	}
	return next
}

// paths names what is ours, as it is there: sorted.
func (inv *Inventory) paths() []string {
	return slices.Sorted(maps.Keys(inv.Owned))
}

// differs reports whether something in the branch is not as the inventory has it.
func (inv *Inventory) differs(found *git.State) bool {
	known := inv.known()
	for path, object := range known {
		if found.ID(path) != tree.ID(object.ID) {
			return true
		}
	}
	for path := range found.Found {
		if _, ok := known[path]; !ok {
			return true
		}
	}
	return false
}

// query asks for what may have changed: nothing while the branch points where it
// did, unless folders of others have become ours to watch.
func (inv *Inventory) query(exclusive bool) git.Query {
	query := git.Query{Paths: map[string]tree.Entry{}, Folder: inv.Location.Path}
	for path, object := range inv.known() {
		query.Paths[path] = tree.Entry{Mode: object.Mode, ID: tree.ID(object.ID)}
	}
	if exclusive {
		query.Others = claimable
	}
	if exclusive == (inv.Foreign != nil) {
		query.Head = tree.ID(inv.Head)
	}
	return query
}

// claimable reports whether exclusive claims a folder of that name: Kalypso's rule.
func claimable(name string) bool { return !strings.HasPrefix(name, ".") }

// update takes over what was found in the branch, and says of folders that cannot
// be watched: their names are no text.
func (inv *Inventory) update(found *git.State, exclusive bool) (unwatched []string) {
	inv.Head = ObjectID(found.Head)
	if found.Differences != nil {
		inv.Drift = newDrift(found.Differences)
	}
	before := maps.Clone(inv.Packages)
	for path := range inv.Owned {
		inv.take(inv.Owned, path, found)
	}
	for path := range inv.Foreign {
		if found.Found[path] == nil || !exclusive {
			inv.remove(path)
			delete(inv.Foreign, path)
		}
	}
	switch {
	case !exclusive:
		inv.Foreign = nil
	case inv.Foreign == nil:
		inv.Foreign = Objects{}
	}
	for path := range found.Found {
		if _, ours := inv.Owned[path]; ours || !exclusive || aroundOwnedFile(path) {
			continue
		}
		if !utf8.ValidString(path) {
			unwatched = append(unwatched, path)
			continue
		}
		inv.take(inv.Foreign, path, found)
	}
	inv.Drifted = inv.Drifted || !maps.Equal(before, inv.Packages)
	slices.Sort(unwatched)
	return unwatched
}

// aroundOwnedFile reports whether an owned file lies below a path.
func aroundOwnedFile(path string) bool {
	return slices.ContainsFunc(engine.OwnedFiles, func(file string) bool { return strings.HasPrefix(file, path+"/") })
}

// take notes what was found at one path.
func (inv *Inventory) take(objects Objects, path string, found *git.State) {
	known := objects[path]
	now := found.Found[path]
	switch {
	case now == nil && !known.ID.isZero():
		inv.remove(path)
	case now != nil && now.ID != tree.ID(known.ID):
		inv.remove(path)
		addDigests(inv.Packages, inv.Location, inv.Detail, path, now)
	}
	if now != nil {
		known.Mode = now.Mode
	}
	known.ID = ObjectID(found.ID(path))
	objects[path] = known
}

// remove takes a path out of the digests.
func (inv *Inventory) remove(path string) { inv.Packages.RemoveFolder(keyOf(inv.Location, path)) }
