// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"fmt"
	"slices"
	"time"
)

// Progress is how far a candidate has come.
type Progress string

// The states.
const (
	// NotDeployed: an environment has not had it.
	NotDeployed Progress = "not_deployed"
	// Waiting: a required check has not said enough yet.
	Waiting Progress = "waiting"
	// Failed: a required check has failed.
	Failed Progress = "failed"
	// Reverted: an environment went back behind it.
	Reverted Progress = "reverted"
	// Soaking: all is green, but not for long enough.
	Soaking Progress = "soaking"
	// Verified: nothing is missing.
	Verified Progress = "verified"
)

// finding is the state of a candidate, and why.
type finding struct {
	state Progress
	// why continues the sentence that begins with the state: " in dev: …".
	why string
	// until is when a candidate has soaked.
	until time.Time
	// ofAll says that all releases of the commit have this state.
	ofAll bool
}

// environment is one in which a candidate must have worked, or the one that is promoted to.
type environment struct {
	Gate
	*branch
	name     string
	reports  Reports
	verdicts map[string]verdict
	// unverified are the releases that were found to be not verified here.
	unverified map[position]finding
	// likes are the releases here that are like those of the environment that is promoted to.
	likes map[position]position
}

func newEnvironment(l *line, name string, b Branch, now time.Time) *environment {
	return &environment{
		branch: newBranch(l, b.History, now), name: name, reports: b.Reports, verdicts: map[string]verdict{},
		unverified: map[position]finding{}, likes: map[position]position{},
	}
}

// releasesOf returns the positions of the releases of a commit that the environment has had, the
// newest first; that of the commit if it has had none.
func (e *environment) releasesOf(commit position) ([]position, error) {
	if err := e.read(); err != nil {
		return nil, e.unreadable(err)
	}
	if all := e.releases[commit]; len(all) > 0 {
		return all[:min(len(all), maxReleases)], nil
	}
	return []position{commit}, nil
}

func (e *environment) unreadable(err error) error {
	return fmt.Errorf("the history of %s cannot be read: %w", e.name, err)
}

// standing returns the state that a release has whatever the reports say, or an empty one if
// the reports decide.
func (e *environment) standing(at position) finding {
	if f, known := e.unverified[at]; known {
		return f
	}
	if len(e.steps) == 0 || len(e.steps[0].Carried) == 0 {
		return finding{state: NotDeployed, ofAll: true, why: fmt.Sprintf(" in %s, which carries nothing yet", e.name)}
	}
	if len(e.deployed[at]) == 0 {
		f := e.without(at, nil)
		f.ofAll = true
		return f
	}
	if f := e.departed(at, e.name); f.state != "" {
		return f
	}
	if head := e.steps[0]; !e.line.single && head.newest == 0 {
		return finding{state: Waiting, ofAll: true, why: fmt.Sprintf(" for %s: it is at %s, not all of which is in the history of the source "+
			"that was read, so nobody knows whether it went back", e.name, head.carried())}
	}
	return finding{}
}

// without says that an environment has not had a commit with such sources.
func (e *environment) without(at position, sources Sources) finding {
	head := e.steps[0]
	how := "which is at " + head.carried()
	switch {
	case head.newest.commit() == at.commit():
		how += head.sourcesAt(head.newest).unlike(sources)
	case head.carries(at):
		how = "which went past it and is at " + head.carried()
	}
	return finding{state: NotDeployed, why: fmt.Sprintf(" in %s, %s", e.name, how)}
}

// first returns the position of the oldest commit that an environment has had. It is
// beyond all positions if the environment has had none, and 0 before the branch is read.
func (e *environment) first() position {
	if e.deployed == nil {
		return 0
	}
	first := end
	for at := range e.deployed {
		if at > 0 {
			first = min(first, at)
		}
	}
	return first
}

// departed says that an environment went back behind a release, or nothing.
func (b *branch) departed(at position, name string) finding {
	d, reverted := b.left(at)
	if !reverted {
		return finding{}
	}
	return b.reverts(d, at, name)
}

// reverts says that an environment left a release, and what ends this.
func (b *branch) reverts(d departure, at position, name string) finding {
	to, end := short(d.to.id), "commit of the source"
	switch isAt := d.to.at.commit(); {
	case b.line.single:
		end = "candidate"
	case isAt == d.upTo.commit():
		to, end = "an earlier release of "+to, "commit of the source or of an application"
	case isAt == at.commit():
		to += " from a newer commit"
	}
	return finding{state: Reverted, why: fmt.Sprintf(" in %s, which went back to %s with GitOps commit %s on %s. A new %s ends this",
		name, to, short(d.by.ID), d.by.Time.UTC().Format(time.DateOnly), end)}
}

// reported returns what the reports say of a release that is still there.
func (e *environment) reported(at position) (finding, error) {
	own := e.deployed[at]
	i, v, err := e.word(own, at)
	if err != nil {
		return finding{}, err
	}
	gitOps := "GitOps commit " + short(e.steps[i].ID)
	if !slices.Contains(own, i) {
		gitOps += ", which took its place before it had enough reports"
	}
	var f finding
	switch v.outcome {
	case Failure:
		f = finding{state: Failed, why: fmt.Sprintf(" in %s: %s (%s)", e.name, v.why, gitOps)}
	case Success:
		f, err = e.soaked(own, at, i, v)
	default:
		f = e.open(own, at, v, gitOps)
	}
	if err == nil && f.state != Verified {
		e.unverified[at] = f
	}
	return f, err
}

