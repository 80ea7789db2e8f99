// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// Planned is the part of an apply that its plan has shown.
type Planned struct {
	// Location is the planned location; the zero value if it was not known.
	Location git.Location
	// Packages are the packages that the plan shows; nil if they were not known.
	Packages engine.Digests
	// TakenOver is Plan.TakenOver.
	TakenOver map[string]string
}

// Outcome is the result of an apply.
type Outcome struct {
	Location  git.Location
	Inventory *ownership.Inventory
	Attributes
	// Diff shows the changes, if the plan has not shown them.
	Diff string
}

type applying struct {
	*Publisher
	*computed
	out *Outcome
}

// Apply renders the fleet again and checks that the result is the planned one. Then it writes
// the result to the location, with one commit or by a pull request. After a move, it then
// removes the packages from the old place. If it returns no outcome, it has written nothing.
func (p *Publisher) Apply(ctx context.Context, job Job, planned Planned) (*Outcome, message.Messages) {
	out, m := p.apply(ctx, job, planned)
	at := planned.Location
	if out != nil {
		at = out.Location
	}
	return out, m.About(job.Fleet.Environment, message.Place(at, job.Fleet.ClusterTypes))
}

func (p *Publisher) apply(ctx context.Context, job Job, planned Planned) (*Outcome, message.Messages) {
	job.HoldAll = p.hold
	if job.onHold() && job.Was != nil {
		return job.holdOn(), message.Messages{}
	}
	ctx = job.trusting(ctx)
	a, m := p.prepare(ctx, job)
	if m.Failed() {
		return nil, m
	}
	if job.onHold() {
		a.createOnHold()
		return a.out, m
	}
	m.Add(a.checkPlanned(ctx, planned))
	if m.Failed() {
		return nil, m
	}
	if job.Was == nil {
		job.Inventory = &ownership.Inventory{Instance: ownership.NewInstance()}
	}
	m.Add(a.carryOut(ctx, job.Inventory, planned.TakenOver))
	if m.Failed() {
		return nil, m
	}
	return a.out, m
}

// prepare begins as the plan did. It drops warnings, because the plan has shown them.
func (p *Publisher) prepare(ctx context.Context, job Job) (*applying, message.Messages) {
	c, m := p.begin(ctx, job)
	m.Warnings = nil
	if m.Failed() {
		return nil, m
	}
	a := &applying{Publisher: p, computed: c, out: &Outcome{Location: c.location}}
	a.out.Attributes = Attributes{Packages: c.packages(), Broken: c.keptKeys(), Summary: c.summary(), Status: ownership.InSync}
	if job.Was != nil {
		a.out.Commit = job.Was.Commit
	}
	return a, m
}

// checkPlanned refuses a change that a freeze forbids by now, or that differs from its plan. It
// reports changes that the plan has not shown.
func (a *applying) checkPlanned(ctx context.Context, planned Planned) message.Messages {
	var m message.Messages
	isShown := planned.Packages != nil && planned.Location != (git.Location{})
	look := sync.OnceValue(func() *view { return a.look(ctx, a.computed) })
	m.Add(a.checkFreeze(a.computed, look))
	if !isShown {
		seen := look()
		if a.decision.Changes {
			note, all := seen.changes(a.decision)
			a.out.Diff = m.Show(a.maxDiffLines, "Applied change", a.out.Summary, note, all)
		}
		m.Add(a.review(ctx, seen))
		m.Add(a.warnBroken())
	}
	if located := (planned.Location != git.Location{}); located && planned.Location != a.out.Location || planned.Packages != nil &&
		!maps.Equal(planned.Packages, a.out.Packages) {
		m.Fail("The fleet came out differently than planned", fmt.Sprintf(
			"The packages for %s differ from the planned packages, so nothing was written. Plan again with the same version "+
				"of the provider and apply that plan.", a.out.Location))
	}
	return m
}

// carryOut writes the desired content to its location. After a move, it removes our
// content from the old location.
func (a *applying) carryOut(ctx context.Context, inv *ownership.Inventory, shown map[string]string) message.Messages {
	var left *departure
	merged, at := inv.Merged, inv.Location.Repo
	if a.decision.Moves {
		ctx = trustingApplied(ctx, inv)
		left, inv = a.depart(ctx, inv, a.desired.Location)
	}
	attempt := a.attempt(a.desired, inv, a.out.Summary)
	attempt.StartFrom, attempt.Shown = a.StartFrom, shown
	var m message.Messages
	if a.desired.Propose {
		m = a.propose(ctx, attempt)
	} else {
		m = a.commit(ctx, attempt)
	}
	if m.Failed() {
		return m
	}
	a.out.Inventory = a.inventory(a.out.Inventory)
	a.out.Inventory.Branches = max(a.out.Inventory.Branches, inv.Branches)
	if merged != nil {
		m.Add(a.requests.DropMerged(ctx, at, merged))
	}
	if left != nil {
		left.Branches = a.out.Inventory.Branches
		m.Add(a.clean(ctx, a.Job, left, a.desired.Location))
		if a.desired.Propose { // the removal uses the next number
			a.out.Inventory.Branches++
		}
	}
	return m
}

// inventory notes the settings and the version of an apply in an inventory.
func (a *applying) inventory(inv *ownership.Inventory) *ownership.Inventory {
	inv.Renderer, inv.Given, inv.Texts, inv.Sources = a.version, a.given(), a.files.texts, a.desired.Sources
	if len(a.result.Failures) > 0 {
		inv.Renderer = "" // every plan warns of them
	}
	inv.Guard = a.guard(func() engine.Digests { return a.result.Digests(engine.DetailPackage) })
	inv.Guard.Instance = inv.Instance
	inv.Guard.Place = a.desired.Location.String()
	return inv
}

// commit writes the change to the branch itself, and withdraws the pull request of an earlier
// change.
func (a *applying) commit(ctx context.Context, attempt *ownership.Attempt) message.Messages {
	var m message.Messages
	branch := a.desired.Location.Of()
	written, err := a.git.Apply(ctx, branch, attempt.Work())
	if err != nil {
		m.Fail(message.Unchanged, message.Explain(a.desired.Location, err, a.Was == nil, attempt.Inventory.Packages))
		return m
	}
	if attempt.Decision.Withdraw {
		m.Add(a.requests.Withdraw(ctx, branch.Repo, attempt.Inventory.Proposal, "An apply has written the change without a pull request."))
	}
	if attempt.Inventory.Branches > 0 && (a.decision.Moves || attempt.Decision.Withdraw) && a.forges != nil {
		m.Add(a.requests.CloseOpen(ctx, a.Fleet.Environment, a.desired.Location, attempt.Inventory.Instance))
	}
	if !written.Commit.IsZero() && a.decision.Changes { // otherwise the summary is the planned one: at most records changed
		a.out.Commit = written.Commit.String()
	}
	a.out.Inventory = ownership.Holding(attempt.Decision, written.Head)
	return m
}
