// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record

import (
	"slices"
	"time"
)

// steps makes the steps of an environment from its history.
type steps struct {
	history []GitOpsCommit
	// past are the records of the environment in each commit, as Follow returns them.
	past []Records
	// all are the steps that were found. The first is that nothing is there yet.
	all []Step
	// carried are the positions of the steps that each commit carries: one, or if the commit does not say which, those of its parents.
	carried [][]int
	// undone are steps that end the environment in a line of commits, if a merge kept the environment of another line.
	undone map[int]bool
}

// walk returns the steps of an environment, whose records in each commit are past. A step is a commit whose release differs from that of
// each parent.
func walk(history []GitOpsCommit, past []Records) []Step {
	s := steps{history, past, []Step{{}}, make([][]int, len(history)), map[int]bool{}}
	line := time.Time{}
	for i, c := range history {
		s.carried[i] = []int{0}
		if len(c.Before) > 0 {
			s.carried[i] = nil
		}
		for _, q := range c.Before {
			s.carried[i] = append(s.carried[i], s.carried[q]...)
		}
		slices.Sort(s.carried[i])
		s.carried[i] = slices.Compact(s.carried[i])
		release, isKnown := s.release(i)
		if isKnown {
			s.carried[i] = []int{s.step(i, release)}
		}
		if !c.OnLine {
			continue
		}
		commit := Described(c.Commit)
		if commit.Time.After(line) {
			line = commit.Time
		}
		if commit.Time = line; isKnown {
			at := &s.all[s.carried[i][0]]
			at.Commits = append(at.Commits, commit)
		}
	}
	return s.track()
}

// release returns the release of the environment in a commit; the zero release if it is not there. isKnown is false if the commit does
// not say it: the records differ, name no release, or cannot be read, or the record is there under other names.
func (s *steps) release(i int) (release Release, isKnown bool) {
	c := s.history[i]
	switch live := c.Live(s.past[i]); {
	case c.Unreadable != nil || differ(live) != "":
		return release, false
	case len(live) > 0:
		return live[0].Release, live[0].Release.Commit != ""
	case c.Tracked != "":
		return Release{Commit: c.Tracked}, true
	}
	for _, q := range c.Before {
		for instance := range s.past[q] {
			if _, isThere := c.Records[instance]; isThere {
				return release, false
			}
		}
	}
	return release, true
}

// step returns the step of a release that a commit has: the newest of its parents', or a new one.
func (s *steps) step(i int, release Release) int {
	at := -1
	for _, before := range s.carried[i] {
		if s.all[before].Release.Same(release) {
			at = before
		}
	}
	if at < 0 {
		s.all = append(s.all, Step{Release: release, By: Described(s.history[i].Commit)})
		return len(s.all) - 1
	}
	for _, before := range s.carried[i] {
		s.undone[before] = s.undone[before] || before > at && release.Commit != "" && s.all[before].Release.Commit == ""
	}
	return at
}

// track returns the steps in their order. The last one is that of the newest commit, also if the last step that was found is of a line of
// commits that the newest one did not take over.
func (s *steps) track() (track []Step) {
	last := len(s.history) - 1
	if now := s.carried[last]; len(now) == 1 && now[0] != len(s.all)-1 {
		was := &s.all[now[0]]
		is := Step{Release: was.Release, By: Described(s.history[last].Commit)}
		if n := len(was.Commits); n > 0 && was.Commits[n-1].ID == is.By.ID {
			is.Commits, was.Commits = was.Commits[n-1:], slices.Clip(was.Commits[:n-1])
		}
		s.all = append(s.all, is)
	}
	for i, step := range s.all {
		switch n := len(track); {
		case i == 0 || s.undone[i]:
		case n > 0 && track[n-1].Release.Same(step.Release):
			track[n-1].Commits = append(track[n-1].Commits, step.Commits...)
		default:
			track = append(track, step)
		}
	}
	return track
}
