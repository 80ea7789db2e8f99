// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision

import (
	"maps"
	"slices"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// past is an environment with its track, in which a release has a rank: the index of its first
// step. A smaller rank is an older release.
type past struct {
	Environment
	soak  time.Duration
	steps []record.Step
	// ranks has the rank of the release of each step.
	ranks []int
	// releases are the ranks of releases, and commits the newest ranks with a source commit. Both
	// include earlier lives, which count only for the order of releases.
	releases, commits map[string]int
	// begin is the first step of the environment's present life.
	begin int
	// last is the last step of each release in the present life, by the release's rank.
	last map[int]int
}

// pastOf gives the releases of an environment their ranks.
func pastOf(e Environment, soak time.Duration) *past {
	p := &past{Environment: e, soak: soak, steps: e.Track.Steps, releases: map[string]int{}, commits: map[string]int{}, last: map[int]int{}}
	for i, s := range p.steps {
		if rank, isKnown := p.releases[s.Release.Key()]; !isKnown || rank < p.begin {
			p.releases[s.Release.Key()], p.commits[s.Release.Commit] = i, i
		}
		rank := p.releases[s.Release.Key()]
		p.ranks = append(p.ranks, rank)
		p.last[rank] = i
		if s.Release.Commit == "" {
			p.begin, p.last = i+1, map[int]int{}
		}
	}
	return p
}

// environment returns the source as an environment that had each of its commits once.
func (s *Source) environment() Environment {
	e := Environment{Name: "the source"}
	if s != nil {
		e.Reports, e.Checks = s.Reports, s.Checks
		for _, c := range slices.Backward(s.Commits) {
			e.Track.Steps = append(e.Track.Steps, record.Step{Release: record.Release{Commit: c.ID}, By: c, Commits: []record.Commit{c}})
		}
	}
	return e
}

// present returns the rank of the release that the environment has now.
func (p *past) present() (rank int, has bool) {
	if p.begin >= len(p.steps) {
		return 0, false
	}
	return p.ranks[len(p.ranks)-1], true
}

func (p *past) release(rank int) record.Release { return p.steps[rank].Release }

// find returns the rank of a release: by commit and sources, else by commit alone.
func (p *past) find(r record.Release) (rank int, isThere bool) {
	if rank, isThere = p.releases[r.Key()]; !isThere {
		rank, isThere = p.commits[r.Commit]
	}
	return rank, isThere
}

// exactly returns the rank of a release that the environment had in its present life.
func (p *past) exactly(r record.Release) (rank int, isThere bool) {
	rank, isThere = p.releases[r.Key()]
	if isThere {
		_, isThere = p.last[rank]
	}
	return rank, isThere
}

// newest returns the ranks of all releases of the present life, the newest first.
func (p *past) newest() []int {
	ranks := slices.Sorted(maps.Keys(p.last))
	slices.Reverse(ranks)
	return ranks
}

// lastWith returns the last step of the present life with a source commit, or with a GitOps commit. It
// returns nil if the environment never had the commit.
func (p *past) lastWith(id string) *record.Step {
	for i := len(p.steps) - 1; i >= p.begin; i-- {
		s := &p.steps[i]
		if s.Release.Commit == id || isAt(*s, id) {
			return s
		}
	}
	return nil
}

func isAt(s record.Step, id string) bool {
	return s.By.ID == id || slices.ContainsFunc(s.Commits, func(c record.Commit) bool { return c.ID == id })
}

// reverted returns the first step after the last step of a release that has an older release; nil if
// there is no such step.
func (p *past) reverted(rank int) *record.Step {
	for i := p.last[rank] + 1; i < len(p.steps); i++ {
		if p.ranks[i] < rank {
			return &p.steps[i]
		}
	}
	return nil
}

// left returns the newest release of an environment that went back: it is newer than the present one.
func (p *past) left() (left record.Release, wentBack bool) {
	present, has := p.present()
	if !has {
		return left, false
	}
	newest := p.newest()[0]
	return p.release(newest), newest > present
}

// carries reports whether a release has a commit, as its own or as that of a source.
func carries(r record.Release, commit string) bool {
	return commit != "" && (r.Commit == commit || slices.Contains(slices.Collect(maps.Values(r.Sources)), commit))
}

// newestWith returns the newest release of the present life that carries a commit; -1 for none.
func (p *past) newestWith(commit string) int {
	for _, rank := range p.newest() {
		if carries(p.release(rank), commit) {
			return rank
		}
	}
	return -1
}
