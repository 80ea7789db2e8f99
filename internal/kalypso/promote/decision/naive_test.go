// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// naive answers questions about the track and the reports of an environment by loops over all of its steps.
type naive struct {
	decision.After
	life  []record.Step    // the steps since the environment was ended last
	order []record.Release // by their first steps, also before that
}

// read finds the life and the order in a track.
func read(a decision.After) naive {
	n := naive{After: a}
	for _, s := range a.Track.Steps {
		if s.Release.Commit == "" {
			n.life = nil
			continue
		}
		if _, isThere := n.newest(s.Release.Same); isThere < 0 { // a new life gives it a new rank
			n.order = append(slices.DeleteFunc(n.order, s.Release.Same), s.Release)
		}
		n.life = append(n.life, s)
	}
	return n
}

// rank is the rank of a release in the order, else of the newest with its commit; -1 for none.
func (n naive) rank(r record.Release) (at int) {
	at = -1
	for i, other := range n.order {
		if other.Same(r) || other.Commit == r.Commit && !slices.ContainsFunc(n.order, r.Same) {
			at = i
		}
	}
	return at
}

// had returns the last release with a source commit, or of a GitOps commit.
func (n naive) had(id string) (r record.Release) {
	for _, s := range n.life {
		if s.Release.Commit == id || slices.ContainsFunc(s.Commits, func(c record.Commit) bool { return c.ID == id }) {
			r = s.Release
		}
	}
	return r
}

// newest returns the newest release that fits, and its rank.
func (n naive) newest(fits func(record.Release) bool) (r record.Release, at int) {
	at = -1
	for _, s := range n.life {
		if fits(s.Release) && n.rank(s.Release) > at {
			r, at = s.Release, n.rank(s.Release)
		}
	}
	return r, at
}

// carries returns whether a release has a commit, of the source or of an application.
func carries(id string) func(record.Release) bool {
	return func(r record.Release) bool {
		return id != "" && (r.Commit == id || slices.Contains(slices.Collect(maps.Values(r.Sources)), id))
	}
}

// anything is for the newest of all.
func anything(record.Release) bool { return true }

// ladder has the states of a release, the best first.
var ladder = []decision.Stage{decision.Verified, decision.Soaking, decision.Waiting, decision.Failed, decision.Reverted}

// judge returns the state of a release, as an index of ladder, and since when it is red.
func (n naive) judge(r record.Release, now time.Time) (state int, red time.Time) {
	var commits []record.Commit
	var green time.Time
	reverted, waiting := false, false
	for _, s := range n.life {
		if s.Release.Same(r) {
			commits, reverted, green = append(commits, s.Commits...), false, s.Commits[0].Time
		}
		reverted = reverted || len(commits) > 0 && n.rank(s.Release) < n.rank(r)
	}
	for _, c := range n.Checks {
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(c.Context), `\*`, ".*") + "$")
		latest := map[string]decision.Report{}
		for _, commit := range commits {
			here := map[string]decision.Report{}
			reports, _ := n.Reports(commit.ID)
			slices.SortFunc(reports, func(a, b decision.Report) int { return a.Time.Compare(b.Time) })
			for _, r := range reports {
				counts := pattern.MatchString(r.Context) && (len(c.Creators) == 0 || slices.Contains(c.Creators, r.Creator))
				if counts && here[r.Context].State != r.State {
					here[r.Context] = r // with the time when the state began
				}
			}
			maps.Copy(latest, here)
		}
		if c.MinGreen != nil && len(c.Expected) > 0 {
			maps.DeleteFunc(latest, func(context string, _ decision.Report) bool { return !slices.Contains(c.Expected, context) })
		}
		for _, context := range c.Expected {
			if newest, _ := n.newest(anything); newest.Same(r) || c.MinGreen != nil {
				if _, reported := latest[context]; !reported {
					latest[context] = decision.Report{} // a silent one is not green
				}
			}
		}
		all := max(1, c.AtLeast, len(latest))
		need := all
		if c.MinGreen != nil {
			if need = c.MinGreen.Number; need == 0 {
				for float64(need)/float64(all) < c.MinGreen.Percent/100 {
					need++
				}
			}
		}
		var greens, reds []time.Time
		for _, r := range latest {
			switch r.State {
			case decision.Failure:
				reds = append(reds, r.Time)
			case decision.Success:
				greens = append(greens, r.Time)
			case decision.Pending:
			}
		}
		slices.SortFunc(greens, time.Time.Compare)
		slices.SortFunc(reds, time.Time.Compare)
		if left := all - need; left >= 0 && len(reds) > left && (red.IsZero() || reds[left].Before(red)) {
			red = reds[left] // from then on, the others were too few
		}
		if len(greens) < need {
			waiting = true
		} else {
			green = slices.MaxFunc([]time.Time{green, greens[need-1]}, time.Time.Compare)
		}
	}
	for i, is := range []bool{true, now.Before(green.Add(n.Soak)), waiting || len(commits) == 0, !red.IsZero(), reverted} {
		if is {
			state = i
		}
	}
	return state, red
}
