// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"maps"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Proposal is a pull request that is open. The rest of an inventory stays what the
// base branch holds.
type Proposal struct {
	Number int `json:"number"`
	// Author opened it, as the forge names who we are.
	Author string `json:"author,omitempty"`
	// Branch is the head branch, Commit what we pushed to it, Seen what was there
	// when we last looked: where it is another commit, somebody else has pushed, and
	// Pusher is how that commit names its author.
	Branch string   `json:"branch"`
	Commit ObjectID `json:"commit"`
	Seen   ObjectID `json:"seen"`
	Pusher string   `json:"pusher,omitempty"`
	// Paths are what is proposed; with the zero id what the request takes away.
	Paths Objects `json:"paths"`
	// Record is ours, as it is proposed; nil where the request does not write it.
	Record *Record `json:"record,omitempty"`
	// Base are the inventory's packages, for a note.
	Base engine.Digests `json:"base"`
	// BaseMoved is true where somebody has changed our paths in the base branch.
	BaseMoved bool `json:"base_moved,omitempty"`
	// Incomplete is true where the request lacks something, as a label, and Done where
	// the base branch holds what it proposes: the next apply closes it.
	Incomplete bool `json:"incomplete,omitempty"`
	Done       bool `json:"done,omitempty"`
}

// is reports whether a request is the one that was noted.
func (p *Proposal) is(q forge.Request) bool {
	return q.Number == p.Number && q.Head == p.Branch && !q.Fork && (p.Author == "" || q.Author == p.Author)
}

// edited reports whether the head branch is not at the commit that we pushed.
func (p *Proposal) edited() bool { return p.Seen != p.Commit }

// recorded reports whether the branch has our record as it is proposed.
func (p *Proposal) recorded(inv *Inventory) bool {
	return p.Record == nil || inv.Records[inv.Instance].says(*p.Record)
}

// isPushedTo reports whether somebody else has pushed to the branch of the open request.
func (p *Proposal) isPushedTo() bool { return p.stale() && p.edited() && !p.Seen.isZero() }

// planPushed says who has pushed to the request's branch, and what an apply does about it.
func (p *Proposal) planPushed(was *Applied) Messages {
	var m Messages
	if p.isPushedTo() {
		m.warn(pushedTo, fmt.Sprintf("%s, the branch of %s, is at the commit %s, which this resource has not pushed. That commit names %q as its author. "+
			"The apply closes that request and builds on another branch; the branch %[1]s stays. To keep what was pushed, merge the request by hand before the apply.",
			p.Branch, was.PullRequestURL, tree.ID(p.Seen), p.Pusher))
	}
	return m
}

// stale reports whether the open request no longer proposes what was wanted, or not that
// alone.
func (p *Proposal) stale() bool { return p != nil && !p.Done && (p.edited() || p.BaseMoved) }

// holds reports whether the request proposes just that change.
func (p *Proposal) holds(change git.Change) bool {
	if p == nil || p.stale() {
		return false
	}
	left := len(p.Paths)
	for path, edit := range change.Edits {
		if isRecord(path) {
			continue
		}
		left--
		if proposed, ok := p.Paths[path]; !ok || proposed.ID != ObjectID(edit.Want.ID) {
			return false
		}
	}
	return left == 0
}

// standsIn reports whether a branch holds what is proposed, as far as the inventory
// knows of paths.
func (p *Proposal) standsIn(found *git.State, inv *Inventory) bool {
	for path := range inv.known() {
		if want := tree.ID(p.Paths[path].ID); found.ID(path) != want && standing(found, path) != want {
			return false
		}
	}
	return true
}

// written are the files and folders that the base branch has once the request is merged.
func (p *Proposal) written() Objects {
	all := maps.Clone(p.Paths)
	maps.DeleteFunc(all, func(_ string, object Object) bool {
		return object.ID.isZero() || object.ID == ObjectID(emptiedFolder.ID)
	})
	return all
}

// proposing returns the inventory of a base branch that a decision is proposed to.
func proposing(decision Decision, before *Inventory, got requested, job Job) *Inventory {
	inv := &Inventory{
		Location: decision.Location, Detail: job.Detail, Head: ObjectID(got.proposed.Base), Owned: Objects{}, Applied: Objects{},
		Packages: digestsOf(got.proposed.Found, decision.Location, job.Detail), Unmerged: true,
		Instance: decision.Instance, Records: before.Records, RecordsID: before.RecordsID, Emptied: before.Emptied,
	}
	if job.Exclusive && before.Foreign != nil { // else the next look is the first one at foreign folders
		inv.Foreign = Objects{}
	}
	inv.Proposal = &Proposal{
		Number: got.request.Number, Author: got.request.Author, Branch: got.proposed.Branch, Commit: ObjectID(got.proposed.Commit), Seen: ObjectID(got.proposed.Commit),
		Paths: Objects{},
	}
	if _, writes := decision.Change.Edits[recordPath(decision.Instance)]; writes {
		record := decision.Records[decision.Instance].Record
		inv.Proposal.Record = &record
	}
	for path, edit := range decision.Change.Edits {
		if isRecord(path) {
			continue
		}
		inv.Proposal.Paths[path] = Object{Mode: edit.Want.Mode, ID: ObjectID(edit.Want.ID)}
		there := Object{Mode: edit.Want.Mode}
		if found := got.proposed.Found[path]; found != nil {
			there.ID = ObjectID(found.ID)
		}
		if _, foreign := before.Foreign[path]; foreign && job.Exclusive {
			inv.Foreign[path] = there
			continue
		}
		inv.Owned[path] = there
		if applied, known := before.Applied[path]; known {
			inv.Applied[path] = applied
		}
	}
	return inv
}

// mergedOtherwise notes that a merge has written what was proposed, and that something else
// came of it since.
func (inv *Inventory) mergedOtherwise() {
	applied := Objects{}
	maps.Copy(applied, inv.Applied)
	maps.Copy(applied, inv.Proposal.written())
	inv.Applied = applied
}

// merged notes that the base branch holds what was proposed.
func (inv *Inventory) merged(head ObjectID) {
	inv.Head, inv.Foreign = head, nil
	inv.Owned = inv.Proposal.written()
	inv.Applied = maps.Clone(inv.Owned)
	inv.Proposal, inv.Drifted, inv.Unmerged = nil, false, false
}
