// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Proposal is the pull request that a resource follows, until it is merged or another one
// takes its place. The rest of an inventory stays what the base branch holds.
type Proposal struct {
	Number int `json:"number"`
	// Author opened it, as the forge names who we are.
	Author string `json:"author,omitempty"`
	// Branch is the head branch, Commit what we pushed to it, On the commit of the base
	// branch that it contains, and Seen what was there when we last looked: where it is not
	// Commit, somebody else has pushed, and Pusher is how that commit names its author.
	Branch string   `json:"branch"`
	Commit ObjectID `json:"commit"`
	On     ObjectID `json:"on"`
	Seen   ObjectID `json:"seen"`
	Pusher string   `json:"pusher,omitempty"`
	// Closed is true where somebody has closed it without a merge.
	Closed bool `json:"closed,omitempty"`
	// Paths are what is proposed, records included; with the zero id what the request takes
	// away. From is what the base branch had there.
	Paths Objects `json:"paths"`
	From  Objects `json:"from"`
	// Base are the inventory's packages, for a note.
	Base engine.Digests `json:"base"`
	// Incomplete is true where the request lacks something, as a label.
	Incomplete bool `json:"incomplete,omitempty"`
}

// branchNumber returns the number of a branch that is named as an instance's are, whatever
// the prefix and the environment were; 0 for any other.
func branchNumber(branch, instance string) int {
	digits, ours := strings.CutPrefix(path.Base(branch), instance+"-")
	number, err := strconv.Atoi(digits)
	if !ours || err != nil {
		return 0
	}
	return number
}

// isOpen reports whether there is a request that is open, as far as we know.
func (p *Proposal) isOpen() bool { return p != nil && !p.Closed }

// is reports whether a request is the one that was noted.
func (p *Proposal) is(q forge.Request) bool {
	return q.Number == p.Number && q.Head == p.Branch && !q.Fork && (p.Author == "" || q.Author == p.Author)
}

// isEdited reports whether the head branch is not at the commit that we pushed.
func (p *Proposal) isEdited() bool { return p.Seen != p.Commit }

// here returns what the inventory says is at a path, of files and folders that we look at
// and of records.
func (inv *Inventory) here(file string) ObjectID {
	if isRecord(file) {
		return inv.Records[path.Base(file)].File
	}
	if object, ours := inv.Owned[file]; ours {
		return object.ID
	}
	return inv.Foreign[file].ID
}

// holdsProposal reports whether the base branch holds what is proposed: the folders, or
// the records, too.
func (inv *Inventory) holdsProposal(records bool) bool {
	for path, want := range inv.Proposal.Paths {
		id := want.ID
		if id == ObjectID(emptiedFolder.ID) { // nothing is there, then
			id = ObjectID{}
		}
		if (records || !isRecord(path)) && inv.here(path) != id {
			return false
		}
	}
	return true
}

// baseMoved reports whether the base branch has something else than when we pushed, where
// the request or we ourselves change something.
func (inv *Inventory) baseMoved() bool {
	from := inv.Proposal.From
	return slices.ContainsFunc(slices.AppendSeq(slices.Collect(maps.Keys(from)), maps.Keys(inv.known())), func(path string) bool {
		return inv.here(path) != from[path].ID
	})
}

// isStale reports whether the request no longer proposes what was wanted, or not that
// alone. What was closed is left alone, unless it was not ours alone.
func (inv *Inventory) isStale() bool {
	switch p := inv.Proposal; {
	case p == nil:
		return false
	case p.Closed:
		return p.isEdited()
	default:
		return !inv.holdsProposal(true) && (p.isEdited() || inv.baseMoved())
	}
}

// proposes reports whether the request proposes, or proposed before it was closed, just
// that change.
func (inv *Inventory) proposes(change git.Change) bool {
	if inv.isStale() {
		return false
	}
	wants := Objects{}
	for path, object := range inv.Proposal.Paths {
		if !isRecord(path) {
			wants[path] = object
		}
	}
	return maps.Equal(wants, wanted(change, false))
}

