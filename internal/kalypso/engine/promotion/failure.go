// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
)

// Fallback says when an environment goes back by itself.
type Fallback struct {
	// Checks are required of the environment's own GitOps commits.
	Checks []Check
	// Grace is how long a release may fail.
	Grace time.Duration
}

// checkFailure checks OnFailure.
func (r Rules) checkFailure(add calendar.Report) {
	if r.OnFailure == nil {
		return
	}
	if r.Candidate != "" {
		add("on_failure", "It needs a source, whose history says which release is the previous one. Remove on_failure, or give a source "+
			"instead of the candidate.")
	}
	if len(r.OnFailure.Checks) == 0 {
		add("on_failure", "There are no checks in target, so nothing would show that a release fails in %s. Write at least one block checks "+
			"in target, as with context = \"kustomization/*\".", r.Environment)
	}
	if r.OnFailure.Grace < 0 {
		add("failure_grace", "%s is negative. Write how long a release may fail, such as \"15m\".", r.OnFailure.Grace)
	}
	checkChecks("target.checks", r.OnFailure.Checks, add)
}

// goBack goes back to the last release that was verified in the environment, if its release has
// failed there for the grace. It returns sentences about the failure; "" for none. If reports cannot
// be read, the environment stays, because everyone who writes reports can make them unreadable.
func (d *decider) goBack() (string, error) {
	if d.OnFailure == nil || d.at == nil {
		return "", nil
	}
	failure, err := d.fallBack()
	switch {
	case err == nil:
		return failure, nil
	case d.line.work.ctx.Err() != nil:
		return "", err
	case errors.Is(err, errTooMuch):
		return "", nil // the environments had too many combinations of sources
	}
	return fmt.Sprintf("It is not known whether %s has to go back: %s. ", d.Environment, err), nil
}

// fallBack is goBack, with the errors of reading.
func (d *decider) fallBack() (string, error) {
	e := d.own
	if err := e.read(); err != nil {
		return "", d.unreadable(err)
	}
	at := d.at.newest
	v, err := e.verdictFor(0, at)
	if err != nil || v.outcome != Failure || v.since.IsZero() {
		return "", err
	}
	since := later(v.since, e.steps[0].came) // the time of a check run is what its App says
	failure := fmt.Sprintf("%s has failed in %s since %s: %s (GitOps commit %s). ", e.title(at), d.Environment, minute(since), v.why,
		short(e.steps[0].ID))
	if e.cameBack() {
		return failure + fmt.Sprintf("%s went back to this release before, so the release may not be the cause, and %s does not go back "+
			"further. To go back further, set pin. ", d.Environment, d.Environment), nil
	}
	to, err := e.lastVerified(at)
	if err != nil || to == 0 {
		return failure + fmt.Sprintf("No earlier release was verified in %s, so it does not go back. ", d.Environment), err
	}
	if due := since.Add(d.OnFailure.Grace); due.After(d.now) {
		return failure + fmt.Sprintf("If that lasts until %s, %s goes back to %s. ", minute(due), d.Environment, e.title(to)), nil
	}
	sources, unlike := e.sources(to), ""
	if to.commit() == d.commitAt() {
		unlike = sources.unlike(d.sources)
	}
	// What the old release does not name stays at its commit: nobody has tested the head.
	d.out.Commit, d.out.Sources, d.out.Decision = e.idOf(to), sources.and(d.at.sources(func(part) bool { return true })), Rollback
	return failure + fmt.Sprintf("%s goes back to %s%s, the last release that was verified there. ", d.Environment, e.title(to), unlike), nil
}

// lastVerified returns the newest release before another that was green in the environment with a
// GitOps commit of its own, and that the environment did not leave backwards; 0 for none.
func (e *environment) lastVerified(before position) (position, error) {
	for _, at := range slices.Backward(slices.Sorted(maps.Keys(e.deployed))) {
		if _, left := e.left(at); left || at >= before || at == 0 {
			continue
		}
		for _, i := range e.deployed[at] {
			v, err := e.verdictFor(i, at)
			if err != nil || v.outcome == Success {
				return at, err
			}
			if v.outcome == Failure {
				break
			}
		}
	}
	return 0, nil
}

// cameBack reports whether the environment is at a release that it went back to.
func (b *branch) cameBack() bool {
	return slices.ContainsFunc(b.departures, func(d departure) bool { return d.to.at == b.steps[0].newest })
}

// idOf returns the commit of a release, as the newest step with it has it.
func (b *branch) idOf(at position) string {
	for _, p := range b.steps[b.deployed[at][0]].parts {
		if p.at == at {
			return p.id
		}
	}
	return ""
}

// title names a release by its commit, with its subject if that is known.
func (b *branch) title(at position) string {
	c := SourceCommit{ID: b.idOf(at)}
	if i := b.line.index(at); i >= 0 && i < len(b.line.commits) {
		c.Subject = b.line.commits[i].Subject
	}
	return c.title()
}
