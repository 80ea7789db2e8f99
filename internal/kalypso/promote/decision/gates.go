// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision

import (
	"fmt"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
)

// gates are what a release has to pass until an environment gets it. The first gate that is closed says why. pin passes all of them.
// A gate with a stage is about the release in an environment before; the others are about the environment that gets it.
var gates = []struct {
	name   string
	stage  Stage
	closed func(v visit) (why string)
	bars   bar
}{
	{"reverted", Reverted, isReverted, ""},
	{"red", Failed, isRed, ""},
	{"green", Waiting, isNotGreen, ""},
	{"soaked", Soaking, soaks, ""},
	{"hold", "", isHeld, everything},
	{"freeze", "", isFrozen, changes},
	{"window", "", isOutside, promotions},
}

// bar is what a gate of the environment bars while it is closed.
type bar string

const (
	promotions bar = "promotions" // on_failure may go back
	changes    bar = "changes"
	everything bar = "everything" // an environment without a change is held, too
)

// visit is what gates look at: a release in an environment before, and the settings.
type visit struct {
	*past
	rank int
	verdict
	in Input
}

// isReverted stops a release after which an older one came.
func isReverted(v visit) string {
	if by := v.reverted(v.rank); by != nil {
		return fmt.Sprintf("was reverted in %s %s", v.Name, how(by))
	}
	return ""
}

// isRed stops a release for which a required context is red, or with min_green too many.
func isRed(v visit) string {
	if v.red != "" {
		return fmt.Sprintf("failed in %s: %s since %s", v.Name, v.red, minute(v.redSince))
	}
	return ""
}

// isNotGreen stops a release for which reports are missing, or that clusters have not seen.
func isNotGreen(v visit) string {
	switch {
	case !v.isSeen:
		return fmt.Sprintf("is in %s only on a side line that a merge brought, which clusters have not seen", v.Name)
	case len(v.missing) > 0:
		return fmt.Sprintf("has %s in %s", strings.Join(v.missing, " and "), v.Name)
	}
	return ""
}

// soaks stops a release that has not been green, or without checks in the environment, for long enough.
func soaks(v visit) string {
	if until := v.since.Add(v.soak); v.soak > 0 && v.in.Now.Before(until) {
		return fmt.Sprintf("soaks in %s until %s", v.Name, minute(until))
	}
	return ""
}

func isHeld(v visit) string {
	if v.in.Hold != "" {
		return wording.Escaped(v.in.Hold) + " is set"
	}
	return ""
}

func isFrozen(v visit) string {
	if freeze, isInForce := calendar.InForce(v.in.Freezes, v.in.Now); isInForce {
		return freeze.String()
	}
	return ""
}

func isOutside(v visit) string {
	if isOpen, opens := calendar.Next(v.in.Windows, v.in.Now); !isOpen {
		return "its next window opens " + wording.Moment(opens)
	}
	return ""
}

// closed returns what the first closed gate of the environment that gets a release bars, and why; empty for none.
func (in Input) closed() (bars bar, why string) {
	for _, g := range gates {
		if g.stage != "" {
			continue
		}
		if why := g.closed(visit{in: in}); why != "" {
			return g.bars, why
		}
	}
	return "", ""
}

// progress is how far a release has come, and in which environments. Its text follows the name of the
// release in a sentence.
type progress struct {
	stage       Stage
	where, text string
}

// and joins the progress in two environments: the one that an earlier gate stops counts.
func (f progress) and(other progress) progress {
	for _, g := range gates {
		switch {
		case f.stage == "" || f.stage != g.stage && other.stage == g.stage:
			return other
		case f.stage == g.stage && other.stage != g.stage:
			return f
		}
	}
	return progress{f.stage, f.where + " and " + other.where, f.text + " and " + other.text}
}

// verify says whether a release passes the gates of an environment.
func (p *past) verify(rank int, in Input) (f progress, err error) {
	v := visit{past: p, rank: rank, in: in}
	if p.reverted(rank) == nil { // otherwise its reports do not matter
		if v.verdict, err = p.verdict(rank); err != nil {
			return f, err
		}
	}
	for _, g := range gates {
		if g.stage == "" {
			continue
		}
		if why := g.closed(v); why != "" {
			return progress{g.stage, p.Name, why}, nil
		}
	}
	f = progress{Verified, p.Name, "is verified in " + p.Name}
	if len(p.Checks) == 0 {
		f.text = "came to " + p.Name
	}
	if len(v.allowed) > 0 {
		f.text += ", not green, as min_green allows: " + list(v.allowed)
	}
	return f, nil
}
