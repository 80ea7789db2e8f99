// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
)

// planOwners says whose it is what a plan is about to write or to remove, and returns where it
// writes, as it was found, and what it takes over.
func (p *Publisher) planOwners(ctx context.Context, job Job, desired Desired, decision Decision, seen *view) (at site, taken []Claim, m Messages) {
	at = site{Location: desired.Location}
	if job.Was == nil && job.Replaces != nil {
		m.add(stays(*job.Replaces, desired.Location.String()))
	}
	switch {
	case job.Was != nil && !decision.Moves:
		m.add(seen.unreadable(false))
		m.add(owned(decision))
		return siteOf(job.Inventory), decision.TakenOver, m
	case seen == nil:
		return at, nil, m
	case !seen.isRead():
		m.add(seen.unreadable(true))
	case job.Was == nil:
		decision = Decide(desired, seen.there)
		m.add(p.lookAround(ctx, job, decision, seen))
	default:
		decision = Decide(desired, seen.there)
		m.add(owned(decision))
	}
	at.head, at.records = seen.there.Head, seen.there.Records
	return at, decision.TakenOver, m
}

// owned says what a decision takes over, and as errors what keeps it from being carried out.
func owned(decision Decision) Messages {
	m := problemsOf(decision)
	if len(decision.Lost)+len(decision.Unknown) > 0 {
		m.Errors[len(m.Errors)-1].Detail += "\n\nTo destroy the resource, add -refresh=false to terraform destroy: it removes nothing that is somebody else's."
	}
	if len(decision.TakenOver) > 0 {
		m.warn(takingOver, takenOverText(decision))
	}
	return m
}
