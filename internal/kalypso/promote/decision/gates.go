// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
)

// gates are what a release has to pass until an environment gets it. The first gate that is closed says why. pin passes all of them.
var gates = []gate{
	{"reverted", Reverted, isReverted},
	{"red", Failed, isRed},
	{"green", Waiting, isNotGreen},
	{"soaked", Soaking, soaks},
	{"hold", "", isHeld},
	{"freeze", "", isFrozen},
	{"window", "", isOutside},
}

// gate is one of them.
type gate struct {
	name string
	// state is that of a release which the gate stops in an environment before. It is empty if the gate is about the environment that
	// gets the release.
	state Progress
	// closed says why the gate is closed; empty if it is open.
	closed func(v visit) string
}

// visit is what gates look at: a release in an environment before, or the settings of the environment that gets it.
type visit struct {
	*past
	place int
	verdict
	in Input
}

// isReverted stops a release after which an older one came.
func isReverted(v visit) string {
	if by := v.reverted(v.place); by != nil {
		return fmt.Sprintf("was reverted in %s %s", v.Name, how(by))
	}
	return ""
}

// isRed stops a release for which a required context is red, or with min_green too many.
func isRed(v visit) string {
	if v.red == "" {
		return ""
	}
	return fmt.Sprintf("failed in %s: %s since %s", v.Name, v.red, minute(v.redSince))
}

// isNotGreen stops a release for which reports are missing, or that clusters have not seen.
func isNotGreen(v visit) string {
	switch _, isSeen := v.seen(); {
	case !isSeen:
		return fmt.Sprintf("is in %s only on a side line that a merge brought, which clusters have not seen", v.Name)
	case len(v.missing) > 0:
		return fmt.Sprintf("has %s in %s", strings.Join(v.missing, " and "), v.Name)
	}
	return ""
}

// soaks stops a release that has not been green, or without checks in the environment, for long enough.
func soaks(v visit) string {
	since, _ := v.seen() // a report may be about the time before
	if v.greenSince.After(since) {
		since = v.greenSince
	}
	if until := since.Add(v.soak); v.soak > 0 && v.in.Now.Before(until) {
		return fmt.Sprintf("soaks in %s until %s", v.Name, minute(until))
	}
	return ""
}

// seen returns when the last step of the release came that clusters have seen.
func (v visit) seen() (came time.Time, isSeen bool) {
	for i := v.begin; i < len(v.steps); i++ {
		if commits := v.steps[i].Commits; v.places[i] == v.place && len(commits) > 0 {
			came, isSeen = commits[0].Time, true
		}
	}
	return came, isSeen
}

// isHeld stops every change while somebody holds the environment.
func isHeld(v visit) string {
	if v.in.Hold == "" {
		return ""
	}
	return wording.Escaped(v.in.Hold) + " is set"
}

// isFrozen stops every change in a freeze.
func isFrozen(v visit) string {
	freeze, isInForce := calendar.InForce(v.in.Freezes, v.in.Now)
	if !isInForce {
		return ""
	}
	return freeze.String()
}

// isOutside stops every change outside of all windows.
func isOutside(v visit) string {
	isOpen, opens := calendar.Next(v.in.Windows, v.in.Now)
	if isOpen {
		return ""
	}
	return "its next window opens " + wording.Moment(opens)
}

// closed returns the first gate that stops the environment from changing, and why; the zero gate for none.
func (in Input) closed() (gate, string) {
	for _, g := range gates {
		if g.state != "" {
			continue
		}
		if why := g.closed(visit{in: in}); why != "" {
			return g, why
		}
	}
	return gate{}, ""
}

// finding is how far a release has come, and in which environments. Its text follows the name of the
// release in a sentence.
type finding struct {
	state       Progress
	where, text string
}

// and joins the findings of two environments: the one that an earlier gate stops counts.
func (f finding) and(other finding) finding {
	place := func(f finding) int {
		if f.state == Verified {
			return len(gates)
		}
		return slices.IndexFunc(gates, func(g gate) bool { return g.state == f.state })
	}
	switch a, b := place(f), place(other); {
	case f.state == "":
		return other
	case a < b:
		return f
	case a > b:
		return other
	}
	return finding{f.state, f.where + " and " + other.where, f.text + " and " + other.text}
}

// verify says whether a release passes the gates of an environment.
func (p *past) verify(place int, in Input) (f finding, err error) {
	v := visit{past: p, place: place, in: in}
	if p.reverted(place) == nil { // otherwise its reports do not matter
		if v.verdict, err = p.verdict(place); err != nil {
			return f, err
		}
	}
	for _, g := range gates {
		if g.state == "" {
			continue
		}
		if why := g.closed(v); why != "" {
			return finding{g.state, p.Name, why}, nil
		}
	}
	f = finding{Verified, p.Name, "is verified in " + p.Name}
	if len(p.Checks) == 0 {
		f.text = "came to " + p.Name
	}
	if len(v.allowed) > 0 {
		f.text += fmt.Sprintf(", where min_green allows that %s not green", are(v.allowed))
	}
	return f, nil
}
