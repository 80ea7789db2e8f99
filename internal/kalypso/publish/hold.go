// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"maps"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// planHold plans for an environment on hold. The plan writes nothing, even if the fleet
// changes or cannot be computed.
func (job Job) planHold() (*Plan, message.Messages) {
	var m message.Messages
	was := job.Was
	elsewhere := func(setting Text, value string) bool {
		return setting.Given && (setting.Unknown || setting.Value != value)
	}
	if elsewhere(job.Repo, was.Location.Repo) || elsewhere(job.Branch, was.Location.Branch) || elsewhere(job.Path, was.Location.Path) {
		m.Fail(message.OnHold, fmt.Sprintf(
			"Packages do not move while the environment is on hold: they stay in %s. Set repo, branch and path back, or remove %s.",
			was.Location, job.holdName()))
	}
	if job.Detail != was.Detail {
		m.Fail(message.OnHold, fmt.Sprintf("detail cannot change while the environment is on hold. Set it to %q, or remove %s.", was.Detail,
			job.holdName()))
	}
	if files := job.brokenFiles(); files.isTooLarge() {
		m.Add(files.check(job.Settings))
	}
	m.Warn(message.OnHold, fmt.Sprintf("While %s is true, the apply writes nothing to %s, and does not repair drift there. The first plan "+
		"after that shows what differs.", job.holdName(), was.Location))
	return &Plan{Location: was.Location, LocationKnown: true, Attributes: was.Attributes}, m
}

// planCreateOnHold plans a resource that is new and on hold.
func (p *Publisher) planCreateOnHold(c *computed, plan *Plan) message.Messages {
	var m message.Messages
	m.Warn(message.OnHold, fmt.Sprintf("The apply writes nothing to %s while %s is true. The first plan after that shows what it writes.",
		c.location, c.holdName()))
	plan.Packages, plan.Summary = engine.Digests{}, summaryOnHold
	if plan.LocationKnown {
		m.Add(p.planIntent(c.intent(site{Location: c.location}, plan.folders, nil)))
	}
	return m
}

// heldNames returns the folders in the configuration of an environment on hold, whose fleet is
// not computed. Without cluster_types, they are its present folders and every folder of its
// place. Another resource may take over a folder that has left the list.
func (job Job) heldNames() []string {
	if job.Fleet.IsPart() {
		return ownership.FoldersAt(job.Inventory.Location, job.Fleet.ClusterTypes)
	}
	return append(job.Inventory.Folders(), anyFolder)
}

// holdOn returns the outcome of an apply on hold: the content stays unchanged.
func (job Job) holdOn() *Outcome {
	inv := *job.Inventory
	inv.Renderer = "" // this apply wrote nothing
	inv.Texts = job.brokenFiles().texts
	return &Outcome{Location: job.Was.Location, Inventory: &inv, Attributes: job.Was.Attributes}
}

// textsOnHold returns the texts that an inventory on hold keeps: those of files that are broken now,
// and earlier ones, because a control plane that cannot be read has no notes and no manifests. With
// on_error = "keep", they include unread texts.
func (job Job) textsOnHold(broken map[string][]string, past *pastObjects) map[string][]string {
	texts := map[string][]string{}
	maps.Copy(texts, job.Inventory.Texts)
	maps.Copy(texts, broken)
	if job.KeepBroken {
		texts[""] = past.unread()
		maps.DeleteFunc(texts, func(_ string, of []string) bool { return len(of) == 0 })
	}
	return texts
}

// createOnHold notes a new resource that writes nothing yet.
func (a *applying) createOnHold() {
	inv := &ownership.Inventory{Location: a.desired.Location, Instance: ownership.NewInstance(), Detail: a.Detail, Owned: ownership.Objects{}}
	a.out.Packages, a.out.Broken, a.out.Summary = engine.Digests{}, nil, summaryOnHold
	a.out.Inventory = a.inventory(inv)
	inv.Renderer, inv.Sources = "", nil
}

// summaryOnHold is the summary of a resource that was created on hold.
const summaryOnHold = "nothing is written while the environment is on hold"
