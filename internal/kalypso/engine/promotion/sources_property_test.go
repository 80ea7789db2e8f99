// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

// pairs is a random promotion from dev to prod: of a control plane and of two applications.
func pairs(r *rand.Rand) scenario {
	n := 1 + r.IntN(3)
	s := scenario{source: "c0", now: minutes(r.IntN(500))}
	for i := 1; i < n; i++ {
		s.source += fmt.Sprintf(" c%d", i)
	}
	s.dev = moves(r, r.IntN(8), n, true)
	s.prod = []stage{}
	for i := range s.dev { // prod follows dev, and goes back at times
		switch r.IntN(5) {
		case 0, 1:
			s.prod = append(s.prod, stage{at: minutes(60 * len(s.prod)), carries: s.dev[i].carries})
		case 2:
			if len(s.prod) > 0 {
				s.prod = append(s.prod, stage{at: minutes(60 * len(s.prod)), carries: s.prod[r.IntN(len(s.prod))].carries})
			}
		}
	}
	if r.IntN(5) == 0 {
		s.prod = moves(r, r.IntN(4), n, false)
	}
	s.rules.After = gates{"dev": {Soak: []time.Duration{0, 0, 45 * time.Minute}[r.IntN(3)]}}
	return s
}

// moves is a branch in which any of the three repositories moves, and that goes back at times.
func moves(r *rand.Rand, steps, commits int, reported bool) []stage {
	all := []stage{}
	when, c, a, b := 0, r.IntN(commits), 0, 0
	for range steps {
		s := stage{at: minutes(when), carries: fmt.Sprintf("c%d:a%d,b%d", c, a, b)}
		if len(all) > 0 && r.IntN(6) == 0 {
			s.carries = all[r.IntN(len(all))].carries
		}
		if reported {
			s.reports = random3(r, "flux")
		}
		all = append(all, s)
		when += 10 + r.IntN(60)
		c, a, b = min(c+r.IntN(5)/4, commits-1), a+r.IntN(2), b+r.IntN(3)/2
	}
	return all
}

// first is the first GitOps commit with a release; -1 for none.
func first(stages []stage, release string) int {
	return slices.IndexFunc(stages, func(s stage) bool { return s.carries == release })
}

// isBefore is the order of the releases of a branch.
func isBefore(stages []stage, one, other string) bool {
	c, d := released(one).Commit, released(other).Commit
	return c < d || c == d && first(stages, one) < first(stages, other)
}

// isLeft reports whether a branch has gone back behind a release.
func isLeft(stages []stage, release string) bool {
	c := released(release).Commit
	for i, was := range stages {
		for _, is := range stages[i+1:] {
			from, to := released(was.carries).Commit, released(is.carries).Commit
			if to < c && c <= from {
				return true
			}
			if to == c && from == c && first(stages, is.carries) < first(stages, release) && !isBefore(stages, was.carries, release) {
				return true
			}
		}
	}
	return false
}

// isPairVerified is the rule as it is written down, for dev.
func (s scenario) isPairVerified(release string) bool {
	if isLeft(s.dev, release) {
		return false
	}
	var telling []int
	own := -1
	for i := len(s.dev) - 1; i >= 0; i-- {
		if s.dev[i].carries == release {
			telling, own = append(telling, i), max(own, i)
		}
	}
	for i := own + 1; i < len(s.dev); i++ {
		if !isBefore(s.dev, s.dev[i].carries, release) {
			telling = append(telling, i)
		}
	}
	found := false
	for _, i := range telling {
		switch verdict, green := verdictOf(sinceStart(s.dev[i]), s.dev[i].reports); verdict {
		case 'r':
			return false
		case 'g':
			found = true
			if s.pairHasSoaked(i, release, green) {
				return true
			}
		}
		if found && i > own {
			return false
		}
	}
	return false
}

// pairHasSoaked goes to the end of the time that a release was there.
func (s scenario) pairHasSoaked(i int, release string, green time.Time) bool {
	end := since(s.now)
	for _, later := range s.dev[i+1:] {
		if isBefore(s.dev, later.carries, release) {
			if sinceStart(later).Before(end) {
				end = sinceStart(later)
			}
			break
		}
	}
	soak := s.rules.After["dev"].Soak
	return soak == 0 || !green.Add(soak).After(end)
}

// isPairNewer reports whether prod may get a release: one that came to dev after all that prod has
// had of its commit, and after what prod has left for the commit that it is at.
func (s scenario) isPairNewer(release string) bool {
	if len(s.prod) == 0 {
		return true
	}
	c, current := released(release).Commit, released(s.prod[len(s.prod)-1].carries).Commit
	if c < current {
		return false
	}
	for i, had := range s.prod {
		is := released(had.carries).Commit
		switch {
		case c > current && is >= c && slices.ContainsFunc(s.prod[i:], func(s stage) bool { return released(s.carries).Commit < c }):
			return false
		case c > current && is != c || is < c:
		case had.carries == release || first(s.dev, had.carries) > first(s.dev, release):
			return false
		}
	}
	return true
}

