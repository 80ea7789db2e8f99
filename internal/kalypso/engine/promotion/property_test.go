// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

// random makes a promotion of some commits from dev to prod, in one instance or two.
func random(r *rand.Rand, instances int) scenario {
	n := 1 + r.IntN(5)
	s := scenario{checks: map[string][]said{}, now: minutes(r.IntN(500))}
	for i := range n {
		s.source += fmt.Sprintf("c%d ", i)
	}
	s.dev = walk(r, r.IntN(7), n, instances, true)
	s.prod = walk(r, r.IntN(4), n, instances, false)
	s.rules.After = gates{"dev": {Soak: []time.Duration{0, 0, 45 * time.Minute}[r.IntN(3)]}}
	if r.IntN(3) == 0 {
		s.rules.SourceChecks = []check{{Context: "ci"}}
		for i := range n {
			s.checks[fmt.Sprintf("c%d", i)] = random3(r, "ci")
		}
	}
	return s
}

func minutes(n int) string { return (time.Duration(n) * time.Minute).String() }

// walk goes through commits, mostly forward, and to some that nobody knows. The second
// instance is one step behind.
func walk(r *rand.Rand, steps, commits, instances int, reported bool) []stage {
	all := []stage{}
	when, at, before := 0, r.IntN(commits), "c0"
	for range steps {
		id := fmt.Sprintf("c%d", at)
		if r.IntN(12) == 0 {
			id = fmt.Sprintf("x%d", r.IntN(2))
		}
		s := stage{at: minutes(when), carries: id}
		if instances > 1 {
			s.carries = "a=" + id + " b=" + []string{before, id}[r.IntN(2)]
		}
		before = id
		if reported {
			s.reports = random3(r, "flux")
		}
		all = append(all, s)
		when += 10 + r.IntN(60)
		at = min(max(at+[]int{0, 1, 1, 1, 1, 2, 2, -1}[r.IntN(8)], 0), commits-1)
	}
	return all
}

// random3 are up to three reports, mostly good ones.
func random3(r *rand.Rand, context string) []said {
	var all []said
	for range r.IntN(4) {
		outcome := []promotion.Conclusion{promotion.Success, promotion.Success, promotion.Failure, promotion.Pending}[r.IntN(4)]
		all = append(all, says(context, outcome).later(time.Duration(r.IntN(30))*time.Minute))
	}
	return all
}

// commitOf is the number of a commit of the source, or -1.
func commitOf(id string, n int) int {
	for i := range n {
		if id == fmt.Sprintf("c%d", i) {
			return i
		}
	}
	return -1
}

// verdictOf returns the final result of reports: 'g'reen since a time, 'r'ed or 'o'pen.
func verdictOf(of time.Time, all []said) (verdict byte, since time.Time) {
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b said) int {
		if a.after != b.after {
			return int(a.after - b.after)
		}
		return strings.Index("spf", string(a.outcome[0])) - strings.Index("spf", string(b.outcome[0]))
	})
	verdict = 'o'
	for _, s := range sorted {
		switch {
		case s.outcome == promotion.Success && verdict != 'g':
			verdict, since = 'g', of.Add(s.after)
		case s.outcome == promotion.Failure:
			verdict = 'r'
		case s.outcome == promotion.Pending && verdict == 'g':
			verdict = 'o'
		}
	}
	return verdict, since
}

// isReverted is the rule as it is written down.
func isReverted(stages []stage, c, n int) bool {
	for i, was := range stages {
		for _, is := range stages[i+1:] {
			had, has := commitOf(was.carries, n), commitOf(is.carries, n)
			earlier := slices.ContainsFunc(stages[:i], func(s stage) bool { return s.carries == is.carries })
			if had >= c && (has >= 0 && has < c || has < 0 && earlier) {
				return true
			}
		}
	}
	return false
}

