// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"fmt"
	"strings"
)

// pinned chooses the release that pin names.
func (d *decider) pinned() (Result, error) {
	release, err := d.pin()
	if err != nil {
		return Result{}, err
	}
	return Result{Release: release, Decision: Pinned, Reason: fmt.Sprintf("%s is pinned to %s.", d.own.Name, short(d.Pin))}, nil
}

// pin finds the release of a GitOps commit of the environment, or of a commit of the source. One that
// the environment never had must be newer than all that it had, because the order of first steps is
// what older and newer mean.
func (d *decider) pin() (Release, error) {
	for i := len(d.own.steps) - 1; i >= d.own.begin; i-- {
		for _, c := range d.own.steps[i].Commits {
			if c.ID == d.Pin {
				return d.own.steps[i].Release, nil
			}
		}
	}
	if step := d.own.lastWith(d.Pin); step != nil {
		return step.Release, nil
	}
	for _, a := range d.after {
		step := a.lastWith(d.Pin)
		if step == nil {
			continue
		}
		pinned, _ := a.find(step.Release)
		for _, had := range d.own.newest() {
			if place, isThere := a.find(d.own.release(had)); isThere && place > pinned {
				return Release{}, d.notNewer("%s had it before %s, which %s had.", a.Name, a.name(place), d.own.Name)
			}
		}
		return step.Release, nil
	}
	heads := Release{Commit: d.Pin}
	if _, has := d.own.present(); !has {
		return heads, nil
	}
	if d.Source != nil {
		for _, c := range d.Source.Commits {
			if c.ID == d.Pin {
				return heads, nil
			}
			if d.own.lastWith(c.ID) != nil {
				return Release{}, d.notNewer("It is not newer than %s in the source, which %s had.", d.ofSource(c.ID), d.own.Name)
			}
		}
		return Release{}, d.notNewer("It is not among the newest commits of the source.")
	}
	return Release{}, d.notNewer("No environment before it had this commit.")
}

// maxHad is how many releases an error lists.
const maxHad = 10

// notNewer is the error about a pin, with the releases that the environment had.
func (d *decider) notNewer(format string, args ...any) error {
	var had []string
	for _, place := range d.own.newest() {
		if len(had) < maxHad {
			had = append(had, fmt.Sprintf("%s (%s)", d.own.release(place).Commit, shown(d.own.subject(place))))
		}
	}
	return fmt.Errorf("pin = %q: %s never had this commit. %s A commit that %s never had must be newer than all that it had. Write such a "+
		"commit, or one that it had: %s", shown(d.Pin), d.own.Name, fmt.Sprintf(format, args...), d.own.Name, strings.Join(had, ", "))
}
