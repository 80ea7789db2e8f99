// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// planOwners says whose it is what a plan is about to write or to remove, and returns where it
// writes, as it was found, and what it shows to be taken over. What is new or moves is decided about once
// more, by what was seen there.
func (p *Publisher) planOwners(ctx context.Context, c *computed, seen *view) (at site, shown map[string]string, m message.Messages) {
	at, shown = site{Location: c.desired.Location}, map[string]string{}
	var there func(path string) tree.ID
	if seen.isRead() {
		there = seen.found.ID
	}
	if c.Was == nil && c.Replaces != nil {
		m.Add(stays(*c.Replaces, at.String()))
	}
	switch {
	case c.Was != nil && !c.decision.Moves:
		m.Add(seen.unreadable(false))
		m.Add(owned(c.decision, c.decision.TakenOver))
		return siteOf(c.Inventory), c.decision.Shown(there), m
	case seen == nil:
		return at, shown, m
	}
	at.head, at.records = seen.there.Head, seen.there.Records
	if !seen.isRead() {
		m.Add(seen.unreadable(true))
		return at, shown, m
	}
	decision := ownership.Decide(c.desired, seen.there)
	if c.Was == nil {
		m.Add(p.lookAround(ctx, c.Job, decision, seen))
	} else {
		m.Add(owned(decision, decision.TakenOver))
	}
	return at, decision.Shown(there), m
}

// owned says what a decision takes over, and as errors what keeps it from being carried out.
func owned(decision ownership.Decision, taken []ownership.Claim) message.Messages {
	m := message.ProblemsOf(decision)
	if len(decision.Lost)+len(decision.Unknown) > 0 {
		m.Errors[len(m.Errors)-1].Detail += message.DestroyAnyway + " It removes nothing that is somebody else's."
	}
	if len(taken) > 0 {
		m.Warn(message.TakingOver, message.TakenOverText(decision.Location, taken))
	}
	return m
}
