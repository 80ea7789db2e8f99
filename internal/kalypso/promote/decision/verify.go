// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// finding is how far a release has come, and in which environments. Its text follows the name of the
// release in a sentence.
type finding struct {
	state       Progress
	where, text string
}

// and joins the findings of two environments: the worse one counts.
func (f finding) and(other finding) finding {
	order := []Progress{Verified, Soaking, Waiting, Failed, Reverted}
	switch a, b := slices.Index(order, f.state), slices.Index(order, other.state); {
	case a > b:
		return f
	case a < b:
		return other
	}
	return finding{f.state, f.where + " and " + other.where, f.text + " and " + other.text}
}

// verify says whether a release works in the environment: it is neither reverted nor failed, every
// required context is green, and the soak is over.
func (p *past) verify(place int, now time.Time) (finding, error) {
	f := finding{Verified, p.Name, "is verified in " + p.Name}
	if by := p.reverted(place); by != nil {
		f.state, f.text = Reverted, "was reverted in "+p.Name+" "+how(by)
		return f, nil
	}
	v, err := p.verdict(place)
	since := p.steps[p.last[place]].Commits[0].Time // a report may be about the time before
	if len(p.Checks) == 0 {
		f.text = "came to " + p.Name
	} else if v.greenSince.After(since) {
		since = v.greenSince
	}
	switch until := since.Add(p.soak); {
	case v.red != "":
		f.state, f.text = Failed, fmt.Sprintf("failed in %s: %s since %s", p.Name, v.red, minute(v.redSince))
	case len(v.missing) > 0:
		f.state, f.text = Waiting, fmt.Sprintf("has %s in %s", strings.Join(v.missing, " and "), p.Name)
	case p.soak > 0 && now.Before(until):
		f.state, f.text = Soaking, fmt.Sprintf("soaks in %s until %s", p.Name, minute(until))
	}
	return f, err
}

// verdict compares the checks of the environment with the reports on all commits that carried a release,
// the newest first.
func (p *past) verdict(place int) (verdict, error) {
	var commits [][]Report
	for i := len(p.steps) - 1; i >= p.begin && len(p.Checks) > 0; i-- {
		if p.places[i] != place {
			continue
		}
		for _, c := range slices.Backward(p.steps[i].Commits) {
			reports, err := p.Reports(c.ID)
			if err != nil {
				return verdict{}, fmt.Errorf("cannot read the reports on commit %s of %s: %w", short(c.ID), p.Name, err)
			}
			commits = append(commits, slices.SortedFunc(slices.Values(reports), inTime))
		}
	}
	return compare(p.Checks, commits, place == p.newest()[0]), nil
}

// inTime orders reports by time. Of reports at the same time, a failure comes last.
func inTime(a, b Report) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(b.State, a.State)) }

// verdict is what reports say about checks.
type verdict struct {
	// red names the red contexts, and missing the reports that the checks still need.
	red     string
	missing []string
	// redSince is when the first red context turned red, and greenSince when the last green one
	// turned green.
	redSince, greenSince time.Time
}

// compare compares checks with the reports on commits, the newest first. Only the newest release needs
// all expected contexts.
func compare(checks []Check, commits [][]Report, isNewest bool) verdict {
	var v verdict
	var red []string
	for _, c := range checks {
		states := c.states(commits)
		var pending, silent []string
		green := 0
		for context, s := range states {
			switch s.State {
			case Failure:
				red = append(red, context)
				if v.redSince.IsZero() || s.Time.Before(v.redSince) {
					v.redSince = s.Time
				}
			case Success:
				green++
				if s.Time.After(v.greenSince) {
					v.greenSince = s.Time
				}
			default:
				pending = append(pending, context)
			}
		}
		for _, context := range c.Expected {
			if states[context].State == "" && isNewest {
				silent = append(silent, context)
			}
		}
		v.missing = append(v.missing, c.missing(pending, silent, green)...)
	}
	if len(red) > 0 {
		v.red = list(red) + " red"
	}
	return v
}

// missing says which reports a check still needs.
func (c Check) missing(pending, silent []string, green int) (missing []string) {
	least := max(1, c.AtLeast)
	if green+len(pending)+len(silent) == 0 {
		silent = []string{c.Context}
	}
	if len(silent) > 0 {
		missing = append(missing, "no report of "+list(silent))
	}
	if len(pending) > 0 {
		missing = append(missing, list(pending)+" pending")
	}
	if len(missing) == 0 && green < least {
		missing = append(missing, fmt.Sprintf("%d of %d green contexts of %q", green, least, wording.Escaped(c.Context)))
	}
	if len(missing) > 0 && len(c.Creators) > 0 {
		missing = append(missing, "only reports by "+list(c.Creators)+" count")
	}
	return missing
}

// states returns the state of each context that the check counts, from the newest commit that has a
// report of the context. The report is the one with which the context got this state there.
func (c Check) states(commits [][]Report) map[string]Report {
	states, pattern := map[string]Report{}, contexts(c.Context)
	for _, reports := range commits {
		here := map[string]Report{}
		for _, r := range reports {
			if states[r.Context].State == "" && here[r.Context].State != r.State && c.counts(pattern, r) {
				here[r.Context] = r
			}
		}
		maps.Copy(states, here)
	}
	return states
}

// counts reports whether the check counts a report: its context matches the pattern, and its creator is allowed.
func (c Check) counts(pattern *regexp.Regexp, r Report) bool {
	isCreator := func(login string) bool { return strings.EqualFold(login, r.Creator) }
	return pattern.MatchString(r.Context) && (len(c.Creators) == 0 || slices.ContainsFunc(c.Creators, isCreator))
}

// contexts returns a pattern as a regular expression: * matches any text, also with slashes, and the empty text.
func contexts(pattern string) *regexp.Regexp {
	return regexp.MustCompile("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$")
}
