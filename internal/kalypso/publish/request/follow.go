// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package request

import (
	"cmp"
	"context"
	"fmt"
	"maps"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Report returns the messages of a plan about a request. It reports a push of somebody else to
// the request's branch. If the plan has no other changes, it also reports that the request was
// closed. url is the request's web page.
func Report(inv *ownership.Inventory, url string, changes bool) message.Messages {
	var m message.Messages
	switch p := inv.Proposal; {
	case inv.IsPushedTo():
		m.Warn("Somebody has pushed to the branch of a pull request",
			fmt.Sprintf("%s, the branch of %s, is at the commit %s. Somebody else pushed this commit, or an interrupted "+
				"apply did. The author in the commit is %q. The next apply closes the request and uses "+
				"another branch; the branch %[1]s stays. To keep the commit, merge the request by hand before the apply.",
				p.Branch, url, p.Seen, p.Pusher))
	case p != nil && p.Closed && !changes:
		m.Warn("A pull request was closed", fmt.Sprintf("%s was closed without a merge, so the provider does not propose the same change "+
			"again. Change the fleet, and the next apply proposes the new change. To propose the same change again, reopen the request.", url))
	}
	return m
}

// Follow finds the outcome of an inventory's request, and updates the inventory. A request
// that does not exist any more counts as closed. look updates the inventory from the base
// branch. Follow compares trees, so the way of merging and other commits have no effect. If
// somebody else has pushed to the branch, and merges says that the request merges
// automatically, Follow turns automatic merging off. It returns the commit of the merge.
func (c *Client) Follow(ctx context.Context, inv *ownership.Inventory, merges bool, look func() error) (merged string, m message.Messages,
	err error) {
	repo, err := c.Forges.Repository(ctx, inv.Location.Repo)
	if err != nil {
		return "", m, err
	}
	proposal := inv.Proposal
	now, err := repo.Request(ctx, proposal.Number)
	if gone := remote.Is(err, remote.KindNotFound); gone || err == nil && !isOf(proposal, now) {
		now, err = forge.Request{State: forge.Closed}, nil
		m.Warn("A pull request does not exist any more", fmt.Sprintf(
			"Pull request %d of this resource for %s does not exist any more, so it counts as closed. If the request is only hidden from "+
				"the token, give the token the right to read pull requests.", proposal.Number, inv.Location))
	}
	if err == nil {
		err = look()
	}
	if err != nil {
		return "", m, err
	}
	proposal.Closed = now.State == forge.Closed
	if now.State == forge.Merged || proposal.Closed && inv.HoldsProposal(false) && inv.HoldsRelease() {
		inv.NoteMerge()
		return cmp.Or(now.MergeCommit, inv.Head.String()), m, nil
	}
	if err := c.noteHead(ctx, inv, now.HeadCommit); err != nil {
		return "", m, err
	}
	if inv.IsPushedTo() && merges {
		if err := repo.KeepOpen(ctx, proposal.Number); err != nil {
			m.Warn("Automatic merging was not turned off",
				fmt.Sprintf("Somebody has pushed to %s, the branch of %s. Turn automatic merging of this request off by "+
					"hand. Cause: %s", proposal.Branch, now.URL, message.Sentence(err)))
		}
	}
	inv.Settle()
	return "", m, nil
}

// noteHead notes the commit of the request's branch. If we have not pushed this commit,
// noteHead also notes the commit's author.
func (c *Client) noteHead(ctx context.Context, inv *ownership.Inventory, head string) error {
	proposal := inv.Proposal
	seen, err := tree.ParseID(head)
	if err != nil { // the commit is gone: not only we have pushed
		seen = tree.ID{}
	}
	if proposal.Seen == seen {
		return nil
	}
	proposal.Seen, proposal.Pusher = seen, ""
	if proposal.Closed || !proposal.IsEdited() {
		return nil
	}
	found, err := c.Git.Read(ctx, git.Branch{Repo: inv.Location.Repo, Name: proposal.Branch}, git.Query{})
	if err != nil {
		return err
	}
	proposal.Pusher = found.Author
	return nil
}

// Packages returns the digests of the packages in the request's branch.
func (c *Client) Packages(ctx context.Context, inv *ownership.Inventory) (engine.Digests, error) {
	query := git.Query{Paths: map[string]tree.Entry{}}
	for path, object := range inv.Proposal.Paths {
		if !ownership.IsRecord(path) && !object.ID.IsZero() {
			query.Paths[path] = tree.Entry{Mode: object.Mode}
		}
	}
	found, err := c.Git.Read(ctx, git.Branch{Repo: inv.Location.Repo, Name: inv.Proposal.Branch}, query)
	if err != nil {
		return nil, err
	}
	return ownership.DigestsOf(found.Found, inv.Location, inv.Detail), nil
}

// Recall finds the open request of the state again, by its number and its commit. The request
// is ours if we have opened it, from a branch of ours that is at the state's commit. paths are
// the paths that the request changes.
func (c *Client) Recall(ctx context.Context, inv *ownership.Inventory, number int, pushed string, paths map[string]tree.Entry) error {
	repo, err := c.Forges.Repository(ctx, inv.Location.Repo)
	if err != nil {
		return err
	}
	q, err := repo.Request(ctx, number)
	if remote.Is(err, remote.KindNotFound) {
		return nil
	}
	branch := ownership.BranchNumber(q.Head, inv.Instance)
	commit, idErr := tree.ParseID(pushed)
	if err != nil || idErr != nil || q.State != forge.Open || q.Fork || branch == 0 || q.HeadCommit != pushed {
		return err
	}
	if me, err := repo.Viewer(ctx); err != nil || me != q.Author {
		return err
	}
	found, err := c.Git.Read(ctx, git.Branch{Repo: inv.Location.Repo, Name: q.Head}, git.Query{Paths: paths})
	if err != nil {
		return err
	}
	inv.Branches = branch
	inv.Proposal = &ownership.Proposal{
		Number: q.Number, Author: q.Author, Branch: q.Head, Commit: commit, Seen: commit,
		Paths: ownership.Objects{}, From: maps.Clone(inv.Owned), Incomplete: true,
	}
	for path, e := range paths {
		inv.Proposal.Paths[path] = ownership.Object{Mode: e.Mode, ID: found.ID(path)}
	}
	return nil
}

// Inventory returns the inventory of the base branch that the change is proposed to.
func (got Made) Inventory(q Wanted, detail engine.Detail) *ownership.Inventory {
	decision, before, commit := q.Decision, q.Seen, got.Commit
	inv := &ownership.Inventory{
		Location: decision.Location, Detail: detail, Head: got.Base, Owned: ownership.Objects{}, Applied: ownership.Objects{},
		Packages: ownership.DigestsOf(got.Found, decision.Location, detail), Branches: got.Number, State: ownership.Proposed,
		Instance: decision.Instance, Records: before.Records, RecordsID: before.RecordsID, Emptied: before.Emptied,
		Proposal: &ownership.Proposal{
			Number: got.Request.Number, Author: got.Request.Author, Branch: got.Branch, Commit: commit, On: got.On, Seen: commit,
			Paths: ownership.Wanted(decision.Change, true), From: ownership.Objects{}, Incomplete: got.Problems != nil,
			Release: decision.Records[decision.Instance].Release(),
		},
	}
	base := &git.Answer{Found: got.Found}
	for path, want := range inv.Proposal.Paths {
		there := ownership.Object{Mode: want.Mode, ID: ownership.Standing(base, path)}
		if ownership.IsRecord(path) {
			there.ID = inv.Here(path)
		} else {
			inv.Owned[path] = there
			if applied, known := before.Applied[path]; known {
				inv.Applied[path] = applied
			}
		}
		inv.Proposal.From[path] = there
	}
	return inv
}

// TakeMerge notes a merge during an apply, and returns its commit. The commit is empty if the
// branch does not have the proposed content.
func (c *Client) TakeMerge(ctx context.Context, inv *ownership.Inventory, got Made) (merged string, m message.Messages) {
	found, err := c.Git.Read(ctx, inv.Location.Of(), inv.Query())
	if err == nil && !found.Unchanged {
		err = inv.Update(found)
	}
	switch {
	case err != nil:
		m.Fail(message.Unreadable, problem.Sentence(err))
		return "", m
	case !inv.HoldsProposal(false):
		return "", m
	}
	m.Add(c.DropMerged(ctx, inv.Location.Repo, inv.Proposal))
	inv.NoteMerge()
	inv.Merged = nil
	return cmp.Or(got.Request.MergeCommit, found.Head.String()), m
}
