// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// byContext are the reports on one commit.
type byContext map[string][]Report

// reader reads the reports on each commit once.
type reader struct {
	read  Reports
	known map[string]byContext
}

// on returns the reports on a commit.
func (r reader) on(commit string) (byContext, error) {
	if found, isKnown := r.known[commit]; isKnown || r.read == nil {
		return found, nil
	}
	reports, err := r.read(commit)
	if err != nil {
		return nil, err
	}
	found := byContext{}
	for _, report := range reports {
		found[report.Context] = append(found[report.Context], report)
	}
	r.known[commit] = found
	return found, nil
}

// finding is how far a release has come in one environment. Its text goes on after the name of the
// release.
type finding struct {
	state       Progress
	where, text string
}

// verify says whether a release works in the environment: it is neither reverted nor failed, every
// required context is green, and the soak is over.
func (p *past) verify(place int, now time.Time) (finding, error) {
	if by := p.reverted(place); by != nil {
		return finding{Reverted, p.Name, "was reverted in " + p.Name + " " + how(by)}, nil
	}
	v, err := p.judge(place)
	switch {
	case err != nil:
		return finding{}, err
	case len(v.red) > 0:
		return finding{Failed, p.Name, fmt.Sprintf("failed in %s: %s since %s", p.Name, v.red, minute(v.redSince))}, nil
	case len(v.missing) > 0:
		return finding{Waiting, p.Name, fmt.Sprintf("has %s in %s", strings.Join(v.missing, " and "), p.Name)}, nil
	}
	since := v.greenSince
	if len(p.Checks) == 0 {
		since = p.steps[p.last[place]].Commits[0].Time
	}
	if until := since.Add(p.soak); p.soak > 0 && now.Before(until) {
		return finding{Soaking, p.Name, fmt.Sprintf("soaks in %s until %s", p.Name, minute(until))}, nil
	}
	return finding{Verified, p.Name, "is verified in " + p.Name}, nil
}

// judge compares the checks of an environment with the reports on all GitOps commits that carried a
// release.
func (p *past) judge(place int) (verdict, error) {
	if len(p.Checks) == 0 {
		return verdict{}, nil
	}
	var commits []byContext
	for i := len(p.steps) - 1; i >= p.begin; i-- {
		if p.places[i] != place {
			continue
		}
		for _, c := range slices.Backward(p.steps[i].Commits) {
			reports, err := p.reports.on(c.ID)
			if err != nil {
				return verdict{}, fmt.Errorf("the reports on GitOps commit %s of %s: %w", short(c.ID), p.Name, err)
			}
			commits = append(commits, reports)
		}
	}
	return judge(p.Checks, commits, place == p.newest()[0]), nil
}

// verdict is what reports say about checks.
type verdict struct {
	// red names the contexts that are red, and missing says what the checks lack.
	red     string
	missing []string
	// redSince is when the first red context turned red, and greenSince when the last green one
	// turned green.
	redSince, greenSince time.Time
}

// judge compares checks with the reports on commits, the newest first. Of the expected contexts
// those that reported count; of the newest release all of them.
func judge(checks []Check, commits []byContext, isNewest bool) verdict {
	var v verdict
	var red []string
	for _, c := range checks {
		runs := c.runs(commits)
		var open, silent []string
		green := 0
		for context, r := range runs {
			switch r.state {
			case Failure:
				red = append(red, context)
				if v.redSince.IsZero() || r.since.Before(v.redSince) {
					v.redSince = r.since
				}
			case Success:
				green++
				if r.since.After(v.greenSince) {
					v.greenSince = r.since
				}
			default:
				open = append(open, context)
			}
		}
		for _, context := range c.Expected {
			if _, reported := runs[context]; isNewest && !reported {
				silent = append(silent, context)
			}
		}
		v.missing = append(v.missing, c.missing(open, silent, green)...)
	}
	if len(red) > 0 {
		v.red = list(red) + " is red"
		if len(wording.Sorted(red)) > 1 {
			v.red = list(red) + " are red"
		}
	}
	return v
}

// missing says what a check lacks.
func (c Check) missing(open, silent []string, green int) (missing []string) {
	by, least := "", max(1, c.AtLeast)
	if len(c.Creators) > 0 {
		by = " by " + list(c.Creators)
	}
	if len(silent) > 0 {
		missing = append(missing, "no report of "+list(silent)+by)
	}
	if len(open) > 0 {
		missing = append(missing, list(open)+" pending")
	}
	switch {
	case len(missing) > 0 || green >= least:
	case green == 0:
		missing = append(missing, fmt.Sprintf("no report of %q%s", shown(c.Context), by))
	default:
		missing = append(missing, fmt.Sprintf("%d of %d green contexts of %q%s", green, least, shown(c.Context), by))
	}
	return missing
}

// run is the state of a context, and since when it has it.
type run struct {
	state State
	since time.Time
}

// runs returns the contexts of a check with their states. The newest commit that has a report of a
// context decides.
func (c Check) runs(commits []byContext) map[string]run {
	runs := map[string]run{}
	expected := map[string]bool{}
	for _, context := range c.Expected {
		expected[context] = true
	}
	for _, reports := range commits {
		for context, all := range reports {
			if _, isDecided := runs[context]; isDecided || !expected[context] && !matches(c.Context, context) {
				continue
			}
			if r, isReported := c.last(all); isReported {
				runs[context] = r
			}
		}
	}
	return runs
}

// last returns the state that the latest report of a context has, and since when the reports say the
// same. Of reports of one time the worst is the latest.
func (c Check) last(reports []Report) (last run, isReported bool) {
	counted := slices.DeleteFunc(slices.Clone(reports), func(r Report) bool { return !c.trusts(r.Creator) })
	slices.SortFunc(counted, func(a, b Report) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.State.gravity(), b.State.gravity()))
	})
	for _, r := range slices.Backward(counted) {
		if isReported && r.State.gravity() != last.state.gravity() {
			break
		}
		last, isReported = run{r.State, r.Time}, true
	}
	return last, isReported
}

// gravity orders states.
func (s State) gravity() int {
	switch s {
	case Success:
		return 0
	case Failure:
		return 2
	default:
		return 1
	}
}

// trusts reports whether the reports of a login count, in any case of its letters.
func (c Check) trusts(creator string) bool {
	return len(c.Creators) == 0 || slices.ContainsFunc(c.Creators, func(login string) bool { return strings.EqualFold(login, creator) })
}

// matches reports whether a context is as a pattern says: * matches any text, also with slashes and
// also none, and everything else matches itself.
func matches(pattern, context string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == context
	}
	context, ok := strings.CutPrefix(context, first)
	for ok {
		var part string
		if part, rest, wild = strings.Cut(rest, "*"); !wild {
			return strings.HasSuffix(context, part)
		}
		_, context, ok = strings.Cut(context, part)
	}
	return false
}
