// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record

import (
	"slices"
	"time"
)

// steps returns the steps of an environment, whose records in each commit are past. A step is a commit whose release differs from that of
// each parent. The last step is that of the newest commit, also if a line of commits that it did not take over came later.
func steps(history []GitOpsCommit, past []Records) []Step {
	all := []Step{{}} // the first is that nothing is there yet
	// carried are the positions of the steps whose release each commit has: one, or if the commit does not say it, those of its parents.
	carried, line := make([][]int, len(history)), time.Time{}
	undone := map[int]bool{} // ends of the environment in a line of commits that a merge did not take over
	for i, c := range history {
		for _, q := range c.ParentsAt {
			carried[i] = append(carried[i], carried[q]...)
		}
		if len(c.ParentsAt) == 0 {
			carried[i] = []int{0}
		}
		slices.Sort(carried[i])
		carried[i] = slices.Compact(carried[i])
		commit := Described(c.Commit)
		release, isKnown := releaseIn(history, past, i)
		if isKnown {
			at := slices.IndexFunc(carried[i], func(step int) bool { return all[step].Release.Same(release) })
			if at < 0 {
				all, carried[i], at = append(all, Step{Release: release, By: commit}), []int{len(all)}, 0
			}
			for _, later := range carried[i][at+1:] {
				undone[later] = undone[later] || release.Commit != "" && all[later].Release.Commit == ""
			}
			carried[i] = carried[i][at : at+1]
		}
		if c.OnLine && commit.Time.After(line) {
			line = commit.Time
		}
		if commit.Time = line; isKnown && c.OnLine {
			s := &all[carried[i][0]]
			s.Commits = append(s.Commits, commit)
		}
	}
	undone[0] = true
	return ending(all, undone, carried[len(carried)-1], Described(history[len(history)-1].Commit))
}

// ending returns steps without those that are undone. The last one is the step that the newest commit carries.
func ending(all []Step, undone map[int]bool, now []int, head Commit) (track []Step) {
	last := len(all) - 1
	for undone[last] && last > 0 {
		last--
	}
	if len(now) == 1 && !all[now[0]].Release.Same(all[last].Release) {
		was, is := &all[now[0]], Step{Release: all[now[0]].Release, By: head}
		if n := len(was.Commits); n > 0 && was.Commits[n-1].ID == head.ID {
			is.Commits, was.Commits = was.Commits[n-1:], slices.Clip(was.Commits[:n-1])
		}
		all = append(all, is)
	}
	for i, step := range all {
		if !undone[i] {
			track = append(track, step)
		}
	}
	return track
}

// releaseIn returns the release of the environment in a commit; the zero release if it is not there. isKnown is false if the commit does
// not say it: the records differ, name no release, or cannot be read, or the record is there under other names.
func releaseIn(history []GitOpsCommit, past []Records, i int) (release Release, isKnown bool) {
	c := history[i]
	switch live := c.Live(past[i]); {
	case c.Unreadable != nil || differ(live) != "":
		return release, false
	case len(live) > 0:
		return live[0].Release, live[0].Release.Commit != ""
	case c.Tracked != "":
		return Release{Commit: c.Tracked}, true
	}
	for _, q := range c.ParentsAt {
		for instance := range past[q] {
			if _, isThere := c.Records[instance]; isThere {
				return release, false
			}
		}
	}
	return release, true
}