// wanted are the paths of a change as it wants them, with records or without.
func wanted(change git.Change, records bool) Objects {
	all := Objects{}
	for path, edit := range change.Edits {
		if records || !isRecord(path) {
			all[path] = Object{Mode: edit.Want.Mode, ID: ObjectID(edit.Want.ID)}
		}
	}
	return all
}

// tell says what a plan has to say of the request: who has pushed to its branch, and that
// it was closed where nothing else changes.
func (inv *Inventory) tell(was *Applied, changes bool) Messages {
	var m Messages
	switch p := inv.Proposal; {
	case inv.isPushedTo():
		m.warn(pushedTo, fmt.Sprintf("%s, the branch of %s, is at the commit %s, which this resource has not pushed, or an apply that was ended before it could note that. That commit names %q as its author. "+
			"The apply closes that request and builds on another branch; the branch %[1]s stays. To keep what was pushed, merge the request by hand before the apply.",
			p.Branch, was.PullRequestURL, tree.ID(p.Seen), p.Pusher))
	case p != nil && p.Closed && !changes:
		m.warn(closedUnmerged, fmt.Sprintf("%s was closed without a merge, so the same change is not proposed again. Change the fleet, and the next apply proposes that. To propose the same again, reopen the request.", was.PullRequestURL))
	}
	return m
}

// isPushedTo reports whether somebody else has pushed to the branch of the open request.
func (inv *Inventory) isPushedTo() bool {
	p := inv.Proposal
	return p.isOpen() && p.isEdited() && inv.isStale()
}

// proposing returns the inventory of a base branch that a decision is proposed to.
func proposing(decision Decision, before *Inventory, got requested, job Job) *Inventory {
	commit := ObjectID(got.proposed.Commit)
	inv := &Inventory{
		Location: decision.Location, Detail: job.Detail, Head: ObjectID(got.proposed.Base), Owned: Objects{}, Applied: Objects{},
		Packages: digestsOf(got.proposed.Found, decision.Location, job.Detail), Branches: got.proposed.Number,
		Instance: decision.Instance, Records: before.Records, RecordsID: before.RecordsID, Emptied: before.Emptied,
		Proposal: &Proposal{
			Number: got.request.Number, Author: got.request.Author, Branch: got.proposed.Branch, Commit: commit, On: ObjectID(got.proposed.On), Seen: commit,
			Paths: wanted(decision.Change, true), From: Objects{}, Incomplete: got.problems != nil,
		},
	}
	if job.Exclusive && before.Foreign != nil { // else the next look is the first one at foreign folders
		inv.Foreign = Objects{}
	}
	base := &git.State{Found: got.proposed.Found}
	for path, want := range inv.Proposal.Paths {
		there := Object{Mode: want.Mode, ID: ObjectID(standing(base, path))}
		_, foreign := before.Foreign[path]
		switch {
		case isRecord(path):
			there.ID = inv.here(path)
		case foreign && job.Exclusive:
			inv.Foreign[path] = there
		default:
			inv.Owned[path] = there
			if applied, known := before.Applied[path]; known {
				inv.Applied[path] = applied
			}
		}
		inv.Proposal.From[path] = there
	}
	return inv
}

// merged notes that the request was merged, or that the base branch holds what it proposes.
func (inv *Inventory) merged() {
	written := maps.Clone(inv.Proposal.Paths)
	maps.DeleteFunc(written, func(path string, object Object) bool {
		return isRecord(path) || slices.Contains([]ObjectID{{}, ObjectID(emptiedFolder.ID)}, object.ID)
	})
	if inv.holdsProposal(false) {
		inv.Owned, inv.Applied, inv.Foreign, inv.Drifted = written, maps.Clone(written), nil, false
	} else { // something else came of it since
		applied := Objects{}
		maps.Copy(applied, inv.Applied)
		maps.Copy(applied, written)
		inv.Applied, inv.Drifted = applied, true
	}
	inv.Merged, inv.Proposal = inv.Proposal, nil
}
