// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"errors"
)

// planOwners says whose it is what a plan is about to write or to remove, and returns what
// stands there already of what a new resource writes, or one that gets cluster types of
// others, where it does.
func (p *Publisher) planOwners(ctx context.Context, job Job, desired Desired, decision Decision) (there *surroundings, m Messages) {
	if job.Was == nil && job.Replaces != nil {
		m.add(job.Replaces.stays(desired.Location.String()))
	}
	switch {
	case job.Was != nil && !decision.Moves:
		if m.add(p.owners(decision)); !m.Failed() && decision.Part && job.locationKnown() {
			taken, more := p.lookTaken(ctx, desired, decision)
			m.add(more)
			return taken, m
		}
	case p.git == nil || !job.locationKnown():
	case job.Was == nil:
		seen, more := p.lookAround(ctx, job, desired)
		m.add(more)
		return seen, m
	default:
		inv := job.Inventory.arriving(desired.Location, desired.Location.Of().Same(job.Inventory.Location.Of()))
		ctx, cancel := context.WithTimeout(ctx, lookTimeout)
		defer cancel()
		if _, known, err := p.look(ctx, inv, desired, nil); err != nil {
			m.warn(unreadable, unreadableText(err))
		} else {
			m.add(p.owners(Decide(desired, known)))
		}
	}
	return nil, m
}

// owners tells of claims of others: as errors those that nothing may be done against.
func (p *Publisher) owners(decision Decision) Messages {
	var m Messages
	var claimed *claimedError
	if decision.Part && len(decision.Lost) > 0 && len(decision.Refused) == 0 {
		m.warn(lostFolders, lostPartText(decision.Location, decision.Lost))
	} else if errors.As(decision.refusal(p.succession.isMade), &claimed) {
		text := claimed.text
		if len(decision.Lost) > 0 {
			text += "\n\nTo destroy the resource, add -refresh=false to terraform destroy: it removes nothing that is somebody else's."
		}
		m.fail(claimed.topic, text)
	} else if taken := owned(decision.TakenOver); len(taken) > 0 && decision.Part {
		m.warn(takingOver, takenFromPartText(decision.Location, taken))
	} else if len(taken) > 0 {
		m.warn(takingOver, takenOverText(decision.Location, taken))
	}
	return m
}
