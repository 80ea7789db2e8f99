// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// verdict compares the checks of the environment with the reports on all commits that carried a release,
// the newest first.
func (p *past) verdict(rank int) (v verdict, err error) {
	var commits [][]Report
	for i := len(p.steps) - 1; i >= p.begin; i-- {
		if p.ranks[i] != rank || len(p.steps[i].Commits) == 0 {
			continue
		}
		if !v.isSeen {
			v.isSeen, v.since = true, p.steps[i].Commits[0].Time // a report may be about the time before
		}
		for _, c := range slices.Backward(p.steps[i].Commits) {
			if len(p.Checks) == 0 {
				break
			}
			reports, err := p.Reports(c.ID)
			if err != nil {
				return v, fmt.Errorf("cannot read the reports on commit %s of %s: %w", short(c.ID), p.Name, err)
			}
			commits = append(commits, slices.SortedFunc(slices.Values(reports), inTime))
		}
	}
	v.compare(p.Checks, commits, rank == p.newest()[0])
	return v, nil
}

// inTime orders reports by time. Of reports at the same time, a failure comes last.
func inTime(a, b Report) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(b.State, a.State)) }

type verdict struct {
	// isSeen says that clusters have seen the release.
	isSeen bool
	// red names the red contexts if a check is red, missing the reports that the checks still need, and
	// allowed the contexts that are not green although the checks are.
	red              string
	missing, allowed []string
	// redSince is when the first check turned red. since is when the last one turned green, or if that is
	// later, when the release came.
	redSince, since time.Time
}

// compare compares checks with the reports on commits, the newest first. Without min_green, only the
// newest release needs all expected contexts.
func (v *verdict) compare(checks []Check, commits [][]Report, isNewest bool) {
	var red []string
	for _, c := range checks {
		said, all := c.said(c.states(commits), isNewest)
		need := c.MinGreen.of(all)
		if spare := all - need; spare >= 0 && len(said[Failure]) > spare {
			red = append(red, names(said[Failure])...)
			if since := said[Failure][spare].Time; v.redSince.IsZero() || since.Before(v.redSince) {
				v.redSince = since
			}
		}
		if len(said[Success]) < need {
			v.missing = append(v.missing, c.missing(said, need)...)
			continue
		}
		if since := said[Success][need-1].Time; since.After(v.since) {
			v.since = since
		}
		v.allowed = append(v.allowed, names(said[Failure], said[Pending], said[silent])...)
	}
	if len(red) > 0 {
		v.red = list(red) + " red"
	}
}

// said returns the contexts that count by their states, in the order in which they got them, and how many there are at least.
func (c Check) said(all map[string]Report, isNewest bool) (said map[State][]Report, atLeast int) {
	for _, context := range c.Expected {
		if all[context].State == "" && (isNewest || c.MinGreen != nil) {
			all[context] = Report{Context: context, State: silent}
		}
	}
	if c.MinGreen != nil && len(c.Expected) > 0 { // it is about those
		maps.DeleteFunc(all, func(context string, _ Report) bool { return !slices.Contains(c.Expected, context) })
	}
	said = map[State][]Report{}
	for _, r := range slices.SortedFunc(maps.Values(all), inTime) {
		if !slices.Contains([]State{Success, Failure, silent}, r.State) {
			r.State = Pending
		}
		said[r.State] = append(said[r.State], r)
	}
	return said, max(1, c.AtLeast, len(all))
}

// silent is the state of an expected context without a report.
const silent State = "silent"

func names(reports ...[]Report) (names []string) {
	for _, r := range slices.Concat(reports...) {
		names = append(names, r.Context)
	}
	return names
}

// Share is how many contexts have to be green: a number, or a share of all in percent.
type Share struct {
	Number  int
	Percent float64
}

// ParseShare reads a text such as "95%", "99.5%" or "40".
func ParseShare(text string) (Share, error) {
	percent, isShare := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(percent, 64)
	number, numberErr := strconv.Atoi(text)
	switch {
	case isShare && err == nil && share > 0 && share <= 100:
		return Share{Percent: share}, nil
	case numberErr == nil && number > 0:
		return Share{Number: number}, nil
	}
	return Share{}, fmt.Errorf("%q is neither a share such as \"95%%\" nor a number such as \"40\"", text)
}

// of returns how many of all contexts have to be green: all if the share is nil, and at least 1.
func (s *Share) of(all int) int {
	switch {
	case s == nil:
		return all
	case s.Number > 0:
		return s.Number
	}
	return max(1, int(math.Ceil(float64(all)*s.Percent/100-1e-9)))
}

// Valid returns an error if it is not known what the share of a check is of, or if the check asks for more contexts than there are.
func (c Check) Valid() error {
	switch {
	case c.MinGreen == nil:
	case c.MinGreen.Percent > 0 && len(c.Expected) == 0 && c.AtLeast == 0:
		return errors.New("min_green is a share, and silent contexts are not known. Write the contexts in expected, or how many there are " +
			"in at_least")
	case len(c.Expected) > 0 && c.MinGreen.Number > len(c.Expected):
		return fmt.Errorf("min_green asks for %d green contexts, and expected has %d", c.MinGreen.Number, len(c.Expected))
	}
	return nil
}

// missing says which reports a check still needs.
func (c Check) missing(said map[State][]Report, need int) (missing []string) {
	green, quiet := len(said[Success]), names(said[silent])
	if green+len(said[Pending])+len(quiet) == 0 {
		quiet = []string{c.Context}
	}
	if c.MinGreen != nil {
		missing = append(missing, fmt.Sprintf("%d of the %d green contexts of %q that min_green needs", green, need, wording.Escaped(c.Context)))
	}
	if len(quiet) > 0 {
		missing = append(missing, "no report of "+list(quiet))
	}
	if pending := names(said[Pending]); len(pending) > 0 {
		missing = append(missing, list(pending)+" pending")
	}
	if red := names(said[Failure]); len(red) > 0 {
		missing = append(missing, list(red)+" red")
	}
	if len(missing) == 0 {
		missing = append(missing, fmt.Sprintf("%d of %d green contexts of %q", green, need, wording.Escaped(c.Context)))
	}
	if len(c.Creators) > 0 {
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
