// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// lookTimeout limits how long a plan waits for the repository.
const lookTimeout = 20 * time.Second

// look reads the branch once before a plan changes it: the owners of its folders, and the
// files that differ from the desired ones. It returns nil if there is nothing to read. No
// planned value depends on it, because the same run may create the repository.
func (p *Publisher) look(ctx context.Context, c *computed) *view {
	inv, desired, decision := c.Inventory, c.desired, c.decision
	if shows := decision.Changes && c.locationKnown(); !shows && !c.countsInBranch() {
		return nil
	}
	if decision.Moves {
		inv = inv.Arriving(desired.Location, desired.Location.Of().Same(inv.Location.Of()))
	}
	there := *inv
	v := &view{at: desired.Location, there: &there, wanted: map[string]tree.Entry{}}
	if p.git == nil {
		return v
	}
	query := inv.Around(desired)
	query.Head = tree.ID{}
	for path, edit := range decision.Change.Edits {
		if ownership.IsRecord(path) || edit.Expected == edit.Want.ID && !edit.Unchecked {
			continue
		}
		query.Paths[path] = tree.Entry{Mode: edit.Want.Mode}
		v.wanted[path] = tree.Entry{}
		if edit.Writes() {
			v.wanted[path] = edit.Want
		}
	}
	query.Compare = func(*git.Answer) map[string]tree.Entry { return v.wanted }
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	found, err := p.git.Read(ctx, desired.Location.Of(), query)
	if err == nil {
		there.Head = found.Head
		err = there.NoteOwners(found, desired.Location.Branch)
	}
	if v.unread = err; err == nil {
		v.found = found
	}
	return v
}

// lookAround reports the reasons for which an apply of a new resource would fail: the owners
// of the folders, and the files in the way. It only warns about files, because they may be
// removed until the apply.
func lookAround(job Job, decision ownership.Decision, v *view) (m message.Messages) {
	news := slices.DeleteFunc(slices.Clone(decision.TakenOver), func(c ownership.Claim) bool { // without the folders of the replaced resource
		return job.Replaces != nil && c.Instance == job.Replaces.Instance
	})
	if job.Replaces != nil && slices.ContainsFunc(decision.Refused,
		func(c ownership.Claim) bool { return c.Instance == job.Replaces.Instance }) {
		m.Fail(message.ReplacedElsewhere, "The resource is replaced, and its environment changes too. Apply the new environment alone, "+
			"without -replace: the resource then keeps its folders.")
		return m
	}
	if m.Add(owned(decision, news)); !m.Failed() {
		m.Add(standsInTheWay(decision.Location, decision, v.found))
	}
	return m
}

// standsInTheWay warns about paths for which the repository would refuse an apply of a new
// resource. Until then, they may be removed.
func standsInTheWay(loc git.Location, decision ownership.Decision, found *git.Answer) message.Messages {
	var m message.Messages
	exists := &git.ExistsError{Branch: loc.Of()}
	for _, path := range slices.Sorted(maps.Keys(decision.Change.Edits)) {
		edit := decision.Change.Edits[path]
		if id := found.ID(path); !edit.Unchecked && !id.IsZero() && id != edit.Want.ID {
			exists.Paths = append(exists.Paths, path)
		}
	}
	exists.Files = decision.Change.Files(exists.Paths)
	if len(exists.Paths) > 0 {
		m.Warn("Other files are in the way", message.Occupied(loc, exists)+" The apply would fail."+message.OccupiedAdvice(loc, exists, true))
	}
	return m
}

// planOwners reports the owners of the paths that a plan will write or remove. It returns the
// location with its content, and the paths that the plan shows as taken over. For a new or
// moved resource, it decides again with the content that it has read.
func planOwners(c *computed, seen *view) (at site, shown map[string]string, m message.Messages) {
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
		m.Add(lookAround(c.Job, decision, seen))
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
		m.Warn("Folders are taken over", message.TakenOverText(decision.Location, taken))
	}
	return m
}
