// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// computed is where a plan and an apply begin: what is rendered, where it is to be, and what
// is decided about that by the last look at the branch.
type computed struct {
	Job
	result *engine.Result
	// location is where; parts of it may be empty, which are known later.
	location git.Location
	desired  ownership.Desired
	decision ownership.Decision
}

// begin computes the fleet and decides. With errors there is no decision, and where the fleet
// cannot be computed, nothing at all.
func (p *Publisher) begin(ctx context.Context, job Job) (*computed, message.Messages) {
	var m message.Messages
	result, err := p.compute(ctx, job.Fleet)
	if m.Errors = message.Problems(err); m.Failed() {
		return nil, m
	}
	c := &computed{Job: job, result: result}
	if c.location, m.Errors = p.locate(ctx, job, result.Fleet); m.Failed() {
		_, empty := job.refuseEmpty(result.Findings(false))
		m.Add(empty) // a misspelled environment has no GitOpsRepo either
		return c, m
	}
	at := c.location
	if job.locationKnown() {
		m.Add(job.checkCopied(at))
	} else { // it may turn out to be the same place
		at = job.Inventory.Location
	}
	c.desired = p.wanted(job, at, result)
	m.Errors = append(m.Errors, checkDesired(c.desired)...)
	m.Add(job.checkPart(at, result))
	if !m.Failed() {
		c.decision = ownership.Decide(c.desired, job.Inventory)
	}
	return c, m
}

// wanted returns what the settings want, of what their fleet renders.
func (p *Publisher) wanted(job Job, loc git.Location, result *engine.Result) ownership.Desired {
	s := job.Settings
	d := ownership.Desired{
		Location: loc, Environment: s.Fleet.Environment, Paths: ownership.Rendered(loc, result), Removal: s.Removal,
		Exclusive: s.Exclusive, Propose: s.Request != nil, Promoted: ownership.AsRelease(string(result.OwnedFiles[engine.PromotedCommitFile])), Version: p.version,
	}
	for _, name := range result.Others {
		d.Leave = append(d.Leave, loc.Join(name))
	}
	if s.Fleet.LeavesPromotedCommit() {
		d.Leave = append(d.Leave, engine.PromotedCommitFile)
	}
	if result.Fleet != nil && d.Promoted == "" {
		d.Source = ownership.AsRelease(result.Fleet.PromotedCommit)
	}
	return d
}

// checkDesired refuses a folder that contains an owned file, because this file would have
// two owners.
func checkDesired(d ownership.Desired) []message.Message {
	var wrong []message.Message
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, file := range engine.OwnedFiles {
			if _, owned := d.Paths[file]; owned && strings.HasPrefix(file, path+"/") {
				wrong = append(wrong, message.Message{Setting: "path", Summary: message.PromotedInside.Title, Detail: "The folder " + path + " of a cluster type belongs to this resource as a whole, and the file " + file +
					" lies in it. Write below another path, rename the cluster type, or leave the file alone with promoted_commit = \"\"."})
			}
		}
	}
	return wrong
}

// keepsClosed reports whether a request that was closed without a merge keeps a change from
// being proposed: nothing is done, and the state stays as it is.
func (c *computed) keepsClosed() bool {
	p := c.Inventory.Proposal
	return p != nil && p.Closed && !c.decision.Changes
}

// packages are those that the state has once the decision is carried out.
func (c *computed) packages() engine.Digests {
	if c.keepsClosed() {
		return c.Was.Packages
	}
	return c.result.Digests(c.Detail)
}

// summary returns the decision in one line: the last change where nothing changes.
func (c *computed) summary() string {
	switch {
	case c.decision.Changes:
		before, after, detail := c.bothSides()
		return before.Summary(after, detail)
	case c.Detail != c.Inventory.Detail:
		return "no file changes, only the keys of packages"
	}
	return c.Was.Summary
}

// bothSides returns what is there and what the result is, by keys that both have: packages,
// or cluster types where what is there is keyed by something else than the settings' detail.
func (c *computed) bothSides() (before, after engine.Digests, keyed engine.Detail) {
	inv := c.Inventory
	before, keyed = engine.Digests{}, c.Detail
	switch {
	case inv.IsNew(), c.decision.Moves: // nothing of ours is there yet
	case inv.Detail != keyed:
		// What is there is keyed differently; cluster types are comparable in any case.
		keyed, before = engine.DetailClusterType, inv.ClusterTypes()
	default:
		before = maps.Clone(inv.Packages)
	}
	if !c.decision.Moves {
		for _, path := range c.decision.Left {
			before.RemoveFolder(ownership.KeyOf(inv.Location, path))
		}
	}
	return before, c.result.Digests(keyed), keyed
}
