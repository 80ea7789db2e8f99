// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// PlanDestroy reports what a destroy will do to how many packages, or why it cannot be done. The
// returned memory marks the destroy as planned, and has what the plan saw.
func (p *Publisher) PlanDestroy(ctx context.Context, job Job) (Memory, message.Messages) {
	job.Memory.Destroys, job.Memory.Planned = true, nil
	w, ctx := p.begin(ctx, job)
	m := w.run(ctx, []step{
		{"want nothing", (*work).wantNothing},
		{"look at the branch", (*work).look},
		{"decide", (*work).decide},
		{"check the destroy", (*work).checkDestroy},
		{"say what it does", (*work).reportDestroy},
	})
	return w.memory, w.about(m)
}

// Destroy gives the content up. A destroy that was planned as one does what on_destroy said at
// the last apply. As the first half of a replacement, it only releases the folders.
func (p *Publisher) Destroy(ctx context.Context, job Job) message.Messages {
	w, ctx := p.begin(ctx, job)
	steps := []step{{"want nothing", (*work).wantNothing}, {"write", (*work).writeDestroy}}
	if job.Memory.Destroys {
		steps = []step{steps[0], {"look at the branch", (*work).look}, {"decide", (*work).decide},
			{"need what the checks read", (*work).needChecks}, {"check the destroy", (*work).checkDestroy}, steps[1]}
	}
	m := w.run(ctx, steps)
	m.Warnings = slices.DeleteFunc(m.Warnings, func(one message.Message) bool { return one.Summary == message.Unreadable })
	return w.about(m)
}

// needChecks stops a destroy that would remove packages unchecked, because the branch could not be
// read.
func (w *work) needChecks(context.Context) (m message.Messages) {
	removes := w.desired.Removal == ownership.Empty || w.desired.Removal == ownership.Delete
	if w.unread != nil && removes && (len(w.Freezes) > 0 || w.Limits.Any()) {
		m.Fail(message.Unchanged, message.Sentence(message.OfApplied(w.unread)))
	}
	return m
}

// wantNothing makes the wanted content empty.
func (w *work) wantNothing(context.Context) message.Messages {
	w.at = w.Was.Location
	w.desired = ownership.Desired{Location: w.at, Environment: w.Fleet.Environment, Removal: ownership.Retain, Version: w.Version}
	if w.Memory.Destroys {
		w.desired.Removal = w.OnDestroy
	}
	w.after.Summary = "give the packages up"
	return message.Messages{}
}

// checkDestroy refuses a destroy that settings or the time forbid.
func (w *work) checkDestroy(context.Context) (m message.Messages) {
	environment := w.Fleet.Environment
	if w.onHold() && !w.ownsNothing() {
		m.Fail(message.OnHold, fmt.Sprintf("Environment %s must not be destroyed while %s is set. Remove it, apply that change first, and "+
			"destroy then.", environment, w.holdName()))
	}
	if w.desired.Removal == ownership.Forbid {
		m.Fail(message.Forbidden, fmt.Sprintf("Environment %s must not be destroyed: on_destroy = \"forbid\". To destroy it, set on_destroy to "+
			"retain, empty or delete, apply that first, and destroy then.", environment))
	}
	before := w.inventory.Digests(w.decision.Removed, engine.DetailPackage)
	removed := packageKeys(before)
	if protected := w.Limits.Protected(removed); len(protected) > 0 {
		m.Fail("Protected packages", fmt.Sprintf("Environment %s must not be destroyed: limits.protect keeps %s.\n%s\nRemove the pattern from "+
			"protect, or set on_destroy = \"retain\". Apply that first, and destroy then.",
			environment, wording.Count(len(protected), "package"), message.Changes(before, engine.Digests{}, protected)))
	}
	if freeze, isFrozen := calendar.InForce(w.Freezes, w.Now()); isFrozen && len(removed) > 0 {
		m.Fail(message.Frozen, fmt.Sprintf("No package may be removed: %s. Wait until the freeze ends. To destroy the resource "+
			"earlier, remove the block freeze, apply, and then destroy.", freeze))
	}
	return m
}

// reportDestroy says what the destroy will do.
func (w *work) reportDestroy(context.Context) (m message.Messages) {
	if w.ownsNothing() {
		return m
	}
	keys := slices.Sorted(maps.Keys(w.inventory.Record(w.Was.Instance, w.at).Folders))
	if w.answer == nil {
		keys = keysOf(w.Was.Packages)
	}
	packages := packageKeys(w.inventory.Digests(keys, engine.DetailPackage))
	clusterTypes := map[string]bool{}
	for _, key := range packages {
		clusterType, _, _ := strings.Cut(key, "/")
		clusterTypes[clusterType] = true
	}
	what := wording.Count(len(packages), "package")
	where := what + " in " + wording.Count(len(clusterTypes), "cluster type")
	if w.answer == nil {
		what, where = "the packages", "the packages"
	}
	const another = " To do something else, set on_destroy, apply, and destroy then. If the resource was only renamed, add a moved block."
	how := map[ownership.Removal]string{
		ownership.Retain: "stay in %s, and clusters keep running them. The record %s lists them as released: a resource of the same " +
			"environment that names them takes them over.",
		ownership.Empty: "are removed from %s: each folder keeps only a README.md, so that clusters uninstall its content (Argo CD only with " +
			"allowEmpty). The record is %s.",
		ownership.Delete: "are removed from %s with their folders. Flux reports a missing folder as an error, and clusters keep running its " +
			"former content. The record is %s.",
	}[w.desired.Removal]
	text := fmt.Sprintf("on_destroy = %q: %s "+how, w.desired.Removal, where, w.at, record.RecordPath(w.Was.Instance))
	if w.Request != nil {
		text += " The destroy opens a pull request for this."
	}
	m.Warn("Destroying "+map[bool]string{true: "releases ", false: "removes "}[w.desired.Removal == ownership.Retain]+what, text+another)
	return m
}

// writeDestroy carries the destroy out.
func (w *work) writeDestroy(ctx context.Context) (m message.Messages) {
	switch {
	case w.onHold() && w.ownsNothing():
		return m
	case w.HoldAll: // the plan has checked the hold of the resource
		m.Fail(message.OnHold, fmt.Sprintf("While %s is set, nothing is destroyed. Remove it, and plan again.", w.holdName()))
		return m
	}
	if w.Request != nil {
		return w.propose(ctx)
	}
	if _, err := w.push(ctx); err != nil {
		m.Unwritten(message.OfApplied(err))
		return m
	}
	m.Add(w.closeOld(ctx, "The resource that opened this request was destroyed."))
	return m
}