// chosenPair is the release that the rule as it is written down chooses.
func (s scenario) chosenPair() string {
	var all []string
	for _, stage := range s.dev {
		if !slices.Contains(all, stage.carries) {
			all = append(all, stage.carries)
		}
	}
	slices.SortFunc(all, func(one, other string) int {
		if isBefore(s.dev, one, other) {
			return 1
		}
		return -1
	})
	for _, release := range all {
		if s.isPairNewer(release) && s.isPairVerified(release) {
			return release
		}
	}
	if len(s.prod) == 0 {
		return "-"
	}
	return s.prod[len(s.prod)-1].carries
}

// Decide chooses the same release of three repositories as a rule that has read everything.
func TestPairsByTheRule(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	decisions := map[promotion.Decision]int{}
	states := map[promotion.Progress]int{}
	sameCommit := 0
	for range 5_000 {
		s := pairs(r)
		result := s.world().decide(t)
		if got, want := releaseOf(result.Commit, result.Sources), s.chosenPair(); got != want {
			t.Fatalf("%s chosen, want %s: %s\n%s\n%+v", got, want, told(result), result.Reason, s)
		}
		decisions[result.Decision]++
		for _, c := range result.Candidates {
			states[c.State]++
		}
		if result.Decision == promotion.Promote && result.Commit == result.Current {
			sameCommit++
		}
	}
	if len(decisions) != 3 || len(states) != 6 || sameCommit < 100 {
		t.Errorf("the scenarios lack something: %v, %v, %d promotions of one commit", decisions, states, sameCommit)
	}
}

// A chosen release of two environments was green in both, with the sources that each follows.
func TestPairsOfTwoEnvironments(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	promoted := 0
	for range 5_000 {
		s := pairs(r)
		qa := pairs(r)
		for i := range qa.dev {
			qa.dev[i].carries = strings.NewReplacer("b", "d").Replace(qa.dev[i].carries)
		}
		s.qa = qa.dev
		result := s.world().decide(t)
		if result.Decision != promotion.Promote {
			continue
		}
		promoted++
		for _, stages := range [][]stage{s.dev, s.qa} {
			had := func(of stage) bool {
				is := released(of.carries)
				for name, commit := range is.Sources {
					if result.Sources[name] != commit {
						return false
					}
				}
				return is.Commit == result.Commit
			}
			i := slices.IndexFunc(stages, had)
			if i < 0 {
				t.Fatalf("%s was not in all environments: %+v", told(result), s)
			}
			in := scenario{dev: stages, rules: s.rules, now: s.now}
			if stages[0].carries == s.qa[0].carries {
				in.rules.After = gates{"dev": s.rules.After["qa"]}
			}
			if !in.isPairVerified(stages[i].carries) {
				t.Fatalf("%s was not verified as %s: %+v", told(result), stages[i].carries, s)
			}
		}
	}
	if promoted < 100 {
		t.Errorf("the scenarios lack something: %d promotions", promoted)
	}
}

// An environment never loses a source that an environment before has followed, whatever is read there
// and whatever is decided.
func TestNoSourceIsLost(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(15, 16))
	decisions := map[promotion.Decision]int{}
	for range 5_000 {
		s := pairs(r)
		if len(s.dev) == 0 || len(s.prod) == 0 {
			continue
		}
		lost := r.IntN(len(s.dev))
		for i := range s.dev[lost:] {
			s.dev[lost+i].carries, _, _ = strings.Cut(s.dev[lost+i].carries, ",")
		}
		s.rules.Hold = r.IntN(8) == 0
		if r.IntN(3) == 0 {
			s.rules.Windows = []window{on("sat", "00:00", "01:00", "UTC")}
		}
		result := s.world().decide(t)
		if _, has := result.Sources["b"]; !has && lost > 0 {
			t.Fatalf("%s has lost a source: %+v", told(result), s)
		}
		if lost > 0 {
			decisions[result.Decision]++
		}
	}
	if len(decisions) != 3 {
		t.Errorf("the scenarios lack something: %v", decisions)
	}
}

// A source that only one environment follows changes nothing for the others.
func TestForeignSources(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(13, 14))
	for range 2_000 {
		s := pairs(r)
		before := s.world().decide(t)
		own := s
		own.prod = slices.Clone(s.prod)
		for i := range own.prod {
			own.prod[i].carries += fmt.Sprintf(",d%d", first(s.prod, s.prod[i].carries))
		}
		after := own.world().decide(t)
		delete(after.Sources, "d")
		if told(before) != told(after) {
			t.Fatalf("%s, and with a source of its own %s: %+v", told(before), told(after), s)
		}
		for _, all := range [][]stage{s.dev, s.prod} { // all follow a source that never moves
			for i := range all {
				all[i].carries += ",e1"
			}
		}
		after = s.world().decide(t)
		if want := told(before); strings.ReplaceAll(told(after), ",e1", "") != want {
			t.Fatalf("%s, and with a source that never moves %s: %+v", want, told(after), s)
		}
	}
}
