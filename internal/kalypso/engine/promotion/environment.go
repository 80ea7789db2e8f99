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
}

// environment is one in which a candidate must have worked.
type environment struct {
	Gate
	*branch
	name     string
	reports  Reports
	verdicts map[string]verdict
	// ordered is false if there is no history of a source.
	ordered bool
}

// standing returns the state that a candidate has whatever the reports say, or an empty
// one if the reports decide.
func (e *environment) standing(c SourceCommit) (finding, error) {
	if err := e.read(); err != nil {
		return finding{}, fmt.Errorf("the history of %s cannot be read: %w", e.name, err)
	}
	if !slices.ContainsFunc(e.steps, func(s step) bool { return len(s.Carried) > 0 }) {
		return finding{state: NotDeployed, why: fmt.Sprintf(" in %s, which carries nothing yet", e.name)}, nil
	}
	head := e.steps[0]
	if len(e.deployed[e.line.find(c.ID)]) == 0 {
		how := "which is at " + head.carried()
		switch {
		case len(head.Carried) == 0:
			how = "which carries nothing any more"
		case head.carries(e.line.find(c.ID)):
			how = "which went past it and is at " + head.carried()
		}
		return finding{state: NotDeployed, why: fmt.Sprintf(" in %s, %s", e.name, how)}, nil
	}
	if f := e.departed(c, e.name); f.state != "" {
		return f, nil
	}
	if e.ordered && head.newest == 0 && len(head.Carried) > 0 {
		return finding{state: Waiting, why: fmt.Sprintf(" for %s: it is at %s, not all of which is in the history of the source that was read, "+
			"so nobody knows whether it went back", e.name, head.carried())}, nil
	}
	return finding{}, nil
}

// first returns the position of the oldest commit that an environment has had. It is
// beyond all positions if the environment has had none, and 0 before the branch is read.
func (e *environment) first() int {
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

// departed says that an environment went back behind a commit, or nothing.
func (b *branch) departed(c SourceCommit, name string) finding {
	left, reverted := b.left(b.line.find(c.ID))
	if !reverted {
		return finding{}
	}
	return finding{state: Reverted, why: fmt.Sprintf(" in %s, which went back to %s with GitOps commit %s on %s",
		name, short(left.to), short(left.by.ID), left.by.Time.UTC().Format(time.DateOnly))}
}

// reported returns what the reports say of a candidate that is still there.
func (e *environment) reported(c SourceCommit) (finding, error) {
	at := e.line.find(c.ID)
	own := e.deployed[at]
	i, v, err := e.word(own, at)
	if err != nil {
		return finding{}, err
	}
	gitOps := "GitOps commit " + short(e.steps[i].ID)
	if !slices.Contains(own, i) {
		gitOps += ", which took its place before it had enough reports"
	}
	switch v.outcome {
	case Failure:
		return finding{state: Failed, why: fmt.Sprintf(" in %s: %s (%s)", e.name, v.why, gitOps)}, nil
	case Success:
		return e.soaked(own, at, i, v)
	default:
		return e.open(own, at, v, gitOps), nil
	}
}

// open says which reports a commit waits for.
func (e *environment) open(own []int, at int, v verdict, gitOps string) finding {
	if !slices.ContainsFunc(e.steps[:own[0]+1], func(s step) bool { return s.carries(at) }) {
		return finding{state: Waiting, why: fmt.Sprintf(" for %s, which carries it only in part: %s", e.name, e.steps[0].carried())}
	}
	return finding{state: Waiting, why: fmt.Sprintf(" for %s: %s (%s)", e.name, v.why, gitOps)}
}

// word returns the verdict that counts for a commit, by the rules in the comment of the
// package, and the step that it is about.
func (e *environment) word(own []int, at int) (int, verdict, error) {
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
		if v.outcome == Success && s.oldest == at && green < 0 {
			green = i
		}
		if v.outcome == Success && s.oldest == at && isNewest {
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

// cover returns the verdict of the first step after a commit's own that carries it and has
// a verdict. If there is none, it returns the checks that the last of these steps waits
// for.
func (e *environment) cover(own, at int) (int, verdict, error) {
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

// verdictFor returns the verdict of a step for a commit that it carried itself. If the step
// carried several commits, it has failed only for the newest, and is green only for the
// oldest.
func (e *environment) verdictFor(i, at int) (verdict, error) {
	s := e.steps[i]
	if s.oldest != at && s.newest != at {
		return verdict{outcome: Pending}, nil
	}
	v, err := e.verdictOn(i)
	if v.outcome == Failure && s.newest != at || v.outcome == Success && s.oldest != at {
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

// soaked returns whether a commit that is green with a step was there for long enough.
// Earlier steps of its own count too, as far as none of them failed.
func (e *environment) soaked(own []int, at, i int, v verdict) (finding, error) {
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
		return finding{state: Waiting, why: fmt.Sprintf(" for %s: it was left%s before it had soaked for %s", e.name, e.steps[0].instead(),
			duration(e.Soak))}, nil
	case until.After(e.now):
		return finding{state: Soaking, why: fmt.Sprintf(" in %s until %s", e.name, minute(until)), until: until}, nil
	}
	return finding{state: Verified}, nil
}

// presence returns when a commit that was green with a step has soaked. It also returns
// whether the commit was there for so long without a gap, or is still there.
//
// The time is zero if nobody knows since when.
func (e *environment) presence(at, i int, since time.Time) (until time.Time, there bool) {
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
