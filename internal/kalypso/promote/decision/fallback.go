// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision

import (
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// revertedBefore returns the environment in after that has reverted a release, and by which step.
func (d *decider) revertedBefore(r record.Release) (string, *record.Step) {
	for _, p := range d.before {
		if rank, isThere := p.exactly(r); isThere && p.reverted(rank) != nil {
			return p.Name, p.reverted(rank)
		}
	}
	return "", nil
}

// fallBack takes the newest earlier release that the checks of the target verify, if the present one
// has been red for the grace. An environment that went back stays: the cause is probably an outage.
func (d *decider) fallBack(r *Result) error {
	present, has := d.own.present()
	if _, wentBack := d.own.left(); !has || wentBack {
		return nil
	}
	v, err := d.own.verdict(present)
	if err != nil || v.red == "" {
		return err
	}
	failed := fmt.Sprintf("%s failed in %s: %s since %s", d.title(r.Release, record.Release{}), d.own.Name, v.red, minute(v.redSince))
	since := v.redSince
	if commits := d.own.steps[len(d.own.steps)-1].Commits; len(commits) > 0 && commits[len(commits)-1].Time.After(since) {
		since = commits[len(commits)-1].Time
	}
	for _, rank := range d.own.newest() {
		if _, by := d.revertedBefore(d.own.release(rank)); rank >= present || by != nil {
			continue
		}
		f, err := d.own.verify(rank, d.Input)
		if err != nil {
			return err
		}
		if f.stage != Verified {
			continue
		}
		earlier := d.title(d.own.release(rank), record.Release{})
		r.Newer = true
		if due := since.Add(d.Grace); d.Now.Before(due) {
			r.Reason += fmt.Sprintf(" %s. %s goes back to %s at %s (failure_grace), unless its checks turn green or it gets a newer "+
				"release.", failed, d.own.Name, earlier, minute(due))
			return nil
		}
		r.Release, r.Decision = d.own.release(rank), Rollback
		r.Reason = fmt.Sprintf("%s goes back to %s, which %s: %s.", d.own.Name, earlier, f.text, failed)
		return nil
	}
	r.Reason += fmt.Sprintf(" %s, and on_failure finds no earlier release that is verified in %s.", failed, d.own.Name)
	return nil
}