// isVerified is the rule as it is written down, for dev.
func (s scenario) isVerified(c, n int) bool {
	own := -1
	for i, stage := range s.dev {
		if commitOf(stage.carries, n) == c {
			own = i
		}
	}
	if own < 0 || isReverted(s.dev, c, n) || commitOf(s.dev[len(s.dev)-1].carries, n) < 0 {
		return false
	}
	// The GitOps commits that say something about it: its own, the latest first, then the
	// later ones, the next first.
	telling := []int{}
	for i := own; i >= 0; i-- {
		if commitOf(s.dev[i].carries, n) == c {
			telling = append(telling, i)
		}
	}
	for i := own + 1; i < len(s.dev); i++ {
		if commitOf(s.dev[i].carries, n) >= c {
			telling = append(telling, i)
		}
	}
	found := false
	for _, i := range telling {
		switch verdict, since := verdictOf(sinceStart(s.dev[i]), s.dev[i].reports); verdict {
		case 'r':
			return false
		case 'g':
			if s.hasSoaked(i, c, n, since) {
				return true
			}
			found = true
		}
		if found && i > own {
			return false
		}
	}
	return false
}

func sinceStart(s stage) time.Time { return since(s.at) }

// hasSoaked goes through the minutes since a commit was green.
func (s scenario) hasSoaked(i, c, n int, green time.Time) bool {
	soak, there := s.rules.After["dev"].Soak, time.Duration(0)
	if soak == 0 {
		return true
	}
	for minute := sinceStart(s.dev[i]); minute.Before(since(s.now)); minute = minute.Add(time.Minute) {
		at := i
		for j := range s.dev {
			if !sinceStart(s.dev[j]).After(minute) {
				at = j
			}
		}
		if commitOf(s.dev[at].carries, n) < c {
			return false
		}
		if !minute.Before(green) {
			there += time.Minute
		}
		if there >= soak {
			return true
		}
	}
	return false
}

// chosen is the commit that the rule as it is written down chooses.
func (s scenario) chosen() string {
	n := len(strings.Fields(s.source))
	current, at := "", -1
	if len(s.prod) > 0 {
		current = s.prod[len(s.prod)-1].carries
		if at = commitOf(current, n); at < 0 {
			return current
		}
	}
	for c := n - 1; c > at; c-- {
		ci, _ := verdictOf(start, s.checks[fmt.Sprintf("c%d", c)])
		if (len(s.rules.SourceChecks) == 0 || ci == 'g') && !isReverted(s.prod, c, n) && s.isVerified(c, n) {
			return fmt.Sprintf("c%d", c)
		}
	}
	return current
}

// Decide reads as little as possible, and chooses the same as a rule that has read
// everything. The chosen commit is never older than the current one. The order of reports
// does not matter, and asking again does not matter either.
func TestChosenByTheRule(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	decisions := map[promotion.Decision]int{}
	states := map[promotion.Progress]int{}
	for range 3_000 {
		s := random(r, 1)
		result := s.world().decide(t)
		if want := s.chosen(); result.Commit != want {
			t.Fatalf("%s chosen, want %s: %s\n%s\n%+v", result.Commit, want, told(result), result.Reason, s)
		}
		n := len(strings.Fields(s.source))
		if was := commitOf(result.Current, n); result.Commit != result.Current && commitOf(result.Commit, n) <= was {
			t.Fatalf("%s goes back: %+v", told(result), s)
		}
		for _, all := range [][]stage{s.dev, s.prod} {
			for _, stage := range all {
				r.Shuffle(len(stage.reports), func(i, j int) { stage.reports[i], stage.reports[j] = stage.reports[j], stage.reports[i] })
			}
		}
		if again := s.world().decide(t); !reflect.DeepEqual(result, again) {
			t.Fatalf("%s, and with reports in another order %s: %+v", told(result), told(again), s)
		}
		decisions[result.Decision]++
		for _, c := range result.Candidates {
			states[c.State]++
		}
	}
	if len(decisions) != 4 || len(states) != 6 {
		t.Errorf("the scenarios lack something: %v, %v", decisions, states)
	}
}