// open says which reports a release waits for.
func (e *environment) open(own []int, at position, v verdict, gitOps string) finding {
	if !slices.ContainsFunc(e.steps[:own[0]+1], func(s *step) bool { return s.carries(at) }) {
		return finding{state: Waiting, why: fmt.Sprintf(" for %s, which carries it only in part: %s", e.name, e.steps[0].carried())}
	}
	return finding{state: Waiting, why: fmt.Sprintf(" for %s: %s (%s)", e.name, v.why, gitOps)}
}

// word returns the verdict that counts for a release, by the rules in the comment of the
// package, and the step that it is about.
func (e *environment) word(own []int, at position) (int, verdict, error) {
	green, failed := -1, -1
	for _, i := range own {
		v, err := e.verdictOn(i)
		s := e.steps[i]
		isNewest := s.newest == at
		if err != nil || v.outcome == Failure && isNewest {
			return i, v, err
		}
		if v.outcome == Failure && failed < 0 {
			failed = i
		}
		isGreen := v.outcome == Success && e.isGreenFor(s, at)
		if isGreen && green < 0 {
			green = i
		}
		if isGreen && isNewest {
			break
		}
	}
	for _, i := range []int{green, failed} {
		if i >= 0 {
			v, err := e.verdictOn(i)
			return i, v, err
		}
	}
	return e.cover(own[0], at)
}

// isGreenFor reports whether a step that is green is so for a release: the release is the oldest
// that the step carries, and the step has all sources that the release has now.
func (e *environment) isGreenFor(s *step, at position) bool {
	return s.oldest == at && s.sourcesAt(at).has(e.sources(at))
}

// cover returns the verdict of the first step after a release's own that carries it and has
// a verdict. If there is none, it returns the checks that the last of these steps waits
// for.
func (e *environment) cover(own int, at position) (int, verdict, error) {
	last := own
	open, err := e.verdictFor(own, at)
	for i := own - 1; i >= 0 && err == nil && open.outcome == Pending; i-- {
		if e.steps[i].carries(at) {
			last = i
			open, err = e.verdictOn(i)
		}
	}
	return last, open, err
}

// verdictFor returns the verdict of a step for a release that it carried itself. If the step
// carried several releases, it has failed only for the newest, and is green only for the
// oldest.
func (e *environment) verdictFor(i int, at position) (verdict, error) {
	s := e.steps[i]
	if s.oldest != at && s.newest != at {
		return verdict{outcome: Pending}, nil
	}
	v, err := e.verdictOn(i)
	if v.outcome == Failure && s.newest != at || v.outcome == Success && !e.isGreenFor(s, at) {
		return verdict{outcome: Pending}, err
	}
	return v, err
}

// verdictOn compares the reports on a step with the required checks.
func (e *environment) verdictOn(i int) (verdict, error) {
	if len(e.Checks) == 0 {
		return verdict{outcome: Success}, nil
	}
	id := e.steps[i].ID
	if v, known := e.verdicts[id]; known {
		return v, nil
	}
	reports, err := e.reports.on(id)
	if err != nil {
		return verdict{}, fmt.Errorf("the reports on GitOps commit %s of %s cannot be read: %w", short(id), e.name, err)
	}
	e.verdicts[id] = judge(e.Checks, reports)
	return e.verdicts[id], nil
}

// on returns the reports on a commit.
func (r Reports) on(commit string) ([]Report, error) {
	if r == nil {
		return nil, nil
	}
	return r(commit)
}

// soaked returns whether a release that is green with a step was there for long enough.
// Earlier steps of its own count too, as far as none of them failed.
func (e *environment) soaked(own []int, at position, i int, v verdict) (finding, error) {
	if e.Soak == 0 {
		return finding{state: Verified}, nil
	}
	until, there := e.presence(at, i, v.since)
	for _, j := range own {
		if there && !until.After(e.now) {
			break
		}
		if j <= i {
			continue
		}
		before, err := e.verdictFor(j, at)
		if err != nil {
			return finding{}, err
		}
		if before.outcome == Failure {
			break
		}
		if earlier, was := e.presence(at, j, before.since); before.outcome == Success && was && (!there || earlier.Before(until)) {
			until, there = earlier, was
		}
	}
	switch {
	case until.IsZero() && len(e.Checks) == 0:
		return finding{state: Waiting, why: fmt.Sprintf(" for %s: GitOps commit %s says that it is older than the commit before it, so nobody "+
			"knows since when it is there. It counts from the next commit of the branch on", e.name, short(e.steps[i].ID))}, nil
	case until.IsZero():
		return finding{state: Waiting, why: fmt.Sprintf(" for %s: the reports on GitOps commit %s do not say when they were made", e.name,
			short(e.steps[i].ID))}, nil
	case !there && e.steps[0].carries(at):
		return finding{state: Waiting, why: fmt.Sprintf(" for %s: it was left before it had soaked for %s, and nothing is reported of it since "+
			"it came back", e.name, duration(e.Soak))}, nil
	case !there:
		return finding{state: Waiting, why: fmt.Sprintf(" for %s: it was left for %s before it had soaked for %s", e.name, e.steps[0].carried(),
			duration(e.Soak))}, nil
	case until.After(e.now):
		return finding{state: Soaking, why: fmt.Sprintf(" in %s until %s", e.name, minute(until)), until: until}, nil
	}
	return finding{state: Verified}, nil
}

// presence returns when a release that was green with a step has soaked. It also returns
// whether the release was there for so long without a gap, or is still there.
//
// The time is zero if nobody knows since when.
func (e *environment) presence(at position, i int, since time.Time) (until time.Time, there bool) {
	if len(e.Checks) == 0 {
		since = e.steps[i].came
	}
	if since.IsZero() {
		return time.Time{}, false
	}
	until = since.Add(e.Soak)
	for _, s := range slices.Backward(e.steps[:i]) {
		if !s.carries(at) {
			return until, !until.After(s.took)
		}
	}
	return until, true
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
