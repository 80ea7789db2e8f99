// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision

import (
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

func (d *decider) pinned() (Result, error) {
	release, err := d.pin()
	if err != nil {
		return Result{}, err
	}
	r := Result{Release: release, Decision: Pinned, Reason: fmt.Sprintf("%s is pinned to %s.", d.own.Name, short(d.Pin))}
	isKnown := func(p *past) bool { return p.lastWith(d.Pin) != nil }
	rank, has := d.own.present()
	switch {
	case has && !slices.ContainsFunc(append(d.before, d.own), isKnown):
		r.Newer, r.Reason = true, r.Reason+" No environment before had this commit. Bring it there, too: until then, "+
			d.own.Name+" gets nothing newer, even without pin."
	case has && d.own.release(rank).Same(release):
		r.Newer, r.Reason = true, r.Reason+" It has this release, and gets nothing newer until you remove pin."
	}
	return r, nil
}

// pin finds the release of a GitOps commit of the environment, or of a commit of the source. A release
// that the environment never had cannot be older than one that it had: its step will be the last one of
// the track, and the order of first steps defines which release is newer.
func (d *decider) pin() (record.Release, error) {
	if step := d.own.lastWith(d.Pin); step != nil {
		return step.Release, nil
	}
	for _, a := range d.before {
		step := a.lastWith(d.Pin)
		if step == nil || step.Release.Commit != d.Pin {
			continue
		}
		pinned, _ := a.find(step.Release)
		for _, had := range d.own.newest() {
			if rank, isThere := a.find(d.own.release(had)); isThere && rank > pinned {
				newer := d.title(a.release(rank), record.Release{})
				return record.Release{}, d.notNewer(fmt.Sprintf("In %s it is older than %s, which %s had.", a.Name, newer, d.own.Name))
			}
		}
		return step.Release, nil
	}
	for _, p := range append(d.before, d.own) {
		if slices.ContainsFunc(p.steps, func(s record.Step) bool { return isAt(s, d.Pin) }) {
			return record.Release{}, d.notNewer(fmt.Sprintf("It is a GitOps commit of %s.", p.Name))
		}
	}
	return record.Release{Commit: d.Pin}, nil
}

// notNewer is the error about a pin, with the newest releases that the environment had.
func (d *decider) notNewer(why string) error {
	var had []string
	for _, rank := range d.own.newest() {
		had = append(had, wording.Escaped(d.own.release(rank).Commit))
	}
	return fmt.Errorf("pin = %q: %s never had this commit, so it cannot be older than one that it had. %s Write a newer commit, or one that "+
		"it had: %s", wording.Escaped(d.Pin), d.own.Name, why, wording.First(had, 10))
}
