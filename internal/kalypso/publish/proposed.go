// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// isOf reports whether a request is the one that was noted.
func isOf(p *ownership.Proposal, q forge.Request) bool {
	return q.Number == p.Number && q.Head == p.Branch && !q.Fork && (p.Author == "" || q.Author == p.Author)
}

// tellRequest says what a plan has to say of the request: who has pushed to its branch, and that
// it was closed where nothing else changes.
func tellRequest(inv *ownership.Inventory, was *Applied, changes bool) message.Messages {
	var m message.Messages
	switch p := inv.Proposal; {
	case inv.IsPushedTo():
		m.Warn(message.PushedTo, fmt.Sprintf("%s, the branch of %s, is at the commit %s, which this resource has not pushed, or an apply that was ended before it could note that. That commit names %q as its author. "+
			"The apply closes that request and builds on another branch; the branch %[1]s stays. To keep what was pushed, merge the request by hand before the apply.",
			p.Branch, was.PullRequestURL, tree.ID(p.Seen), p.Pusher))
	case p != nil && p.Closed && !changes:
		m.Warn(message.ClosedUnmerged, fmt.Sprintf("%s was closed without a merge, so the same change is not proposed again. Change the fleet, and the next apply proposes that. To propose the same again, reopen the request.", was.PullRequestURL))
	}
	return m
}

// proposing returns the inventory of a base branch that a decision is proposed to.
func proposing(decision ownership.Decision, before *ownership.Inventory, got requested, job Job) *ownership.Inventory {
	commit := ownership.ObjectID(got.proposed.Commit)
	inv := &ownership.Inventory{
		Location: decision.Location, Detail: job.Detail, Head: ownership.ObjectID(got.proposed.Base), Owned: ownership.Objects{}, Applied: ownership.Objects{},
		Packages: ownership.DigestsOf(got.proposed.Found, decision.Location, job.Detail), Branches: got.proposed.Number,
		Instance: decision.Instance, Records: before.Records, RecordsID: before.RecordsID, Emptied: before.Emptied,
		Proposal: &ownership.Proposal{
			Number: got.request.Number, Author: got.request.Author, Branch: got.proposed.Branch, Commit: commit, On: ownership.ObjectID(got.proposed.On), Seen: commit,
			Paths: ownership.Wanted(decision.Change, true), From: ownership.Objects{}, Incomplete: got.problems != nil,
		},
	}
	if job.Exclusive && before.Foreign != nil { // else the next look is the first one at foreign folders
		inv.Foreign = ownership.Objects{}
	}
	base := &git.State{Found: got.proposed.Found}
	for path, want := range inv.Proposal.Paths {
		there := ownership.Object{Mode: want.Mode, ID: ownership.ObjectID(ownership.Standing(base, path))}
		_, foreign := before.Foreign[path]
		switch {
		case ownership.IsRecord(path):
			there.ID = inv.Here(path)
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
