// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// lookTimeout bounds what a plan waits for a repository that it has not read before.
const lookTimeout = 20 * time.Second

// planOwners says whose it is what a plan is about to write or to remove.
func (p *Publisher) planOwners(ctx context.Context, job Job, desired Desired, decision Decision) Messages {
	var m Messages
	if job.Was == nil && job.Replaces != nil {
		m.add(job.Replaces.stays(desired.Location.String()))
	}
	if job.Was != nil && !decision.Moves {
		m.add(p.owners(decision))
		return m
	}
	if p.git == nil || !job.locationKnown() {
		return m
	}
	inv := job.Inventory
	if decision.Moves {
		inv = inv.arriving(desired.Location, desired.Location.Of().Same(inv.Location.Of()))
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	found, err := p.git.Read(ctx, desired.Location.Of(), inv.around(desired))
	there := *inv
	if err == nil {
		err = there.noteOwners(found, desired.Location.Branch)
	}
	if err != nil {
		m.warn("The GitOps repository cannot be read", fmt.Sprintf(
			"Apply will need it, and the plan cannot tell whether somebody else owns what is there. %s", problem.Sentence(err)))
		return m
	}
	decision = Decide(desired, &there)
	if job.Replaces != nil { // what is its own so far is nobody else's
		decision.TakenOver = slices.DeleteFunc(decision.TakenOver, func(c Claim) bool { return c.Instance == job.Replaces.Instance })
	}
	if m.add(p.owners(decision)); job.Was == nil && !m.Failed() {
		m.add(standsInTheWay(desired.Location, decision, found))
	}
	return m
}

// owners tells of claims of others: as errors those that nothing may be done against.
func (p *Publisher) owners(decision Decision) Messages {
	var m Messages
	var claimed *claimedError
	if errors.As(decision.refusal(p.succession.isMade), &claimed) {
		text := claimed.text
		if len(decision.Lost) > 0 {
			text += "\n\nTo destroy the resource, add -refresh=false to terraform destroy: it removes nothing that is somebody else's."
		}
		m.fail(claimed.summary, text)
	} else if len(decision.TakenOver) > 0 {
		m.warn("Folders are taken over", takenOverText(decision.Location, decision.TakenOver))
	}
	return m
}

// standsInTheWay warns of what an apply of a new resource would be refused for: it may
// be gone by then.
func standsInTheWay(loc git.Location, decision Decision, found *git.State) Messages {
	var m Messages
	exists := &git.ExistsError{Branch: loc.Of()}
	for _, path := range slices.Sorted(maps.Keys(decision.Change.Edits)) {
		edit := decision.Change.Edits[path]
		if id := found.ID(path); !edit.Unchecked && !id.IsZero() && id != edit.Want.ID {
			exists.Paths = append(exists.Paths, path)
		}
	}
	if len(exists.Paths) > 0 {
		m.warn("Something stands in the way", occupied(loc, exists)+" Apply refuses that as it stands."+occupiedAdvice(loc, exists, true))
	}
	return m
}
