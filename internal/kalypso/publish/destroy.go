// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// PlanDestroy reports what a destroy will do to how many packages, or why it cannot be done. The
// returned memory marks the destroy as planned, and has what the plan saw.
func (p *Publisher) PlanDestroy(ctx context.Context, job Job) (Memory, message.Messages) {
	ctx = job.trusting(ctx)
	job.Memory.Destroys, job.Memory.BranchAtPlan = true, nil
	change := p.destroying(job)
	seen, m := p.look(ctx, change)
	if seen != nil {
		change.Self.Planned = nil // it shows what it sees
		change = change.on(*seen)
		job.Memory.BranchAtPlan = change.branchAtPlan()
	}
	m.Errors = refusals(change, p.Now())
	if !m.Failed() && !change.ownsNothing() {
		m.Add(effect(change))
	}
	return job.Memory, job.about(job.Was.Location, m)
}

// Destroy gives the content up. A destroy that was planned as one does what on_destroy said at
// the last apply. As the first half of a replacement, it only releases the folders.
func (p *Publisher) Destroy(ctx context.Context, job Job) (m message.Messages) {
	ctx = job.trusting(ctx)
	change := p.destroying(job)
	switch {
	case p.heldBy(job.Hold) != "" && change.ownsNothing():
		return m
	case p.HoldAll: // nothing is read either
		m.Errors = onHold(change, p.Now())
	case job.Request != nil:
		_, m = p.propose(ctx, change)
	default:
		err := p.write(&change, func(work git.Work) error {
			_, err := p.Git.Apply(ctx, job.Was.Location.Of(), work)
			return err
		})
		if err != nil {
			m.Unwritten(message.OfApplied(err))
		} else {
			m = p.closeOld(ctx, change, "The resource that opened this request was destroyed.")
		}
	}
	return job.about(job.Was.Location, m)
}

// destroying returns the change of a resource that gives its content up. Half of a replacement, which was
// not planned as a destroy, only releases, also from the hold of the resource.
func (p *Publisher) destroying(job Job) Change {
	c := Change{
		Job: job, Kind: KindDestroy, RequestKind: RequestNone, Had: job.Was, Self: job.self(job.Was), Attributes: job.Was.Attributes,
		Wanted: ownership.Wanted{Location: job.Was.Location, Environment: job.Fleet.Environment, Removal: ownership.Retain, Version: p.Version},
		Before: engine.Digests{}, After: engine.Digests{},
	}
	if c.Attributes.Summary = "give the packages up"; job.Memory.Destroys {
		c.Wanted.Removal = job.OnDestroy
	}
	if p.HoldAll || job.Memory.Destroys {
		c.HeldBy = p.heldBy(job.Hold)
	}
	return c
}

// ownsNothing reports whether the branch has nothing of the resource. If the branch was not read, it is a
// resource that was created on hold and has written nothing.
func (c Change) ownsNothing() bool {
	if c.Had.LastRequest.IsOpen() {
		return false
	}
	if c.Seen == nil {
		return c.Had.Status == Held
	}
	return len(c.Seen.Record(c.Had.Instance, c.Wanted.Location).Folders) == 0
}

func effect(c Change) (m message.Messages) {
	what, where := "the packages", "the packages"
	if c.Seen != nil {
		keys := slices.Sorted(maps.Keys(c.Seen.Record(c.Had.Instance, c.Wanted.Location).Folders))
		packages := c.Seen.Content.Digests(keys, engine.DetailPackage).Packages()
		what = wording.Count(len(packages), "package")
		where = what + " in " + wording.Count(len(keysOf(packages)), "cluster type")
	}
	const another = " To do something else, set on_destroy, apply, and destroy then. If the resource was only renamed, add a moved block."
	how := map[ownership.Removal]string{
		ownership.Retain: "stay in %s, and clusters keep running them. The record %s lists them as released: a resource of the same " +
			"environment that names them takes them over.",
		ownership.Empty: "are removed from %s: each folder keeps only a README.md, so that clusters uninstall its content, and its data " +
			"(Argo CD only with allowEmpty). The record is %s.",
		ownership.Delete: "are removed from %s with their folders. Flux reports a missing folder as an error, and clusters keep running its " +
			"former content. The record is %s.",
	}[c.Wanted.Removal]
	text := fmt.Sprintf("on_destroy = %q: %s "+how, c.Wanted.Removal, where, c.Wanted.Location, record.Path(c.Had.Instance))
	if c.Job.Request != nil {
		text += " The destroy opens a pull request for this."
	}
	verb := "removes "
	if c.Wanted.Removal == ownership.Retain {
		verb = "releases "
	}
	m.Warn("Destroying "+verb+what, text+another)
	return m
}
