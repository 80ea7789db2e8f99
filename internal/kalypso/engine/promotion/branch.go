// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"maps"
	"slices"
	"time"
)

// branch is the history of an environment, read as far as it was asked for.
type branch struct {
	line    *line
	history History
	now     time.Time
	// asked is how many GitOps commits were read; complete reports whether they are all.
	asked    int
	complete bool
	// steps are those of them that carry something, newest first.
	steps []step
	// deployed are the steps that carried a commit itself, newest first, by where that is;
	// nil until all is read.
	deployed map[int][]int
	// departures are when the environment went back, the first one first.
	departures []departure
}

// departure is a GitOps commit that went back. It has the commit that it went back to, and
// the commits that it left: those after behind, up to upTo.
type departure struct {
	by           GitOpsCommit
	to           string
	behind, upTo int
}

func newBranch(l *line, h History, now time.Time) *branch {
	return &branch{line: l, history: h, now: now, complete: h == nil}
}

// more reads the next step. It passes over GitOps commits whose content nobody knows.
func (b *branch) more() error {
	for before := len(b.steps); !b.complete && len(b.steps) == before; {
		g, ok, err := b.history(b.asked)
		if err != nil {
			return err
		}
		b.asked++
		b.complete = !ok
		if ok && g.Carried != nil {
			g.Carried = maps.Clone(g.Carried)
			maps.DeleteFunc(g.Carried, func(_, id string) bool { return id == "" })
			b.steps = append(b.steps, b.line.step(g))
		}
	}
	return nil
}

// head returns the commits that the environment is at, or nil if it carries nothing.
func (b *branch) head() (*step, error) {
	if len(b.steps) == 0 {
		if err := b.more(); err != nil {
			return nil, err
		}
	}
	if len(b.steps) == 0 || len(b.steps[0].Carried) == 0 {
		return nil, nil
	}
	return &b.steps[0], nil
}

// read reads all that there is.
func (b *branch) read() error {
	if b.deployed != nil {
		return nil
	}
	for !b.complete {
		if err := b.more(); err != nil {
			return err
		}
	}
	b.deployed = map[int][]int{}
	for i, s := range b.steps {
		for _, at := range b.line.places(s) {
			b.deployed[at] = append(b.deployed[at], i)
		}
	}
	b.findDepartures()
	setClocks(b.steps, b.now)
	return nil
}

// findDepartures follows each instance, and the environment as a whole, through time. The
// removal of an instance that was ahead of the others takes nothing back. If the instance is
// still at the commit that it was added with, the removal takes that commit back.
func (b *branch) findDepartures() {
	whole := newTrack()
	instances := map[string]*track{}
	var before map[string]string
	added := map[string]string{}
	for _, s := range slices.Backward(b.steps) {
		if len(s.Carried) == 0 {
			continue
		}
		if onlyLess(before, s.Carried, added) {
			whole = newTrack()
		}
		for instance, id := range s.Carried {
			if _, was := before[instance]; !was && before != nil {
				added[instance] = id
			}
		}
		before = s.Carried
		for _, instance := range slices.Sorted(maps.Keys(s.Carried)) {
			if instances[instance] == nil {
				instances[instance] = newTrack()
			}
			id := s.Carried[instance]
			b.depart(instances[instance], s, id)
		}
		if id := s.newestID(b.line); id != "" {
			b.depart(whole, s, id)
		}
	}
}

// onlyLess reports whether the only change is that instances are gone, and none of them is
// still at the commit that it was added with.
func onlyLess(before, after, added map[string]string) bool {
	for instance, id := range after {
		if before[instance] != id {
			return false
		}
	}
	for instance, id := range before {
		if _, stays := after[instance]; !stays && added[instance] == id {
			return false
		}
	}
	return len(after) < len(before)
}

// depart has a track go to a commit with a step, and notes what it left backwards.
func (b *branch) depart(t *track, s step, id string) {
	if behind, upTo := t.goTo(id, b.line.find(id)); behind < upTo {
		b.departures = append(b.departures, departure{by: s.GitOpsCommit, to: id, behind: behind, upTo: upTo})
	}
}

// left returns when the environment first went back behind what is there, if it did.
func (b *branch) left(at int) (departure, bool) {
	i := slices.IndexFunc(b.departures, func(d departure) bool { return d.behind < at && at <= d.upTo })
	if i < 0 {
		return departure{}, false
	}
	return b.departures[i], true
}

// newestID returns the newest commit that a step carries, or the only one. It returns ""
// if the step carries several and one of them is unknown.
func (s step) newestID(l *line) string {
	only := ""
	for _, id := range slices.Sorted(maps.Values(s.Carried)) {
		if s.newest > 0 && l.find(id) == s.newest {
			return id
		}
		if s.newest == 0 && only != "" && only != id {
			return ""
		}
		only = id
	}
	return only
}

// track is the commits that were carried one after the other.
type track struct {
	ats []int
	// newest of the line so far.
	newest int
	// seen is when a commit was last there.
	seen map[string]int
}

func newTrack() *track { return &track{seen: map[string]int{}} }

// goTo adds a commit, and returns which part of the line is left backwards with it: the
// commits after behind, up to upTo. An unknown commit is before the commits that came
// since it was there last.
func (t *track) goTo(id string, at int) (behind, upTo int) {
	last, was := t.seen[id]
	switch {
	case at > 0:
		upTo = t.newest
	case was:
		upTo = newestOf(t.ats[last:])
	}
	t.seen[id] = len(t.ats)
	t.ats = append(t.ats, at)
	t.newest = max(t.newest, newestOf([]int{at}))
	return at, upTo
}

// newestOf returns the newest of some commits that is on the line, or 0.
func newestOf(ats []int) int {
	newest := 0
	for _, at := range ats {
		if at%2 == 0 {
			newest = max(newest, at)
		}
	}
	return newest
}

// skew is by how much the clocks of those who commit may differ.
const skew = 5 * time.Minute

// setClocks bounds the times of steps, the newest first. What comes with a wrong clock counts
// as late, with a clock that is behind as of the next newer commit. What such a commit takes
// away counts as taken early. If clocks are almost right, the earlier time counts.
func setClocks(steps []step, now time.Time) {
	bound := now
	for i, s := range steps {
		if s.Time.Sub(bound) > skew {
			continue
		}
		if s.Time.Before(bound) {
			bound = s.Time
		}
		steps[i].took = bound
	}
	var came, took time.Time
	for i, s := range slices.Backward(steps) {
		took = later(took, s.took) // that of an older one, where it is not known
		steps[i].took = took
		if came.Sub(s.Time) > skew {
			continue
		}
		steps[i].came = later(came, s.Time)
		if !s.Time.After(now) {
			came = steps[i].came
		}
	}
	var newer time.Time
	for i := range steps {
		if steps[i].came.IsZero() {
			steps[i].came = newer
		}
		newer = steps[i].came
	}
}
