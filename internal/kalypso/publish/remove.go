// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Destroy takes what was applied out of the repository: with one commit, or by a
// pull request, unless it is to be retained. job's settings are those that were
// applied.
func (p *Publisher) Destroy(ctx context.Context, job Job) Messages {
	var m Messages
	if job.Retain {
		return m
	}
	inv := job.Inventory
	if inv.isForgotten() {
		var err error
		if inv, err = p.claimAgain(ctx, job.Was); err != nil {
			m.fail("The GitOps repository cannot be read", problem.Sentence(err))
			return m
		}
	}
	m, err := p.remove(ctx, job, inv, Decide(Desired{Location: inv.Location, Propose: job.Request != nil}, inv), "remove all packages")
	if err != nil {
		m.fail("The GitOps repository was not changed", explain(inv.Location, err, false))
	}
	return m
}

// remove carries out a decision that removes: by a pull request where changes are
// proposed, since a push would go past the review. A request of an earlier change
// is closed. what says what happens, for the commit.
func (p *Publisher) remove(ctx context.Context, job Job, inv *Inventory, decision Decision, what string) (Messages, error) {
	var m Messages
	branch := decision.Location.Of()
	decision.Change.Message = p.message(job.Fleet.Environment, what)
	if !decision.Propose {
		_, err := p.turns.take(ctx, branch, decision.Change, func(change git.Change) error {
			_, err := p.git.Apply(ctx, branch, git.To(change))
			return err
		})
		if err == nil && decision.Withdraw {
			m.add(p.withdraw(ctx, branch.Repo, inv.Proposal, "The packages are not wanted here any more."))
		}
		return m, err
	}
	q := p.newRequest(job, decision, what)
	q.describe = func(base git.Proposed) forge.Description {
		d := describe(digestsOf(base.Found, decision.Location, engine.DetailPackage), p.render(job.Was), &engine.Result{})
		d.Summary, d.Run = what, forge.RunFromEnvironment(p.lookup)
		return d
	}
	got, err := p.request(ctx, q)
	if err != nil {
		return m, err
	}
	m.add(p.overtaken(ctx, branch.Repo, inv.Proposal, got))
	if got.proposed.Branch == "" {
		return m, nil
	}
	if got.problems != nil {
		m.warn("The pull request is not complete", fmt.Sprintf("%s is open, but lacks something.\n%s", got.request.URL, sentence(got.problems)))
	}
	if got.request.State != forge.Merged {
		m.warn("The removal is proposed", fmt.Sprintf(
			"%s removes the packages from %s once it is merged. Terraform no longer looks after them.", got.request.URL, decision.Location))
	}
	return m, nil
}
