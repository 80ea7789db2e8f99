// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// Plan is the effect of the coming apply, as far as a plan can know it.
type Plan struct {
	// Location may have parts that are not known yet. These are empty.
	Location git.Location
	// Attributes are the attributes after the apply. Some are known only then.
	Attributes
	CommitUnknown, RequestUnknown bool
	// Replaces has the names of the attributes that make this another resource: another place or
	// another environment.
	Replaces []string
	// Memory is for the apply.
	Memory Memory
}

// Plan computes the effect of an apply. The planned values depend on the job alone: planning
// twice gives the same plan. Plan also reads the branch, for the old side of its diff and for
// warnings and errors. It writes nothing. After errors, there is no plan. Cost: one run of the engine, and
// one read of the differing content; nothing if nothing has changed.
func (p *Publisher) Plan(ctx context.Context, job Job) (plan *Plan, m message.Messages) {
	ctx = job.trusting(ctx)
	job.Memory.Destroys, job.Memory.BranchAtPlan = false, nil
	switch {
	case job.Hold:
		plan, m := p.planOnHold(job)
		return plan, job.about(plan.Location, m)
	case !p.HoldAll && job.isSettled(p.Version): // on hold, the refresh has read nothing
		return &Plan{Location: job.Was.Location, Attributes: job.Was.Attributes, Memory: job.Memory}, m
	}
	change, m := p.changeOf(ctx, job)
	defer func() { m = job.about(change.Wanted.Location, m) }()
	switch {
	case m.Failed() && p.HoldAll && job.Was != nil:
		plan, held := p.planOnHold(job)
		m.Warned()
		m.Add(held)
		return plan, m
	case m.Failed():
		return nil, m
	}
	change, shown := p.lookAhead(ctx, change)
	m.Add(shown)
	m.Errors = append(m.Errors, refusals(change, p.Now())...)
	m.Add(p.warnings(change))
	if change.RequestKind == RequestOpen {
		m.Add(p.checkRequest(ctx, change.Wanted.Location, job.Request))
	}
	p.Logger(ctx, "planned", map[string]any{"environment": job.Fleet.Environment, "summary": change.Attributes.Summary,
		"status": change.Attributes.Status, "warnings": len(m.Warnings), "errors": len(m.Errors)})
	if p.HoldAll {
		m.Warned()
		m.Warn(message.OnHold, fmt.Sprintf("While %s is set, the apply writes nothing to %s, and fails. Plan again when the hold ends.",
			p.heldBy(job.Hold), change.Wanted.Location))
	}
	if m.Failed() {
		return nil, m
	}
	job.Memory.BranchAtPlan = change.branchAtPlan()
	return &Plan{
		Location: change.Wanted.Location, Attributes: change.Attributes, Replaces: change.Replaces, Memory: job.Memory,
		CommitUnknown: change.Kind != KindSame, RequestUnknown: change.RequestKind == RequestOpen,
	}, m
}

func (p *Publisher) lookAhead(ctx context.Context, c Change) (Change, message.Messages) {
	found, err := c.Result.Findings(ctx, c.examines) // before anything that may take all of the time
	seen, m := p.look(ctx, c)
	if seen != nil {
		c.Self.Planned = nil // it shows what it sees
		c = c.on(*seen).excusing().compared()
	}
	m.Add(p.show(ctx, c))
	if err != nil {
		m.Errors = append(m.Errors, message.Problems(err)...)
		return c, m
	}
	m.Add(findingsOf(c, found))
	return c, m
}

// excusing returns the change as a plan shows it. Where the apply itself may free a folder, a plan only warns
// (rule 3): a record of the same environment lists it. A plan cannot know whether that resource is in the same
// state. An error would do harm: Terraform plans once more inside the apply of a replacement, and leaves the old
// resource deposed if that plan fails.
func (c Change) excusing() Change {
	refused := c.Decision.Refused
	c.Excused.Asked, c.Decision.Asked, c.Decision.Refused = c.Decision.Asked, nil, nil
	for _, r := range refused {
		if r.MayBeFreed {
			c.Excused.Refused = append(c.Excused.Refused, r)
		} else {
			c.Decision.Refused = append(c.Decision.Refused, r)
		}
	}
	return c
}

// branchAtPlan returns what the branch has of what the resource had, and of what it wants; nil if it had
// nothing, or if the branch was not read.
func (c Change) branchAtPlan() map[string]tree.ID {
	if c.Had == nil || c.Seen == nil {
		return nil
	}
	ids := c.Seen.Content.IDs()
	for _, key := range c.query().keys {
		ids[key] = c.Seen.Content[key].ID
	}
	return ids
}

// warnings are those about the settings, and about what the plan leaves as it is.
func (p *Publisher) warnings(c Change) (m message.Messages) {
	if idle := c.Job.Limits.Idle(c.Before, c.After); c.Before != nil && len(idle) > 0 {
		m.Warn("limits.protect protects nothing", fmt.Sprintf("limits.protect has the %s, and no package matches, neither now nor after this "+
			"plan. Look for a misspelled name: keys are <cluster type>/<deployment target>.", message.List("pattern", idle)))
	}
	if freeze, isFrozen := calendar.InForce(c.Job.Freezes, p.Now()); isFrozen && c.Job.Was != nil && c.Job.Was.LastRequest.IsOpen() {
		m.Warn(message.Frozen, fmt.Sprintf("%s is open, and %s. A merge would change packages, also an automatic merge. Do not merge it, or "+
			"close it.", c.Job.Was.RequestURL, freeze))
	}
	m.Add(warnBroken(c.Result))
	if c.RequestKind == RequestKeep && c.Attributes.Status == Closed {
		m.Warn("Pull request closed", fmt.Sprintf("%s was closed without a merge, so the provider does not propose the same change again. "+
			"It proposes another change of the fleet or of the branch. To propose the same change again, reopen the request.",
			c.Had.RequestURL))
	}
	return m
}

// checkRequest refuses settings of a request that the forge does not have.
func (p *Publisher) checkRequest(ctx context.Context, at git.Location, s *request.Settings) (m message.Messages) {
	if s == nil || p.Forges == nil || at.Repo == "" {
		return m
	}
	if err := p.requests.Check(ctx, at.Repo, *s); err != nil {
		m.Errors = []message.Message{{Setting: "pull_request", Summary: "No pull request can be opened", Detail: problem.Sentence(err)}}
	}
	return m
}

// PlanUnknown plans without a fleet, because inputs are not known: the plan has the attributes that make this
// another resource, and nothing else. Checks of the forge need no fleet.
func (p *Publisher) PlanUnknown(ctx context.Context, job Job) (*Plan, message.Messages) {
	plan := &Plan{}
	if job.Was != nil {
		at := job.givenPlace(git.Location{Repo: job.Was.Location.Repo, Branch: job.Was.Location.Branch, Path: "."})
		_, plan.Replaces = job.at(at)
	}
	return plan, p.checkRequest(job.trusting(ctx), job.givenPlace(git.Location{}), job.Request)
}
