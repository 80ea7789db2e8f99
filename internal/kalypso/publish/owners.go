// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// planOwners reports the owners of the paths that a plan will write or remove. It returns the
// location with its content, and the paths that the plan shows as taken over. For a new or
// moved resource, it decides again with the content that it has read.
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

// owned reports the paths that a decision takes over. Reasons that prevent the decision
// are errors.
func owned(decision ownership.Decision, taken []ownership.Claim) message.Messages {
	m := message.ProblemsOf(decision)
	if len(decision.Lost)+len(decision.Unknown) > 0 {
		m.Errors[len(m.Errors)-1].Detail += "\n\nTo destroy the resource, add -refresh=false to terraform destroy. It removes only " +
			"folders that this resource owns."
	}
	if len(taken) > 0 {
		m.Warn(message.TakingOver, message.TakenOverText(decision.Location, taken))
	}
	return m
}
