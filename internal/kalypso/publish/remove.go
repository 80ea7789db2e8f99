// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Destroy takes what was applied out of the repository, as on_removal says: with one
// commit, or by a pull request. What there is goes to the resource that comes to the
// same place in the same run, and what another one comes to own stays. job's settings
// are those that were applied. One that is not meant is half of a replacement: it
// removes nothing, and leaves what there is to the resource that comes, so that nothing
// is ever gone in between. It warns of what stays although nobody looks after it.
func (p *Publisher) Destroy(ctx context.Context, job Job, meant bool) Messages {
	return p.destroy(ctx, job, meant).About(job.Fleet.Environment, Place(job.Inventory.Location, job.Fleet.ClusterTypes))
}

func (p *Publisher) destroy(ctx context.Context, job Job, meant bool) Messages {
	var m Messages
	inv := job.Inventory
	ctx = inv.trusting(ctx)
	place := placeKey(job.Fleet.Environment, inv.Location)
	if inv.isForgotten() {
		inv.Applied = p.applied(job.Was)
	}
	if !meant {
		p.succession.handOver(place, bequest{Inventory: inv})
		return m
	}
	if inv.isForgotten() {
		var err error
		if inv, err = p.claimAgain(ctx, inv); err != nil {
			m.fail(unreadable, problem.Sentence(goneForGood(err)))
			return m
		}
		job.Inventory = inv
	}
	heir, taken, err := p.succession.bequeath(ctx, place, bequest{inv, job.Removal == Retain}, job.Followed, p.patienceFor(job))
	switch {
	case err != nil:
		m.fail(notRemoved, problem.Sentence(err))
		return m
	case taken:
		return m
	case heir != nil && heir.held:
		m.warn(OnHold, fmt.Sprintf(
			"The resource that comes to %s is on hold, so the packages stay there as they are. It takes them over once hold is taken away.", inv.Location))
		return m
	}
	m.add(p.abandoned(job))
	if inv.Merged != nil {
		m.add(p.dropMerged(ctx, inv.Location.Repo, inv.Merged))
	}
	if job.Removal == Retain {
		m.add(p.retain(ctx, job))
		return m
	}
	nothing := job.nothing(inv.Location)
	nothing.Leave = p.inherited(job)
	more, err := p.remove(ctx, job, nothing, inv, "remove all packages")
	m.add(more)
	if err != nil {
		m.fail(unchanged, explain(inv.Location, goneForGood(err), false, inv.Packages))
		return m
	}
	p.succession.dropped(inv.Instance)
	return m
}

// IsFollowed reports whether another resource is planned to come to the place of one
// whose destroy is planned: Terraform plans both at about the same time. Where that one
// changes together with what it is made of, Terraform creates it only after the destroy,
// which could not wait for it.
func (p *Publisher) IsFollowed(ctx context.Context, job Job) bool {
	return p.succession.awaitHeir(ctx, placeKey(job.Fleet.Environment, job.Inventory.Location), job.Inventory, p.patienceFor(job)) != nil
}

// retain leaves what was applied, and takes its record out of the branch, so that it is
// nobody's. Nothing depends on that.
func (p *Publisher) retain(ctx context.Context, job Job) Messages {
	var m Messages
	inv, nothing := job.Inventory, job.nothing(job.Inventory.Location)
	if inv.Proposal != nil {
		m.add(p.withdraw(ctx, inv.Location.Repo, inv.Proposal, unwanted))
	}
	nothing.Leave = append(p.inherited(job), slices.DeleteFunc(inv.paths(), func(path string) bool { return inv.Owned[path].Mode == tree.ModeDir })...)
	attempt := p.attempt(nothing, inv, "leave all packages to others")
	if len(Decide(attempt.desired, inv).Change.Edits) == 0 {
		return m
	}
	left := fmt.Sprintf("The record %s stays in %s: remove it by hand, so that others can own the folders.", recordPath(inv.Instance), inv.Location.Of())
	if job.Request != nil {
		m.warn(recordStays, left)
	} else if _, err := p.write(ctx, inv.Location.Of(), attempt); err != nil {
		m.warn(recordStays, left+" Cause: "+sentence(err))
	}
	return m
}

// unwanted is what is said of a request whose packages are not wanted any more.
const unwanted = "The packages are not wanted here any more."

