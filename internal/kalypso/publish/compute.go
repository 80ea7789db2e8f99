// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// computed is the start of a plan and of an apply: the rendered fleet, its location, and
// the decision from the last look at the branch.
type computed struct {
	Job
	result *engine.Result
	// location may have parts that are not known yet. These are empty.
	location git.Location
	desired  ownership.Desired
	decision ownership.Decision
	files    brokenFiles
}

// begin computes the fleet and decides. With errors, the result has no decision. If the fleet
// cannot be computed, the result is nil.
func (p *Publisher) begin(ctx context.Context, job Job) (*computed, message.Messages) {
	files := job.brokenFiles()
	m := files.check(job.Settings)
	if m.Failed() {
		return nil, m
	}
	fleet := job.Fleet
	fleet.Manifests = slices.DeleteFunc(slices.Concat(fleet.Manifests, files.manifests()), func(text manifest.Text) bool {
		return files.displaced[text.Text] != ""
	})
	if job.KeepBroken {
		fleet.Reject = &job.Findings
	}
	result, err := p.compute(ctx, fleet)
	if job.KeepBroken && result != nil {
		err = nil
	}
	if m.Errors = message.Problems(err); m.Failed() {
		return nil, m
	}
	p.log(ctx, "computed", map[string]any{"environment": fleet.Environment, "assignments": len(result.Placement.Assignments),
		"cluster_types": len(result.Folders), "failed": len(result.Failures)})
	c := &computed{Job: job, result: result, files: files}
	m.Add(files.warn())
	if c.location, m.Errors = p.locate(ctx, job, result.Fleet); m.Failed() {
		found, err := result.Findings(ctx, false)
		_, empty := job.refuseEmpty(found) // a misspelled environment has no GitOpsRepo either
		m.Add(empty)
		m.Errors = append(m.Errors, message.Problems(err)...)
		return c, m
	}
	at := c.location
	if job.locationKnown() {
		m.Add(job.checkCopied(at))
	} else { // the unknown place may be the same place
		at = job.Inventory.Location
	}
	kept, unkept := p.keep(ctx, job, at, result)
	if m.Add(unkept); unkept.Failed() {
		return nil, m
	}
	c.result = kept
	c.desired = p.wanted(job, at, kept)
	c.desired.Sources = files.sources(job)
	m.Errors = append(m.Errors, checkDesired(c.desired)...)
	m.Add(job.checkPart(at, kept))
	if !m.Failed() {
		c.decision = ownership.Decide(c.desired, job.Inventory)
	}
	return c, m
}

// wanted returns the part of the rendered fleet that the settings want.
func (p *Publisher) wanted(job Job, loc git.Location, result *engine.Result) ownership.Desired {
	s := job.Settings
	d := ownership.Desired{
		Location: loc, Environment: s.Fleet.Environment, Paths: ownership.Rendered(loc, result), Removal: s.Removal,
		Propose: s.Request != nil, Promoted: ownership.AsRelease(string(result.OwnedFiles[engine.PromotedCommitFile])),
		Version: p.version,
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
				wrong = append(wrong, message.Message{Setting: "path", Summary: "A folder would contain the promoted commit's file",
					Detail: "The folder " + path +
						" of a cluster type belongs to this resource as a whole, and the file " + file +
						" is in this folder. Write below another path, rename the cluster type, or set promoted_commit = \"\"."})
			}
		}
	}
	return wrong
}

// keepsClosed reports whether a request that was closed without a merge prevents a new
// proposal. Then the apply does nothing, and the state stays unchanged.
func (c *computed) keepsClosed() bool {
	p := c.Inventory.Proposal
	return p != nil && p.Closed && !c.decision.Changes
}

// packages returns the packages in the state after the apply.
func (c *computed) packages() engine.Digests {
	if c.keepsClosed() {
		return c.Was.Packages
	}
	return c.result.Digests(c.Detail)
}

// summary returns the decision in one line. If nothing changes, it returns the last summary.
func (c *computed) summary() string {
	switch {
	case c.decision.Changes:
		before, after, detail := c.bothSides()
		moved := c.changedSources()
		if moved != "" && maps.Equal(before, after) {
			return "no package changes" + moved
		}
		return before.Summary(after, detail) + moved
	case c.Detail != c.Inventory.Detail:
		return "no file changes, only the keys of packages"
	case c.Inventory.IsSettled() && c.Inventory.Proposal == nil && !c.sameFleet(&c.Was.Settings):
		return "no package changes"
	}
	return c.Was.Summary
}

// changedSources ends a summary: how many sources have other commits than in our record.
func (c *computed) changedSources() string {
	was, recorded := c.Inventory.Records[c.Inventory.Instance]
	moved, all := ownership.MovedSources(was.Record, c.desired)
	if !recorded || len(moved) == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of %s changed", len(moved), wording.Count(all, "source"))
}

// bothSides returns the present content and the result, with comparable keys: packages, or
// cluster types if the present content has other keys than the settings' detail.
func (c *computed) bothSides() (before, after engine.Digests, keyed engine.Detail) {
	inv := c.Inventory
	before, keyed = engine.Digests{}, c.Detail
	switch {
	case inv.IsNew(), c.decision.Moves: // the place has no packages of ours yet
	case inv.Detail != keyed:
		// The present content has other keys, but cluster types are always comparable.
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
