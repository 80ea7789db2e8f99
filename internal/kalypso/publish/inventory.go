// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

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
	// kept elsewhere, as Instance and Packages are.
	Location git.Location `json:"-"`
	// Instance is who we are; empty before the first apply.
	Instance string `json:"-"`
	// Packages are the digests of what stands there, in Detail.
	Packages engine.Digests `json:"-"`
	Detail   engine.Detail  `json:"-"`

	// Head is the commit that the branch pointed at.
	Head ObjectID `json:"head"`
	// Owned are the files and folders that we look after, by path from the repository's
	// root, as they were when we last looked; with the zero id where they are gone.
	Owned Objects `json:"owned"`
	// Applied are those that the last apply has written, as it wrote them; what it
	// proposed, once that is merged. No look at the branch changes it: see owns.
	Applied Objects `json:"applied,omitempty"`
	// Foreign are folders of others that are claimed; nil where nobody looked for them.
	Foreign Objects `json:"foreign,omitzero"`
	// Records are the records that count on the branch, by instance, and RecordsID
	// is the id of their folder, where it was read.
	Records   Records  `json:"records,omitempty"`
	RecordsID ObjectID `json:"records_id,omitzero"`
	// Emptied are paths at which an emptied folder stands, or nothing any more of what our
	// record offers, as far as somebody has looked.
	Emptied map[string]bool `json:"emptied,omitempty"`
	// Guard is what a replacement has to heed: Terraform hands it no state.
	Guard Guard `json:"guard,omitzero"`
	// Held is true where what was applied last was not written.
	Held bool `json:"held,omitempty"`
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
	// Trace names the commits that changed something of ours since the last apply, or says
	// why they are not known; empty where nothing drifted.
	Trace string `json:"trace,omitempty"`
	// Proposal is the pull request that is open; nil without one.
	Proposal *Proposal `json:"proposal,omitempty"`
	// Merged is the request that was merged last, until an apply has deleted its branch.
	Merged *Proposal `json:"merged,omitempty"`
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
	inv.Location, inv.Instance, inv.Packages, inv.Detail = was.Location, was.Instance, maps.Clone(was.Packages), was.Detail
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
	inv := &Inventory{
		Location: decision.Location, Instance: decision.Instance, Head: ObjectID(head), Owned: Objects{}, Records: decision.Records,
	}
	for path, edit := range decision.Change.Edits {
		if edit.Writes() && !isRecord(path) && edit.Want.ID != emptiedFolder.ID {
			inv.Owned[path] = Object{Mode: edit.Want.Mode, ID: ObjectID(edit.Want.ID)}
		}
	}
	inv.Applied = maps.Clone(inv.Owned)
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

// files returns which of some of its paths are files, and no folders.
func (inv *Inventory) files(paths []string) map[string]bool {
	files, known := map[string]bool{}, inv.known()
	for _, path := range paths {
		if known[path].Mode == tree.ModeFile {
			files[path] = true
		}
	}
	return files
}

// claimed returns the paths that go where they are no longer desired: ours, and
// with exclusive those of others that were seen.
func (inv *Inventory) claimed(exclusive bool) Objects {
	if exclusive {
		return inv.known()
	}
	return inv.Owned
}

// owns reports whether a path is ours: the state has applied it, and our record claims it.
// Where no record does, since ours was deleted or edited or never written, it is ours as
// long as what stands there is what was applied. owners are what others have recorded.
func (inv *Inventory) owns(path string, owners claimants) bool {
	applied, known := inv.Applied[path]
	switch {
	case !known || owners.claim(path):
		return false
	case inv.Records[inv.Instance].claims(path):
		return true
	}
	return !applied.ID.isZero() && inv.Owned[path].ID == applied.ID
}

// offers are the folders at the location that our record has released, or names without
// our having them.
func (inv *Inventory) offers() (paths []string) {
	mine := inv.Records[inv.Instance]
	if !mine.at(inv.Location) {
		return nil
	}
	for _, name := range slices.Concat(mine.Released, mine.ClusterTypes) {
		path := inv.Location.Join(name)
		if _, ours := inv.Owned[path]; !ours {
			paths = append(paths, path)
		}
	}
	return paths
}

// arriving returns the inventory of a location that the packages move to, before
// anybody has looked there: of one in the same branch, owned files and records are known.
func (inv *Inventory) arriving(to git.Location, sameBranch bool) *Inventory {
	next := &Inventory{Location: to, Instance: inv.Instance, Owned: Objects{}, Imported: inv.Imported}
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

// folders names our folders that are there, sorted.
func (inv *Inventory) folders() []string {
	return slices.DeleteFunc(inv.paths(), func(path string) bool { return inv.Owned[path].Mode != tree.ModeDir || inv.Owned[path].ID.isZero() })
}

// paths names what is ours, as it is there: sorted.
func (inv *Inventory) paths() []string {
	return slices.Sorted(maps.Keys(inv.Owned))
}

// claimable reports whether exclusive claims a folder of that name: Kalypso's rule.
func claimable(name string) bool { return !strings.HasPrefix(name, ".") }
