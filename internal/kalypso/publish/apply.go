// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Planned is what a plan has shown of an apply.
type Planned struct {
	// Location is where; the zero value where it was not known.
	Location git.Location
	// Packages are those that the plan shows; nil where they were not known.
	Packages engine.Digests
	// Diff is true where the plan shows what changes.
	Diff bool
}

// Outcome is what came of an apply.
type Outcome struct {
	Location  git.Location
	Inventory *Inventory
	Report
	// Diff is what changed, where the plan has not shown it.
	Diff string
}

// Apply renders again, makes sure that it comes out as planned, and makes the
// location hold it: with one commit, or by a pull request. Packages that stood
// elsewhere are removed from there once they are here. With errors nothing was
// written, and there is no outcome.
func (p *Publisher) Apply(ctx context.Context, job Job, planned Planned) (*Outcome, Messages) {
	var m Messages
	result, err := p.compute(job.Fleet)
	m.Errors = Problems(err)
	if err != nil || planned.Packages == nil { // no plan could tell
		m.add(p.reportIssue(ctx, job, git.Location{}, m.Errors))
	}
	if m.Failed() {
		return nil, m
	}
	loc, wrong := job.locate(result.Fleet)
	if m.Errors = wrong; m.Failed() {
		return nil, m
	}
	desired := job.desired(loc, result)
	if m.Errors = desired.check(); m.Failed() {
		return nil, m
	}
	decision := Decide(desired, job.Inventory)
	out := &Outcome{Location: loc, Report: Report{Packages: result.Digests(job.Detail), Summary: job.summary(decision, result)}}
	if job.Was != nil {
		out.Commit = job.Was.Commit
	}
	m.add(p.checkPlanned(job, planned, decision, desired, result, out))
	if m.Failed() {
		return nil, m
	}
	m.add(p.carryOut(ctx, job, desired, decision, result, out))
	if m.Failed() {
		return nil, m
	}
	return out, m
}

// checkPlanned holds what is to be applied against its plan, and tells what no plan
// has shown.
func (p *Publisher) checkPlanned(job Job, planned Planned, decision Decision, desired Desired, result *engine.Result, out *Outcome) Messages {
	var m Messages
	located := planned.Location != git.Location{}
	var now current
	if decision.Changes && (!planned.Diff || planned.Packages == nil || !located) {
		now = newCurrent(job.Inventory, p.renderedBefore(job))
	}
	if !planned.Diff && decision.Changes {
		out.Diff = preview(decision, now, desired.Paths, job.MaxDiffLines)
	}
	if planned.Packages == nil || !located {
		m.add(p.review(job, decision, now, result))
	}
	if located && planned.Location != out.Location || planned.Packages != nil && !maps.Equal(planned.Packages, out.Packages) {
		m.fail("The fleet came out differently than planned", fmt.Sprintf(
			"Computing the packages for %s again gave another result than the plan shows, so nothing was written. Plan again with the same version of the provider and apply that plan.", out.Location))
	}
	return m
}

// carryOut brings what is desired into its location, and takes what is ours out of
// the one that it leaves.
func (p *Publisher) carryOut(ctx context.Context, job Job, desired Desired, decision Decision, result *engine.Result, out *Outcome) Messages {
	inv := job.Inventory
	var left *departure
	if decision.Moves {
		left, inv = p.depart(ctx, inv, desired.Location)
	}
	if left != nil { // what is ours there is known now
		decision = Decide(desired, inv)
	}
	decision.Change.Message = p.message(job.Fleet.Environment, out.Summary)
	var m Messages
	if decision.Propose {
		m = p.propose(ctx, job, inv, decision, result, out)
	} else {
		m = p.commit(ctx, job, inv, decision, out)
	}
	if m.Failed() {
		return m
	}
	out.Inventory.Renderer, out.Inventory.Given = p.version, job.given()
	if left != nil {
		m.add(p.clean(ctx, job, left, desired.Location))
	}
	return m
}

// commit writes the change to the branch itself, and withdraws a pull request that
// proposes an earlier one.
func (p *Publisher) commit(ctx context.Context, job Job, inv *Inventory, decision Decision, out *Outcome) Messages {
	var m Messages
	branch := decision.Location.Of()
	var written git.Result
	_, err := p.turns.take(ctx, branch, decision.Change, func(change git.Change) (err error) {
		written, err = p.git.Apply(ctx, branch, job.write(change))
		return err
	})
	if err != nil {
		m.fail("The GitOps repository was not changed", explain(decision.Location, err, job.Was == nil))
		return m
	}
	if decision.Withdraw {
		m.add(p.withdraw(ctx, branch.Repo, inv.Proposal, "The change is written without a pull request now."))
	}
	if !written.Commit.IsZero() {
		out.Commit = written.Commit.String()
	}
	out.Status = InSync
	out.Inventory = holding(decision, written.Head)
	return m
}

// write returns the git job that makes a change.
func (job Job) write(change git.Change) git.Job {
	j := git.To(change)
	j.StartFrom = job.StartFrom
	return j
}
