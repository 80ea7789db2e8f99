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
	// red names the red contexts if a check is red, missing the reports that the checks still need, and
	// allowed the contexts that are not green although the checks are.
	red              string
	missing, allowed []string
	// redSince is when the first check turned red, and greenSince when the last one turned green.
	redSince, greenSince time.Time
}

// compare compares checks with the reports on commits, the newest first. Without min_green, only the
// newest release needs all expected contexts.
func compare(checks []Check, commits [][]Report, isNewest bool) verdict {
	var v verdict
	var red []string
	for _, c := range checks {
		said := c.sort(c.states(commits), isNewest)
		need, all := c.need(said)
		if least := all - need + 1; all >= need && len(said.red) >= least {
			red = append(red, said.names(said.red)...)
			if since := said.red[least-1].Time; v.redSince.IsZero() || since.Before(v.redSince) {
				v.redSince = since
			}
		}
		if len(said.green) >= need {
			if since := said.green[need-1].Time; since.After(v.greenSince) {
				v.greenSince = since
			}
			v.allowed = append(v.allowed, slices.Concat(said.names(said.red), said.names(said.pending), said.silent)...)
			continue
		}
		v.missing = append(v.missing, c.missing(said, need)...)
	}
	if len(red) > 0 {
		v.red = list(red) + " red"
	}
	return v
}

// sorted are the contexts that a check counts, by their states; green and red ones in the order in which
// they turned so.
type sorted struct {
	green, red, pending []Report
	silent              []string
}

// names returns the contexts of reports.
func (sorted) names(reports []Report) (names []string) {
	for _, r := range reports {
		names = append(names, r.Context)
	}
	return names
}

// sort sorts contexts by their states. With min_green, the expected ones count, and no others.
func (c Check) sort(states map[string]Report, isNewest bool) (s sorted) {
	for _, r := range slices.SortedFunc(maps.Values(states), inTime) {
		switch {
		case c.MinGreen != nil && len(c.Expected) > 0 && !slices.Contains(c.Expected, r.Context):
		case r.State == Success:
			s.green = append(s.green, r)
		case r.State == Failure:
			s.red = append(s.red, r)
		default:
			s.pending = append(s.pending, r)
		}
	}
	for _, context := range c.Expected {
		if states[context].State == "" && (isNewest || c.MinGreen != nil) {
			s.silent = append(s.silent, context)
		}
	}
	return s
}

// need returns how many contexts have to be green, and of how many.
func (c Check) need(s sorted) (need, all int) {
	all = len(s.green) + len(s.red) + len(s.pending) + len(s.silent)
	switch {
	case c.MinGreen == nil:
		all = max(all, 1, c.AtLeast)
		return all, all
	case len(c.Expected) == 0:
		all = max(all, 1, c.AtLeast)
	}
	return c.MinGreen.of(all), all
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
	case !isShare && numberErr == nil && number > 0:
		return Share{Number: number}, nil
	}
	return Share{}, fmt.Errorf("%q is neither a share such as \"95%%\" nor a number such as \"40\"", text)
}

// of returns the number of contexts that a share of all has, at least 1.
func (s Share) of(all int) int {
	if s.Number > 0 {
		return s.Number
	}
	return max(1, int(math.Ceil(float64(all)*s.Percent/100-1e-9)))
}

// Valid returns an error if it is not known what the share of a check is of, or if the check asks for more contexts than there are.
func (c Check) Valid() error {
	switch {
	case c.MinGreen == nil:
	case c.MinGreen.Percent > 0 && len(c.Expected) == 0 && c.AtLeast == 0:
		return errors.New("min_green is a share, and silent contexts are not known. Write the contexts in expected, or how many there are in at_least")
	case len(c.Expected) > 0 && c.MinGreen.Number > len(c.Expected):
		return fmt.Errorf("min_green asks for %d green contexts, and expected has %d", c.MinGreen.Number, len(c.Expected))
	}
	return nil
}

// missing says which reports a check still needs.
func (c Check) missing(s sorted, need int) (missing []string) {
	least := max(1, c.AtLeast)
	pending, silent := s.names(s.pending), s.silent
	if len(s.green)+len(s.pending)+len(silent) == 0 {
		silent = []string{c.Context}
	}
	if c.MinGreen != nil {
		missing = append(missing, fmt.Sprintf("%d of the %d green contexts of %q that min_green needs", len(s.green), need, wording.Escaped(c.Context)))
		least = 0
	}
	if len(silent) > 0 {
		missing = append(missing, "no report of "+list(silent))
	}
	if len(pending) > 0 {
		missing = append(missing, list(pending)+" pending")
	}
	if len(s.red) > 0 && c.MinGreen != nil {
		missing = append(missing, list(s.names(s.red))+" red")
	}
	if len(missing) == 0 && len(s.green) < least {
		missing = append(missing, fmt.Sprintf("%d of %d green contexts of %q", len(s.green), least, wording.Escaped(c.Context)))
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