// state returns that of a candidate; empty if nobody looked at it.
func state(r promotion.Result, commit string) promotion.Progress {
	for _, c := range r.Candidates {
		if c.Commit == commit {
			return c.State
		}
	}
	return ""
}

// Time alone verifies and never takes that back.
func TestTimeVerifies(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 1_000 {
		s := random(r, 1+r.IntN(2))
		before := s.world().decide(t)
		w := s.world()
		passed := time.Duration(r.IntN(500)) * time.Minute
		w.now = w.now.Add(passed)
		after := w.decide(t)
		n := len(strings.Fields(s.source))
		if commitOf(after.Commit, n) < commitOf(before.Commit, n) {
			t.Fatalf("%s, and later %s: %+v", told(before), told(after), s)
		}
		for _, c := range before.Candidates {
			later := state(after, c.Commit)
			changed := later != "" && later != c.State
			isAhead := slices.ContainsFunc(s.dev, func(s stage) bool { return since(s.at).After(w.now.Add(-passed)) })
			if changed && isAhead && c.State == promotion.Waiting {
				continue // a commit is dated later than now, and counts once that has come
			}
			if changed && (c.State != promotion.Soaking || later != promotion.Verified || c.Until.After(w.now)) {
				t.Fatalf("%s is %s, and later %s: %+v", c.Commit, c.State, later, s)
			}
		}
	}
}

// A candidate that has failed or was reverted stays so, for all later commits in dev.
func TestFinalStates(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	seen := map[promotion.Progress]int{}
	for range 1_000 {
		s := random(r, 1+r.IntN(2))
		s.rules.SourceChecks = nil
		before := s.world().decide(t)
		n := len(strings.Fields(s.source))
		more := walk(r, 1+r.IntN(4), n, 1+r.IntN(2), true)
		for _, c := range before.Candidates {
			if c.State != promotion.Failed && c.State != promotion.Reverted {
				continue
			}
			later := s
			later.now = "48h"
			later.dev = slices.Clone(s.dev)
			for _, stage := range more {
				if c.State == promotion.Failed && strings.Contains(stage.carries, c.Commit) {
					continue // it may turn green itself
				}
				stage.at = (since(stage.at).Sub(start) + 24*time.Hour).String()
				later.dev = append(later.dev, stage)
			}
			after := later.world().decide(t)
			is := state(after, c.Commit)
			if is == promotion.Verified || after.Commit == c.Commit && before.Current != c.Commit {
				t.Fatalf("%s was %s and is %s: %+v", c.Commit, c.State, is, later)
			}
			seen[c.State]++
		}
	}
	if len(seen) != 2 {
		t.Errorf("the scenarios lack something: %v", seen)
	}
}

// With pin, hold or windows nothing is chosen that is not chosen without. A refused choice
// leaves the environment where it is.
func TestGatesOnlyHold(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for range 1_000 {
		s := random(r, 1+r.IntN(2))
		free := s.world().decide(t)
		closed := s.world()
		closed.rules.Windows = []window{on("sat", "00:00", "01:00", "UTC")}
		held := s.world()
		held.rules.Hold = true
		pinned := s.world()
		pinned.rules.Pin = "c0"
		if got := closed.decide(t); got.Commit != free.Current || (got.Decision == promotion.Held) != (free.Decision == promotion.Promote ||
			free.Decision == promotion.Held) {
			t.Fatalf("%s, and outside of windows %s: %+v", told(free), told(got), s)
		}
		if got := held.decide(t); got.Commit != free.Current || got.Decision != promotion.Held {
			t.Fatalf("%s, and with hold %s: %+v", told(free), told(got), s)
		}
		if got := pinned.decide(t); got.Commit != "c0" || got.Decision != promotion.Pinned {
			t.Fatalf("%s, and with pin %s: %+v", told(free), told(got), s)
		}
	}
}
