// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"fmt"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Decide chooses the release of an environment.
//
// Older and newer are the order of the first steps in one track. An environment that has environments
// before it (after) gets the newest release that is newer than its own in the track of the first of
// them, and that is verified in all of them: not reverted, no required context red, all green, and
// soaked. An environment without them gets the head of the source. An environment that went back
// stays where it is: with environments before it until resume_after, without them until the source has
// a commit that the environment never had. Outside of all windows, in a freeze and on hold, the
// environment keeps its release. Then, if its release has been red for the grace and nothing newer
// comes, on_failure takes the newest earlier release that is verified. A pin wins over everything.
//
// An error is a mistake in the settings (a problem.List, or a pin that would go to an unknown place),
// or reports that cannot be read. The cost grows with the reports on the candidates.
func Decide(in Input) (Result, error) {
	d := decider{Input: in, own: read(in.Own, 0)}
	for _, a := range in.After {
		d.after = append(d.after, read(a.Environment, a.Soak))
	}
	closed, err := d.closed()
	if err != nil {
		return Result{}, err
	}
	if in.Pin != "" {
		return d.pinned()
	}
	choose := d.fromAfter
	if len(d.after) == 0 {
		choose = d.fromSource
	}
	r, err := choose()
	if err != nil {
		return Result{}, err
	}
	if closed != "" {
		r = d.keep(r, closed)
	}
	if d.mayFallBack(r) {
		if err := d.fallBack(&r); err != nil {
			return Result{}, err
		}
	}
	r.Reason += d.notes()
	return r, nil
}

// decider is one decision on its way.
type decider struct {
	Input
	own   *past
	after []*past
	// next names the release that is chosen if the environment does not have to keep its own.
	next string
	// mayNotChange is set in a freeze and on hold, which bind on_failure too.
	mayNotChange bool
}

// release returns what the environment has now; the zero Release for nothing.
func (d *decider) release() Release {
	if place, has := d.own.present(); has {
		return d.own.release(place)
	}
	return Release{}
}

// maxCandidates is how many candidates a Result has.
const maxCandidates = 20

// fromAfter chooses among the releases of the environments before.
func (d *decider) fromAfter() (Result, error) {
	r := Result{Release: d.release(), Decision: Nothing}
	base, own := d.after[0], -1
	if _, has := d.own.present(); has {
		if base, own = d.base(r.Release); base == nil {
			r.Reason = d.unknown()
			return r, nil
		}
		r.Decision = UpToDate
	}
	least, stays := own, false
	if left, wentBack := d.own.left(); wentBack {
		least = base.lastBad(d.ResumeAfter, d.own.release(left))
		stays = least < 0
	}
	var newest string
	for _, place := range base.newest() {
		mayCome := !stays && place > least
		if place <= own || !mayCome && len(r.Candidates) >= maxCandidates {
			break
		}
		c, waitsFor, err := d.candidate(base, place)
		if err != nil {
			return Result{}, err
		}
		if len(r.Candidates) < maxCandidates {
			r.Candidates = append(r.Candidates, c)
		}
		if mayCome && c.State == Verified {
			r.Release, r.Decision, d.next = c.Release, Promote, c.Reason
			r.Reason = fmt.Sprintf("%s gets %s.", d.own.Name, d.next)
			return r, nil
		}
		if c.State != Reverted && (stays || mayCome) {
			if r.Newer = true; newest == "" {
				newest = list(waitsFor) + ": " + c.Reason
			}
		}
	}
	if stays {
		r.Decision, r.Reason = Held, d.staysBack()
		return r, nil
	}
	r.Reason = d.waits(base, r, newest)
	return r, nil
}

// base returns the first environment before that had a release, and the place of the release there.
func (d *decider) base(own Release) (*past, int) {
	for _, a := range d.after {
		if place, isThere := a.find(own); isThere {
			return a, place
		}
	}
	return nil, 0
}

// candidate says how far a release of the base has come in all environments before, and which of them
// it waits for.
func (d *decider) candidate(base *past, place int) (c Candidate, waitsFor []string, err error) {
	c = Candidate{Release: base.release(place), Subject: base.subject(place)}
	var findings []finding
	if here, isThere := d.own.exactly(c.Release); isThere {
		if by := d.own.reverted(here); by != nil {
			findings = append(findings, finding{Reverted, d.own.Name, "was reverted in " + d.own.Name + " " + how(by)})
		}
	}
	for _, a := range d.after {
		f := finding{Waiting, a.Name, "has not been in " + a.Name}
		if there, isThere := a.exactly(c.Release); isThere {
			if f, err = a.verify(there, d.Now); err != nil {
				return c, nil, err
			}
		}
		if findings = append(findings, f); f.state != Verified {
			waitsFor = append(waitsFor, a.Name)
		}
	}
	for _, c.State = range []Progress{Reverted, Failed, Waiting, Soaking, Verified} {
		var texts []string
		for _, f := range findings {
			if f.state == c.State {
				texts = append(texts, f.text)
			}
		}
		if len(texts) > 0 {
			c.Reason = title(c.Release, c.Subject, d.release()) + " " + strings.Join(texts, ", ")
			break
		}
	}
	return c, waitsFor, nil
}

// closed says why the environment keeps its release at this time, and until when; "" if it does not
// have to.
func (d *decider) closed() (string, error) {
	var problems problem.List
	add := func(where, format string, args ...any) {
		problems.Add(problem.Problem{Summary: "Invalid promotion", Subject: where, Detail: fmt.Sprintf(format, args...)})
	}
	openings, periods := calendar.Openings(d.Windows, add), calendar.Periods(d.Freezes, add)
	if err := problems.Err(); err != nil {
		return "", err
	}
	freeze, isFrozen := calendar.InForce(periods, d.Now)
	d.mayNotChange = d.Hold != "" || isFrozen
	if d.Hold != "" {
		return "hold is set: " + shown(d.Hold), nil
	}
	if isFrozen {
		return freeze.String(), nil
	}
	if open, opens := calendar.Next(openings, d.Now); !open && opens.IsZero() {
		return "no window opens in the next two weeks", nil
	} else if !open {
		return "its next window opens " + calendar.Moment(opens), nil
	}
	return "", nil
}

// keep holds back what the rules before chose.
func (d *decider) keep(r Result, closed string) Result {
	text := fmt.Sprintf("%s stays %s: %s.", d.own.Name, d.at(), closed)
	switch {
	case r.Decision == Promote:
		text, r.Newer = fmt.Sprintf("%s Then it gets %s.", text, d.next), true
	case r.Newer || r.Decision == Held:
		text += " " + r.Reason
	}
	r.Release, r.Decision, r.Reason = d.release(), Held, text
	return r
}
