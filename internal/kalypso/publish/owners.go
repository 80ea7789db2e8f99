// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"errors"
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// planOwners says whose it is what a plan is about to write or to remove, and returns what
// stands there already of what a new resource writes, or one that gets cluster types of
// others, where it does; and where it writes, as it was found.
func (p *Publisher) planOwners(ctx context.Context, job Job, desired Desired, decision Decision) (there *surroundings, at site, m Messages) {
	at = site{Location: desired.Location}
	if job.Was == nil && job.Replaces != nil {
		m.add(job.Replaces.stays(desired.Location.String()))
	}
	switch {
	case job.Was != nil && !decision.Moves:
		at = job.Inventory.site()
		if m.add(p.owners(decision)); !m.Failed() && decision.Part && job.locationKnown() {
			taken, more := p.lookTaken(ctx, desired, decision)
			m.add(more)
			return taken, at, m
		}
	case p.git == nil || !job.locationKnown():
	case job.Was == nil:
		seen, known, more := p.lookAround(ctx, job, desired)
		at.head, at.records = known.Head, known.Records
		m.add(more)
		return seen, at, m
	default:
		inv := job.Inventory.arriving(desired.Location, desired.Location.Of().Same(job.Inventory.Location.Of()))
		ctx, cancel := context.WithTimeout(ctx, lookTimeout)
		defer cancel()
		_, known, err := p.look(ctx, inv, desired, nil)
		if err != nil {
			m.warn(unreadable, unreadableText(err))
		} else {
			m.add(p.owners(Decide(desired, known)))
		}
		at.head, at.records = known.Head, known.Records
	}
	return nil, at, m
}

// owners tells of claims of others: as errors those that nothing may be done against.
func (p *Publisher) owners(decision Decision) Messages {
	var m Messages
	var claimed *claimedError
	if decision.Part && len(decision.Lost) > 0 && len(decision.Refused) == 0 {
		m.warn(lostFolders, lostPartText(decision.Location, decision.Lost))
	} else if errors.As(decision.refusal(p.succession.isMade), &claimed) {
		text := claimed.text
		if len(decision.Lost) > 0 || len(decision.unknown()) > 0 {
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

// strangeReleases warns of what a record has released and does not look like a cluster
// type's folder: everybody who can push can write one, and what is taken over is replaced.
func strangeReleases(decision Decision, found *git.State) Messages {
	var m Messages
	var paths []string
	var released []Claim
	for _, claim := range decision.TakenOver {
		if f := found.Found[claim.Path]; claim.isReleased() && f != nil && f.Mode == tree.ModeDir && !isEmptied(f) && !isClusterType(f) {
			paths, released = append(paths, claim.Path), append(released, claim)
		}
	}
	if len(released) > 0 {
		m.warn(takingOver, fmt.Sprintf("%s of %s, released by %s: not written by this provider, as far as its README.md tells. Apply takes it over and replaces what it holds. "+
			"If it is somebody else's, remove it from that record, and write below another path.", listPaths(decision.Location, paths, nil), decision.Location, released[0]))
	}
	return m
}
