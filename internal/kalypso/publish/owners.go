// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// planOwners says whose it is what a plan is about to write or to remove, and returns where it
// writes, as it was found, and what it takes over.
func (p *Publisher) planOwners(ctx context.Context, job Job, desired ownership.Desired, decision ownership.Decision, seen *view) (at site, taken []ownership.Claim, m message.Messages) {
	at = site{Location: desired.Location}
	if job.Was == nil && job.Replaces != nil {
		m.Add(stays(*job.Replaces, desired.Location.String()))
	}
	switch {
	case job.Was != nil && !decision.Moves:
		m.Add(seen.unreadable(false))
		m.Add(owned(decision))
		return siteOf(job.Inventory), decision.TakenOver, m
	case seen == nil:
		return at, nil, m
	case !seen.isRead():
		m.Add(seen.unreadable(true))
	case job.Was == nil:
		decision = ownership.Decide(desired, seen.there)
		m.Add(p.lookAround(ctx, job, decision, seen))
	default:
		decision = ownership.Decide(desired, seen.there)
		m.Add(owned(decision))
	}
	at.head, at.records = seen.there.Head, seen.there.Records
	return at, decision.TakenOver, m
}

// owned says what a decision takes over, and as errors what keeps it from being carried out.
func owned(decision ownership.Decision) message.Messages {
	m := message.ProblemsOf(decision)
	if len(decision.Lost)+len(decision.Unknown) > 0 {
		m.Errors[len(m.Errors)-1].Detail += "\n\nTo destroy the resource, add -refresh=false to terraform destroy: it removes nothing that is somebody else's."
	}
	if len(decision.TakenOver) > 0 {
		m.Warn(message.TakingOver, message.TakenOverText(decision))
	}
	return m
}