// remove takes what an inventory owns out of its location: by a pull request where
// changes are proposed, since a push would go past the review. A request of an earlier
// change is closed. what says what happens, for the commit.
func (p *Publisher) remove(ctx context.Context, job Job, nothing Desired, inv *Inventory, what string) (Messages, error) {
	var m Messages
	attempt := p.attempt(nothing, inv, what)
	if job.Request != nil {
		return p.proposeRemoval(ctx, job, attempt, what)
	}
	branch := inv.Location.Of()
	_, err := p.write(ctx, branch, attempt)
	if err != nil {
		return m, err
	}
	if attempt.decision.Withdraw {
		m.add(p.withdraw(ctx, branch.Repo, inv.Proposal, unwanted))
	}
	m.add(p.leftToOthers(attempt))
	return m, nil
}

// leftToOthers says what a removal has left to others: nothing of what this run has
// taken over.
func (p *Publisher) leftToOthers(attempt *attempt) Messages {
	var m Messages
	loc, left := attempt.inv.Location, attempt.decision.Released
	if len(left) > 0 && !p.succession.isFollowed(attempt.inv.Instance) {
		m.warn(leftToOthers, fmt.Sprintf("This stays unchanged in %s: %s. Another resource owns it, or nothing shows that it is this resource's. Clusters keep running it.",
			loc, listPaths(loc, left, attempt.inv.files(left))))
	}
	return m
}

// proposeRemoval opens a pull request that removes packages; none where another
// resource proposes to take them over.
func (p *Publisher) proposeRemoval(ctx context.Context, job Job, attempt *attempt, what string) (Messages, error) {
	var m Messages
	loc, inv := attempt.desired.Location, attempt.inv
	rival, err := p.rivalRequest(ctx, job, inv)
	if err != nil {
		return m, err
	}
	if followed := p.succession.isFollowed(inv.Instance); followed || rival.Number != 0 { // what takes the folders over is proposed
		if inv.Proposal != nil {
			m.add(p.withdraw(ctx, loc.Repo, inv.Proposal, unwanted))
		}
		if !followed {
			m.warn(removalUnasked, fmt.Sprintf(
				"%s, which another resource opened, takes the packages of %s over. They stay as they are.", rival.URL, loc))
		}
		return m, nil
	}
	q := p.newRequest(job, attempt, what)
	q.describe = func(base git.Proposed) forge.Description {
		d := describe(digestsOf(base.Found, loc, engine.DetailPackage), p.render(job.Was), &engine.Result{})
		d.Summary, d.Run = q.summary(base), forge.RunFromEnvironment(p.lookup)
		return d
	}
	got, err := p.request(ctx, q)
	if err != nil {
		return m, err
	}
	m.add(p.overtaken(ctx, loc.Repo, inv.Proposal, got))
	m.add(p.leftToOthers(attempt))
	if got.proposed.Branch == "" {
		return m, nil
	}
	if got.problems != nil {
		m.warn(incomplete, fmt.Sprintf("%s is open, but lacks something.\n%s", got.request.URL, sentence(got.problems)))
	}
	if got.request.State != forge.Merged {
		m.warn(removalAsked, fmt.Sprintf(
			"%s removes the packages from %s once it is merged. Terraform no longer looks after them.", got.request.URL, loc))
	}
	return m, nil
}

// rivalRequest returns the open request by which another instance takes over what an
// inventory owns; a zero one where there is none. Everybody can open one for the same
// place: its branch has to hold the record that says so.
func (p *Publisher) rivalRequest(ctx context.Context, job Job, inv *Inventory) (forge.Request, error) {
	repo, err := p.forges.Repository(ctx, inv.Location.Repo)
	if err != nil {
		return forge.Request{}, err
	}
	open, err := repo.Requests(ctx, marker(job.Fleet.Environment, inv.Location, ""), forge.Open)
	for _, q := range open {
		if !IsInstance(q.Instance) || q.Instance == inv.Instance {
			continue
		}
		head := Inventory{}
		found, err := p.git.Read(ctx, git.Branch{Repo: inv.Location.Repo, Name: q.Head}, git.Query{Paths: head.recordsQuery(), Content: isRecord})
		if err == nil {
			err = head.noteOwners(found, inv.Location.Branch)
		}
		if err != nil || slices.ContainsFunc(inv.paths(), head.Records[q.Instance].names) {
			return q, err
		}
	}
	return forge.Request{}, err
}
