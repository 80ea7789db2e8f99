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
		add("failure_grace", "%s is less than nothing. Write how long a release may fail, such as \"15m\".", r.OnFailure.Grace)
	}
	checkChecks("target.checks", r.OnFailure.Checks, add)
}

// goBack goes back to the last release that was verified in the environment, if its release has
// failed there for longer than the grace. It returns sentences about the failure; "" for none.
func (d *decider) goBack() (string, error) {
	if d.OnFailure == nil || d.at == nil {
		return "", nil
	}
	err := d.own.read()
	if errors.Is(err, errTooMuch) { // choose reports that
		return "", nil
	}
	if err != nil {
		return "", d.unreadable(err)
	}
	v, i, err := d.own.failing(d.at.newest)
	if err != nil || v.outcome != Failure || v.since.IsZero() {
		return "", err
	}
	failure := fmt.Sprintf("%s has failed in %s since %s: %s (GitOps commit %s). ", d.own.title(d.at.newest), d.Environment, minute(v.since),
		v.why, short(d.own.steps[i].ID))
	if d.own.cameBack() {
		return failure + fmt.Sprintf("%s went back to this release before, so the release may not be the cause, and %s does not go back "+
			"further. To go back further, set pin. ", d.Environment, d.Environment), nil
	}
	at, err := d.own.lastVerified(d.at.newest)
	if err != nil || at == 0 {
		return failure + fmt.Sprintf("No earlier release was verified in %s, so it does not go back. ", d.Environment), err
	}
	if due := v.since.Add(d.OnFailure.Grace); due.After(d.now) {
		return failure + fmt.Sprintf("If that lasts until %s, %s goes back to %s. ", minute(due), d.Environment, d.own.title(at)), nil
	}
	sources := d.own.sources(at)
	d.out.Commit, d.out.Sources, d.out.Decision = d.own.idOf(at), sources, Rollback
	unlike := ""
	if at.commit() == d.commitAt() {
		unlike = sources.unlike(d.sources)
	}
	return failure + fmt.Sprintf("%s goes back to %s%s, the last release that was verified there. ", d.Environment, d.own.title(at),
		unlike), nil
}

// failing returns the verdict on the release that the environment is at, and the step that it is
// about. If it has failed, since is when the failure began, also with an earlier GitOps commit that
// brought the same release.
func (e *environment) failing(at position) (verdict, int, error) {
	own := e.deployed[at]
	i, v, err := e.word(own, at)
	if err != nil || v.outcome != Failure {
		return v, i, err
	}
	for j := i + 1; slices.Contains(own, j); j++ {
		earlier, err := e.verdictFor(j, at)
		if err != nil || earlier.outcome == Success {
			return v, i, err
		}
		if earlier.outcome == Failure && earlier.since.Before(v.since) {
			v.since = earlier.since
		}
	}
	return v, i, nil
}

// lastVerified returns the newest release before another that was verified in the environment, and
// that the environment did not leave backwards; 0 for none.
func (e *environment) lastVerified(before position) (position, error) {
	for _, at := range slices.Backward(slices.Sorted(maps.Keys(e.deployed))) {
		if _, left := e.left(at); left || at >= before || at == 0 {
			continue
		}
		if f, err := e.reported(at); err != nil || f.state == Verified {
			return at, err
		}
	}
	return 0, nil
}

// cameBack reports whether the environment is at a release because of a step back: it had a newer
// one before.
func (b *branch) cameBack() bool {
	return slices.ContainsFunc(b.departures, func(d departure) bool { return d.by.ID == b.steps[0].ID })
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
