// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
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
	// Packages are the digests of what stands there or is proposed, in Detail.
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
	// Config are values that were proposed and not merged, for the text of the next
	// request; those beyond maxKeptConfig are not kept.
	Config []forge.ConfigChange `json:"config,omitempty"`
}

// Proposal is a pull request that is open. The rest of an inventory stays what the
// base branch holds; Packages are what is proposed.
type Proposal struct {
	Number int `json:"number"`
	// Branch is the head branch, Commit what we pushed to it, Seen what was there
	// when we last looked.
	Branch string   `json:"branch"`
	Commit ObjectID `json:"commit"`
	Seen   ObjectID `json:"seen"`
	// Paths are what is proposed; with the zero id what the request takes away.
	Paths Objects `json:"paths"`
	// Base are the digests of what the base branch holds.
	Base engine.Digests `json:"base"`
	// Edited is true where somebody has changed our paths on the head branch,
	// BaseMoved where somebody did in the base branch.
	Edited    bool `json:"edited,omitempty"`
	BaseMoved bool `json:"base_moved,omitempty"`
	// Incomplete is true where the request lacks something, as a label.
	Incomplete bool `json:"incomplete,omitempty"`
}

// maxKeptConfig changes of values are kept between runs.
const maxKeptConfig = 2000

// isNew reports whether nothing of ours was ever written.
func (inv *Inventory) isNew() bool { return inv.Location == git.Location{} }

// stale reports whether the open request no longer proposes what was wanted.
func (p *Proposal) stale() bool { return p != nil && (p.Edited || p.BaseMoved) }

// holds reports whether the request proposes just that change.
func (p *Proposal) holds(change git.Change) bool {
	if p == nil || p.stale() || len(p.Paths) != len(change.Edits) {
		return false
	}
	for path, edit := range change.Edits {
		if proposed, ok := p.Paths[path]; !ok || proposed.ID != ObjectID(edit.Want.ID) {
			return false
		}
	}
	return true
}

// standsIn reports whether a branch holds what is proposed, as far as the inventory
// knows of paths.
func (p *Proposal) standsIn(found *git.State, inv *Inventory) bool {
	for path := range inv.known() {
		if found.ID(path) != tree.ID(p.Paths[path].ID) {
			return false
		}
	}
	return true
}

// known returns all paths of the inventory, those of others included.
func (inv *Inventory) known() Objects {
	all := maps.Clone(inv.Owned)
	if all == nil {
		all = Objects{}
	}
	maps.Copy(all, inv.Foreign)
	return all
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
		if _, ours := inv.Owned[path]; ours || !exclusive {
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

// keyOf returns the key that a path has in digests: the folder's name for those
// of the location, the path itself for others.
func keyOf(loc git.Location, path string) string {
	if below, ok := strings.CutPrefix(path, loc.Join("")+"/"); ok {
		return below
	}
	return path
}

// addDigests adds the digests of what stands at a path.
func addDigests(d engine.Digests, loc git.Location, detail engine.Detail, path string, found *git.Found) {
	key := keyOf(loc, path)
	if found.Mode == tree.ModeDir {
		d.AddFolder(detail, key, found.ID, found.Entries)
		return
	}
	d[key] = found.ID.Short()
}

// digestsOf returns the digests of what was found.
func digestsOf(found map[string]*git.Found, loc git.Location, detail engine.Detail) engine.Digests {
	d := engine.Digests{}
	for path, f := range found {
		addDigests(d, loc, detail, path, f)
	}
	return d
}
