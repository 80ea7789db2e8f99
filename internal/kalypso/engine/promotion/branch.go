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
	// steps are those of them whose content is known, newest first.
	steps []*step
	// deployed are the steps that carried a release itself, newest first, by its position;
	// nil until all is read.
	deployed map[position][]int
	// releases are the positions of the releases of a commit, newest first, by that of the commit.
	releases map[position][]position
	// named are the sources of releases, as far as they were asked for.
	named map[position]Sources
	// departures are when the environment went back, the first one first.
	departures []departure
}

// departure is a GitOps commit that went back. It has the position and the commit that it went
// back to, and the releases that it left: those after behind, up to upTo.
type departure struct {
	by           GitOpsCommit
	to           part
	behind, upTo position
}

func newBranch(l *line, h History, now time.Time) *branch {
	return &branch{line: l, history: h, now: now, complete: h == nil, named: map[position]Sources{}}
}

// more reads the next step. It passes over GitOps commits whose content nobody knows. A step
// that carries nothing is the last one: the environment is new since.
func (b *branch) more() error {
	for before := len(b.steps); !b.complete && len(b.steps) == before; {
		g, ok, err := b.history(b.asked)
		if err != nil {
			return err
		}
		b.asked++
		b.complete = !ok
		if g.Carried = b.line.known(g.Carried); ok && g.Carried != nil {
			b.complete = len(g.Carried) == 0
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
	return b.steps[0], nil
}

// lastWith returns the sources with which a commit was carried last, and reads no further back.
func (b *branch) lastWith(id string) (Sources, error) {
	for i := 0; ; i++ {
		for len(b.steps) <= i && !b.complete {
			if err := b.more(); err != nil {
				return nil, err
			}
		}
		if len(b.steps) <= i {
			return nil, nil
		}
		if sources := b.steps[i].sources(func(p part) bool { return p.id == id }); len(sources) > 0 {
			return sources, nil
		}
	}
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
	if err := b.number(); err != nil {
		return err
	}
	b.deployed, b.releases = map[position][]int{}, map[position][]position{}
	for i, s := range b.steps {
		for _, at := range s.places() {
			b.deployed[at] = append(b.deployed[at], i)
		}
	}
	for _, at := range slices.Backward(slices.Sorted(maps.Keys(b.deployed))) {
		b.releases[at.commit()] = append(b.releases[at.commit()], at)
	}
	b.findDepartures()
	setClocks(b.steps, b.now)
	return nil
}

// findDepartures follows each instance, and the environment as a whole, through time. The
// removal of an instance that was ahead of the others takes nothing back. If the instance is
// still at the release that it was added with, the removal takes that release back.
func (b *branch) findDepartures() {
	whole := newTrack()
	instances := map[string]*track{}
	var before map[string]part
	added := map[string]part{}
	for _, s := range slices.Backward(b.steps) {
		if len(s.parts) == 0 {
			continue
		}
		if onlyLess(before, s.parts, added) {
			whole = newTrack()
		}
		for instance, p := range s.parts {
			if _, was := before[instance]; !was && before != nil {
				added[instance] = p
			}
		}
		before = s.parts
		for _, instance := range slices.Sorted(maps.Keys(s.parts)) {
			if instances[instance] == nil {
				instances[instance] = newTrack()
			}
			b.depart(instances[instance], s, s.parts[instance])
		}
		if p, ok := s.whole(); ok {
			b.depart(whole, s, p)
		}
	}
}

// onlyLess reports whether the only change is that instances are gone, and none of them is
// still at the release that it was added with.
func onlyLess(before, after, added map[string]part) bool {
	for instance, p := range after {
		if before[instance] != p {
			return false
		}
	}
	for instance, p := range before {
		if _, stays := after[instance]; !stays && added[instance] == p {
			return false
		}
	}
	return len(after) < len(before)
}

// depart has a track go to a release with a step, and notes what it left backwards: newer
// commits with all their releases, and the newer releases of the same commit.
func (b *branch) depart(t *track, s *step, p part) {
	left := departure{by: s.GitOpsCommit, to: p}
	upTo, newest := t.goTo(p)
	if upTo.commit() > p.at.commit() {
		left.behind, left.upTo = p.at.last(), upTo.last()
		b.departures = append(b.departures, left)
	}
	if newest > p.at {
		left.behind, left.upTo = p.at, newest
		b.departures = append(b.departures, left)
	}
}

// left returns when the environment first went back behind a release, if it did.
func (b *branch) left(at position) (departure, bool) {
	i := slices.IndexFunc(b.departures, func(d departure) bool { return d.behind < at && at <= d.upTo })
	if i < 0 {
		return departure{}, false
	}
	return b.departures[i], true
}

// like returns the newest release of a commit that agrees with sources, and names some of them;
// 0 for none.
func (b *branch) like(commit position, sources Sources) position {
	for _, at := range b.releases[commit] {
		is := b.sources(at)
		if b.line.work.agree(is, sources) && (len(is) == 0 || len(sources) == 0 || is.meet(sources)) {
			return at
		}
	}
	return 0
}

// sources returns the sources of a release, as the newest step with it has them.
func (b *branch) sources(at position) Sources {
	if len(b.deployed[at]) == 0 {
		return nil
	}
	if _, known := b.named[at]; !known {
		b.named[at] = b.steps[b.deployed[at][0]].sourcesAt(at)
	}
	return b.named[at]
}

// followed reports whether any step names a source.
func (b *branch) followed(name string) bool {
	return slices.ContainsFunc(b.steps, func(s *step) bool {
		for _, r := range s.Carried {
			if r.Sources[name] != "" {
				return true
			}
		}
		return false
	})
}

// came returns the step that brought a release, or -1 if none did.
func (b *branch) came(at position) int {
	if own := b.deployed[at]; len(own) > 0 {
		return own[len(own)-1]
	}
	return -1
}

// whole returns the newest part of a step, or the only one. It returns false if there are
// several, and one of them is unknown.
func (s *step) whole() (part, bool) {
	var only part
	for _, instance := range slices.Sorted(maps.Keys(s.parts)) {
		p := s.parts[instance]
		if s.newest > 0 && p.at == s.newest {
			return p, true
		}
		if s.newest == 0 && only.id != "" && only.id != p.id {
			return part{}, false
		}
		only = p
	}
	return only, true
}

// track is the releases that were carried one after the other.
type track struct {
	ats []position
	// newest of the line so far, and newest release of each commit.
	newest   position
	releases map[position]position
	// seen is when an unknown commit was last there.
	seen map[string]int
}

func newTrack() *track { return &track{releases: map[position]position{}, seen: map[string]int{}} }

// goTo adds a part, and returns the newest of the line that the track had before it, and the
// newest release of the same commit. An unknown commit is before the commits that came since it
// was there last.
func (t *track) goTo(p part) (upTo, newest position) {
	if p.at > 0 {
		upTo, newest = t.newest, t.releases[p.at.commit()]
		t.releases[p.at.commit()] = max(newest, p.at)
	} else if last, was := t.seen[p.id]; was {
		upTo = newestOf(t.ats[last:])
	}
	t.seen[p.id] = len(t.ats)
	t.ats = append(t.ats, p.at)
	t.newest = max(t.newest, newestOf([]position{p.at}))
	return upTo, newest
}

// newestOf returns the newest of some positions that is on the line, or 0.
func newestOf(ats []position) position {
	newest := position(0)
	for _, at := range ats {
		if !at.isHead() {
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
func setClocks(steps []*step, now time.Time) {
	bound := now
	for _, s := range steps {
		if s.Time.Sub(bound) > skew {
			continue
		}
		if s.Time.Before(bound) {
			bound = s.Time
		}
		s.took = bound
	}
	var came, took time.Time
	for _, s := range slices.Backward(steps) {
		took = later(took, s.took) // that of an older one, where it is not known
		s.took = took
		if came.Sub(s.Time) > skew {
			continue
		}
		s.came = later(came, s.Time)
		if !s.Time.After(now) {
			came = s.came
		}
	}
	var newer time.Time
	for _, s := range steps {
		if s.came.IsZero() {
			s.came = newer
		}
		newer = s.came
	}
}
