// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/consequence"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// look reads the place before a plan changes it, with the files that differ from the wanted ones; nil if
// the place is not known or cannot be read. No planned value depends on it, because the same run may create
// the repository.
func (p *Publisher) look(ctx context.Context, c Change) (seen *ownership.Seen, m message.Messages) {
	if p.Git == nil || !isKnown(c.Wanted.Location) {
		return nil, m
	}
	q := c.query()
	q.compares = true
	found, err := p.observe(ctx, q)
	if remote.Is(err, remote.KindBranchNotFound) { // it will not exist at the apply either
		return nil, message.Messages{Errors: message.One("Invalid branch", problem.Sentence(err))}
	}
	if err != nil {
		m.Warn(message.Unreadable, "The apply will need the repository. The plan cannot show the changed files, and it does not know who owns "+
			"the folders. "+problem.Sentence(err))
		return nil, m
	}
	return &found, m
}

// show reports a change as warnings: what becomes of the old place, who owns the folders, what drifted, and
// the diff.
func (p *Publisher) show(ctx context.Context, c Change) (m message.Messages) {
	m.Add(moved(c))
	m.Add(owners(c))
	if !isKnown(c.Wanted.Location) {
		return m
	}
	if trace := p.traceDrift(ctx, c); trace != "" {
		title, back := wentBack(c.Seen.Records, c.Had.Instance, c.Had.Release, c.Wanted.Release)
		m.Warn(title, back+trace)
	}
	if c.writes() && (p.MaxDiffLines > 0 || len(c.Consequences) > 0) {
		m.Warn(message.PlannedChange, p.report(c).Warning(p.MaxDiffLines))
	}
	return m
}

// moved says what becomes of the old place of a replacement. Only with create_before_destroy does
// Terraform plan the destroy of the old resource as a destroy.
func moved(c Change) (m message.Messages) {
	if c.Kind != KindReplace || c.Job.isUnwritten() {
		return m
	}
	was, packages := c.Job.Was, "The packages"
	if was.Detail == engine.DetailPackage {
		packages = wording.Count(len(was.Packages.Packages()), "package")
	}
	text := fmt.Sprintf("%s of environment %s stay in %s, and clusters that read this place keep running them: its record lists them as "+
		"released.", packages, was.Fleet.Environment, was.Location)
	if was.OnDestroy == ownership.Empty || was.OnDestroy == ownership.Delete {
		text += fmt.Sprintf(" With create_before_destroy, the apply removes them after it has written the new place, because on_destroy = %q.",
			was.OnDestroy)
	}
	if was.OnDestroy != ownership.Forbid {
		m.Warn("Another place", text)
	}
	return m
}

func owners(c Change) (m message.Messages) {
	if c.Seen == nil {
		return m
	}
	const fails = "The apply would fail, unless it frees the folders itself. "
	if refused := c.Excused.Refused; len(refused) > 0 {
		m.Warn("Folders exist already", fails+message.RefusedText(c.Wanted.Location, refused))
	}
	excused := c
	excused.Decision = c.Excused
	for _, asked := range lifting(takeovers(excused, time.Time{})) {
		m.Warn(asked.Summary, fails+asked.Detail)
	}
	if taken := c.Decision.TakenOver; len(taken) > 0 {
		m.Warn("Folders of another resource", message.TakenOverText(c.Wanted.Location, taken))
	}
	if released := c.Decision.Released; len(released) > 0 {
		m.Warn("Released folders", fmt.Sprintf("The record of this resource lists %s as released: they stay unchanged, no resource updates "+
			"them, and clusters keep running their packages. A resource of the same environment that names them takes them over. If no "+
			"cluster reads them, delete them in the branch.", message.Folders(released)))
	}
	if c.Seen.Head.IsZero() {
		from := "without history"
		if c.Job.StartFrom != "" {
			from = "from " + c.Job.StartFrom
		}
		m.Warn("New branch", fmt.Sprintf("The branch %q does not exist. The apply creates it, %s.", c.Wanted.Location.Branch, from))
	}
	return m
}

// report describes a change of the branch as it was read.
func (p *Publisher) report(c Change) message.Report {
	r := message.Report{Totals: c.Attributes.Summary, Policies: map[string][]string{}, Run: p.ciRun}
	if c.Before != nil {
		r.Before, r.After = c.Before, c.After
	}
	if c.Result != nil {
		for _, a := range c.Result.Placement.Assignments {
			r.Policies[a.Key()] = a.Policies
		}
	}
	if c.Seen != nil {
		was := c.Seen.Record(c.Self.Instance, c.Wanted.Location).Release.Sources
		moved, _ := record.MovedSources(was, c.Wanted.Release.Sources)
		for _, name := range moved {
			r.Sources = append(r.Sources, message.SourceChange{Source: name, From: was[name], To: c.Wanted.Release.Sources[name]})
		}
	}
	if r.Files, r.Clusters = c.Files, consequence.Lines(c.Consequences); c.Seen == nil {
		r.FilesNote = "(The changed files are not shown, because the branch cannot be read.)\n"
	}
	var taken []string
	for _, claim := range c.Decision.TakenOver {
		taken = append(taken, claim.Key)
	}
	switch takes := c.Before.Below(taken); {
	case len(takes) > 0:
		r.Totals = message.Takes(takes, c.Before, c.After)
	default:
		if totals, ofBranch := c.totals(); ofBranch {
			r.Totals = totals + ", compared with the branch, not with the state"
		}
	}
	switch changes := r.FilesNote != "" || len(r.Files) > 0; {
	case len(c.Decision.Refused)+len(c.Excused.Refused) > 0:
		r.FilesNote += "(The files of folders that exist already are not shown.)\n"
	case !changes && len(taken) > 0:
	case !changes && strings.HasPrefix(c.Attributes.Summary, "+"):
		r.Totals = c.Attributes.Summary
		r.Notes = append(r.Notes, "The branch has these files already: no file changes, except the record.")
	}
	if note := rendersAnew(c); note != "" {
		r.Notes = append(r.Notes, note)
	}
	return r
}

// totals describes the change in one line: of the branch, if the state does not say what it has, as after an import or a hold.
func (c Change) totals() (text string, ofBranch bool) {
	if (c.Had == nil || c.Self.Imported || c.Had.Hold) && c.Seen != nil && len(c.Before) > 0 {
		return c.Before.Summary(c.After, engine.DetailPackage), true
	}
	return c.Attributes.Summary, false
}

// rendersAnew names the version of the provider as the reason of a change, if nothing else is a
// reason: the fleet is as it was at the last apply, and the branch has what it wrote.
func rendersAnew(c Change) string {
	if c.Kind != KindUpdate || c.Seen == nil || c.Had.Status != InSync {
		return ""
	}
	wrote := c.Seen.Records[c.Had.Instance].Provider
	if wrote == "" || wrote == c.Wanted.Version || !c.Job.sameFleet(&c.Had.Settings) {
		return ""
	}
	return fmt.Sprintf("The fleet is unchanged. Version %s of the provider renders these files differently from version %s, which wrote "+
		"them.", c.Wanted.Version, wrote)
}
